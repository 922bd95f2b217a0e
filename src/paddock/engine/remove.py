"""Removed jobs: end what runs, then delete folder and rows."""

import shutil
from pathlib import Path
from typing import Any

import sqlalchemy as sa

from paddock.engine.context import Context
from paddock.store import allocations, jobs


def remove(context: Context, rows: list[sa.Row[Any]]) -> list[Path]:
    """Returns folders that are no longer part of anything, to be deleted at leisure."""
    with context.db.read() as c:
        leaving = jobs.removing(c)
    doomed = []
    for job in leaving:
        # Those of a backend that is no longer in the settings can be neither ended nor waited for.
        mine = [row for row in rows if row.job_id == job and row.backend in context.couriers]
        if not mine:
            doomed.append(_set_aside(context, job))
            with context.db.write() as c:
                jobs.delete(c, job)
            context.forget(job)
            context.boundary.forget(job)
        else:
            _cancel(context, [row for row in mine if row.backend_id and not row.cancelled])
    return doomed


def _cancel(context: Context, rows: list[sa.Row[Any]]) -> None:
    for row in rows:
        courier = context.couriers.get(row.backend)
        if courier is not None:
            courier.cancel([row.backend_id])
    if rows:
        with context.db.write() as c:
            allocations.cancelled(c, [row.key for row in rows])


def _set_aside(context: Context, job: str) -> Path:
    target = context.home.incoming / f"removed-{job}"
    folder = context.home.job(job).root
    if folder.exists():
        folder.rename(target)
    return target


def delete_folder(path: Path) -> None:
    shutil.rmtree(path, ignore_errors=True)
