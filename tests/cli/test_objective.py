"""Test the objective on the command line: chosen, shown, changed, and a search that waits for it."""

import csv
import io

import pytest

from paddock.client.client import Client
from paddock.errors import InvalidInput
from tests.support.server import wait_for
from tests.support.up import Cli

TRAIN = """
import argparse
parser = argparse.ArgumentParser()
parser.add_argument("--lr", type=float, default=0.1)
parser.add_argument("--epochs", type=int, default=3)
args = parser.parse_args()
for epoch in range(1, args.epochs + 1):
    loss = (args.lr - 0.3) ** 2 + 1 / epoch
    values = f"loss: {args.lr / epoch:.6f} valid_loss: {loss:.6f} acc: {args.lr:.6f}"
    print(f"epoch {epoch}/{args.epochs} {values}", flush=True)
"""


def submit(cli: Cli, *arguments: str) -> str:
    job: str = cli.quick("submit", cli.script(TRAIN, "train.py"), "--gpus", "0", *arguments, "--json").json["id"]
    return job


def test_a_search_that_does_not_get_its_objective_waits_for_another(cli: Cli) -> None:
    """Seen: TPE with ASHA ran all 12 trials, learning nothing, as the script says valid_loss and not val_loss."""
    space = ["-p", "lr=0.01..1", "--search", "tpe", "--trials", "12", "--stop-early", "asha", "--parallel", "2"]
    job = submit(cli, *space, "--objective", "val_loss")
    with Client(home=cli.home) as client:
        wait_for(lambda: client.detail(job).held)
        held = wait_for(lambda: (found := client.detail(job)).counts.running == 0 and found)
        assert held.counts.total <= 4, "as many as had begun, not 12"
        assert not held.ended
    shown = cli.quick("show", job)
    assert "Held: no task has reported val_loss. There are: acc, loss, valid_loss." in shown.err
    assert f"paddock objective {job} METRIC" in shown.err
    assert f"There are: acc, loss, valid_loss. `paddock objective {job} METRIC` chooses" in cli.quick("best", job).err
    done = cli("objective", job, "valid_loss")
    assert f"{job}: the objective is valid_loss (min); the best is " in done.out
    assert "Held" not in done.err
    cli.wait(job)
    with Client(home=cli.home) as client:
        report = client.search_report(job)
        assert len(report.history) == 12
        assert report.objectives[0].metric == "valid_loss"
        best = [trial.best for trial in report.history if trial.best is not None]
        assert best == sorted(best, reverse=True)
        assert client.detail(job).best_value == best[-1]


def test_it_is_chosen_shown_and_changed(cli: Cli) -> None:
    job = submit(cli, "-p", "lr=0.1,0.3,0.5")
    cli.wait(job)
    shown = cli.quick("objective", job).out
    assert "valid_loss (min)" in shown
    assert "the validation loss, chosen from what the tasks report" in shown
    assert [line.split() for line in shown.splitlines()[-3:]] == [
        ["acc", "large"],
        ["loss", "small"],
        ["valid_loss", "small", "objective"],
    ]
    assert "valid_loss (min): the validation loss, chosen" in cli.quick("show", job).out
    assert [task["number"] for task in cli.quick("best", job, "--json").json] == [2, 1, 3]
    changed = cli.quick("objective", job, "acc", "--json").json
    assert (changed["objective"], changed["best_value"]) == ({"metric": "acc", "goal": "max"}, 0.5)
    assert [task["number"] for task in cli.quick("best", job, "--json").json] == [3, 2, 1]
    rows = list(csv.DictReader(io.StringIO(cli.quick("export", job).out)))
    assert [float(row["best_value"]) for row in rows] == [0.1, 0.3, 0.5]
    assert cli.quick("objective", job, "--json").json["choice"]["by"] == "person"
    assert "There are: acc, loss, valid_loss" in cli.quick("objective", job, "accuracy", code=2).err
    front = cli.quick("objective", job, "acc", "loss").out
    assert "acc (max), loss (min)" in front
    assert "Pareto front" in cli.quick("best", job).err
    assert "valid_loss (min)" in cli.quick("objective", job, "auto").out
    assert "valid_loss" in cli.complete(f"paddock objective {job} val", 3).out


def test_the_same_in_python(cli: Cli) -> None:
    job = submit(cli, "-p", "lr=0.1,0.5")
    cli.wait(job)
    with Client(home=cli.home) as client:
        handle = client.job(job)
        assert handle.objective.metric == "valid_loss"
        handle.objective = "loss"
        assert handle.objective.metric == "loss"
        assert handle.detail.best_value == pytest.approx(0.1 / 3, abs=1e-5)
        handle.objective = ["acc", "loss"]
        assert [one.metric for one in handle.detail.objectives] == ["acc", "loss"]
        with pytest.raises(InvalidInput, match="acc is an objective twice"):
            client.change_objective(job, ["acc", "acc"])
        assert [one.metric for one in client.objective(job).metrics] == ["acc", "loss", "valid_loss"]


def test_a_grid_whose_tasks_do_not_report_the_objective_names_the_metrics_that_there_are(cli: Cli) -> None:
    job = submit(cli, "-p", "lr=0.1,0.2", "--objective", "val_loss")
    with Client(home=cli.home) as client:
        wait_for(lambda: any("objective is missing" in text for text in client.detail(job).warnings))
    shown = cli.quick("show", job)
    words = " ".join((shown.out + shown.err).split())
    assert "no task has reported val_loss. There are: acc, loss, valid_loss." in words
