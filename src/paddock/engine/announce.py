"""Events about tasks: one a job and round, small enough to be sent to every browser."""

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

import sqlalchemy as sa

from paddock.store import events, tasks
from paddock.store.metrics import Point

MAX_POINTS = 20_000
LIVE = ("epoch", "progress", "seconds_left", "last_value", "best_value", "best_epoch")


class Announcement:
    """`tasks`: whole tasks whose state changed; `live`: what moves in the others; `points`: task -> metric -> points.

    `reset` names curves to be fetched again, and `more` says so of all: there was too much to send.
    """

    def __init__(self, c: sa.Connection) -> None:
        self._c = c
        self._jobs: dict[str, list[tuple[str, bool]]] = defaultdict(list)
        self._points: dict[str, dict[str, dict[str, list[list[float | None]]]]] = defaultdict(dict)
        self._reset: dict[str, dict[str, list[str]]] = defaultdict(dict)

    def add(
        self,
        job: str,
        task: str,
        *,
        state_changed: bool,
        points: Mapping[str, Sequence[Point]] | None = None,
        forgotten: set[str] | None = None,
    ) -> None:
        self._jobs[job].append((task, state_changed))
        if points:
            self._points[job][task] = {name: [_pair(p) for p in series] for name, series in points.items()}
        if forgotten:
            self._reset[job][task] = sorted(forgotten)

    def write(self) -> None:
        for job, changed in self._jobs.items():
            events.insert(self._c, "tasks", job, self._data(job, dict(changed)))

    def _data(self, job: str, changed: dict[str, bool]) -> dict[str, Any]:
        found = tasks.by_ids(self._c, list(changed))
        data: dict[str, Any] = {
            "tasks": [task.model_dump(mode="json") for task in found if changed[task.id]],
            "live": {task.id: {name: getattr(task, name) for name in LIVE} for task in found if not changed[task.id]},
        }
        if self._reset[job]:
            data["reset"] = self._reset[job]
        count = sum(len(series) for one in self._points[job].values() for series in one.values())
        if count > MAX_POINTS:
            data["more"] = True
        elif count:
            data["points"] = self._points[job]
        return data


def _pair(point: Point) -> list[float | None]:
    return [point[0], point[1] if math.isfinite(point[1]) else None]
