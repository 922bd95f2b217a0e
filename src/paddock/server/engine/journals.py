"""Removes the files through which the server and the runners of an ended job communicated.

This happens in the engine's thread, the only one that writes there: nothing is published, and nothing of the job runs,
between the check and the last rename. The database has everything that the files contained. The list of tasks is
removed first: without the claims, the runner of a restart would take its lines again. The orders stay, so that a runner
that was given up and continues later finds the order to end.
"""

import os
from pathlib import Path

from paddock.server.engine.context import Context
from paddock.server.outposts.here import PUT_AWAY
from paddock.server.store import keeping


def put_away(context: Context, job: str) -> Path | None:
    """Move the files away and return their folder, which can be deleted. None: the job has not ended.

    Raises OSError if the job's folder is not a folder, or the file system refuses it.
    """
    with context.db.read() as c:
        if not keeping.over(c, job):
            return None
    return context.outposts.of(job).put_away()


def there(root: Path) -> bool:
    """Return True if a job's folder has any of these files."""
    return any(os.path.lexists(root / name) for name in PUT_AWAY)
