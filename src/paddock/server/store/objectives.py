"""The objectives of jobs: change them, and compute what follows from them again from the stored points."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import sqlalchemy as sa

from paddock.common.patterns import NO_METRIC
from paddock.models import JobSpec, Objective, ObjectiveChoice, TaskState
from paddock.models.events import JobChange
from paddock.rules import objective as rule
from paddock.rules.objective import SECONDS
from paddock.server.store import events, metrics
from paddock.server.store import jobs as job_rows
from paddock.server.store.guards import dumps
from paddock.server.store.rows import many, portions
from paddock.server.store.tables import CURRENT, UNENDED, attempts, jobs, tasks

_BEGUN = (tasks.c.reduces.is_(False), sa.or_(tasks.c.state != TaskState.SUBMITTED, tasks.c.attempt > 1))
SAMPLE = 200  # tasks whose warnings are read
_UPDATE = "UPDATE tasks SET last_value = ?, best_value = ?, best_epoch = ?, best_at = ?, others = ? WHERE id = ?"


def reported(c: sa.Connection, job: str) -> list[str]:
    """Return the metrics that scripts of a job have reported."""
    return [name for name in metrics.names_of_job(c, job) if not name.startswith(metrics.SYSTEM)]


def unchosen(c: sa.Connection) -> list[str]:
    """Return the jobs whose objective is not chosen for good."""
    query = sa.select(jobs.c.id, jobs.c.choice).where(jobs.c.choice.is_not(None), jobs.c.removing.is_(False))
    return [job for job, choice in c.execute(query) if choice and not choice["final"]]


def progress(c: sa.Connection, job: str) -> tuple[bool, float | None, int | None]:
    """Return whether a task of a job has finished, how many epochs the furthest has done, and of how many."""
    done = tasks.c.epoch - tasks.c.first_epoch
    query = sa.select(sa.func.max(done), sa.func.max(tasks.c.epochs)).where(tasks.c.job_id == job)
    finished = sa.exists().where(tasks.c.job_id == job, tasks.c.state == TaskState.FINISHED)
    return bool(c.scalar(sa.select(finished))), *c.execute(query).one()


def change(
    c: sa.Connection,
    job: str,
    objectives: Sequence[Objective],
    choice: ObjectiveChoice,
    spec: JobSpec | None = None,
    *,
    compute: bool = True,
    ended: "EndedFigures | None" = None,
) -> None:
    """Give a job other objectives, and compute the best values of its tasks again. `compute`: unless none is stored.

    `ended`: what `figures_of_ended` has returned before this transaction, as reading the points of many tasks takes
    long. `spec`: the spec that a person wants from now on. If the job was held because no task reports its
    objective, it goes on.
    """
    first = objectives[0]
    values: dict[str, Any] = {"metric": first.metric, "goal": first.goal, "choice": choice.model_dump(mode="json")}
    if spec is not None:
        values |= {"spec": spec.model_dump(mode="json"), "adjusted": jobs.c.adjusted + 1}
    _release(c, job)
    c.execute(sa.update(jobs).where(jobs.c.id == job).values(**values))
    if compute:
        _compute(c, job, objectives, ended)
    job_rows.change_warning(c, job, rule.UNREPORTED, unreported(c, job))
    events.write(c, job, JobChange(change="objective"))


def recompute(c: sa.Connection, job: str, ended: "EndedFigures | None" = None) -> None:
    """Compute the best values of all tasks of a job again, as points were added to tasks that have ended."""
    objectives = present(c, job)
    if objectives[0].metric:
        _compute(c, job, objectives, ended)
    job_rows.change_warning(c, job, rule.UNREPORTED, unreported(c, job))
    events.write(c, job, JobChange(change="objective"))


def present(c: sa.Connection, job: str) -> list[Objective]:
    """Return the objectives of a job that count now."""
    row = c.execute(sa.select(jobs.c.spec, jobs.c.metric, jobs.c.goal).where(jobs.c.id == job)).one()
    first = Objective(metric=row.metric, goal=row.goal)
    return [first, *JobSpec.model_validate(row.spec).other_objectives]


def describe(c: sa.Connection, job: str, choice: ObjectiveChoice) -> None:
    """Record how the objective was chosen, where the objective itself stays."""
    c.execute(sa.update(jobs).where(jobs.c.id == job).values(choice=choice.model_dump(mode="json")))
    events.write(c, job, JobChange(change="objective"))


def unreported(c: sa.Connection, job: str) -> str | None:
    """Return a notice if a task of a job has finished and none has reported the objective, unless one is shown."""
    row = c.execute(sa.select(jobs.c.metric, jobs.c.choice).where(jobs.c.id == job)).one_or_none()
    expected = row is not None and (row.metric or row.choice) and row.metric != SECONDS
    if not expected or row is None or (row.choice or {}).get("notice"):
        return None
    mine = (tasks.c.job_id == job, tasks.c.reduces.is_(False))
    if c.scalar(sa.select(tasks.c.id).where(*mine, tasks.c.best_value.is_not(None)).limit(1)) is not None:
        return None
    finished = sa.select(attempts.c.warnings).join(tasks, CURRENT).where(*mine, tasks.c.state == TaskState.FINISHED)
    warnings = c.scalars(finished.limit(SAMPLE)).all()
    if not warnings:
        return None
    return rule.unreported(row.metric, reported(c, job), any(NO_METRIC in texts for texts in warnings), job)


def hold(c: sa.Connection, job: str, notice: str) -> bool:
    """Hold a job once because no task reports its objective; return False if it was held before, or is anyway."""
    row = c.execute(sa.select(jobs.c.held, jobs.c.choice).where(jobs.c.id == job)).one_or_none()
    choice = ObjectiveChoice.model_validate((row and row.choice) or {})
    if row is None or row.held or choice.held:
        return False
    choice = choice.model_copy(update={"held": True, "notice": notice})
    values = {"held": True, "adjusted": jobs.c.adjusted + 1, "choice": choice.model_dump(mode="json")}
    c.execute(sa.update(jobs).where(jobs.c.id == job).values(**values))
    job_rows.change_warning(c, job, rule.UNREPORTED, None)  # the notice says the same
    events.write(c, job, JobChange(change="held"))
    return True


def lift(c: sa.Connection, job: str) -> None:
    """Let a job go on that was held because no task reported its objective."""
    choice = _release(c, job)
    if choice is not None:
        after = choice.model_copy(update={"held": False, "notice": None})
        c.execute(sa.update(jobs).where(jobs.c.id == job).values(choice=after.model_dump(mode="json")))


def _release(c: sa.Connection, job: str) -> ObjectiveChoice | None:
    """Release a job that is held for its objective; return how that was chosen."""
    row = c.execute(sa.select(jobs.c.held, jobs.c.choice).where(jobs.c.id == job)).one()
    choice = ObjectiveChoice.model_validate(row.choice or {})
    if row.held and choice.notice:
        c.execute(sa.update(jobs).where(jobs.c.id == job).values(held=False, adjusted=jobs.c.adjusted + 1))
        events.write(c, job, JobChange(change="released"))
    return choice if choice.held else None


# --- best values from points ------------------------------------------------------------------------------------------


Figures = tuple[float | None, float | None, float | None, float | None, list[float | None]]


@dataclass(frozen=True)
class EndedFigures:
    """The values of the ended tasks of a job for some objectives. They hold while a task has the same attempt."""

    objectives: list[Objective]
    attempts: dict[str, int]
    figures: dict[str, Figures]


def figures_of_ended(c: sa.Connection, job: str, objectives: Sequence[Objective]) -> EndedFigures:
    """Compute last and best values of the ended tasks of a job, to be stored by `change` or `recompute`."""
    known = _ended(c, job)
    return EndedFigures(list(objectives), known, _figures(c, job, objectives, tasks.c.state.not_in(UNENDED)))


def _ended(c: sa.Connection, job: str) -> dict[str, int]:
    query = sa.select(tasks.c.id, tasks.c.attempt).where(tasks.c.job_id == job, tasks.c.state.not_in(UNENDED))
    return {row.id: row.attempt for row in c.execute(query)}


def _compute(c: sa.Connection, job: str, objectives: Sequence[Objective], ended: EndedFigures | None) -> None:
    """Compute last and best values of all tasks of a job again, in few statements."""
    found: dict[str, Figures] = {}
    if ended is not None and ended.objectives == list(objectives):
        same = _ended(c, job).items() & ended.attempts.items()
        found = {task: ended.figures[task] for task, _ in same if task in ended.figures}
        begun = _begun(c, job) - found.keys()
        for part in portions(sorted(begun)):
            found |= _figures(c, job, objectives, tasks.c.id.in_(part))
    else:
        found = _figures(c, job, objectives)
    rows = [(*plain, dumps(others) if others else None, task) for task, (*plain, others) in found.items()]
    many(c, _UPDATE, rows)


def values(c: sa.Connection, job: str, objectives: Sequence[Objective]) -> dict[str, tuple[float | None, ...]]:
    """Return by task the best value of each of these objectives, from the points of a job that may have others."""
    return {task: (best, *others) for task, (_, best, _, _, others) in _figures(c, job, objectives).items()}


def _begun(c: sa.Connection, job: str) -> set[str]:
    return set(c.scalars(sa.select(tasks.c.id).where(tasks.c.job_id == job, *_BEGUN)))


def _figures(
    c: sa.Connection, job: str, objectives: Sequence[Objective], *where: sa.ColumnElement[bool]
) -> dict[str, Figures]:
    """Return by task its last value, its best value with epoch and time, and the best of each further objective."""
    query = sa.select(tasks.c.id, tasks.c.epoch, tasks.c.first_epoch)
    rows = c.execute(query.where(tasks.c.job_id == job, *_BEGUN, *where)).all()
    ids = [row.id for row in rows]
    found = [metrics.series(c, ids, one.metric) if one.metric else {} for one in objectives]
    took = _took(c, job) if any(one.metric == SECONDS for one in objectives) else {}
    made: dict[str, Figures] = {}
    for row in rows:
        points = found[0].get(row.id, metrics.NOTHING)
        bests = [_best(one, of.get(row.id), took.get(row.id)) for one, of in zip(objectives, found, strict=True)]
        last = float(points["value"][-1]) if len(points) else math.nan
        value, step, at = bests[0]
        epoch = None if step is None else _epoch(step, points, row.first_epoch, row.epoch)
        others = [best for best, _, _ in bests[1:]]
        made[row.id] = (last if math.isfinite(last) else None, value, epoch, at, others)
    return made


def _took(c: sa.Connection, job: str) -> dict[str, float]:
    """Return how long the last attempt of each task took, where it has ended."""
    query = sa.select(tasks.c.id, attempts.c.ended_at - attempts.c.started_at).join(attempts, CURRENT)
    ended = (attempts.c.ended_at.is_not(None), attempts.c.started_at.is_not(None))
    return {task: float(seconds) for task, seconds in c.execute(query.where(tasks.c.job_id == job, *ended))}


def _best(
    objective: Objective, points: metrics.Points | None, took: float | None
) -> tuple[float | None, float | None, float | None]:
    """Return the best value with its step and time; the first of equal ones, as while a task runs."""
    finite = points[np.isfinite(points["value"])] if points is not None else metrics.NOTHING
    if not len(finite):
        return (took if objective.metric == SECONDS else None), None, None
    values = finite["value"]
    best = finite[int(values.argmin() if objective.better(0.0, 1.0) else values.argmax())]
    return float(best["value"]), float(best["step"]), float(best["time"])


def _epoch(step: float, points: metrics.Points, first: float | None, last: float | None) -> float:
    """Return the epoch of a step. Only steps are stored: where they are no epochs, these went along with them."""
    begin, end = float(points["step"].min()), float(points["step"].max())
    if first is None or last is None or end == last or end <= begin:
        return step
    epoch = first + (step - begin) * (last - first) / (end - begin)
    return float(round(epoch)) if float(first).is_integer() and float(last).is_integer() else epoch
