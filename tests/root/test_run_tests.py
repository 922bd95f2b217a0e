"""Test what `make test` does with tests that fail."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
ONCE = """
from pathlib import Path
def test_once():
    mark = Path(__file__).with_suffix(".mark")
    if not mark.exists():
        mark.touch()
        raise AssertionError("the first time")
"""
ALWAYS = "import pytest\n@pytest.mark.parametrize('n', range({count}))\ndef test_always(n):\n    assert n < 0\n"


def run(folder: Path, *options: str) -> subprocess.CompletedProcess[str]:
    (folder / "pytest.ini").touch()
    command = [sys.executable, "-m", "tools.run_tests", "-q", *options]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    return subprocess.run(command, check=False, cwd=folder, env=environment, capture_output=True, text=True)


@pytest.mark.parametrize("workers", [(), ("-n", "1")])
def test_one_that_fails_beside_others_and_passes_alone_is_named(tmp_path: Path, workers: tuple[str, ...]) -> None:
    (tmp_path / "test_a.py").write_text(ONCE)
    done = run(tmp_path, *workers)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "the first time" in done.stdout
    assert any(line.startswith("UNSTABLE") and "test_once" in line for line in done.stdout.splitlines())


def test_one_that_fails_alone_too_fails_the_run(tmp_path: Path) -> None:
    (tmp_path / "test_a.py").write_text(ONCE + ALWAYS.format(count=1))
    done = run(tmp_path)
    assert done.returncode == 1
    assert "UNSTABLE" not in done.stdout


def test_many_failures_are_no_bad_luck(tmp_path: Path) -> None:
    (tmp_path / "test_a.py").write_text(ALWAYS.format(count=6))
    done = run(tmp_path)
    assert done.returncode == 1
    assert "once more" not in done.stdout
