"""Test on the command line that results are right: parameters that a script ignores, repetitions, time left."""

from datetime import datetime, timedelta, tzinfo

import pytest

from paddock.cli import render
from tests.support.server import wait_for
from tests.support.up import Cli

IGNORES = """
import argparse
parser = argparse.ArgumentParser()
parser.add_argument("--lr", type=float, default=0.1)
parser.add_argument("--width", type=int, default=1)
args = parser.parse_args()
for epoch in range(1, 6):
    print(f"epoch {epoch}/5 val_loss: {args.width / epoch:.4f}", flush=True)
"""


def test_a_sweep_of_a_parameter_that_the_script_ignores_is_flagged(cli: Cli) -> None:
    job = cli.quick("submit", cli.script(IGNORES), "--gpus", "0", "-p", "lr=0.1,0.2", "--json").json["id"]
    cli.wait(job)
    text = "Tasks 1 and 2 have different values of lr but identical curves: the script probably ignores lr."
    wait_for(lambda: text in cli.quick("show", job, "--json").json["warnings"], what="the notice")
    assert text in " ".join(cli.quick("show", job).err.split())

    other = cli.quick("submit", cli.script(IGNORES), "--gpus", "0", "-p", "width=1,2", "--json").json["id"]
    cli.wait(other)
    assert not cli.quick("show", other, "--json").json["warnings"]


STYLES = """
import argparse, sys, time
parser = argparse.ArgumentParser()
parser.add_argument("--style")
parser.add_argument("--sleep", type=float, default=0)
parser.add_argument("--epochs", type=int, default=10)
args = parser.parse_args()
for epoch in range(args.epochs):
    if args.style == "keras":
        print(f"Epoch {epoch + 1}/10\\n4/4 [====] - 0s - loss: 0.5 - val_loss: {1 / (epoch + 1):.4f}", flush=True)
    else:
        print(f"epoch {epoch + int(args.style)} val_loss: {1 / (epoch + 1):.4f}", flush=True)
time.sleep(args.sleep)
"""


def test_epochs_are_counted_in_one_way(cli: Cli) -> None:
    script = cli.script(STYLES)
    job = cli.quick("submit", script, "--gpus", "0", "-p", "style=0,1,keras", "--json").json["id"]
    cli.wait(job)
    tasks = cli.quick("tasks", job, "--json").json
    assert [(task["epochs_done"], task["epochs"], task["progress"]) for task in tasks] == [(10, 10, 1.0)] * 3
    rows = cli.quick("tasks", job).out.splitlines()
    assert [row.split()[3] for row in rows[1:]] == ["10/10"] * 3
    for task in tasks:
        assert "Epoch       10/10" in cli.quick("show", task["id"]).out


def test_silence_is_told_instead_of_no_time_left(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    script = cli.script(STYLES)
    job = cli.quick("submit", script, "--gpus", "0", "-p", "style=1", "-p", "sleep=600", "--json").json["id"]
    wait_for(lambda: cli.quick("tasks", job, "--json").json[0]["epochs_done"] == 10, what="its last epoch")
    for command in (["ls"], ["show", job], ["show", f"{job}-1"], ["tasks", job]):
        assert "nothing reported" not in cli.quick(*command, COLUMNS="200").out
        assert "0 s left" not in cli.quick(*command, COLUMNS="200").out

    class Later(datetime):
        @classmethod
        def now(cls, tz: tzinfo | None = None) -> "Later":
            return super().now(tz) + timedelta(minutes=5, seconds=30)

    monkeypatch.setattr(render, "datetime", Later)
    for command in (["ls"], ["show", job], ["show", f"{job}-1"], ["tasks", job]):
        assert "nothing reported for 5 min" in cli.quick(*command, COLUMNS="200").out
    cli.quick("stop", job)
    cli.wait(job)
    assert "nothing reported" not in cli.quick("ls").out


SEEDED = """
import argparse
parser = argparse.ArgumentParser()
parser.add_argument("--lr", type=float)
parser.add_argument("--seed", type=int, default=0)
args = parser.parse_args()
# The best task of all has lr 0.3, the best mean lr 0.2.
loss = {0.1: [0.5, 0.5, 0.5], 0.2: [0.2, 0.3, 0.4], 0.3: [0.1, 0.9, 0.8]}[args.lr][args.seed]
for epoch in (1, 2):
    print(f"epoch {epoch}/2 val_loss: {loss * (3 - epoch):.4f}", flush=True)
"""


def test_three_configurations_that_run_three_times_are_three_and_go_by_their_means(cli: Cli) -> None:
    given = ["--gpus", "0", "-p", "lr=0.1,0.2,0.3", "--repeat", "3", "--name", "thrice"]
    job = cli.quick("submit", cli.script(SEEDED), *given, "--json").json["id"]
    cli.wait(job)
    found = cli.quick("show", job, "--json").json
    assert (found["configurations"], found["best_trial"]) == (3, 2)
    assert found["best_value"] == pytest.approx(0.3)
    assert found["best_spread"] == pytest.approx(0.1)
    assert found["best_task"] == f"{job}-4", "the best task of the best configuration"
    assert found["sparkline"] == pytest.approx([0.6, 0.3])

    text = cli.quick("show", job).out
    assert "9 finished (3 configurations)" in text
    assert f"0.3 ± 0.1  configuration 2 of 3, such as {job}-4" in text
    assert "0.3 ± 0.1" in next(line for line in cli.quick("ls").out.splitlines() if line.startswith(job))
    rows = [line.split() for line in cli.quick("tasks", job, "--sort", "mean").out.splitlines()]
    assert rows[0][-2:] == ["MEAN", "REASON"]
    assert [row[0] for row in rows[1:4]] == [f"{job}-{number}" for number in (4, 5, 6)]
    assert all(row[-3:] == ["0.3", "±", "0.1"] for row in rows[1:4])
    head, *lines = (line.split(",") for line in cli.quick("export", job).out.splitlines())
    table = [dict(zip(head, line, strict=True)) for line in lines]
    assert [float(row["mean"]) for row in table] == pytest.approx([0.5] * 3 + [0.3] * 3 + [0.6] * 3)
    assert [row["trial"] for row in table] == list("111222333")


@pytest.mark.parametrize(
    ("layers", "text"),
    [
        ([{"type": "conv", "width": 32, "dropout": 0.1}] * 2 + [{"type": "pool"}], "conv 32 ×2 · pool"),
        ([{"type": "conv", "width": 8}, {"type": "dense", "width": 64, "skip": 0}], "conv 8 · dense 64 +1"),
        ([{"w": 1, "skip": None}, {"w": 2}], "1 · 2"),
        ([{"flag": True}], "layer"),
        ([1, 2], "[1, 2]"),
        ([], "[]"),
    ],
)
def test_an_architecture_is_one_short_line(layers: list[object], text: str) -> None:
    assert render.value_text(layers) == text
