"""Fixtures for a real NVIDIA GPU: `make test-gpu`. They need a Python with PyTorch for CUDA (TORCH_PYTHON)."""

import os
import subprocess
import sys

import pytest

from paddock.common import gpus


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    here = [item for item in items if item.path.parent.name == "gpu"]
    if gpus.find_driver().gpus() or os.environ.get("PADDOCK_TEST_GPU"):
        return
    for item in here:
        item.add_marker(pytest.mark.skip(reason="no NVIDIA GPU: make test-gpu runs these where there is one"))


@pytest.fixture(scope="session")
def torch_python() -> str:
    """An interpreter that trains on the gpu."""
    assert gpus.find_driver().gpus(), "no NVIDIA GPU answers on this machine"
    python = os.environ.get("TORCH_PYTHON") or sys.executable
    probe = "import torch; torch.zeros(1).cuda()"
    done = subprocess.run([python, "-c", probe], capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{python} cannot use the GPU with PyTorch (set TORCH_PYTHON): {done.stderr[-500:]}"
    return python
