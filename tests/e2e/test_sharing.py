"""Test sweeps that share a GPU with a real server: a scripted GPU, whose memory tasks can really exhaust."""

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.runner import scripted
from tests.runner.scripted import GB, ScriptedGpus
from tests.support.server import ServerProcess, running

# Takes memory as it is told, and when it is told to, much more at the third epoch: at first beside another. That tasks
# run at the same time is not left to chance: those that take no more wait at this epoch until the one with `--later` as
# in `--until` has failed, and `--together` tasks wait for each other before they take anything.
TRAIN = """
import argparse, os, sys, time
sys.path.insert(0, {here!r})
from scripted import ScriptedGpus
parser = argparse.ArgumentParser()
parser.add_argument("--memory", type=float)
parser.add_argument("--later", type=float, default=0)
parser.add_argument("--n", type=int, default=0)
parser.add_argument("--until", type=float, default=0)
parser.add_argument("--together", type=int, default=0)
given = parser.parse_args()
room = {gpus!r} + ".room"
def said(word):
    os.makedirs(room, exist_ok=True)
    open(os.path.join(room, word), "w").close()
def wait_for(condition):
    for _ in range(2400):
        if condition():
            return
        time.sleep(0.05)
    sys.exit("waited in vain")
if given.together:
    said("here " + os.environ["PADDOCK_TASK"])
    wait_for(lambda: len(os.listdir(room)) >= given.together)
state = os.path.join(os.environ["PADDOCK_CHECKPOINT_DIR"], "epoch")
first = int(open(state).read()) if os.path.exists(state) else 0
gpus = ScriptedGpus({gpus!r})
try:
    gpus.take(int(given.memory * 1e9), 0.03)
    for epoch in range(first + 1, 16):
        gpus.step(0.1)
        print(f"epoch: {{epoch}} val_loss: {{1 / epoch}}", flush=True)
        with open(state + ".new", "w") as file:
            file.write(str(epoch))
        os.replace(state + ".new", state)
        if epoch == 3 and given.later < 1 and given.until:
            wait_for(lambda: os.path.exists(os.path.join(room, "failed %s" % given.until)))
        if epoch >= 3 and given.later:
            if not first and given.later == given.until:
                gpus.company(120)
            gpus.take(int(given.later * 1e9), 0.03)
            given.later = 0
except MemoryError as error:
    said("failed %s" % given.later)
    sys.exit("Traceback (most recent call last):\\n" + str(error))
"""


class Lab:
    def __init__(self, server: ServerProcess, gpus: ScriptedGpus, script: str) -> None:
        self.server, self.gpus, self.script = server, gpus, script

    def submit(self, params: dict[str, Any], per_gpu: int | str = "auto") -> str:
        return self.server.submit(self.script, params=params, resources={"per_gpu": per_gpu})


@pytest.fixture
def lab(tmp_path: Path) -> Iterator[Lab]:
    path = tmp_path / "gpus.json"
    gpus = ScriptedGpus(path)
    gpus.make(1, 10 * GB)
    runner = tmp_path / "runner.sh"
    runner.write_text(f'#!/bin/sh\nPADDOCK_CORES=0-15 exec "{sys.executable}" "{scripted.__file__}" "{path}" "$4"\n')
    runner.chmod(0o755)
    here = str(Path(scripted.__file__).parent)
    with running(tmp_path / "home", local__gpus='["0"]', local__python=runner, runner__usage_seconds=0.3) as server:
        yield Lab(server, gpus, TRAIN.format(here=here, gpus=str(path)))


def test_a_sweep_fills_the_gpu_and_the_next_one_knows_how(lab: Lab) -> None:
    first = lab.submit({"memory": 1.2, "n": list(range(10))})
    tasks = lab.server.wait(first)
    assert {(task["state"], task["attempt"]) for task in tasks} == {("finished", 1)}
    assert {task["seat"]["gpus"][0] for task in tasks} == {"GPU-00000000"}
    assert {task["peak_gpu_memory"] for task in tasks} == {int(1.2 * GB)}
    [packing] = lab.server.get(f"/jobs/{first}")["packing"]
    assert (packing["gpu"], packing["auto"], packing["known"]) == ("Scripted 10G", True, False)
    assert (packing["tasks"], packing["limit"]) == (7, "memory")
    assert packing["need"] == pytest.approx(1.224 * GB)
    second = lab.submit({"memory": 1.2, "n": list(range(7)), "together": 7})
    tasks = lab.server.wait(second)
    [packing] = lab.server.get(f"/jobs/{second}")["packing"]
    assert (packing["known"], packing["tasks"]) == (True, 7)
    assert packing["need"] == pytest.approx(1.224 * GB), "what is learned twice is the same"
    # All began before any of them had taken memory: none of it had to be measured anew.
    assert {(task["state"], task["attempt"]) for task in tasks} == {("finished", 1)}
    metrics = lab.server.get(f"/tasks/{second}-1")["metrics"]
    assert {"sys/gpu_memory", "sys/gpu_load"} <= set(metrics)


def test_out_of_memory_fails_nobody_and_what_cannot_fit_says_how_much_it_wanted(lab: Lab) -> None:
    # The first two begin together, and the second stays until the first has failed beside it.
    job = lab.submit({"memory": [2.0], "later": [7.5, 0, 20.0, 0.001], "until": 7.5}, per_gpu=4)
    tasks = lab.server.wait(job)
    assert [task["state"] for task in tasks] == ["finished", "finished", "error", "finished"]
    # The others too may be tried again: one that begins just when another takes all of the gpu.
    tried = [lab.server.task(job, number)["attempts"] for number in (1, 2, 4)]
    assert {one["cause"] for attempts in tried for one in attempts[:-1]} == {"gpu_oom"}
    *before, last = tried[0]
    assert before
    assert last["resumed"]
    assert last["room"]["gpu"] >= 8 * GB or last["room"]["alone"]
    assert tasks[2]["cause"] == "gpu_oom"
    assert "had the GPU to itself and held 1.9 GiB, wanted 18.6 GiB more, of 9.3 GiB" in tasks[2]["reason"]
