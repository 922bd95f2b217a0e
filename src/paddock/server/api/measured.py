"""Values of metrics as columns of all tasks of a job: the last, the least, the greatest and the best of each curve."""

import time
from collections.abc import Iterable, Mapping, Sequence
from threading import Lock
from typing import NamedTuple

from paddock.models import Goal, JobSpec
from paddock.models.metric_names import goal_of
from paddock.rules import task_view
from paddock.rules.task_view import Measured, Outline
from paddock.server.store import jobs, metrics
from paddock.server.store.db import Connection
from paddock.server.store.metrics import Appender, Summary

MOST = 150_000  # summaries that are kept, about 50 MB
_LATE = 60.0  # seconds that points may be under way between the appender and what a reader sees


class _Known(NamedTuple):
    attempt: int
    read: float
    chain: Sequence[int]  # the ids of the attempts of the curve
    summary: Summary


class MeasuredValues:
    """Keeps summaries of curves by job and metric. Those of tasks without new points are not read again."""

    def __init__(self) -> None:
        self._kept: dict[tuple[str, str], dict[int, _Known]] = {}
        self._locks = [Lock() for _ in range(16)]
        self._changing = Lock()

    def columns(
        self, c: Connection, appender: Appender, job: str, tasks: Sequence[Outline], columns: Iterable[str]
    ) -> Measured:
        """Return the values of columns such as `last.val_loss` by number, of these tasks of a job."""
        wanted = {column: found for column in columns if (found := task_view.of_metric(column))}
        if not wanted:
            return task_view.UNMEASURED
        known = {
            metric: self._summaries(c, appender, job, metric, tasks) for _, metric in dict.fromkeys(wanted.values())
        }
        goals = goals_of(c, job)
        return {column: _values(kind, goals, metric, known[metric]) for column, (kind, metric) in wanted.items()}

    def _summaries(
        self, c: Connection, appender: Appender, job: str, metric: str, tasks: Sequence[Outline]
    ) -> Mapping[int, Summary]:
        with self._locks[hash((job, metric)) % len(self._locks)]:
            kept = self._kept.get((job, metric), {})
            stale = [one for one in tasks if not _holds(kept.get(one.number), one, appender)]
            kept = kept | _read(c, job, metric, stale)
            self._keep((job, metric), kept)
        return {one.number: kept[one.number].summary for one in tasks}

    def _keep(self, key: tuple[str, str], value: dict[int, _Known]) -> None:
        with self._changing:
            self._kept.pop(key, None)
            self._kept[key] = value
            size = sum(map(len, self._kept.values()))
            for other in list(self._kept)[:-1]:
                if size > MOST:
                    size -= len(self._kept.pop(other))


def _holds(known: _Known | None, task: Outline, appender: Appender) -> bool:
    if known is None or known.attempt != task.attempt:
        return False
    return not any(appender.changed_since(one, known.read - _LATE) for one in known.chain)


def _read(c: Connection, job: str, metric: str, tasks: Sequence[Outline]) -> dict[int, _Known]:
    now = time.monotonic()
    found = metrics.summaries_of(c, [f"{job}-{one.number}" for one in tasks], metric)
    return {one.number: _Known(one.attempt, now, *found[f"{job}-{one.number}"]) for one in tasks}


def goals_of(c: Connection, job: str) -> dict[str, Goal]:
    """Return whether less or more is better, by objective of a job."""
    row = jobs.get(c, job)
    others = JobSpec.model_validate(row.spec).other_objectives
    return {one.metric: one.goal for one in others} | {row.metric: row.goal}


def best_of(summary: Summary, metric: str, goals: Mapping[str, Goal]) -> float | None:
    """Return the best value of a curve: by the goal of the job, or by the name of the metric."""
    return summary.most if (goals.get(metric) or goal_of(metric)) is Goal.MAX else summary.least


def _values(kind: str, goals: Mapping[str, Goal], metric: str, known: Mapping[int, Summary]) -> dict[int, float | None]:
    if kind == "best":
        return {number: best_of(one, metric, goals) for number, one in known.items()}
    place = {"last": 0, "min": 1, "max": 2}[kind]
    return {number: one[place] for number, one in known.items()}
