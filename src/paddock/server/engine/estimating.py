"""Notes when tasks and jobs are expected to end, and stores how far off that was when they have ended.

What is noted is in memory: of what runs while the server is started again, earlier expectations do not count.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field

from paddock.rules.durations import Band, Prediction
from paddock.server.engine.context import Context
from paddock.server.store import attempts, predictions
from paddock.server.store.predictions import Kind

EVERY_SECONDS = 1.0
MOST_SECONDS = 0.02  # of a round
SHARES = (0.1, 0.25, 0.5, 0.75)  # of its time after which it is noted what is expected


@dataclass
class Expectations:
    """What was expected of a task or a job since it was first seen."""

    since: float
    noted: list[Prediction] = field(default_factory=list)
    passed: int = 0

    def note(self, now: float, band: Band | None) -> None:
        """Note a band if another share of the time is over: only one at a time, for what is short."""
        if band is None or not band.likely > now:
            return
        share = (now - self.since) / (band.likely - self.since)
        passed = sum(share >= one for one in SHARES)
        if passed > self.passed:
            self.passed = passed
            self.noted.append(Prediction(now, band))


class Forecaster:
    def __init__(self, context: Context) -> None:
        self._context = context
        self._at = -math.inf
        self._tasks: dict[str, Expectations] = {}
        self._jobs: dict[str, Expectations] = {}

    def run(self, now: float) -> None:
        """Note what is expected, and store what became of what was."""
        if now - self._at < EVERY_SECONDS:
            return
        self._at = now
        context = self._context
        with context.db.read() as c:
            demands = attempts.demands(c)
            active = [one.job for one in demands if one.running]
            found = context.estimates.of_many(c, active, now, context.waits, MOST_SECONDS)
            running = {one.id for one in attempts.all_running(c)}
            gone = [task for task in self._tasks if task not in running]
            ended = predictions.finished(c, gone) if gone else {}
            over = predictions.ended_jobs(c, self._jobs.keys() - {one.job for one in demands})
            context.estimates.keep_only({one.job for one in demands})
        for job, estimate in found.items():
            self._jobs.setdefault(job, Expectations(estimate.at)).note(estimate.at, estimate.plain_done)
            _note(
                self._tasks, estimate.at, {task: band for task, band in estimate.plain_ends.items() if task in running}
            )
        scores: dict[tuple[str, Kind], list[float]] = {}
        for task in gone:
            known = self._tasks.pop(task)
            if task in ended:
                new = [one.score(ended[task]) for one in known.noted]
                scores.setdefault((task.rpartition("-")[0], "task"), []).extend(new)
        for job, at in over.items():
            known = self._jobs.pop(job)
            if at is not None:
                scores[job, "job"] = [one.score(at) for one in known.noted]
        self._learn(scores, now)

    def _learn(self, scores: Mapping[tuple[str, Kind], list[float]], now: float) -> None:
        new = {whose: some for whose, some in scores.items() if some}
        if not new:
            return
        with self._context.db.write() as c:
            facts = self._context.facts(c, list({job for job, _ in new}))
            for (job, kind), some in new.items():
                one = facts.get(job)
                if one is not None and one.program is not None:
                    predictions.learn(c, one.owner, one.program, kind, some, now)


def _note(known: dict[str, Expectations], now: float, bands: Mapping[str, Band]) -> None:
    for name, band in bands.items():
        known.setdefault(name, Expectations(now)).note(now, band)
