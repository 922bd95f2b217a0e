"""Test `paddock.elastic` on a real GPU: processes that share it, and memory that really runs out."""

import json
import os
import socket
import subprocess
from pathlib import Path
from typing import Any

import pytest

from paddock.common import gpus
from paddock.runner.elastic import TOLD_TO_END
from paddock.server.intake.submission import _lay_down_report

SCRIPT = Path(__file__).parents[1] / "frameworks" / "elastic_script.py"


def train(python: str, folder: Path, name: str, world: int, told: list[int], **variables: str) -> list[dict[str, Any]]:
    """Return what the first process printed per epoch. All have to end with one of these codes."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    environ = os.environ | variables | {
        "PYTHONPATH": str(folder / "lib"), "PADDOCK_CHECKPOINT_DIR": str(folder / name), "MASTER_ADDR": "127.0.0.1",
        "MASTER_PORT": str(port), "PADDOCK_REPORT": str(folder / f"{name}.jsonl"), "CUBLAS_WORKSPACE_CONFIG": ":4096:8",
    }  # fmt: skip
    places = [
        {"RANK": str(n), "LOCAL_RANK": str(n), "WORLD_SIZE": str(world), "LOCAL_WORLD_SIZE": str(world)}
        for n in range(world)
    ]
    pipe = subprocess.PIPE
    started = [
        subprocess.Popen([python, SCRIPT], cwd=folder, env=environ | place, stdout=pipe, stderr=pipe, text=True)
        for place in places
    ]
    ended = [process.communicate(timeout=120) for process in started]
    codes = [process.returncode for process in started]
    assert all(code in told for code in codes), (codes, [errors for _, errors in ended])
    return [json.loads(line) for line in ended[0][0].splitlines() if line[:1] == "{"]


def same(parts: list[dict[str, Any]], whole: list[dict[str, Any]]) -> bool:
    return [one["epoch"] for one in parts] == [one["epoch"] for one in whole] and all(
        one["loss"] == pytest.approx(other["loss"], abs=1e-4)
        and one["weights"] == pytest.approx(other["weights"], abs=1e-4)
        for one, other in zip(parts, whole, strict=True)
    )


def test_a_resized_training_equals_one_that_was_never_resized(torch_python: str, tmp_path: Path) -> None:
    _lay_down_report(tmp_path, None)
    whole = train(torch_python, tmp_path, "whole", 1, [0])
    parts = train(torch_python, tmp_path, "parts", 1, [TOLD_TO_END], END_AT="700")
    parts += train(torch_python, tmp_path, "parts", 2, [TOLD_TO_END], END_AT="1000", END_RANK="1")
    parts += train(torch_python, tmp_path, "parts", 1, [0])
    assert same(parts, whole)
    assert len({one["loss"] for one in whole}) == len(whole), "it learns"


def test_a_step_for_which_the_memory_of_the_gpu_is_too_small_is_done_in_parts(
    torch_python: str, tmp_path: Path
) -> None:
    _lay_down_report(tmp_path, None)
    whole = train(torch_python, tmp_path, "whole", 1, [0])
    each = gpus.find_driver().gpus()[0].memory / 25  # 25 samples fit; parts are halved until they do
    small = train(torch_python, tmp_path, "small", 1, [0], HOLDS=str(each))
    assert same(small, whole)
    remembered = json.loads((tmp_path / "small" / "elastic-memory.json").read_text())
    assert 5 <= remembered["samples"] <= 25
