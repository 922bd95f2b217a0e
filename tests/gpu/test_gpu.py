"""Test GPU sharing with a real server, a real GPU and real CUDA errors."""

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from paddock.common import gpus, processes
from tests.support.server import ServerProcess, running, wait_for

# Holds so many GB, trains a little, and does what is asked of it at the second epoch.
TRAIN = """
import argparse, time
import torch
parser = argparse.ArgumentParser()
parser.add_argument("--hold", type=float, default=0.0)
parser.add_argument("--later", type=float, default=0.0)
parser.add_argument("--fault", type=int, default=0)
parser.add_argument("--epochs", type=int, default=6)
parser.add_argument("--n", type=int, default=0)
given = parser.parse_args()
held = [torch.empty(int(given.hold * 1e9), dtype=torch.uint8, device="cuda")]
net = torch.nn.Sequential(torch.nn.Linear(256, 256), torch.nn.ReLU(), torch.nn.Linear(256, 10)).cuda()
optimizer = torch.optim.SGD(net.parameters(), lr=0.01)
for epoch in range(1, given.epochs + 1):
    begun = time.monotonic()
    while time.monotonic() - begun < 0.7:
        loss = net(torch.randn(256, 256, device="cuda")).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    torch.cuda.synchronize()
    print(f"epoch: {epoch} val_loss: {loss.item()}", flush=True)
    if epoch == 2 and given.later:
        held.append(torch.empty(int(given.later * 1e9), dtype=torch.uint8, device="cuda"))
    if epoch == 2 and given.fault:
        torch.zeros(4, device="cuda")[torch.tensor([10**9], device="cuda")].sum().item()
"""


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory, torch_python: str) -> Iterator[ServerProcess]:
    with running(tmp_path_factory.mktemp("gpu") / "home", python=torch_python) as server:
        yield server


@pytest.fixture(scope="module")
def total() -> float:
    """GB of the gpu."""
    return gpus.find_driver().gpus()[0].memory / 1e9


def submit(server: ServerProcess, per_gpu: int | str, **params: Any) -> str:
    return server.submit(TRAIN, params=params, resources={"per_gpu": per_gpu, "gpus": 1})


def most_at_once(tasks: list[dict[str, Any]]) -> int:
    moments = [(task["started_at"], 1) for task in tasks] + [(task["ended_at"], -1) for task in tasks]
    now = most = 0
    for _, change in sorted(moments):
        now += change
        most = max(most, now)
    return most


def services() -> list[int]:
    """Processes of MPS."""
    found = [(pid, Path(f"/proc/{pid}/comm")) for pid in processes.all_pids()]
    return [
        pid for pid, comm in found if comm.exists() and comm.read_text().startswith("nvidia-cuda-mps") and _runs(pid)
    ]


def _runs(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except OSError:
        return False


def test_four_share_the_gpu_through_mps(server: ServerProcess) -> None:
    job = submit(server, 4, n=list(range(8)), hold=1.0)
    tasks = server.wait(job, 180)
    assert {(task["state"], task["attempt"]) for task in tasks} == {("finished", 1)}, tasks
    assert 2 <= most_at_once(tasks) <= 4
    for task in tasks:
        assert task["peak_gpu_memory"] > 1.2e9
        assert (task["seat"]["sharing"], task["seat"]["why"]) == ("mps", None)
    metrics = set(server.task(job)["metrics"])
    assert {"val_loss"} <= metrics
    wait_for(lambda: not services(), 20, "MPS to be stopped")


def test_without_mps_they_take_turns_and_the_task_says_so(tmp_path: Path, torch_python: str) -> None:
    with running(tmp_path / "home", python=torch_python, runner__mps="false") as server:
        job = submit(server, 3, n=[1, 2, 3])
        tasks = server.wait(job, 120)
        assert {task["state"] for task in tasks} == {"finished"}
        assert {(one["seat"]["sharing"], one["seat"]["why"]) for one in tasks} == {
            ("turns", "MPS is switched off in the settings")
        }
        assert not services()


def test_a_real_out_of_memory_error_fails_nobody(server: ServerProcess, total: float) -> None:
    """Two that come to need most of the GPU each, beside two small ones; and one that nothing could help."""
    job = submit(server, 5, hold=0.5, later=[total * 0.7, total * 0.71, 0.0, 0.1, total * 1.5])
    tasks = server.wait(job, 240)
    assert [task["state"] for task in tasks] == ["finished"] * 4 + ["error"], [task["reason"] for task in tasks]
    causes = [one["cause"] for number in (1, 2, 5) for one in server.task(job, number)["attempts"]]
    assert "gpu_oom" in causes
    assert tasks[4]["cause"] == "gpu_oom"
    assert "it had the GPU to itself" in tasks[4]["reason"]
    print("\n   ", tasks[4]["reason"])
    for number in (1, 2, 5):
        tries = server.task(job, number)["attempts"]
        print("   ", number, [(one["cause"], one["room"]) for one in tries])


def test_auto_finds_out_how_many_and_knows_it_the_next_time(server: ServerProcess) -> None:
    first = submit(server, "auto", n=list(range(14)), hold=1.0, epochs=8)
    began = time.monotonic()
    tasks = server.wait(first, 240)
    cold = time.monotonic() - began
    assert {(task["state"], task["attempt"]) for task in tasks} == {("finished", 1)}
    [packing] = server.get(f"/jobs/{first}")["packing"]
    print("\n   ", packing)
    assert packing["auto"]
    assert packing["tasks"] > 2
    assert 1.2e9 < packing["need"] < 4e9
    second = submit(server, "auto", n=list(range(14)), hold=1.0, epochs=8)
    began = time.monotonic()
    tasks = server.wait(second, 240)
    warm = time.monotonic() - began
    [packing] = server.get(f"/jobs/{second}")["packing"]
    print(f"    14 tasks: {cold:.1f} s from a cold start, {warm:.1f} s with what it learned")
    assert packing["known"]
    assert {task["state"] for task in tasks} == {"finished"}


def test_a_fault_of_one_costs_the_others_nothing_in_the_end(server: ServerProcess) -> None:
    job = submit(server, 3, fault=[0, 1, 2], hold=0.2, epochs=10)
    tasks = server.wait(job, 240)
    print("\n   ", [(task["state"], task["attempt"], task["reason"]) for task in tasks])
    assert [task["state"] for task in tasks] == ["finished", "error", "error"]


def test_a_killed_runner_leaves_no_mps_behind(server: ServerProcess) -> None:
    job = submit(server, 2, n=[1, 2], epochs=60)
    server.wait_state(job, "running", 1, 60)
    wait_for(services, 60, "MPS to serve")
    pid = server.task(job)["attempts"][-1]["pid"]
    parent = processes.stat(pid)
    assert parent is not None
    os.kill(parent.parent, signal.SIGKILL)
    wait_for(lambda: not _runs(pid), 30, "its task to end")
    wait_for(lambda: server.task(job)["attempt"] == 2, 60, "it to be tried again")
    server.post(f"/jobs/{job}/stop")
    server.wait(job, 60)
    wait_for(lambda: not services(), 30, "MPS to be gone")
    wait_for(lambda: not list(Path(tempfile.gettempdir()).glob("paddock-mps-*")), 30, "its folders to be gone")


def test_paddock_load_shows_who_is_on_the_gpu(server: ServerProcess) -> None:
    job = submit(server, 2, n=[1, 2], hold=2.0, epochs=40)
    wait_for(lambda: all((task["epoch"] or 0) >= 2 for task in server.tasks(job)), 90, "both to train")

    def shown() -> dict[str, Any] | None:
        command = [sys.executable, "-m", "paddock", "--home", str(server.home.root), "load", "--json"]
        report: dict[str, Any] = json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
        device = next(one for node in report["nodes"] for one in node["devices"] if one["kind"] == "gpu")
        ours = {process["task"] for process in device["processes"]} & {f"{job}-1", f"{job}-2"}
        return device if len(ours) == 2 and (device["load"] or 0) > 0 else None

    device = wait_for(shown, 40, "both tasks on the GPU")
    print("\n   ", device["name"], device["load"], device["memory_used"], device["processes"])
    assert device["memory_used"] > 4e9
    assert all(process["memory"] > 2e9 for process in device["processes"] if process["task"])
    text = [sys.executable, "-m", "paddock", "--home", str(server.home.root), "load"]
    print(subprocess.run(text, capture_output=True, text=True, check=True).stdout)
    server.post(f"/jobs/{job}/stop")
    server.wait(job, 60)
