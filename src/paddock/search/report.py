"""Report the state of a search to people. Pure."""

from collections.abc import Container, Sequence
from datetime import UTC, datetime

from paddock.errors import InvalidInput
from paddock.models import JobSpec, Objective, TaskState, TrialReport
from paddock.search import history, pareto
from paddock.search.dimensions import dimensions_of
from paddock.search.history import Judged, Run
from paddock.search.importance import importance as shares
from paddock.search.importance import judged

UNJUDGED_SECONDS = 60.0  # a task may take this long until its first value


def trial_reports(runs: Sequence[Run], objectives: Sequence[Objective]) -> list[TrialReport]:
    """Return one report per trial in their order, each with the best value up to it."""
    count = len(objectives)
    known = history.trials(runs, {}, count)
    front = set(pareto.front(known, [objective.goal for objective in objectives]))
    best: float | None = None
    leaders: list[tuple[int, float | None, bool]] = []
    reports = []
    for number, of_trial in history.by_trial(runs).items():
        values = list(history.means(of_trial, count))
        whole = len(of_trial) == 1 or all(run.state.ended for run in of_trial)
        means = [*leaders, (number, values[0], whole)]
        if (leading := history.leading(means, objectives[0])) is not None:
            # One with tasks that run leads only until the tasks of another have all ended.
            leaders = [one for one in means if one[0] == leading]
            best = leaders[0][1]
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


def importance(runs: Sequence[Run], spec: JobSpec) -> tuple[dict[str, float], int]:
    """Return the share of each parameter in how good trials are, and the number of trials that it comes from.

    A trial that a person stopped does not count: how far it came has nothing to do with its configuration.
    """
    goals = [objective.goal for objective in spec.objectives]
    stopped = {number for number, of_trial in history.by_trial(runs).items() if _state(of_trial) is TaskState.STOPPED}
    try:
        known = history.trials((run for run in runs if run.trial not in stopped), spec.params, len(goals))
        return shares(known, dimensions_of(spec.params), goals), len(judged(known, goals))
    except InvalidInput:  # the space of a job from before it was checked so
        return {}, 0


def unjudged(found: Sequence[Judged], judged: Container[str], now: float) -> list[str]:
    """Return the tasks that early stopping cannot judge: they ended, or trained for long, without the objective."""
    late = [one for one in found if one.started_at is not None and now - one.started_at > UNJUDGED_SECONDS]
    silent = {one.task for one in late} | {one.task for one in found if one.state is TaskState.FINISHED}
    return [one.task for one in found if one.task in silent and one.task not in judged]
