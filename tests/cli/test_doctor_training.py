"""Test what `paddock doctor` reports about frameworks and GPUs of a node."""

import ast
import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from paddock.cli.doctor import job, probe

PROBE = Path(probe.__file__)


def test_the_probe_runs_on_any_python() -> None:
    tree = ast.parse(PROBE.read_text(), feature_version=(3, 8))
    imported = {alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names}
    imported |= {str(node.module) for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    assert {name.partition(".")[0] for name in imported} <= set(sys.stdlib_module_names)


TORCH = """
import sys
__version__ = "2.1.0+cu121"
sys.stderr.write("The NVIDIA driver on your system is too old\\n")
class cuda:
    device_count = staticmethod(lambda: {count})
def ones(*_, device):
    if device:
        raise RuntimeError("no kernel image is available")
    return 1
"""
TOO_OLD = "The NVIDIA driver on your system is too old"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (TORCH.format(count=0), {"version": "2.1.0+cu121", "gpus": 0, "output": TOO_OLD}),
        (TORCH.format(count=1), {"version": "2.1.0+cu121", "gpus": 1}),
        (TORCH.format(count=2), {"error": "its process ended with code 1"}),
        ("import os; os.kill(os.getpid(), 4)", {"error": "its process ended with signal 4"}),
        ("import time; time.sleep(60)", {"error": "no answer within 3 s"}),
        ("raise OSError('libcudart.so.12: no')", {"error": "its process ended with code 1"}),
        ("print('PADDOCK nonsense')", {"error": "its process ended with code 1"}),
    ],
)
def test_the_probe_survives_every_framework(tmp_path: Path, text: str, said: dict[str, Any]) -> None:
    (tmp_path / "torch.py").write_text(text)
    shutil.copy(PROBE, tmp_path / "probe.py")
    done = subprocess.run(
        [sys.executable, str(tmp_path / "probe.py"), "2", "3" if "sleep" in text else "30"],
        env={"PATH": "/usr/bin:/bin", "CUDA_VISIBLE_DEVICES": "0,1", "PYTHONPATH": str(tmp_path)},
        capture_output=True,
        text=True,
        check=True,
    )
    report = json.loads(done.stdout.splitlines()[-1].removeprefix(probe.MARK))
    assert report["visible"] == "0,1"
    assert said.items() <= report["frameworks"]["torch"].items(), report
    framework = job.Probed.model_validate(report).frameworks["torch"]
    found = job.framework("torch", framework, 2)
    assert found.status == "error", "it does not see two GPUs"
    assert framework.output in found.detail and "by hand" in found.fix


def test_frameworks_in_order() -> None:
    one = job.Framework(version="2.9.0+cu128", gpus=2)
    assert job.framework("torch", one, 2).detail == "version 2.9.0+cu128 sees 2 GPUs"
    found = job.framework("torch", job.Framework(version="2.9.0+cpu", output="no GPU\nfound"), 1)
    assert (found.status, found.detail) == ("error", "version 2.9.0+cpu sees 0 of 1 GPUs:\nno GPU\nfound")
    assert job.framework("torch", job.Framework(version="2.9.0+cpu"), 0).status == "ok"


def test_the_gpus_of_an_allocation() -> None:
    said = 'PADDOCK {"python": "3.11", "visible": "0,1", "frameworks": {"torch": {"version": "2", "gpus": 2}}}'
    environment, torch = job.probed(said, "", 2)
    assert "CUDA_VISIBLE_DEVICES is 0,1" in environment.detail
    assert torch.status == "ok"
    assert "CUDA_VISIBLE_DEVICES is empty" in job.probed(said.replace("0,1", ""), "", 2)[0].detail
    assert "CUDA_VISIBLE_DEVICES is not set" in job.probed(said.replace('"0,1"', "null"), "", 2)[0].detail
    assert "CUDA" not in job.probed(said, "", 0)[0].detail
