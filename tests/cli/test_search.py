"""Test searches on the command line: several objectives, repeats, early stopping, extension, files for Optuna."""

from pathlib import Path

import pytest

from paddock.client.client import Client
from tests.support.up import Cli

TWO = """
import argparse, time
parser = argparse.ArgumentParser()
parser.add_argument("--lr", type=float, default=0.1)
parser.add_argument("--width", type=int, default=1)
parser.add_argument("--epochs", type=int, default=2)
parser.add_argument("--sleep", type=float, default=0.0)
parser.add_argument("--seed", type=int, default=0)
args = parser.parse_args()
for epoch in range(1, args.epochs + 1):
    print(f"epoch {epoch}/{args.epochs} val_loss: {args.lr / args.width / epoch:.6f} cost: {args.width}", flush=True)
    time.sleep(args.sleep)
"""

PBT = """
import argparse, json, os, time
parser = argparse.ArgumentParser()
parser.add_argument("--lr", type=float, default=0.1)
parser.add_argument("--epochs", type=int, default=12)
args = parser.parse_args()
path = os.path.join(os.environ["PADDOCK_CHECKPOINT_DIR"], "state.json")
state = json.load(open(path)) if os.path.exists(path) else {"epoch": 0, "loss": 1.0}
while state["epoch"] < args.epochs:
    state = {"epoch": state["epoch"] + 1, "loss": state["loss"] * (1 - args.lr / 10)}
    print(f"epoch {state['epoch']}/{args.epochs} val_loss: {state['loss']:.5f}", flush=True)
    with open(path + ".new", "w") as file:
        json.dump(state, file)
    os.replace(path + ".new", path)
    time.sleep(0.3)
"""


def submit(cli: Cli, *arguments: str) -> str:
    job: str = cli.quick("submit", cli.script(TWO, "two.py"), "--gpus", "0", *arguments, "--json").json["id"]
    return job


@pytest.fixture
def file(cli: Cli) -> Path:
    cli.script(TWO, "two.py")
    path = cli.folder / "job.yaml"
    path.write_text(
        "script: two.py\nparams: {lr: 0.1..0.9}\nresources: {gpus: 0}\nobjective: [val_loss, cost:max]\n"
        "search: {method: random, trials: 7, repeat: 2, time_budget: 2h}\nstop_early: {method: asha, eta: 4}\n"
    )
    return path


def test_flags_win_over_the_file(cli: Cli, file: Path) -> None:
    def spec(*arguments: str) -> dict[str, object]:
        found: dict[str, object] = cli.quick("submit", str(file), "--dry-run", "--json", *arguments).json["spec"]
        return found

    as_it_is = spec()
    assert as_it_is["objective"] == {"metric": "val_loss", "goal": "min"}
    assert as_it_is["other_objectives"] == [{"metric": "cost", "goal": "max"}]
    changed = spec(
        *("--search", "sobol", "--trials", "9", "--time-budget", "90m", "--seed", "4", "--repeat", "3"),
        *("--objective", "cost", "--objective", "val_loss:max", "--objective", "x"),
        *("--stop-early", "hyperband", "--min-steps", "2", "--max-steps", "8", "--parallel", "2"),
    )
    search = {"method": "sobol", "trials": 9, "time_budget": 5400, "seed": 4, "repeat": 3}
    assert changed["search"] == {**as_it_is["search"], **search}  # type: ignore[dict-item]
    assert changed["stop_early"] == {
        **as_it_is["stop_early"],  # type: ignore[dict-item]
        **{"method": "hyperband", "eta": 4.0, "min_steps": 2.0, "max_steps": 8.0},
    }
    assert changed["objective"] == {"metric": "cost", "goal": "min"}
    assert [one["metric"] for one in changed["other_objectives"]] == ["val_loss", "x"]  # type: ignore[attr-defined]
    assert spec("--objective", "cost")["other_objectives"] == []
    assert spec("--stop-early", "none")["stop_early"]["method"] == "none"  # type: ignore[index]


def test_a_search_from_start_to_end(cli: Cli) -> None:
    arguments = ["-p", "lr=1e-3..1:log", "-p", "width=1..8", "--search", "tpe", "--trials", "6", "--parallel", "2"]
    cli.script(TWO, "two.py")
    dry = cli.quick("submit", "two.py", "--gpus", "0", *arguments, "--dry-run")
    assert dry.out.startswith("6 tasks; ")
    assert "tpe chooses the others" in dry.err
    done = cli("submit", "two.py", "--gpus", "0", *arguments, "--name", "tpe", "--follow")
    job, last = done.out.split()[0], done.out.splitlines()[-1]
    assert done.out.splitlines()[0] == f"{job}  tpe: 6 tasks to come, chosen by tpe"
    assert last.startswith(f"{job}  6 finished  best val_loss ")  # and not when the first two had ended
    assert "6 of 6 trials done" in cli.quick("show", job).out
    assert "6 trials finished or were pruned with values of val_loss; at least 10" in cli.quick("importance", job).err
    assert cli.quick("importance", job, "--json").json == {}

    assert "4 tasks more, 10 in all" in cli.quick("extend", job, "--trials", "4", "-p", "width=8").out
    cli.wait(job)
    tasks = cli.quick("tasks", job, "--json").json
    assert len(tasks) == 10
    assert {task["params"]["width"] for task in tasks[6:]} == {8}
    shares = cli.quick("importance", job, "--json").json
    assert set(shares) <= {"lr", "width"}
    assert cli.quick("importance", job).out.splitlines()[0].split() == ["PARAMETER", "SHARE"]
    best = [task["best_value"] for task in cli.quick("best", job, "-n", "10", "--json").json]
    assert best == sorted(best)
    assert len(best) == 10


def test_what_cannot_be_extended(cli: Cli) -> None:
    job = submit(cli, "-p", "lr=1,2")
    cli.wait(job)
    assert "grid runs all its combinations" in cli.quick("extend", job, "--trials", "3", code=2).err
    assert "no parameter width" in cli.quick("extend", job, "-p", "width=3", code=2).err
    assert "has all these configurations" in cli.quick("extend", job, "-p", "lr=1", code=2).err
    assert "is a task" in cli.quick("extend", f"{job}-1", "--trials", "3", code=3).err
    assert cli.quick("extend", job, "-p", "lr=1,2,3", "--json").json["counts"]["submitted"] == 1
    cli.wait(job)


def test_a_held_search_shows_that_more_is_to_come(cli: Cli) -> None:
    job = submit(cli, "-p", "lr=0..1", "--search", "tpe", "--trials", "5", "--parallel", "1", "--tag", "held")
    cli.quick("hold", job)
    shown = cli.quick("show", job).out
    assert "to come" in shown
    assert "Held" in shown
    assert "to co" in cli.quick("ls", "--tag", "held").out
    cli.quick("release", job)
    cli.wait(job)
    assert cli.quick("show", job, "--json").json["counts"]["finished"] == 5


def test_several_objectives_and_repeats(cli: Cli) -> None:
    job = submit(
        cli,
        *("-p", "width=1,2,4", "-p", "lr=0.4,0.8", "--repeat", "2"),
        *("--objective", "val_loss", "--objective", "cost"),
    )
    cli.wait(job)
    front = cli.quick("best", job, "--json").json
    assert [trial["values"] for trial in front] == [[0.05, 4.0], [0.1, 2.0], [0.2, 1.0]]
    assert [len(trial["tasks"]) for trial in front] == [2, 2, 2]
    assert len(cli.quick("best", job, "-n", "1", "--json").json) == 1
    done = cli.quick("best", job)
    rows = [line.split() for line in done.out.splitlines()]
    assert rows[0] == ["TRIAL", "val_loss", "cost", "TASKS", "STATE", "PARAMETERS"]
    assert rows[1][1:8] == ["0.05", "±", "0", "4", "±", "0", "2"]
    assert "The Pareto front: 3 of 6 configurations." in done.err
    header = cli.quick("tasks", job).out.splitlines()[0]
    assert header.split()[-3:] == ["val_loss", "cost", "REASON"]
    assert "val_loss (min), cost (min)" in cli.quick("show", job).out


def test_what_early_stopping_saved(cli: Cli) -> None:
    job = submit(
        cli,
        *("-p", "lr=0.1..0.9:0.1", "-p", "epochs=12", "-p", "sleep=0.15", "--parallel", "3"),
        *("--stop-early", "asha", "--min-steps", "1"),
    )
    cli.wait(job)
    found = cli.quick("show", job).out
    assert "Early stop" in found
    assert "asha saved " in found
    assert " % of the epochs" in found


def test_tasks_that_cannot_be_judged_are_told_of(cli: Cli) -> None:
    job = submit(cli, "-p", "lr=1,2", "--stop-early", "median", "--objective", "nothing")
    cli.wait(job)
    done = cli.quick("show", job)
    assert "median has stopped nothing" in done.out
    assert "warning: 2 tasks without nothing: early stopping cannot judge them" in done.err


def test_population_based_training(cli: Cli) -> None:
    """Who went on from whom is shown with the job and with the task."""
    cli.script(PBT, "pbt.py")
    space = ["-p", "lr=0.1..1", "--search", "pbt", "--trials", "4", "--interval", "3", "--parallel", "4"]
    job = cli.quick("submit", "pbt.py", "--gpus", "0", *space, "--json").json["id"]
    cli.wait(job)
    with Client(home=cli.home) as client:
        move = client.search_report(job).moves[-1]
    shown = cli.quick("show", job).out
    assert f"{move.task} went on from {move.source} at " in shown
    rows = cli.quick("show", move.task).out.splitlines()
    header = next(at for at, row in enumerate(rows) if row.startswith("ATTEMPT"))
    assert rows[header].split() == ["ATTEMPT", "STATE", "STARTED", "TOOK", "FROM", "PARAMETERS", "REASON"]
    assert any(f"{move.source} at {move.step:g}" in row and "lr=" in row for row in rows[header:])


# --- Optuna ---------------------------------------------------------------------------------------------------------


def test_a_study_of_optuna(cli: Cli) -> None:
    import optuna

    job = submit(
        cli, "-p", "lr=1e-3..1:log", "-p", "width=1,2", "--search", "sobol", "--trials", "5", "--name", "a/b ü"
    )
    cli.wait(job)
    done = cli.quick("export", job, "--optuna", "study.db")
    assert done.out == ""
    assert "5 trials written to study.db" in done.err
    study = optuna.load_study(study_name="a/b ü", storage=f"sqlite:///{cli.folder}/study.db")
    tasks = cli.quick("tasks", job, "--json").json
    curves = {curve["task"]: curve for curve in cli.quick("metrics", job, "--json").json}
    assert study.directions == [optuna.study.StudyDirection.MINIMIZE]
    assert study.metric_names == ["val_loss"]
    assert len(study.trials) == 5
    for task, trial in zip(tasks, study.trials, strict=True):
        assert trial.state is optuna.trial.TrialState.COMPLETE
        assert trial.params == task["params"]
        assert trial.value == task["best_value"]
        assert trial.user_attrs["tasks"] == [task["id"]]
        assert trial.user_attrs["best.val_loss"] == task["best_value"]
        curve = curves[task["id"]]
        assert trial.intermediate_values == dict(zip(curve["steps"], curve["values"], strict=True))
        assert trial.datetime_start is not None
        assert abs(trial.datetime_start.astimezone().timestamp() - _seconds(task["started_at"])) < 0.01
        assert trial.datetime_complete is not None
        assert abs(trial.datetime_complete.astimezone().timestamp() - _seconds(task["ended_at"])) < 0.01
    assert study.trials[0].distributions == {
        "lr": optuna.distributions.FloatDistribution(1e-3, 1, log=True),
        "width": optuna.distributions.CategoricalDistribution([1, 2]),
    }
    assert f"{min(task['best_value'] for task in tasks):.9g}" == f"{study.best_value:.9g}"


def _seconds(text: str) -> float:
    from datetime import datetime

    return datetime.fromisoformat(text).timestamp()


def test_a_study_is_not_overwritten(cli: Cli) -> None:
    import optuna

    first, second = (submit(cli, "-p", f"lr={lr}", "--name", name) for lr, name in (("1,2", "one"), ("3", "two")))
    for job in (first, second):
        cli.wait(job)
        cli.quick("export", job, "--optuna", "all.db")
    storage = f"sqlite:///{cli.folder}/all.db"
    done = cli.quick("export", first, "--optuna", "all.db", code=5)
    assert "all.db already has a study 'one': give --force" in done.err
    cli.quick("extend", first, "-p", "lr=1,2,3")
    cli.wait(first)
    said = cli.quick("export", first, "--optuna", "all.db", "--force", "--json").json
    assert said == {"file": "all.db", "study": "one", "trials": 3}
    assert sorted(optuna.get_all_study_names(storage)) == ["one", "two"]
    assert len(optuna.load_study(study_name="one", storage=storage).trials) == 3
    assert sorted(path.name for path in cli.folder.iterdir()) == ["all.db", "two.py"]


def test_a_file_of_something_else_is_left_alone(cli: Cli) -> None:
    import sqlite3

    job = submit(cli, "-p", "lr=1")
    cli.wait(job)
    (cli.folder / "notes.db").write_text("my notes, all of them")
    assert "cannot be read as an SQLite file" in cli.quick("export", job, "--optuna", "notes.db", code=2).err
    assert (cli.folder / "notes.db").read_text() == "my notes, all of them"
    with sqlite3.connect(cli.folder / "other.db") as other:
        other.execute("CREATE TABLE mine (x)")
    assert "of another program" in cli.quick("export", job, "--optuna", "other.db", "--force", code=2).err
    cli.quick("export", job, "--optuna", "nowhere/study.db", code=3)
    cli.quick("export", job, "--optuna", ".", code=2)


def test_parameters_of_a_job_are_completed(cli: Cli) -> None:
    job = submit(cli, "-p", "lr=1,2", "-p", "width=1")
    assert cli.complete(f"paddock extend {job} -p w", 4).out.split() == ["width="]
    assert job in cli.complete(f"paddock importance {job[:4]}", 2).out.split()
    assert job in cli.complete(f"paddock submit two.py --warm-start {job[:4]}", 4).out.split()


def test_warm_start_needs_a_job(cli: Cli) -> None:
    done = cli.quick(
        "submit", cli.script(TWO, "two.py"), "--gpus", "0", "-p", "lr=0..1", "--warm-start", "zzzz", code=2
    )
    assert "zzzz" in done.err
