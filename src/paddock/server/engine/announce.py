"""Events about tasks: one a job and round, small enough to be sent to every browser."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from math import isfinite
from typing import Any

from paddock.server.store import events, tasks
from paddock.server.store.db import Connection
from paddock.server.store.metrics import Point

MAX_POINTS = 5_000  # of an event: it is kept for an hour, and goes to every browser
Live = Mapping[str, float | str | None]


class Announcement:
    """`tasks`: whole tasks whose state changed; `live`: what moves in the others; `points`: task -> metric -> points.

    `reset` names curves to be fetched again, and `more` says so of all: there was too much to send.
    """

    def __init__(self, c: Connection) -> None:
        self._c = c
        self._jobs: dict[str, dict[str, Live | None]] = defaultdict(dict)
        self._points: dict[str, dict[str, Mapping[str, Sequence[Point]]]] = defaultdict(dict)
        self._reset: dict[str, dict[str, list[str]]] = defaultdict(dict)

    def add(
        self,
        job: str,
        task: str,
        *,
        live: Live | None,
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
            events.insert(self._c, "tasks", job, self._data(job, changed))

    def _data(self, job: str, changed: Mapping[str, Live | None]) -> dict[str, Any]:
        whole = tasks.by_ids(self._c, [task for task, live in changed.items() if live is None])
        data: dict[str, Any] = {
            "tasks": [task.model_dump(mode="json") for task in whole],
            "live": {task: live for task, live in changed.items() if live is not None},
        }
        if self._reset[job]:
            data["reset"] = self._reset[job]
        count = sum(len(series) for one in self._points[job].values() for series in one.values())
        if count > MAX_POINTS:
            data["more"] = True
        elif count:
            data["points"] = {task: _pairs(series) for task, series in self._points[job].items()}
        return data


def _pairs(points: Mapping[str, Sequence[Point]]) -> dict[str, list[list[float | None]]]:
    """Step and value of each, as JSON can say it."""
    return {
        name: [[step, value if isfinite(value) else None] for step, value, _ in series]
        for name, series in points.items()
    }
