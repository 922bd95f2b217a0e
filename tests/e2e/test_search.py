"""Test searches with a real server and real runners."""

import json
import math
import random
import time
from pathlib import Path
from typing import Any

import pytest

from tests.support.server import ServerProcess, running, wait_for

# The best is at lr = 0.01 and units = 40; the loss falls with the epochs. Every start is told to a witness.
TRAIN = """
import argparse, math, os, time
parser = argparse.ArgumentParser()
parser.add_argument("--lr", type=float)
parser.add_argument("--units", type=int, default=40)
parser.add_argument("--epochs", type=int, default=4)
parser.add_argument("--seconds", type=float, default=0.02)
parser.add_argument("--witness")
args = parser.parse_args()
if args.witness:
    with open(args.witness, "a") as file:
        file.write(os.environ["PADDOCK_TASK"] + " " + os.environ["PADDOCK_SEED"] + "\\n")
saved = os.path.join(os.environ["PADDOCK_CHECKPOINT_DIR"], "epoch")
first = int(open(saved).read()) if os.path.exists(saved) else 0
for epoch in range(first + 1, args.epochs + 1):
    time.sleep(args.seconds)
    loss = (math.log10(args.lr) + 2) ** 2 + (args.units - 40) ** 2 / 1000 + 1 / epoch
    with open(saved + ".new", "w") as file:
        file.write(str(epoch))
    os.replace(saved + ".new", saved)
    print(f"epoch {epoch}/{args.epochs} val_loss: {loss:.6f}", flush=True)
"""
# The worse learning rates begin when a better one has ended, and stay at the fourth epoch until they are stopped,
# however slow the machine is. Resumed they go on.
HOPELESS = """
import argparse, glob, os, time
parser = argparse.ArgumentParser()
parser.add_argument("--lr", type=float)
parser.add_argument("--ended")
args = parser.parse_args()
saved = os.path.join(os.environ["PADDOCK_CHECKPOINT_DIR"], "epoch")
first = int(open(saved).read()) if os.path.exists(saved) else 0
poor = args.lr in (1.0, 1e-5)
while poor and not glob.glob(args.ended + "/*"):
    time.sleep(0.05)
for epoch in range(first + 1, 10):
    time.sleep(0.05)
    with open(saved + ".new", "w") as file:
        file.write(str(epoch))
    os.replace(saved + ".new", saved)
    print(f"epoch {epoch}/9 val_loss: {abs(args.lr - 0.01) + poor + 1 / epoch:.6f}", flush=True)
    if poor and epoch == 4 and not first:
        time.sleep(600)
open(os.path.join(args.ended, os.environ["PADDOCK_TASK"]), "w").close()
"""
# A population of these moves on only when one of its tasks has begun again with the weights of another.
POPULATION = """
import argparse, os, time
parser = argparse.ArgumentParser()
parser.add_argument("--lr", type=float)
parser.add_argument("--moved")
args = parser.parse_args()
saved = os.path.join(os.environ["PADDOCK_CHECKPOINT_DIR"], "state")
epoch, loss = map(float, open(saved).read().split()) if os.path.exists(saved) else (0, 100)
if epoch:
    print(f"resuming after epoch {epoch:.0f}", flush=True)
    open(args.moved, "w").close()
while epoch < 12:
    while epoch == 5 and not os.path.exists(args.moved):
        time.sleep(0.05)
    time.sleep(0.1)
    epoch, loss = epoch + 1, loss * (1 - args.lr)
    with open(saved + ".new", "w") as file:
        file.write(f"{epoch} {loss}")
    os.replace(saved + ".new", saved)
    print(f"epoch {epoch:.0f}/12 val_loss: {loss:.6f}", flush=True)
"""
NOISY = """
import argparse, os
parser = argparse.ArgumentParser()
parser.add_argument("--lr", type=float)
parser.parse_args()
print("epoch 1 val_loss:", 2.0 * int(os.environ["PADDOCK_SEED"]))
"""
SPACE = {"lr": "1e-5..1:log", "units": "8..128"}


def report_of(server: ServerProcess, job: str) -> dict[str, Any]:
    found: dict[str, Any] = server.get(f"/jobs/{job}/search")
    return found


def test_a_search_goes_on_through_crashes_of_the_server(tmp_path: Path) -> None:
    witness = tmp_path / "witness"
    dice = random.Random(5)
    server = ServerProcess(tmp_path / "home", local__slots=3).start()
    params = {**SPACE, "witness": str(witness)}
    job = server.submit(TRAIN, params=params, search={"method": "tpe", "trials": 24, "seed": 2}, parallel=3)
    for _ in range(6):
        time.sleep(dice.uniform(0.2, 0.9))
        server.kill()
        server.start()
    tasks = server.wait(job)
    assert [(task["state"], task["attempt"]) for task in tasks] == [("finished", 1)] * 24
    assert sorted(line.split()[0] for line in witness.read_text().splitlines()) == sorted(t["id"] for t in tasks)
    assert len({json.dumps(task["params"]) for task in tasks}) == 24
    found = report_of(server, job)
    assert (found["searching"], found["trials"], len(found["history"])) == (False, 24, 24)
    best = [one["best"] for one in found["history"]]
    assert best == sorted(best, reverse=True)
    assert best[-1] == min(task["best_value"] for task in tasks)
    server.stop()


def test_unpromising_tasks_are_pruned_and_leave_their_checkpoint(server: ServerProcess, tmp_path: Path) -> None:
    job = server.submit(
        HOPELESS,
        params={"lr": [0.01, 0.02, 1.0, 1e-5], "ended": str(tmp_path)},
        stop_early={"method": "asha", "min_steps": 1},
    )
    tasks = server.wait(job)
    states = {task["params"]["lr"]: task["state"] for task in tasks}
    assert (states[0.01], states[1.0], states[1e-5]) == ("finished", "pruned", "pruned")
    pruned = next(task for task in tasks if task["params"]["lr"] == 1.0)
    assert pruned["epoch"] <= 4
    folder = Path(server.get(f"/tasks/{pruned['id']}")["folder"])
    assert int((folder / "checkpoint" / "epoch").read_text()) >= 1
    found = report_of(server, job)
    assert [rung["step"] for rung in found["rungs"]] == [1, 3]
    assert found["saved"]["steps"] > 5
    assert found["unjudged"] == []
    server.post(f"/jobs/{job}/restart", {"tasks": [pruned["id"]], "resume": True})
    again = server.wait(job)
    assert {task["id"]: task["state"] for task in again}[pruned["id"]] == "finished"


def test_population_based_training(tmp_path: Path) -> None:
    with running(tmp_path / "home", local__slots=4, runner__grace_seconds=1) as server:
        job = server.submit(
            POPULATION,
            params={"lr": "1e-3..0.5:log", "moved": str(tmp_path / "moved")},
            search={"method": "pbt", "trials": 4, "interval": 4, "seed": 3},
        )
        tasks = server.wait(job)
        assert [task["state"] for task in tasks] == ["finished"] * 4
        moves = report_of(server, job)["moves"]
        assert moves[0]["before"] != moves[0]["after"]
        logs = [server.log_of(job, int(move["task"].rpartition("-")[2]), move["attempt"]) for move in moves]
        # On a slow machine one may have had to follow again before it had said anything.
        assert any(logs)
        assert all(log.startswith("resuming after epoch") for log in logs if log), logs
        last = []
        for task in tasks:
            [curve] = server.get(f"/tasks/{task['id']}/metrics", metric="val_loss")
            steps = curve["steps"]
            assert (steps[0], steps) == (1, sorted(set(steps)))
            last.append(steps[-1])
        # Steps that a task took over belong to the other task. On a busy machine one may take over the very last ones.
        assert max(last) == 12


def test_repetitions_are_reported_as_mean_and_spread(server: ServerProcess) -> None:
    job = server.submit(
        NOISY,
        params={"lr": [0.1, 0.2]},
        search={"repeat": 2, "seed": 1},
    )
    assert [task["state"] for task in server.wait(job)] == ["finished"] * 4
    first, second = report_of(server, job)["history"]
    assert (first["tasks"], first["values"], first["count"]) == ([f"{job}-1", f"{job}-2"], [3.0], 2)
    assert first["spread"] == [pytest.approx(math.sqrt(2))]
    assert second["tasks"] == [f"{job}-3", f"{job}-4"]


def test_a_warm_start_learns_from_what_is_there(server: ServerProcess) -> None:
    first = server.submit(TRAIN, params={"lr": [0.01, 0.1, 1.0]})
    server.wait(first)
    again = server.submit(TRAIN, params={"lr": [0.01, 0.1, 1.0, 0.001]}, search={"warm_start": [first[:5]]})
    tasks = server.wait(again)
    assert [task["params"] for task in tasks] == [{"lr": 0.001}]
    assert "3 configurations are left out" in server.get(f"/jobs/{again}")["warnings"][-1]
    spec = {"params": {"lr": [0.01, 0.1]}, "search": {"warm_start": [first]}}
    refused = server.post("/jobs", {"spec": spec, "files": {"train.py": TRAIN}}, 422)
    assert "have run all 2 configurations" in refused["error"]["message"]
    searched = server.submit(TRAIN, params=SPACE, search={"method": "tpe", "trials": 4, "warm_start": [first, again]})
    assert len(server.wait(searched)) == 4
    other = {"params": SPACE, "objective": "acc:max", "search": {"method": "tpe", "warm_start": [first]}}
    refused = server.post("/jobs", {"spec": other, "files": {"train.py": TRAIN}}, 422)
    assert list(refused["error"]["fields"]) == ["search.warm_start"]


def test_pause_extend_and_stop(server: ServerProcess) -> None:
    job = server.submit(TRAIN, params=SPACE, search={"method": "tpe", "trials": 200}, parallel=2)
    wait_for(lambda: server.get(f"/jobs/{job}")["counts"]["finished"] >= 3)
    server.post(f"/jobs/{job}/hold", {})
    wait_for(lambda: server.get(f"/jobs/{job}")["counts"]["running"] == 0)
    count = len(server.tasks(job))
    time.sleep(1.5)
    held = server.get(f"/jobs/{job}")
    assert (len(server.tasks(job)), held["ended"], held["searching"]) == (count, False, True)
    server.post(f"/jobs/{job}/release", {})
    wait_for(lambda: len(server.tasks(job)) > count + 1)
    server.post(f"/jobs/{job}/stop", {})
    server.wait(job)
    ended = server.get(f"/jobs/{job}")
    assert (ended["searching"], ended["ended"]) == (False, True)
    done = len(server.tasks(job))
    more = server.post(f"/jobs/{job}/extend", {"trials": 3, "params": {"units": "30..50"}})
    assert more["searching"]
    spec = more["spec"]["search"]["trials"]
    assert spec == 203
    wait_for(lambda: len(server.tasks(job)) > done)
    server.post(f"/jobs/{job}/stop", {})
    tasks = server.wait(job)
    assert all(30 <= task["params"]["units"] <= 50 for task in tasks[done:])
