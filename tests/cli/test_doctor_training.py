"""Test what `paddock doctor` reports about frameworks and GPUs of a node."""

import ast
import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from paddock.cli.doctor import cuda, probe

PROBE = Path(probe.__file__)


def test_the_probe_runs_on_any_python() -> None:
    tree = ast.parse(PROBE.read_text(), feature_version=(3, 8))
    imported = {alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names}
    imported |= {str(node.module) for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    assert {name.partition(".")[0] for name in imported} <= set(sys.stdlib_module_names)


TORCH = """
import sys
__version__ = "2.1.0+cu121"
sys.stderr.write("a warning\\n")
class version: cuda = "12.1"
class cuda:
    is_available = staticmethod(lambda: False)
"""


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (TORCH, {"version": "2.1.0+cu121", "gpu_build": True, "cuda": "12.1", "gpus": 0, "said": "a warning\n"}),
        ("import os; os.kill(os.getpid(), 4)", {"code": -4}),
        ("import time; time.sleep(60)", {"timeout": True}),
        ("raise OSError('libcudart.so.12: no')", {"error": "OSError: libcudart.so.12: no"}),
        ("print('PADDOCK nonsense')", {"use_error": "AttributeError: module 'torch' has no attribute 'version'"}),
    ],
)
def test_the_probe_survives_every_framework(tmp_path: Path, text: str, said: dict[str, Any]) -> None:
    (tmp_path / "torch.py").write_text(text)
    shutil.copy(PROBE, tmp_path / "probe.py")
    done = subprocess.run(
        [sys.executable, str(tmp_path / "probe.py"), "1", "3" if "sleep" in text else "30"],
        env={"PATH": "/usr/bin:/bin", "CUDA_VISIBLE_DEVICES": "0"},
        capture_output=True,
        text=True,
        check=True,
    )
    probed = json.loads(done.stdout.splitlines()[-1].removeprefix(probe.MARK))
    assert said.items() <= probed["frameworks"]["torch"].items(), probed
    cuda.Probed.model_validate(probed)


NO_CUDNN = (
    "2021-01-09 12:25:12.1: W tensorflow/stream_executor/platform/default/dso_loader.cc:60] Could not load dynamic "
    "library 'libcudnn.so.8'; dlerror: libcudnn.so.8: cannot open shared object file: No such file or directory; "
    "LD_LIBRARY_PATH: /usr/local/cuda/lib64\n"
    "2021-01-09 12:25:12.1: W tensorflow/core/common_runtime/gpu/gpu_device.cc:1757] Cannot dlopen some GPU libraries. "
    "Please make sure the missing libraries mentioned above are installed properly if you would like to use GPU. "
    "Follow the guide at https://www.tensorflow.org/install/gpu for how to download and setup the required libraries "
    "for your platform.\nSkipping registering GPU devices...\n"
)
NOT_NAMED = NO_CUDNN.partition("\n")[2]
INDIRECT = (
    "Could not load dynamic library 'libcusolver.so.11'; dlerror: libnvJitLink.so.12: cannot open shared object file: "
    "No such file or directory\nCould not load dynamic library 'libnvinfer.so.7'; dlerror: libnvinfer.so.7: cannot "
    "open shared object file: No such file or directory\n"
)
KERNEL = (
    "E tensorflow/stream_executor/cuda/cuda_driver.cc:271] failed call to cuInit: "
    "CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE: forward compatibility was attempted on non supported HW\n"
    "E tensorflow/stream_executor/cuda/cuda_diagnostics.cc:313] kernel version 460.91.3 does not match DSO version "
    "470.57.2 -- cannot find working devices in this configuration\n"
)
TOO_OLD = (
    "torch/cuda/__init__.py:182: UserWarning: CUDA initialization: The NVIDIA driver on your system is too old (found "
    "version 11040). Please update your GPU driver by downloading and installing a new version from the URL: "
    "http://www.nvidia.com/Download/index.aspx Alternatively, go to: https://pytorch.org to install a PyTorch version "
    "that has been compiled with your version of the CUDA driver. (Triggered internally at CUDAFunctions.cpp:108.)\n"
)
CAPABILITY = (
    "torch/cuda/__init__.py:209: UserWarning: \nNVIDIA GeForce RTX 5090 with CUDA capability sm_120 is not compatible "
    "with the current PyTorch installation.\nThe current PyTorch install supports CUDA capabilities sm_50 sm_90.\n"
)
NO_DEVICE = "failed call to cuInit: CUDA_ERROR_NO_DEVICE: no CUDA-capable device is detected"
INSUFFICIENT = "cudaGetDevice() failed. Status: CUDA driver version is insufficient for CUDA runtime version"
GLIBC = "ImportError: /lib64/libm.so.6: version `GLIBC_2.29' not found (required by libtensorflow_framework.so.2)"
NO_KERNEL = "RuntimeError: CUDA error: no kernel image is available for execution on the device"
UNKNOWN = "RuntimeError: CUDA unknown error - this may be due to an incorrectly set up environment"
NO_AVX = "The TensorFlow library was compiled to use AVX instructions, but these aren't available on your machine."
NOT_FOUND = "ImportError: {}: cannot open shared object file: No such file or directory"
NUMPY = (
    "A module that was compiled using NumPy 1.x cannot be run in\nNumPy 2.0.0 as it may crash. To support both 1.x and "
    "2.x\nversions of NumPy, modules must be compiled with NumPy 2.0.\n"
)


@pytest.mark.parametrize(
    ("name", "one", "said", "fix"),
    [
        ("tensorflow", {"said": NO_CUDNN}, "sees 0 of 1 GPU: cuDNN (libcudnn.so.8) is missing", "and-cuda"),
        ("tensorflow", {"said": NOT_NAMED, "cuda": "12.3", "cudnn": "8"}, "needs CUDA 12.3 and cuDNN 8", "module load"),
        ("tensorflow", {"said": INDIRECT}, "nvJitLink (libnvJitLink.so.12) is missing", "module load"),
        ("tensorflow", {"said": KERNEL}, "kernel 460.91.3, library 470.57.2", "restart that node"),
        ("tensorflow", {"said": NO_DEVICE}, "no working NVIDIA driver or device", "nvidia-smi"),
        ("tensorflow", {"use_error": f"InternalError: {INSUFFICIENT}"}, "supports only CUDA up to 12.4", "CUDA 12"),
        ("tensorflow", {"gpu_build": False}, "a build for the CPU only", "and-cuda"),
        ("torch", {"gpu_build": False, "version": "2.3.1+cpu"}, "PyTorch 2.3.1+cpu is a build for the CPU", "12.4"),
        ("torch", {"said": TOO_OLD, "cuda": "12.1"}, "12.1, and the node's driver 550.54 supports only CUDA up to 11.4",
         "a build for CUDA 11"),
        ("torch", {"cuda": "13.0"}, "13.0, and the node's driver 550.54 supports only CUDA up to 12.4", "newer driver"),
        ("torch", {"gpus": 1, "said": CAPABILITY, "use_error": NO_KERNEL},
         "not built for this GPU (NVIDIA GeForce RTX 5090, sm_120)", "--gpu-type"),
        ("torch", {"gpus": 1, "use_error": NO_KERNEL}, "not built for this GPU (Tesla V100)", "--gpu-type"),
        ("torch", {"use_error": UNKNOWN}, "cannot start CUDA", "nvidia-smi"),
        ("torch", {"said": "one\ntwo"}, "sees 0 of 1 GPU: two", "by hand"),
        ("torch", {"error": NOT_FOUND.format("libcudnn.so.9")}, "cuDNN (libcudnn.so.9) is missing", "nvidia-"),
        ("torch", {"error": NOT_FOUND.format("libcuda.so.1")}, "the NVIDIA driver (libcuda.so.1)", "look at that node"),
        ("tensorflow", {"error": GLIBC}, "newer system than this node has: it needs GLIBC_2.29", "container"),
        ("torch", {"error": "ImportError: numpy", "said": NUMPY}, "NumPy 2", "numpy<2"),
        ("torch", {"error": "ModuleNotFoundError: No module named 'sympy'"}, "No module named 'sympy'", "install"),
        ("tensorflow", {"code": -4}, "illegal instruction", "--constraint"),
        ("tensorflow", {"code": -6, "said": NO_AVX}, "illegal instruction", "--constraint"),
        ("tensorflow", {"code": -9}, "memory", "--memory"),
        ("tensorflow", {"code": 1, "said": "Segmentation"}, "ended with code 1", "by hand"),
        ("tensorflow", {"timeout": True, "seconds": 100.0}, "not imported within 100 s", "file system"),
    ],
)  # fmt: skip
def test_what_frameworks_say_in_words(name: str, one: dict[str, Any], said: str, fix: str) -> None:
    seen = cuda.Probed(python="3.11", visible="0", driver="550.54", driver_cuda=(12, 4), devices=["Tesla V100"])
    found = cuda.framework(name, cuda.Framework(**one), seen, 1)
    assert found.status == "error"
    assert said in found.detail
    assert fix in found.fix


def test_frameworks_in_order() -> None:
    seen = cuda.Probed(python="3.11", visible="0,1", driver="550.54", driver_cuda=(12, 4), devices=["V100"] * 2)
    one = cuda.Framework(version="2.9.0+cu128", cuda="12.8", gpus=2, seconds=3.0)
    found = cuda.framework("torch", one, seen, 2)  # 12.8 on 12.4: the same major version is enough
    assert (found.status, found.detail) == ("ok", "PyTorch 2.9.0+cu128 for CUDA 12.8, imported in 3.0 s, sees 2 GPUs")
    on_cpu = cuda.Framework(version="2.9.0+cpu", gpu_build=False)
    assert cuda.framework("torch", on_cpu, seen, 0).status == "ok"
    slow = one.model_copy(update={"seconds": 61.0})
    assert cuda.framework("torch", slow, seen, 2).status == "warn"
    assert cuda.framework("torch", one, seen, 3).status == "error"


@pytest.mark.parametrize(
    ("seen", "status", "said"),
    [
        ({"visible": "0", "driver": "550.54", "driver_cuda": (12, 4), "devices": ["V100"]},
         "ok", "V100; driver 550.54, good for CUDA up to 12.4"),
        ({"visible": None}, "error", "CUDA_VISIBLE_DEVICES is not set"),
        ({"visible": ""}, "error", "CUDA_VISIBLE_DEVICES is ''"),
        ({"visible": "NoDevFiles"}, "error", "NoDevFiles"),
        ({"visible": "0", "smi": "there is no nvidia-smi"}, "warn", "does not answer: there is no nvidia-smi"),
        ({"visible": "0", "smi": "Failed to initialize NVML: Driver/library version mismatch"}, "error", "mismatch"),
    ],
)  # fmt: skip
def test_the_gpus_of_an_allocation(seen: dict[str, Any], status: str, said: str) -> None:
    probed = cuda.Probed(python="3.11", **seen)
    found = cuda.devices(probed, 1)
    assert (found.status, said in found.detail) == (status, True), found
    if not seen["visible"]:
        assert "CUDA_VISIBLE_DEVICES" in cuda.framework("torch", cuda.Framework(), probed, 1).detail
