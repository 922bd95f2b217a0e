"""Test the conversion of tasks to trials, and the report of a search."""

import numpy as np
import pytest

from paddock.models import JobSpec, Objective, Params, TaskState
from paddock.models.space import Space
from paddock.search import history, report
from paddock.search.base import Outcome
from paddock.search.history import Judged, Run

S = TaskState
SPACE: dict[str, Space] = dict(
    JobSpec(params={"lr": "0..1.0", "layers": {"repeat": [1, 2], "block": {"w": "1,2"}}}).params
)
CONFIG: Params = {"lr": 0.5, "layers": [{"w": 1}, {"w": 2}]}


def run(trial: int, value: float | None, state: TaskState = S.FINISHED, number: int = 0, **more: object) -> Run:
    given = {"params": CONFIG, "epoch": 3.0, "ended_at": 100.0 + trial} | more
    return Run(f"job-{number or trial}", trial, state=state, values=(value,), **given)  # type: ignore[arg-type]


def test_a_trial_without_its_nesting_and_without_its_seed() -> None:
    [one] = history.trials([run(1, 0.5, params=CONFIG | {"seed": 3})], SPACE, 1)
    assert (one.number, one.outcome, one.values) == (0, Outcome.FINISHED, (0.5,))
    assert one.params == {"lr": 0.5, "layers.count": 2, "layers.0.w": 1, "layers.1.w": 2}


@pytest.mark.parametrize(
    ("states", "outcome"),
    [
        ([S.FINISHED, S.FINISHED], Outcome.FINISHED),
        ([S.FINISHED, S.ERROR], Outcome.FINISHED),
        ([S.FINISHED, S.RUNNING], Outcome.RUNNING),
        ([S.SUBMITTED], Outcome.RUNNING),
        ([S.PRUNED, S.ERROR], Outcome.PRUNED),
        ([S.STOPPED], Outcome.PRUNED),
        ([S.ERROR, S.ERROR], Outcome.FAILED),
    ],
)
def test_what_came_of_several_tasks(states: list[TaskState], outcome: Outcome) -> None:
    runs = [run(1, 1.0, state, number) for number, state in enumerate(states, start=1)]
    assert history.outcome_of(runs) is outcome


def test_one_that_was_stopped_before_it_got_anywhere_teaches_nothing() -> None:
    assert history.outcome_of([run(1, None, S.STOPPED)]) is Outcome.FAILED


def test_the_mean_of_those_that_finished() -> None:
    runs = [run(1, 1.0), run(1, 3.0, number=2), run(1, 99.0, S.ERROR, 3), run(1, None, number=4)]
    assert history.means(runs, 1) == (2.0,)
    assert list(history.spreads(runs, 1)) == [pytest.approx(2**0.5)]
    assert history.means([run(1, 5.0, S.RUNNING)], 1) == (5.0,)
    assert history.means([run(1, float("nan"))], 2) == (None, None)


def test_a_trial_that_was_pruned_has_come_so_far() -> None:
    [one] = history.trials([run(4, 0.7, S.PRUNED)], SPACE, 1)
    assert (one.number, one.values, one.curve) == (3, (), ((3.0, 0.7),))


def test_without_one_of_its_objectives_nothing_is_known() -> None:
    [one] = history.trials([run(1, 0.5)], SPACE, 2)
    assert (one.outcome, one.values) == (Outcome.FINISHED, ())


def test_a_warm_start_is_numbered_below_all_others() -> None:
    runs = [run(1, 0.5), run(2, None), run(3, 0.1, S.ERROR), run(4, 0.2), run(5, 1.0, params={"layers": "odd"})]
    found = history.warm(runs, SPACE, 1)
    assert [(one.number, one.values) for one in found] == [(-1, (0.5,)), (-2, (0.2,))]
    assert history.warm(runs, SPACE, 1, before=2)[0].number == -3


def test_curves() -> None:
    points = np.array([(1, 0.5, 10), (2, 0.4, 11)], dtype=[("step", "<f8"), ("value", "<f8"), ("time", "<f8")])
    found = [
        Judged("job-1", 1, 1, 7, S.RUNNING, False, CONFIG, 9, 0.0, None, False),
        Judged("job-2", 2, 1, 8, S.PRUNED, True, CONFIG, None, 0.0, None, False),
    ]
    first, second = history.curve_trials(found, {"job-1": points}, SPACE)
    assert (first.number, first.outcome, first.curve) == (0, Outcome.RUNNING, ((1.0, 0.5), (2.0, 0.4)))
    assert first.times == (10.0, 11.0)
    assert (second.outcome, second.curve) == (Outcome.PRUNED, ())


def test_the_last_rung_follows_from_the_epochs() -> None:
    spec = JobSpec(stop_early={"method": "asha"})
    assert history.stop_early_of(spec, [9, 9, 27]).max_steps == 27
    assert history.stop_early_of(spec, [9, None]).max_steps is None
    assert history.stop_early_of(spec, []).max_steps is None
    assert history.stop_early_of(JobSpec(stop_early={"method": "asha", "max_steps": 5}), [9]).max_steps == 5


def test_the_report_of_a_search_with_repetitions() -> None:
    runs = [
        run(1, 3.0),
        run(1, 5.0, number=2),
        run(2, 2.0, number=3),
        run(2, 2.0, S.RUNNING, 4),
        run(3, 9.0, S.PRUNED, 5),
        run(4, None, S.ERROR, 6),
    ]
    found = report.trial_reports(runs, [Objective()])
    assert [(one.trial, one.state, one.values, one.best, one.count) for one in found] == [
        (1, S.FINISHED, [4.0], 4.0, 2),
        (2, S.RUNNING, [2.0], 4.0, 1),  # a lucky task leads nothing until the others have ended
        (3, S.PRUNED, [9.0], 4.0, 1),
        (4, S.ERROR, [None], 4.0, 1),
    ]
    begun = report.trial_reports(runs[2:4], [Objective()])
    assert [one.best for one in begun] == [2.0], "unless there is nothing else"
    assert [one.front for one in found] == [True, False, False, False]
    assert found[0].spread == [pytest.approx(2**0.5)]
    assert found[2].spread == []
    assert found[1].ended_at is None
    assert found[0].ended_at is not None


def test_the_front_of_two_objectives() -> None:
    pairs = [(1.0, 5.0), (2.0, 4.0), (3.0, 9.0), (0.5, 9.5)]
    runs = [Run(f"job-{n}", n, CONFIG, S.FINISHED, pair) for n, pair in enumerate(pairs, start=1)]
    found = report.trial_reports(runs, [Objective(), Objective(metric="params")])
    assert [one.front for one in found] == [True, True, False, True]


def test_a_task_is_called_silent_only_when_it_has_had_the_time_to_speak() -> None:
    def judged(number: int, state: TaskState, started_at: float | None) -> Judged:
        return Judged(f"job-{number}", number, 1, number, state, False, CONFIG, 9, 0.0, None, False, started_at)

    found = [
        judged(1, S.RUNNING, 90.0),  # has just begun
        judged(2, S.RUNNING, 10.0),
        judged(3, S.FINISHED, 90.0),
        judged(4, S.FINISHED, 10.0),
        judged(5, S.SUBMITTED, None),
    ]
    assert report.unjudged(found, {"job-4"}, 100.0) == ["job-2", "job-3"]


def test_importance_comes_from_finished_and_pruned_trials_and_reports_from_how_many() -> None:
    spec = JobSpec(params={"lr": {"low": 0.0, "high": 1.0}})

    def made(state: TaskState, numbers: range) -> list[Run]:
        return [Run(f"job-{n}", n, {"lr": n / 100}, state, (float(n),), epoch=3.0) for n in numbers]

    few = made(S.FINISHED, range(1, 7)) + made(S.PRUNED, range(7, 10)) + made(S.STOPPED, range(10, 20))
    assert report.importance(few, spec) == ({}, 9)
    assert report.importance(few + made(S.PRUNED, range(20, 21)), spec) == ({"lr": 1.0}, 10)
