"""Searches the logs of tasks that have ended for metrics that a person has marked since.

Runners search the logs of tasks that run. A pattern is searched for in a process of its own, as it may take long.
"""

from collections import defaultdict
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass

from paddock.errors import PaddockError
from paddock.runner.sources import patterns
from paddock.server.engine.announce import announce
from paddock.server.engine.context import Context
from paddock.server.store import attempts, jobs, objectives
from paddock.server.store.attempts import TaskAttempt
from paddock.server.store.metrics import Point

AT_ONCE = 50  # logs that one process searches
SEARCHING = "search its logs"
ABOUT = "for marked metrics"


@dataclass
class _Search:
    wanted: list[str]
    rows: list[TaskAttempt]
    reading: Future[list[list[patterns.Found]]]
    done: int  # logs that were searched before


class MarkedMetrics:
    """Searches one portion of the logs of a job after the other. Only the engine's thread may call `run`."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self._pool = ThreadPoolExecutor(1, thread_name_prefix="marked")
        self._searches: dict[str, _Search] = {}
        self._begun = False

    def close(self) -> None:
        self._pool.shutdown(wait=False, cancel_futures=True)

    def run(self) -> None:
        if self._context.marked or not self._begun:
            self._begin_all()
        for job, search in list(self._searches.items()):
            if search.reading.done():
                del self._searches[job]
                self._context.boundary.try_for(job, SEARCHING, self._take, job, search)

    def _begin_all(self) -> None:
        """Search for patterns that were added. After a start, begin again what the end of the last server cut off."""
        with self._context.db.read() as c:
            found = jobs.unsearched(c)
        for job, wanted in found.items():
            if (job in self._context.marked or not self._begun) and not self._searched(job, wanted):
                self._context.boundary.try_for(job, SEARCHING, self._begin, job, wanted, 0, 0)
        self._context.marked.clear()
        self._begun = True

    def _searched(self, job: str, wanted: list[str]) -> bool:
        return job in self._searches and self._searches[job].wanted == wanted

    def _begin(self, job: str, wanted: list[str], after: int, done: int) -> None:
        with self._context.db.read() as c:
            rows = attempts.ended_in(c, job, after, AT_ONCE)
        if not rows:
            self._finish(job, wanted, done)
            return
        outpost = self._context.outposts.of(job)
        logs = [outpost.folder.log(row.id, row.attempt_number) for row in rows]
        reading = self._pool.submit(outpost.search, logs, wanted)
        self._searches[job] = _Search(wanted, rows, reading, done)

    def _take(self, job: str, search: _Search) -> None:
        done, last = search.done + len(search.rows), search.rows[-1].number
        try:
            found = search.reading.result()
        except PaddockError as error:
            with self._context.db.write() as c:
                jobs.mark_searched(c, job, search.wanted)
                jobs.change_warning(c, job, ABOUT, f"Logs were not searched {ABOUT}. {error.message}")
            return
        with self._context.db.write() as c:
            reset = {}
            for row, points in zip(search.rows, found, strict=True):
                series: dict[str, list[Point]] = defaultdict(list)
                for step, values in points:
                    for name, value in values.items():
                        series[name].append((step, value, row.ended_at or 0.0))
                if series:
                    self._context.appender.forget(c, row.attempt_id, series)
                    self._context.appender.append(c, {row.attempt_id: series})
                    self._context.appender.finish(c, row.attempt_id)
                    self._context.reported.setdefault(job, set()).update(series)
                    reset[row.id] = sorted(series)
            if reset:
                announce(c, job, reset=reset)
            jobs.change_warning(c, job, ABOUT, f"{done} logs of ended tasks were searched {ABOUT}; it goes on.")
        self._begin(job, search.wanted, last, done)

    def _finish(self, job: str, wanted: list[str], done: int) -> None:
        with self._context.db.read() as c:
            ended = objectives.figures_of_ended(c, job, objectives.present(c, job)) if done else None
        with self._context.db.write() as c:
            jobs.mark_searched(c, job, wanted)
            jobs.change_warning(c, job, ABOUT, None)
            if done:
                objectives.recompute(c, job, ended)
        self._context.to_choose.add(job)
