"""Recovers metrics that tasks had written, and their runner had not reported when it died.

A resumed task continues after them, so nobody else would report them. The files are read again from their beginning;
points after the last known step are new.
"""

import logging
from collections.abc import Callable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from paddock.errors import PaddockError
from paddock.models import MetricFiles
from paddock.server.journal import Metric, Record, Reset, storable, typed
from paddock.server.outposts.outpost import Outpost, UnreadFiles
from paddock.server.store import metrics
from paddock.server.store.attempts import TaskAttempt

if TYPE_CHECKING:
    from paddock.server.engine.context import Context

SECONDS = 60.0  # after this, the files are not waited for
FORGET_SECONDS = 600.0  # a result that nobody takes is dropped after this
THREADS = 4

log = logging.getLogger(__name__)


@dataclass
class _Asked:
    reading: Future[list[Record]]
    until: float
    at: float  # when it was last asked for


class MetricRecovery:
    """Reads files in its own threads, as it can take long. Only the engine's thread may call `ask`.

    Nothing is stored: after a crash it is asked for again, as the attempt has not ended.
    """

    def __init__(self, context: "Context") -> None:
        self._context = context
        self._pool = ThreadPoolExecutor(THREADS, thread_name_prefix="recovery")
        self._asked: dict[int, _Asked] = {}  # by attempt
        self.wake: Callable[[], None] = lambda: None

    def ask(self, rows: list[TaskAttempt]) -> dict[str, list[Record]] | None:
        """Return the records that the runners of these attempts did not report, by allocation. Not in a transaction.

        None: they are being read; ask again in the next round.
        """
        left = [row for row in rows if row.ended_at is None]
        if not left:
            return {}
        now = self._context.clock.ticks()
        self._asked = {key: one for key, one in self._asked.items() if now - one.at < FORGET_SECONDS}
        self._begin([row for row in left if row.attempt_id not in self._asked], now)
        asked = [self._asked[row.attempt_id] for row in left if row.attempt_id in self._asked]
        for one in asked:
            one.at = now
        if any(not one.reading.done() and now < one.until for one in asked):
            return None
        with self._context.db.read() as c:
            known = metrics.reached(c, [row.id for row in left])
        found: dict[str, list[Record]] = {}
        for row in left:
            written = self._take(row)
            found.setdefault(row.allocation or "", []).extend(_beyond(known.get(row.id, {}), written))
        return found

    def close(self) -> None:
        self._pool.shutdown(wait=False, cancel_futures=True)

    def _begin(self, rows: list[TaskAttempt], now: float) -> None:
        if not rows:
            return
        with self._context.db.read() as c:
            facts = self._context.facts(c, [row.job_id for row in rows])
        for row in rows:
            if row.job_id in facts:
                outpost = self._context.outposts.of(row.job_id)
                reading = self._pool.submit(
                    _written, outpost, row, facts[row.job_id].spec.metrics, self._context.clock.now()
                )
                reading.add_done_callback(lambda _: self.wake())
                self._asked[row.attempt_id] = _Asked(reading, now + SECONDS, now)

    def _take(self, row: TaskAttempt) -> list[Record]:
        asked = self._asked.pop(row.attempt_id, None)
        if asked is None:
            return []
        if not asked.reading.done():
            asked.reading.cancel()
            log.warning("the last metrics of %s are not recovered: reading its files takes too long", row.id)
            return []
        return asked.reading.result()


def _written(outpost: Outpost, row: TaskAttempt, asked: MetricFiles, now: float) -> list[Record]:
    wanted = UnreadFiles(row.id, row.attempt_number, row.resumed, row.epochs, asked.files, asked.stdout)
    whose = {"task": row.id, "attempt": row.attempt_number}
    try:
        records = [record | whose for record in outpost.unread(wanted)]
        if asked.patterns:
            at = records[0]["at"] if records else now
            records += [record | whose | {"at": at} for record in _marked(outpost, row, asked.patterns)]
        found = [typed(storable(record), row.start or 1) for record in records]
        return [one for one in found if isinstance(one, Metric | Reset)]
    except Exception:  # whatever a script has written, its task must end
        log.warning("the last metrics of %s cannot be recovered", row.id, exc_info=True)
        return []


def _marked(outpost: Outpost, row: TaskAttempt, patterns: list[str]) -> list[dict[str, Any]]:
    """Return what the patterns of the job find in the log; it takes the place of what was found without them."""
    log_file = outpost.folder.log(row.id, row.attempt_number)
    try:
        [found] = outpost.search([log_file], patterns)
    except PaddockError as error:  # what else was written counts all the same
        log.warning("the log of %s is not searched for marked metrics: %s", row.id, error.message)
        return []
    names = sorted({name for _, values in found for name in values})
    points = [{"e": "metric", "step": step, "v": values} for step, values in found]
    return [{"e": "reset", "names": names}, *points] if names else []


def _beyond(known: Mapping[str, float], records: list[Record]) -> list[Record]:
    found: list[Metric] = []
    for record in records:
        if isinstance(record, Metric):
            news = {n: v for n, v in record.values.items() if n not in known or record.step > known[n]}
            found.append(replace(record, values=news))
        elif isinstance(record, Reset):  # a better source has these
            gone = record.names
            found = [replace(one, values={n: v for n, v in one.values.items() if n not in gone}) for one in found]
    return [record for record in found if record.values]
