"""Removes the files through which the server and the runners of an ended job communicated.

This happens in the engine's thread, the only one that writes there: nothing is published, and nothing of the job runs,
between the check and the last rename. The database has everything that the files contained. The list of tasks is
removed first: without the claims, the runner of a restart would take its lines again. The orders stay, so that a runner
that was given up and continues later finds the order to end.
"""

import os
from contextlib import suppress
from pathlib import Path

from paddock.common import files, layout
from paddock.server.engine.context import Context
from paddock.server.store import keeping

PUT_AWAY = (layout.TASKS, layout.ALLOCATIONS, layout.CLAIMS)  # in this order


def put_away(context: Context, job: str) -> Path | None:
    """Move the files away and return their folder, which can be deleted. None: the job has not ended.

    Raises OSError if the job's folder is not a folder, or the file system refuses it.
    """
    with context.db.read() as c:
        if not keeping.over(c, job):
            return None
    home = context.home
    target = home.aside(f"journals-{job}")
    with files.in_folder(str(home.job(job).root), below=str(home.jobs)) as folder:
        target.mkdir()
        for name in PUT_AWAY:
            with suppress(FileNotFoundError):
                os.rename(name, target / name, src_dir_fd=folder)
            if name == layout.TASKS:
                with suppress(OSError):  # some file systems do not support it
                    os.fsync(folder)  # it must not reappear after a power failure
    return target


def there(root: Path) -> bool:
    """Return True if a job's folder has any of these files."""
    return any(os.path.lexists(root / name) for name in PUT_AWAY)
