"""A new user types what docs/reservations.md shows, line by line, on a machine with GPUs."""

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.gpu_server import GpuServer, gpu_server

PAGE = (Path(__file__).parents[2] / "docs" / "reservations.md").read_text()
SHELL = PAGE.partition("## From the shell")[2].partition("\n## ")[0]
BLOCKS = re.findall(r"^```console\n(.*?)^```", SHELL, re.MULTILINE | re.DOTALL)
IDS = re.compile(r"^([0-9a-f]{8})  ", re.MULTILINE)
TRAIN = "import os; print('trains on', os.environ['CUDA_VISIBLE_DEVICES'])"


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[GpuServer]:
    with gpu_server(tmp_path_factory.mktemp("gpus"), 3) as made:
        yield made


def test_every_line_of_the_page_works(lab: GpuServer, tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text(TRAIN)
    (tmp_path / "bin").mkdir()
    for name, text in (
        ("paddock", f'exec {sys.executable} -m paddock "$@"'),
        ("python", f'exec {sys.executable} "$@"'),
    ):
        (tmp_path / "bin" / name).write_text(f"#!/bin/sh\n{text}\n")
        (tmp_path / "bin" / name).chmod(0o755)
    env = os.environ | {"PADDOCK_HOME": str(lab.server.home.root), "COLUMNS": "100", "NO_COLOR": "1"}
    env |= {"PATH": f"{tmp_path / 'bin'}{os.pathsep}{lab.path}", "PYTHONPATH": os.pathsep.join(sys.path)}
    host, ids = lab.devices[0]["host"], IDS.findall(SHELL)
    assert len(BLOCKS) >= 5
    assert len(ids) == 2
    real: dict[str, str] = {}
    shown = ""
    for line in (line for block in BLOCKS for line in block.splitlines() if line.startswith("$ ")):
        command = line.removeprefix("$ ").replace("gpu1", host)
        for written, made in real.items():
            command = command.replace(written, made)
        done = subprocess.run(
            ["bash", "-c", command], cwd=tmp_path, env=env, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, (command, done)
        for made in IDS.findall(done.stdout) if " reserve " in command else []:
            real[ids[len(real)]] = made
        shown += f"$ {command}\n{done.stdout}{done.stderr}"
    assert len(real) == 2
    assert f"{host}:0 from now until" in shown
    assert f"{host}:0,1 from " in shown
    assert shown.count("trains on GPU-00000000\n") == 2
    assert "released: the rest of its time is free" in shown
    assert lab.server.get("/reservations")["items"] == []


def test_what_a_refusal_shows_is_as_on_the_page(lab: GpuServer, tmp_path: Path) -> None:
    host = lab.devices[0]["host"]
    lab.server.post("/reservations", {"gpus": 3, "seconds": 7200, "title": "all"}, 201)
    env = os.environ | {"PADDOCK_HOME": str(lab.server.home.root)}
    argv = [sys.executable, "-m", "paddock", "reserve", f"{host}:2", "--for", "4h"]
    done = subprocess.run(argv, cwd=tmp_path, env=env, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (5, "")
    first, *others = done.stderr.splitlines()
    assert first.startswith(f"error: {host}:2 is reserved by ")
    assert any(line.startswith(f"  free: {host}:") for line in others)
    assert any(line.startswith("  paddock reserve ") for line in others)
