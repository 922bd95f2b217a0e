"""Removed jobs: end what runs, then delete folder and rows."""

import secrets
import shutil
from pathlib import Path
from typing import Any

import sqlalchemy as sa

from paddock.engine.cancel import cancel
from paddock.engine.context import Context
from paddock.engine.observe import SUBMITTING
from paddock.models import AllocationState
from paddock.store import jobs

REMOVING = "remove it"


def remove(context: Context, rows: list[sa.Row[Any]]) -> list[Path]:
    """Returns folders that are no longer part of anything, to be deleted at leisure."""
    with context.db.read() as c:
        leaving = jobs.removing(c)
    doomed: list[Path] = []
    for job in leaving:
        if not context.boundary.rests(job, REMOVING):
            with context.boundary.job(job, REMOVING):
                doomed += _remove(context, job, [row for row in rows if row.job_id == job])
    return doomed


def _remove(context: Context, job: str, rows: list[sa.Row[Any]]) -> list[Path]:
    left = [row for row in rows if _is_left(context, row)]
    if left:
        cancel(context, left)
        return []
    folder = _set_aside(context, job)
    with context.db.write() as c:
        jobs.delete(c, job)
    context.forget(job)
    context.boundary.forget(job)
    return folder


def _is_left(context: Context, row: sa.Row[Any]) -> bool:
    """Return True if there may be something of an allocation that can be ended, and waited for."""
    if row.backend not in context.couriers or row.state == AllocationState.ENDED:
        return False
    # One that cannot even be submitted, as its folder is gone, will never be.
    return not (row.state == AllocationState.PLANNED and context.boundary.rests(row.job_id, SUBMITTING))


def _set_aside(context: Context, job: str) -> list[Path]:
    """Its folder, or whatever stands in place of it, under another name."""
    target = context.home.incoming / f"removed-{job}-{secrets.token_hex(4)}"
    try:
        context.home.job(job).root.rename(target)
    except FileNotFoundError:
        return []
    return [target]


def delete_folder(path: Path) -> None:
    if path.is_symlink() or not path.is_dir():
        path.unlink(missing_ok=True)
    else:
        shutil.rmtree(path, ignore_errors=True)
