"""Test jobs as Optuna studies: conditions and blocks, all states, values from before a space was changed."""

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import optuna
import pytest
from optuna.distributions import CategoricalDistribution, FloatDistribution, IntDistribution
from optuna.trial import FrozenTrial, TrialState

from paddock.errors import Conflict
from paddock.models import (
    Curve,
    JobDetail,
    JobSpec,
    Params,
    SearchReport,
    StopEarly,
    Task,
    TaskCounts,
    TaskState,
    TrialReport,
)
from paddock.search import optuna_file

NOW = datetime(2026, 3, 1, 12, 0, 0, 250_000, tzinfo=UTC)


def job_of(spec: dict[str, Any]) -> JobDetail:
    made = JobSpec.model_validate({"objective": "val_loss"} | spec)
    return JobDetail(
        id="k3v9x2ab",
        owner="me",
        name=made.name,
        description="",
        tags=[],
        created_at=NOW,
        objective=made.objective,
        counts=TaskCounts(),
        ended=True,
        spec=made,
        folder="/x",
    )


def task_of(number: int, params: Params, state: TaskState) -> Task:
    return Task(
        id=f"k3v9x2ab-{number}",
        job="k3v9x2ab",
        number=number,
        owner="me",
        params=params,
        state=state,
        attempt=1,
        trial=number,
        created_at=NOW,
        started_at=None if state is TaskState.SUBMITTED else NOW + timedelta(seconds=number),
    )


def trial_of(number: int, params: Params, state: TaskState, *values: float | None) -> TrialReport:
    ended = NOW + timedelta(minutes=number) if state.ended else None
    return TrialReport(
        trial=number, tasks=[f"k3v9x2ab-{number}"], params=params, state=state, values=list(values), ended_at=ended
    )


def study_of(
    path: Path,
    spec: dict[str, Any],
    trials: list[TrialReport],
    curves: list[Curve] | None = None,
) -> optuna.Study:
    job = job_of(spec)
    report = SearchReport(
        method=job.spec.search.method,
        objectives=job.spec.objectives,
        stop_early=StopEarly(),
        searching=False,
        history=trials,
        importance={},
    )
    numbers = [(int(task.rpartition("-")[2]), trial) for trial in trials for task in trial.tasks]
    tasks = [task_of(number, trial.params, trial.state) for number, trial in numbers]
    name = optuna_file.write(path, job, report, tasks, curves or [], force=False)
    return optuna.load_study(study_name=name, storage=f"sqlite:///{path}")


def params_of(tmp_path: Path, space: dict[str, Any], *configs: Params) -> list[FrozenTrial]:
    trials = [trial_of(number, config, TaskState.FINISHED, 1.0) for number, config in enumerate(configs, start=1)]
    return study_of(tmp_path / "s.db", {"params": space}, trials).trials


def test_states_values_and_times(tmp_path: Path) -> None:
    states = [*TaskState, TaskState.FINISHED, TaskState.STOPPED]
    values = [None, 0.5, 0.4, None, 0.3, 0.2, None, None]
    trials = [trial_of(n, {"lr": n}, state, values[n - 1]) for n, state in enumerate(states, start=1)]
    curve = Curve(task="k3v9x2ab-3", metric="val_loss", steps=[1, 2, 2.5, 3], values=[0.9, 0.6, 0.5, None], total=4)
    other = Curve(task="k3v9x2ab-3", metric="loss", steps=[9], values=[9], total=1)
    found = study_of(tmp_path / "s.db", {"params": {"lr": "1..9"}}, trials, [curve, other])
    assert found.study_name == "k3v9x2ab"
    assert found.user_attrs == {"paddock_job": "k3v9x2ab"}
    assert [trial.state for trial in found.trials] == [
        TrialState.WAITING,
        TrialState.RUNNING,
        TrialState.COMPLETE,
        TrialState.FAIL,
        TrialState.FAIL,
        TrialState.PRUNED,
        TrialState.FAIL,  # finished, but nobody knows with what
        TrialState.FAIL,
    ]
    assert [trial.value for trial in found.trials] == [None, None, 0.4, None, None, 0.2, None, None]
    assert [trial.user_attrs["state"] for trial in found.trials] == [state.value for state in states]
    assert found.trials[4].user_attrs["values"] == [0.3]
    done = found.trials[2]
    assert done.intermediate_values == {1: 0.9, 2: 0.5}
    assert done.datetime_start == (NOW + timedelta(seconds=3)).astimezone().replace(tzinfo=None)
    assert done.datetime_complete == (NOW + timedelta(minutes=3)).astimezone().replace(tzinfo=None)
    assert found.trials[0].datetime_start is None
    assert found.trials[1].datetime_complete is None


def test_several_objectives_and_repeats(tmp_path: Path) -> None:
    trial = TrialReport(
        trial=1,
        tasks=["k3v9x2ab-1", "k3v9x2ab-2"],
        params={"lr": 1},
        state=TaskState.FINISHED,
        values=[0.5, 0.9],
        spread=[0.1, None],
        count=2,
        ended_at=NOW,
    )
    curves = [
        Curve(task=f"k3v9x2ab-{n}", metric="loss", steps=[1.0, 2.0][:n], values=[n, 7.0][:n], total=n) for n in (1, 2)
    ]
    spec = {"name": "two", "params": {"lr": 1}, "objective": ["loss", "acc:max"]}
    found = study_of(tmp_path / "s.db", spec, [trial], curves)
    assert [direction.name for direction in found.directions] == ["MINIMIZE", "MAXIMIZE"]
    assert found.metric_names == ["loss", "acc"]
    (one,) = found.trials
    assert one.values == [0.5, 0.9]
    assert one.intermediate_values == {1: 1.5, 2: 7.0}
    assert one.user_attrs["tasks"] == trial.tasks
    assert one.user_attrs["spread"] == [0.1, None]
    assert [best.number for best in found.best_trials] == [0]


def test_spaces_and_their_distributions(tmp_path: Path) -> None:
    space = {
        "a": "1e-4..1e-1:log", "b": "0..1:0.3", "c": "1..8", "d": "1..9:3", "e": "1..100:log",
        "f": ["x", 1, True, None], "g": [[64, 32], {"k": 1}], "h": [0.1, 2], "i": "fixed",
    }  # fmt: skip
    config: Params = {"a": 0.01, "b": 0.9, "c": 3, "d": 7, "e": 50, "f": True, "g": [64, 32], "h": 2, "i": "fixed"}
    (found,) = params_of(tmp_path, space, config)
    assert found.distributions == {
        "a": FloatDistribution(1e-4, 1e-1, log=True),
        "b": FloatDistribution(0, 0.9, step=0.3),
        "c": IntDistribution(1, 8),
        "d": IntDistribution(1, 7, step=3),
        "e": IntDistribution(1, 100, log=True),
        "f": CategoricalDistribution(['"x"', "1", "true", "null"]),  # Optuna takes 1 and True for the same
        "g": CategoricalDistribution(["[64, 32]", '{"k": 1}']),
        "h": CategoricalDistribution([0.1, 2]),
        "i": CategoricalDistribution(["fixed"]),
    }
    assert found.params == config | {"f": "true", "g": "[64, 32]"}


def test_conditions_and_blocks_lose_their_nesting(tmp_path: Path) -> None:
    space = {
        "optimizer": ["sgd", "adam"],
        "momentum": "0.5..0.99 if optimizer=sgd",
        "layers": {"repeat": [1, 2], "block": {"kind": ["conv", "pool"], "width": "16..64:16 if kind=conv"}},
    }
    one, two = params_of(
        tmp_path,
        space,
        {"optimizer": "sgd", "momentum": 0.9, "layers": [{"kind": "conv", "width": 32}, {"kind": "pool"}]},
        {"optimizer": "adam", "layers": [{"kind": "pool"}]},
    )
    assert one.params == {
        "optimizer": "sgd",
        "momentum": 0.9,
        "layers.count": 2,
        "layers.0.kind": "conv",
        "layers.0.width": 32,
        "layers.1.kind": "pool",
    }
    assert one.distributions["layers.0.width"] == IntDistribution(16, 64, step=16)
    assert two.params == {"optimizer": "adam", "layers.count": 1, "layers.0.kind": "pool"}


@pytest.mark.parametrize(
    ("space", "before", "distribution"),
    [
        ("0.1..0.2", 0.7, FloatDistribution(0.1, 0.7)),
        ("1e-2..1e-1:log", 1e-4, FloatDistribution(1e-4, 1e-1, log=True)),
        ("4..6", 1, IntDistribution(1, 6)),
        ("4..6:2", 5, IntDistribution(4, 6)),
        ("0..1", 0.5, FloatDistribution(0, 1)),
        ("0.5..2", 3, FloatDistribution(0.5, 3)),
        ([1, 2], 3, IntDistribution(1, 3)),
        ([0.1, 0.2], 0.15, FloatDistribution(0.1, 0.2)),
        (["a", "b"], "c", CategoricalDistribution(["a", "b", "c"])),
        (["a", 1], 2, CategoricalDistribution(["a", 1, 2])),
    ],
)
def test_values_from_before_the_space_was_changed(tmp_path: Path, space: Any, before: Any, distribution: Any) -> None:
    (found,) = params_of(tmp_path, {"x": space}, {"x": before})
    assert found.params == {"x": before}
    assert found.distributions == {"x": distribution}


def test_a_study_is_replaced_only_when_asked(tmp_path: Path) -> None:
    path, spec = tmp_path / "50% of it?.db", {"name": "n", "params": {"lr": [1, 2]}}
    job = job_of(spec)
    report = SearchReport(
        method=job.spec.search.method,
        objectives=job.spec.objectives,
        stop_early=StopEarly(),
        searching=False,
        history=[trial_of(1, {"lr": 1}, TaskState.FINISHED, 1.0)],
        importance={},
    )
    optuna_file.write(path, job, report, [], [], force=False)
    before = path.read_bytes()
    with pytest.raises(Conflict, match="give --force"):
        optuna_file.write(path, job, report, [], [], force=False)
    assert path.read_bytes() == before
    optuna_file.write(path, job, report, [], [], force=True)
    assert [one.name for one in tmp_path.iterdir()] == [path.name]
