"""What the server and the runners of an ended job told each other, put away.

In the engine's thread, which alone writes there: so nothing is published, and nothing of the job runs, between the look
and the last rename. All that the files said is in the database. The list of tasks goes first: without the claims, a
runner that comes with a restart would take what stands there once more. The orders stay: a runner that was given up and
wakes later finds there that it is to end.
"""

import os
from contextlib import suppress
from pathlib import Path

from paddock.common import files, layout
from paddock.server.engine.context import Context
from paddock.server.store import keeping

PUT_AWAY = (layout.TASKS, layout.ALLOCATIONS, layout.CLAIMS)  # in this order


def put_away(context: Context, job: str) -> Path | None:
    """The folder in which they are now, to be deleted at leisure; None: the job has not ended, or goes on again.

    Raises OSError where the job's folder is none, or the disk does not allow it.
    """
    with context.db.read() as c:
        if not keeping.over(c, job):
            return None
    home = context.home
    folder = files.open_folder(str(home.job(job).root), below=str(home.jobs))
    try:
        target = home.aside(f"journals-{job}")
        target.mkdir()
        for name in PUT_AWAY:
            with suppress(FileNotFoundError):
                os.rename(name, target / name, src_dir_fd=folder)
            if name == layout.TASKS:
                with suppress(OSError):  # not every file system knows it
                    os.fsync(folder)  # nor is it to come back after a power cut
    finally:
        os.close(folder)
    return target


def there(root: Path) -> bool:
    """Return True if a job's folder has any of it."""
    return any(os.path.lexists(root / name) for name in PUT_AWAY)
