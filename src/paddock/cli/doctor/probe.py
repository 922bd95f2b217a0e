"""What a Python environment has to train with, as one line of JSON. Run on a compute node by `paddock doctor`.

    python checks_probe.py GPUS SECONDS

Standard library only, and any Python from 3.8 on. Each framework is imported in a process of its own: one that
crashes or hangs takes nothing else with it.
"""

from __future__ import annotations

import ctypes
import importlib.util
import json
import os
import shutil
import subprocess
import sys
import time
from typing import Any

MARK = "PADDOCK "
FRAMEWORKS = ("tensorflow", "torch")
MOST_TEXT = 8000


def main() -> None:
    if sys.argv[1] == "--import":
        report = _framework(sys.argv[2], int(sys.argv[3]))
    else:
        report = _all(int(sys.argv[1]), time.monotonic() + float(sys.argv[2]))
    sys.stdout.write("\n" + MARK + json.dumps(report) + "\n")
    sys.stdout.flush()
    os._exit(0)  # what a framework does at its end is of no interest


def _all(gpus: int, end: float) -> dict[str, Any]:
    found: dict[str, Any] = {"python": ".".join(map(str, sys.version_info[:3])), "frameworks": {}}
    found.update(_driver() if gpus else {})
    found["visible"] = os.environ.get("CUDA_VISIBLE_DEVICES")
    for name in FRAMEWORKS:
        if _installed(name):
            found["frameworks"][name] = _child(name, gpus, max(end - time.monotonic(), 1))
    return found


def _installed(name: str) -> bool:
    try:
        return importlib.util.find_spec(name) is not None
    except (ImportError, ValueError):
        return False


def _driver() -> dict[str, Any]:
    """The version of the NVIDIA driver, the newest CUDA it is good for, and what nvidia-smi says."""
    found: dict[str, Any] = {"driver": None, "driver_cuda": None, "devices": [], "smi": None}
    try:
        version = ctypes.c_int()
        if ctypes.CDLL("libcuda.so.1").cuDriverGetVersion(ctypes.byref(version)) == 0 and version.value:
            found["driver_cuda"] = [version.value // 1000, version.value % 1000 // 10]
    except (OSError, AttributeError):
        pass
    if shutil.which("nvidia-smi") is None:
        found["smi"] = "there is no nvidia-smi"
        return found
    argv = ["nvidia-smi", "--query-gpu=driver_version,name", "--format=csv,noheader"]
    try:
        done = subprocess.run(argv, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=30, check=False)
    except (OSError, subprocess.SubprocessError) as error:
        found["smi"] = str(error)
        return found
    text = done.stdout.decode(errors="replace").strip()
    if done.returncode:
        found["smi"] = text[-MOST_TEXT:]
        return found
    rows = [line.split(", ", 1) for line in text.splitlines() if ", " in line]
    found["driver"] = rows[0][0] if rows else None
    found["devices"] = [row[1] for row in rows]
    return found


def _child(name: str, gpus: int, seconds: float) -> dict[str, Any]:
    # Users like to silence TensorFlow: then it does not say why it finds no GPU.
    env = dict(os.environ, TF_CPP_MIN_LOG_LEVEL="0")
    argv = [sys.executable, __file__, "--import", name, str(gpus)]
    began = time.monotonic()
    try:
        done = subprocess.run(argv, env=env, capture_output=True, timeout=seconds, check=False)
    except subprocess.TimeoutExpired as error:
        return {"timeout": True, "seconds": time.monotonic() - began, "said": _tail(error.stderr)}
    except OSError as error:
        return {"error": str(error)}
    lines = [line for line in done.stdout.decode(errors="replace").splitlines() if line.startswith(MARK)]
    report: dict[str, Any] = json.loads(lines[-1][len(MARK) :]) if lines else {"code": done.returncode}
    report["said"] = _tail(done.stderr)
    return report


def _tail(said: bytes | None) -> str:
    return (said or b"").decode(errors="replace")[-MOST_TEXT:]


def _framework(name: str, gpus: int) -> dict[str, Any]:
    began = time.monotonic()
    try:
        module = importlib.import_module(name)
    except BaseException as error:
        return {"error": type(error).__name__ + ": " + str(error), "seconds": time.monotonic() - began}
    report: dict[str, Any] = {"version": str(getattr(module, "__version__", "")), "seconds": time.monotonic() - began}
    try:
        report.update({"tensorflow": _tensorflow, "torch": _torch}[name](module, gpus))
    except BaseException as error:
        report["use_error"] = type(error).__name__ + ": " + str(error)
    return report


def _tensorflow(tf: Any, gpus: int) -> dict[str, Any]:
    built = tf.sysconfig.get_build_info()
    on_gpus = bool(built.get("is_cuda_build") or built.get("is_rocm_build"))
    report: dict[str, Any] = {
        "gpu_build": on_gpus,
        "cuda": built.get("cuda_version"),
        "cudnn": built.get("cudnn_version"),
    }
    if gpus:
        report["gpus"] = len(tf.config.list_physical_devices("GPU"))
    return report


def _torch(torch: Any, gpus: int) -> dict[str, Any]:
    cuda, hip = torch.version.cuda, getattr(torch.version, "hip", None)
    report: dict[str, Any] = {"gpu_build": bool(cuda or hip), "cuda": cuda}
    if not gpus or not report["gpu_build"]:
        return report
    report["gpus"] = torch.cuda.device_count() if torch.cuda.is_available() else 0
    if report["gpus"]:
        try:
            (torch.ones(8, device="cuda") * 2).sum().item()
        except Exception as error:
            report["use_error"] = type(error).__name__ + ": " + str(error)
    return report


if __name__ == "__main__":
    main()
