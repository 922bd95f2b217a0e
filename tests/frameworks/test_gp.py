"""Test Gaussian processes in an environment with PyTorch and SciPy, which the server does not have here."""

import os
import sysconfig
from pathlib import Path

from tests.frameworks.conftest import ROOT, run_warm

RUN = "import sys, torch, pytest; sys.exit(pytest.main(sys.argv[1:]))"


def test_gaussian_processes(train_python: str, tmp_path: Path) -> None:
    script = tmp_path / "run.py"
    script.write_text(RUN)
    paths = [sysconfig.get_path("purelib"), ROOT / "src", ROOT]
    environ = {**os.environ, "PYTHONPATH": os.pathsep.join(map(str, paths))}
    options = ["-q", "-p", "no:cacheprovider", f"--basetemp={tmp_path}/gp", "-k", "gp"]
    command = [str(script), *options, "tests/search/test_search_samplers.py"]
    ended = run_warm(train_python, command, ROOT, environ)
    assert ended.returncode == 0, ended.stdout + ended.stderr
    assert "passed" in ended.stdout
    assert "skipped" not in ended.stdout
