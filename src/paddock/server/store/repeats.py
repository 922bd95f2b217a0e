"""Jobs that run each configuration several times: the best configuration by the mean of its tasks."""

from dataclasses import dataclass

import numpy as np
import sqlalchemy as sa

from paddock.models import Objective, TaskState
from paddock.search import history
from paddock.search.history import Run
from paddock.server.store import metrics
from paddock.server.store.tables import UNENDED, tasks


@dataclass(frozen=True)
class Repeated:
    """How many configurations a job has, and the best of them, with its tasks, the best first."""

    configurations: int
    trial: int | None = None
    mean: float | None = None
    spread: float | None = None
    tasks: tuple[str, ...] = ()


def best(c: sa.Connection, job: str, objective: Objective) -> Repeated:
    """Return the best configuration of a job by the mean of its tasks; see `history.leading`."""
    finished = sa.case((tasks.c.state == TaskState.FINISHED, tasks.c.best_value))
    mean = sa.func.coalesce(sa.func.avg(finished), sa.func.avg(tasks.c.best_value))
    unended = sa.func.count(sa.case((tasks.c.state.in_(UNENDED), 1)))
    of_job = (tasks.c.job_id == job, tasks.c.reduces.is_(False))
    rows = c.execute(sa.select(tasks.c.trial, mean, unended).where(*of_job).group_by(tasks.c.trial)).all()
    trial = history.leading([(number, value, not left) for number, value, left in rows], objective)
    if trial is None:
        return Repeated(len(rows))
    query = sa.select(tasks.c.id, tasks.c.state, tasks.c.best_value).where(*of_job, tasks.c.trial == trial)
    found = c.execute(query.order_by(tasks.c.number)).all()
    runs = [Run(task, trial, {}, state, (value,)) for task, state, value in found]
    valued = [run for run in history.counted(runs) if run.values[0] is not None]
    valued.sort(key=lambda run: run.values[0] or 0.0, reverse=not objective.better(0.0, 1.0))
    ids = tuple(run.task for run in valued)
    return Repeated(len(rows), trial, history.means(runs, 1)[0], history.spreads(runs, 1)[0], ids)


def mean_curve(c: sa.Connection, ids: tuple[str, ...], metric: str, points: int) -> list[float]:
    """Return the mean of the curves of these tasks, at evenly spread steps that all of them have reached."""
    found = [one[np.isfinite(one["value"])] for one in metrics.series(c, ids, metric).values()]
    found = [one for one in found if len(one)]
    if not found:
        return []
    first, last = max(one["step"][0] for one in found), min(one["step"][-1] for one in found)
    longest = max(len(one) for one in found)
    steps = np.linspace(first, max(last, first), min(points, longest))
    curves = [np.interp(steps, one["step"], one["value"]) for one in found]
    return [float(value) for value in np.mean(curves, axis=0)]
