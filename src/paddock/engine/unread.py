"""What tasks had written when their runner died, and it had not reported yet.

A task that is resumed goes on behind it, so nobody would ever report it. Its files are read once more, from their
beginning, and what lies beyond the last step that is known is news.
"""

import logging
import time
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import sqlalchemy as sa

from paddock.engine.context import Context
from paddock.journal import Metric, Record, Reset, Wrong, storable, typed
from paddock.models import MetricFiles
from paddock.runner import layout
from paddock.runner.follow import Follower
from paddock.store import metrics

SECONDS = 30.0  # for all of them together: the engine has other things to do

log = logging.getLogger(__name__)


def unread(context: Context, rows: list[sa.Row[Any]]) -> dict[str, list[Record]]:
    """The records that the runners of these attempts still owe, by allocation. Reads files: not in a transaction."""
    left = [row for row in rows if row.ended_at is None]
    if not left:
        return {}
    with context.db.read() as c:
        facts = context.facts(c, [row.job_id for row in left])
        known = metrics.reached(c, [row.id for row in left])
    found: dict[str, list[Record]] = {}
    end = time.monotonic() + SECONDS
    for row in left:
        if time.monotonic() >= end:
            log.warning("what %s wrote last is not read: there is too much of it", row.id)
        elif row.job_id in facts:
            written = _written(context.home.job_text(row.job_id), row, facts[row.job_id].spec.metrics)
            found.setdefault(row.allocation, []).extend(_beyond(known.get(row.id, {}), written))
    return found


def _written(job_dir: str, row: sa.Row[Any], asked: MetricFiles) -> list[Record]:
    task_dir = layout.task(job_dir, row.job_id, row.id)
    folder = layout.attempt(task_dir, row.a_number)
    work = layout.work(task_dir)
    try:
        follower = Follower(task_dir, work, folder, asked.files, asked.stdout, row.resumed, row.epochs, whole=True)
        whose = {"task": row.id, "attempt": row.a_number, "at": Path(layout.log(folder)).stat().st_mtime}
        return [one for record in follower.read_all() if (one := _typed(record | whose, row.start or 1)) is not None]
    except Exception:  # whatever a script has written, the end of its task is to be told
        log.warning("what %s wrote last cannot be read", row.id, exc_info=True)
        return []


def _typed(record: dict[str, Any], start: int) -> Record | None:
    try:
        return typed(storable(record), start)
    except Wrong:
        return None


def _beyond(known: Mapping[str, float], records: list[Record]) -> list[Record]:
    found: list[Metric] = []
    for record in records:
        if isinstance(record, Metric):
            news = {n: v for n, v in record.values.items() if n not in known or record.step > known[n]}
            found.append(replace(record, values=news))
        elif isinstance(record, Reset):  # a better source gives these
            gone = record.names
            found = [replace(one, values={n: v for n, v in one.values.items() if n not in gone}) for one in found]
    return [record for record in found if record.values]
