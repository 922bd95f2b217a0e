"""Test a runner in its allocation: started again elsewhere, held, limited; and what it reports about itself."""

import json
import os
import signal
import time
from pathlib import Path
from typing import Any

import pytest

from paddock.models.load import NodeSample
from paddock.runner import scheduler
from paddock.runner.process.fence import Fence
from paddock.server import journal
from tests.runner.folder import Folder, ended, kinds, wait_for
from tests.runner.test_runner_stop import POLITE, ready


def test_fence(tmp_path: Path) -> None:
    fence = Fence(str(tmp_path), 2)
    (tmp_path / "journal.2.jsonl").touch()
    assert not fence.check()
    (tmp_path / "journal.3.jsonl").touch()
    assert fence.check()
    assert not Fence(str(tmp_path / "gone"), 1).check()


def test_started_a_second_time(folder: Folder, python: str) -> None:
    folder.python = python
    folder.python_task("t-1", POLITE)
    folder.allocate()
    first = folder.start()
    ready(folder)
    folder.add("t-2", "sleep", "1")
    folder.end()
    second = folder.start()
    assert first.wait(120) == 0
    assert second.wait(120) == 0
    end = ended(folder.records(number=1), "t-1")
    assert (end["exit"], end["by"], end["cause"]) == (3, "shutdown", "preempted")
    assert end["reason"] == "its allocation was started a second time"
    assert folder.records(number=1)[-1]["e"] == "bye"
    assert ended(folder.records(number=2), "t-2")["exit"] == 0
    assert [folder.records(number=n)[0]["start"] for n in (1, 2)] == [1, 2]


SIZES = {"GPU": {"need": 9 * 10**9, "samples": [[{"size": size}, size * 10**9] for size in range(1, 10)]}}


@pytest.mark.parametrize("gpus", [None, {"task": 1, "per": 4, "known": SIZES}], ids=["in order", "the largest first"])
def test_one_that_is_not_the_last_claims_nothing(folder: Folder, gpus: dict[str, Any] | None) -> None:
    more: dict[str, Any] = {"gpus": gpus} if gpus else {}
    folder.allocate(poll_seconds=60, slots=4, **more)
    first = folder.start(CUDA_VISIBLE_DEVICES="0")
    wait_for(folder.records)
    (folder.root / "allocations/a1.0/journal.2.jsonl").touch()
    folder.add("t-1", "true")
    first.send_signal(signal.SIGHUP)  # wakes it
    assert first.wait(120) == 0
    assert not (folder.root / "claims" / "t-1.1").exists()


def test_hold(folder: Folder) -> None:
    folder.add("t-1", "sleep", "0.6")
    folder.add("t-2", "true")
    folder.allocate()
    runner = folder.start()
    folder.await_record("started", "t-1")
    folder.order("hold")
    assert folder.await_record("ended", "t-1")["exit"] == 0
    folder.end()
    time.sleep(0.3)
    assert runner.poll() is None
    assert not (folder.root / "claims" / "t-2.1").exists()
    folder.order("release")
    assert runner.wait(120) == 0
    assert ended(folder.records(), "t-2")["exit"] == 0


def test_held_and_idle_it_leaves(folder: Folder) -> None:
    folder.add("t-1", "true")
    folder.order("release")
    folder.order("hold")
    folder.allocate(idle_seconds=0.3)
    assert kinds(folder.run()) == ["runner", "bye"]


def test_held_with_nothing_to_do_it_leaves_at_once(folder: Folder) -> None:
    folder.order("hold")
    folder.end()
    folder.allocate(idle_seconds=60)
    assert kinds(folder.run()) == ["runner", "bye"]


@pytest.mark.parametrize("slots", [1, 3])
def test_at_most_so_many_tasks(folder: Folder, slots: int) -> None:
    for i in range(4):
        folder.add(f"t-{i}", "true" if i else "/no/such/program")
    folder.allocate(tasks=2, slots=slots)
    records = folder.run()
    assert {r["task"] for r in records if r["e"] == "ended"} == {"t-0", "t-1"}
    assert sorted(os.listdir(folder.root / "claims")) == ["t-0.1", "t-1.1"]


def test_umask(folder: Folder) -> None:
    folder.add("t-1", "sh", "-c", 'umask; touch made "$PADDOCK_CHECKPOINT_DIR/made"')
    folder.end()
    folder.allocate(umask=0o027)
    folder.run()
    assert int(folder.log("t-1"), 8) == 0o027
    assert (folder.results("t-1") / "work/made").stat().st_mode & 0o777 == 0o640
    assert (folder.root / "allocations/a1.0/journal.1.jsonl").stat().st_mode & 0o777 == 0o640
    assert (folder.results("t-1") / "checkpoint").stat().st_mode & 0o777 == 0o750


def test_a_manifest_that_makes_no_sense(folder: Folder) -> None:
    folder.allocate(time_limit="tomorrow")
    assert folder.start().wait(120) == 1
    assert "tomorrow" in folder.complaints()


@pytest.mark.parametrize(
    ("environ", "device", "identity"),
    [
        ({}, None, None),
        ({"CUDA_VISIBLE_DEVICES": "0", "SLURM_JOB_GPUS": ""}, "0", None),
        ({"CUDA_VISIBLE_DEVICES": "1,3", "SLURM_JOB_ID": "7"}, "gpu 1,3", "7"),
        ({"CUDA_VISIBLE_DEVICES": "0", "SLURM_JOB_GPUS": "2,3", "SLURM_JOB_ID": "7"}, "gpu 2,3", "7"),
        (
            {"PADDOCK_DEVICE": "x", "SLURM_JOB_GPUS": "2", "SLURM_ARRAY_JOB_ID": "12", "SLURM_ARRAY_TASK_ID": "3"},
            "x",
            "12_3",
        ),
    ],
)
def test_where_it_runs(environ: dict[str, str], device: str | None, identity: str | None) -> None:
    assert scheduler.device(environ) == device
    assert scheduler.identity(environ) == identity
    assert scheduler.node(environ) == os.uname().nodename
    assert scheduler.node({**environ, "SLURMD_NODENAME": "n17"}) == "n17"


def test_it_reports_where_it_runs(folder: Folder) -> None:
    folder.add("t-1", "true")
    folder.end()
    folder.allocate()
    records = folder.run(SLURM_JOB_ID="7", SLURMD_NODENAME="n17", SLURM_JOB_GPUS="1")
    assert {**records[0], "scheduler_id": "7", "node": "n17", "device": "gpu 1", "ends_at": None} == records[0]
    assert (records[1]["node"], records[1]["device"]) == ("n17", "gpu 1")


def test_a_runner_in_slurm_reports_its_node(folder: Folder, python: str) -> None:
    folder.python = python
    folder.allocate()
    folder.python_task("t-1", "import time; time.sleep(0.3)")
    folder.end()
    records = folder.run(SLURM_JOB_ID="7", SLURMD_NODENAME="n1")
    [node] = [record for record in records if record["e"] == "node"]
    assert (node["node"], node["cores"], node["cards"]) == ("n1", os.cpu_count(), [])
    seen = journal.NodeSeen(node["at"], "n1", NodeSample.model_validate(node))
    assert journal.parse(json.dumps(node).encode() + b"\n").records == [seen]
    assert seen.sample.memory


def test_on_the_servers_own_node_it_does_not(folder: Folder) -> None:
    folder.allocate()
    folder.python_task("t-1", "")
    folder.end()
    assert "node" not in [record["e"] for record in folder.run(SLURM_JOB_ID="")]
