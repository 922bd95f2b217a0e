"""Report the state of a search to people. Pure."""

from collections.abc import Container, Sequence
from datetime import UTC, datetime

from paddock.errors import InvalidInput
from paddock.models import JobSpec, Objective, TaskState, TrialReport
from paddock.search import history, pareto
from paddock.search.dimensions import dimensions_of
from paddock.search.history import Judged, Run
from paddock.search.importance import importance as shares

UNJUDGED_SECONDS = 60.0  # a task may take this long until its first value


def trial_reports(runs: Sequence[Run], objectives: Sequence[Objective]) -> list[TrialReport]:
    """Return one report per trial in their order, each with the best value up to it."""
    count = len(objectives)
    known = history.trials(runs, {}, count)
    front = set(pareto.front(known, [objective.goal for objective in objectives]))
    best: float | None = None
    reports = []
    for number, of_trial in history.by_trial(runs).items():
        values = list(history.means(of_trial, count))
        if values[0] is not None and objectives[0].better(values[0], best):
            best = values[0]
        report = TrialReport(
            trial=number,
            tasks=[run.task for run in of_trial],
            params=of_trial[0].params,
            state=_state(of_trial),
            values=values,
            spread=list(history.spreads(of_trial, count)) if len(of_trial) > 1 else [],
            count=len(history.counted(of_trial)),
            ended_at=_ended(of_trial),
            best=best,
            front=number - 1 in front,
        )
        reports.append(report)
    return reports


def _state(runs: Sequence[Run]) -> TaskState:
    states = {run.state for run in runs}
    order = (TaskState.RUNNING, TaskState.SUBMITTED, TaskState.FINISHED, TaskState.PRUNED, TaskState.STOPPED)
    return next((state for state in order if state in states), TaskState.ERROR)


def _ended(runs: Sequence[Run]) -> datetime | None:
    if any(not run.state.ended for run in runs):
        return None
    last = max((run.ended_at for run in runs if run.ended_at is not None), default=None)
    return None if last is None else datetime.fromtimestamp(last, UTC)


def importance(runs: Sequence[Run], spec: JobSpec) -> dict[str, float]:
    try:
        known = history.trials(runs, spec.params, len(spec.objectives))
        return shares(known, dimensions_of(spec.params), [objective.goal for objective in spec.objectives])
    except InvalidInput:  # the space of a job from before it was checked so
        return {}


def unjudged(found: Sequence[Judged], judged: Container[str], now: float) -> list[str]:
    """Return the tasks that early stopping cannot judge: they ended, or trained for long, without the objective."""
    late = [one for one in found if one.started_at is not None and now - one.started_at > UNJUDGED_SECONDS]
    silent = {one.task for one in late} | {one.task for one in found if one.state is TaskState.FINISHED}
    return [one.task for one in found if one.task in silent and one.task not in judged]
