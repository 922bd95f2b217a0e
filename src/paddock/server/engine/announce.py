"""Events about tasks: one per job and round, small enough to be sent to every browser."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from math import isfinite

from paddock.models.events import LiveFields, StepValue, TasksUpdate
from paddock.server.store import events, tasks
from paddock.server.store.db import Connection
from paddock.server.store.metrics import Point

MAX_POINTS = 5_000  # of an event: it is kept for an hour, and goes to every browser


class Announcement:
    """Collects what changed in tasks, and writes one event per job."""

    def __init__(self, c: Connection) -> None:
        self._c = c
        self._jobs: dict[str, dict[str, LiveFields | None]] = defaultdict(dict)
        self._points: dict[str, dict[str, Mapping[str, Sequence[Point]]]] = defaultdict(dict)
        self._reset: dict[str, dict[str, list[str]]] = defaultdict(dict)

    def add(
        self,
        job: str,
        task: str,
        *,
        live: LiveFields | None,
        points: Mapping[str, Sequence[Point]] | None = None,
        forgotten: set[str] | None = None,
    ) -> None:
        """`live` None: its state has changed, and the whole task is to be sent."""
        self._jobs[job][task] = live
        if points:
            self._points[job][task] = points
        if forgotten:
            self._reset[job][task] = sorted(forgotten)

    def write(self) -> None:
        for job, changed in self._jobs.items():
            events.write(self._c, job, self._update(job, changed))

    def _update(self, job: str, changed: Mapping[str, LiveFields | None]) -> TasksUpdate:
        points = self._points[job]
        count = sum(len(series) for one in points.values() for series in one.values())
        return TasksUpdate(
            tasks=tasks.by_ids(self._c, [task for task, live in changed.items() if live is None]),
            live={task: live for task, live in changed.items() if live is not None},
            reset=self._reset[job] or None,
            more=True if count > MAX_POINTS else None,
            points={task: _pairs(one) for task, one in points.items()} if 0 < count <= MAX_POINTS else None,
        )


def _pairs(points: Mapping[str, Sequence[Point]]) -> dict[str, list[StepValue]]:
    """Return step and value of each point, as JSON can contain them."""
    return {
        name: [(step, value if isfinite(value) else None) for step, value, _ in series]
        for name, series in points.items()
    }
