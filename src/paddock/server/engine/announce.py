"""Events about tasks: one per job and round, small enough to be sent to every browser."""

from collections.abc import Mapping, Sequence
from math import isfinite

from paddock.models.events import LiveFields, StepValue, TasksUpdate
from paddock.server.store import events, tasks
from paddock.server.store.db import Connection
from paddock.server.store.metrics import Point

MAX_POINTS = 5_000  # of an event: it is kept for an hour, and goes to every browser


def announce(
    c: Connection,
    job: str,
    *,
    whole: Sequence[str] = (),
    live: Mapping[str, LiveFields] | None = None,
    points: Mapping[str, Mapping[str, Sequence[Point]]] | None = None,
    reset: Mapping[str, list[str]] | None = None,
) -> None:
    """Write one event: whole tasks whose state has changed, what moves in others, new points, curves to fetch again."""
    count = sum(len(series) for one in (points or {}).values() for series in one.values())
    update = TasksUpdate(
        tasks=tasks.by_ids(c, list(whole)),
        live=dict(live or {}),
        reset=reset or None,
        more=True if count > MAX_POINTS else None,
        points={task: _pairs(one) for task, one in (points or {}).items()} if 0 < count <= MAX_POINTS else None,
    )
    events.write(c, job, update)


def _pairs(points: Mapping[str, Sequence[Point]]) -> dict[str, list[StepValue]]:
    """Return step and value of each point, as JSON can contain them."""
    return {
        name: [(step, value if isfinite(value) else None) for step, value, _ in series]
        for name, series in points.items()
    }
