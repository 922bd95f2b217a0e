"""Test Gaussian processes in an environment with PyTorch and SciPy, which the server does not have here."""

import os
import subprocess
import sysconfig
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def test_gaussian_processes(train_python: str, tmp_path: Path) -> None:
    paths = [sysconfig.get_path("purelib"), ROOT / "src", ROOT]
    ended = subprocess.run(
        [
            train_python,
            "-m",
            "pytest",
            "-q",
            "-p",
            "no:cacheprovider",
            "-k",
            "gp",
            "tests/search/test_search_samplers.py",
        ],
        cwd=ROOT,
        env={
            **os.environ,
            "PYTHONPATH": os.pathsep.join(map(str, paths)),
            "PYTEST_ADDOPTS": f"--basetemp={tmp_path}/gp",
        },
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert ended.returncode == 0, ended.stdout + ended.stderr
    assert "skipped" not in ended.stdout
