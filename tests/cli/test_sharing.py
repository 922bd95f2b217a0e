"""Test how GPU sharing is put into words, and what `paddock show` prints about it."""

import re
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from paddock.cli import render, sharing
from paddock.models import FreeMemory, Packing, Resources, Seat
from tests.support.up import Cli, up

GIB = 1024**3


def packing(ended: bool = False, **more: Any) -> str:
    given: dict[str, Any] = {"gpu": "NVIDIA H200", "tasks": 24, "auto": True, "at": datetime.now(UTC)}
    return sharing.packing(Packing(**given | more), ended=ended)


def test_how_many_share_a_gpu_and_why_not_more() -> None:
    whole = packing(limit="cores", need=5 * GIB // 4, total=140 * GIB, load=0.934, speedup=11.2, known=True)
    assert whole == (
        "24 tasks share each NVIDIA H200; chosen automatically: limited by the CPU cores; 11x as fast as one at a time"
        "; each needs 1.3 GiB of 140 GiB; the GPU is busy 93 % of the time; began with what was learned before"
    )
    assert packing(tasks=1, speedup=1.02) == (
        "each NVIDIA H200 has one task at a time; chosen automatically, still growing; as fast as one at a time"
    )
    assert packing(True, limit="gain", speedup=3.26, need=0) == (
        "24 tasks shared each NVIDIA H200; chosen automatically: more do not help; 3.3x as fast as one at a time"
    )


@pytest.mark.parametrize(
    ("given", "why"),
    [
        ({"processor": 0.97, "startup": 0.45}, ", limited by the processor and the start of the scripts"),
        ({"processor": 0.97, "startup": 0.1}, ", limited by the processor"),
        ({"processor": 0.3, "startup": 0.45}, ", limited by the start of the scripts"),
        ({"processor": 0.3, "startup": 0.1}, ""),
        ({"processor": 0.97, "load": 0.9}, ""),
        ({"processor": 0.97, "limit": "memory"}, ""),
        ({}, ""),
    ],
)
def test_a_gpu_that_is_idle_for_much_of_the_time(given: dict[str, Any], why: str) -> None:
    whole: dict[str, Any] = {"limit": "tasks", "load": 0.4, **given}
    said = packing(**whole)
    assert said.endswith(" % of the time" + why), said


@pytest.mark.parametrize(
    ("given", "why"),
    [
        ({}, "still growing"),
        ({"ended": True}, "as asked for"),
        ({"limit": "asked"}, "as asked for"),
        ({"limit": "memory"}, "fewer than asked for: limited by the GPU's memory"),
        ({"limit": "memory", "target": 24}, "as asked for"),  # held back at first only
        ({"limit": "tasks", "target": 30}, "there are no more tasks"),
        ({"auto": True, "limit": "asked"}, "chosen automatically"),
        ({"auto": True, "ended": True}, "chosen automatically"),
    ],
)
def test_every_reason_has_words(given: dict[str, Any], why: str) -> None:
    assert packing(**{"auto": False} | given).split("; ")[1:] == [why]


def test_what_a_task_has() -> None:
    seat = Seat(gpus=["0"], gpu_name="NVIDIA H200", cores=[8, 0, 1, 2, 3], threads=4, sharing="turns", why="no MPS")
    assert sharing.seat(seat) == "GPU 0, NVIDIA H200, shared by taking turns (no MPS); cores 0-3, 8; 4 threads"
    assert sharing.seat(Seat(gpus=["0", "1"], gpu_name="GPU", sharing="mps")) == "GPUs 0, 1, shared through NVIDIA MPS"
    assert sharing.seat(Seat(cores=[1], threads=1)) == "core 1; 1 thread"
    assert sharing.seat(None) == sharing.seat(Seat()) == ""
    assert sharing.room(FreeMemory(gpu=12 * GIB, alone=True)) == "12 GiB free on the GPU and no other task beside it"
    assert sharing.room(FreeMemory(host=20 * 1024**2)) == "20 MiB free on the node"
    assert sharing.room(None) == ""
    assert render.resources(Resources.model_validate({"triple": "1,2,1"})) == "1 node x 2 tasks x 1 thread"


def test_it_is_shown(tmp_path: Path) -> None:
    """Of GPUs that are only said to be there."""
    home = tmp_path / "home"
    home.mkdir(mode=0o700)
    (home / "settings.toml").write_text('[local]\ngpus = ["0", "1"]\n')
    with up(home):
        cli = Cli(home, tmp_path)
        arguments = ["-p", "lr=1,2,3,4", "--gpus", "0.5", "--dry-run", "--json"]
        preview = cli.quick("submit", cli.script(), *arguments).json
        assert (preview["spec"]["resources"]["per_gpu"], preview["warnings"]) == (2, [])
        job = cli.quick("submit", cli.script(), *arguments[:-2], "--json").json["id"]
        cli.wait(job)
        shown = " ".join(cli.quick("show", job).out.split())
        assert "local, 2 tasks per GPU" in shown
        assert re.search(r"Sharing (2 tasks shared|each GPU had one)", shown)
        task = " ".join(cli.quick("show", f"{job}-1").out.split())
        assert re.search("Share GPU [01], shared by taking turns", task)
