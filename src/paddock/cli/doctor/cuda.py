"""What TensorFlow and PyTorch say about GPUs, in words, and what to do about it. Pure."""

import re
import signal

from pydantic import BaseModel, Field

from paddock.cli.doctor.finding import Finding, error, ok, warn

SLOW_SECONDS = 60.0
_NAMES = {"tensorflow": "TensorFlow", "torch": "PyTorch"}
_LIBRARIES = {
    "libcudnn": "cuDNN",
    "libcublas": "cuBLAS",
    "libcufft": "cuFFT",
    "libcurand": "cuRAND",
    "libcusolver": "cuSOLVER",
    "libcusparse": "cuSPARSE",
    "libcudart": "the CUDA runtime",
    "libcupti": "CUPTI",
    "libnvrtc": "NVRTC",
    "libnvJitLink": "nvJitLink",
    "libnccl": "NCCL",
    "libcuda": "the NVIDIA driver",
}
_MISSING = re.compile(
    r"Could not (?:load dynamic|dlopen) library '(?P<asked>lib[^']+)'"
    r"(?:; dlerror: (?P<cause>lib[\w.+-]+): cannot open)?"
    r"|(?P<direct>lib[\w.+-]+\.so[\w.]*): cannot open shared object file"
)
_TOO_OLD = re.compile(r"driver on your system is too old \(found version (\d+)\)")
_KERNEL = re.compile(r"kernel version ([\d.]+) does not match DSO version ([\d.]+)")
_CAPABILITY = re.compile(
    r"^\s*(.+) with CUDA capability (\w+) is not\s+compatible with the current PyTorch", re.MULTILINE
)
_GLIBC = re.compile(r"version [`'](GLIBC(?:XX)?_[\d.]+)' not found")


class Framework(BaseModel):
    """What was seen of one framework."""

    version: str = ""
    seconds: float = 0.0
    gpu_build: bool = True
    cuda: str | None = None
    cudnn: str | None = None
    gpus: int = 0
    error: str | None = Field(None, description="why it cannot be imported")
    use_error: str | None = Field(None, description="why it cannot be used though it was imported")
    code: int | None = Field(None, description="of a process that ended without a word; below 0: a signal")
    timeout: bool = False
    said: str = ""


class Probed(BaseModel):
    """What checks_probe.py prints."""

    python: str
    visible: str | None = Field(None, description="CUDA_VISIBLE_DEVICES")
    driver: str | None = None
    driver_cuda: tuple[int, int] | None = Field(None, description="the newest CUDA that the driver is good for")
    devices: list[str] = []
    smi: str | None = Field(None, description="why nvidia-smi says nothing")
    frameworks: dict[str, Framework] = {}


def devices(seen: Probed, asked: int) -> Finding:
    """The GPUs of an allocation, before any framework looks at them."""
    if hidden := _hidden(seen):
        return error(f"the allocation has {_gpus(asked)}, and {hidden}: programs find none", _VISIBLE)
    told = f"CUDA_VISIBLE_DEVICES is {seen.visible}"
    if seen.smi is not None:
        if "version mismatch" in seen.smi:
            return error(f"{told}; {_first(seen.smi)}", _RESTART)
        return warn(
            f"{told}, and the NVIDIA driver does not answer: {_first(seen.smi)}",
            "if these are NVIDIA GPUs, ask who runs the cluster to install the driver on that node",
        )
    newest = f", good for CUDA up to {_version(seen.driver_cuda)}" if seen.driver_cuda else ""
    return ok(f"{told}; {', '.join(sorted(set(seen.devices))) or 'no device listed'}; driver {seen.driver}{newest}")


def framework(name: str, one: Framework, seen: Probed, asked: int) -> Finding:
    """One framework with `asked` GPUs."""
    label = f"{_NAMES.get(name, name)} {one.version}".strip()
    broken = _broken(label, one)
    if broken:
        return broken
    told = label + (f" for CUDA {one.cuda}" if one.cuda else "" if one.gpu_build else ", a build without GPUs")
    told += f", imported in {one.seconds:.1f} s"
    if asked and (one.gpus < asked or one.use_error):
        return _gpu_trouble(name, label, one, seen, asked)
    if one.seconds > SLOW_SECONDS:
        return warn(told, _SLOW)
    return ok(told + (f", sees {_gpus(one.gpus)}" if asked else ""))


_VISIBLE = "ask who runs the cluster to look at its gres.conf, or see whether a set-up line changes the variable"
_RESTART = "ask who runs the cluster to restart that node, or load the driver's kernel module again"
_SLOW = "the file system that the environment lies on is slow: put it on a faster one, or pack it into an image"
_MEMORY = "ask for more memory (--memory, or `memory` in the settings of the backend)"
_INSTALL = {
    "tensorflow": "pip install 'tensorflow[and-cuda]'",
    "torch": "install a build for CUDA as https://pytorch.org/get-started/locally/ says",
}


def _broken(label: str, one: Framework) -> Finding | None:
    """What keeps it from being imported at all."""
    if one.timeout:
        return error(f"{label} was not imported within {one.seconds:.0f} s", _SLOW)
    if one.code is not None:
        return _crashed(label, one)
    if one.error is None:
        return None
    text = f"{one.error}\n{one.said}"
    if found := _GLIBC.search(text):
        return error(
            f"{label} was built for a newer system than this node has: it needs {found[1]}",
            "install an older build, one from conda-forge, or run in a container",
        )
    if "compiled using NumPy 1.x" in text or "numpy.core.multiarray failed to import" in text:
        return error(f"{label} was built for NumPy 1 and the environment has NumPy 2", "pip install 'numpy<2'")
    if libraries := missing(text):
        return error(f"{label} cannot be imported: {_listed(libraries)}", _get(libraries))
    return error(f"{label} cannot be imported: {_first(one.error)}", "install it again, for the nodes of the cluster")


def _crashed(label: str, one: Framework) -> Finding:
    code = one.code or 0
    if code == -signal.SIGILL or "AVX instructions" in one.said:
        return error(
            f"{label} ends with an illegal instruction: this node's processor is older than it was built for (AVX)",
            "choose other nodes (--constraint), or a build without AVX such as the one of conda-forge",
        )
    if code == -signal.SIGKILL:
        return error(f"{label} was killed while it was imported, as happens when memory runs out", _MEMORY)
    how = f"by signal {-code}" if code < 0 else f"with code {code}"
    return error(f"{label} ended {how} while it was imported: {_last(one.said)}", "try it by hand on such a node")


def _gpu_trouble(name: str, label: str, one: Framework, seen: Probed, asked: int) -> Finding:
    """Why it does not see all GPUs of its allocation, or cannot use them."""
    text = f"{one.use_error or ''}\n{one.said}\n{seen.smi or ''}"
    supports = _supported(text, seen)
    if not one.gpu_build:
        newest = f" (CUDA {_version(supports)} at most)" if supports else ""
        return error(f"{label} is a build for the CPU only: it will not use GPUs", _INSTALL[name] + newest)
    if hidden := _hidden(seen):
        return error(f"{label} sees no GPU: {hidden}", _VISIBLE)
    if found := _KERNEL.search(text):
        return error(f"the node's driver was changed while in use: kernel {found[1]}, library {found[2]}", _RESTART)
    if "version mismatch" in text or "CUDA_ERROR_SYSTEM_DRIVER_MISMATCH" in text:
        return error("the node's driver was changed while in use: kernel and library differ", _RESTART)
    if _too_old(one, text, supports):
        return _driver_too_old(label, one, seen, supports)
    if found := _CAPABILITY.search(text):
        device = found[1].rpartition("UserWarning:")[2].strip()
        return error(f"{label} was not built for this GPU ({device}, {found[2]})", _OTHER_BUILD)
    if "no kernel image is available" in text:
        return error(f"{label} was not built for this GPU ({', '.join(sorted(set(seen.devices)))})", _OTHER_BUILD)
    if libraries := missing(text):
        return error(f"{label} sees {one.gpus} of {_gpus(asked)}: {_listed(libraries)}", _get(libraries))
    if "Cannot dlopen some GPU libraries" in text:
        return error(f"{label} sees no GPU: libraries of CUDA or cuDNN are missing{_for(one)}", _get([]))
    if seen.smi is not None or "CUDA_ERROR_NO_DEVICE" in text or "no CUDA-capable device" in text:
        return error(f"{label} sees no GPU: there is no working NVIDIA driver or device on the node", _NODE)
    if "unknown error" in text or "CUDA_ERROR_UNKNOWN" in text:
        return error(f"{label} cannot start CUDA on this node (unknown error)", _NODE)
    why = _first(one.use_error) if one.use_error else _last(one.said)
    return error(f"{label} sees {one.gpus} of {_gpus(asked)}: {why}", "try it by hand on such a node")


_OTHER_BUILD = "install a build for this kind of GPU, or choose other nodes (--gpu-type, --constraint)"
_NODE = "ask who runs the cluster to look at that node; nvidia-smi there should list the GPUs"


def _hidden(seen: Probed) -> str | None:
    if seen.visible and seen.visible not in ("-1", "NoDevFiles"):
        return None
    return f"CUDA_VISIBLE_DEVICES is {'not set' if seen.visible is None else repr(seen.visible)}"


def _supported(text: str, seen: Probed) -> tuple[int, int] | None:
    """The newest CUDA of the driver, by the driver or by what PyTorch says of it."""
    if found := _TOO_OLD.search(text):
        return int(found[1]) // 1000, int(found[1]) % 1000 // 10
    return seen.driver_cuda


def _too_old(one: Framework, text: str, supports: tuple[int, int] | None) -> bool:
    """From CUDA 11 on, a driver is good for all builds of its major version."""
    if _TOO_OLD.search(text) or "driver version is insufficient" in text:
        return True
    major = re.match(r"\d+", one.cuda or "")
    return bool(major and supports and int(major[0]) > supports[0])


def _driver_too_old(label: str, one: Framework, seen: Probed, supports: tuple[int, int] | None) -> Finding:
    driver = f"the node's driver{f' {seen.driver}' if seen.driver else ''}"
    if supports is None:
        return error(f"{label} needs a newer driver than the node has{_for(one)}", "ask for a newer driver")
    return error(
        f"{label} is built for CUDA {one.cuda or 'of a newer version'}, and {driver} supports only CUDA up to "
        f"{_version(supports)}",
        f"install a build for CUDA {supports[0]}, choose nodes with a newer driver, or ask for one",
    )


def missing(text: str) -> list[str]:
    """Shared libraries that were looked for and not found; TensorRT, which nobody needs, left out."""
    found = [match["cause"] or match["asked"] or match["direct"] for match in _MISSING.finditer(text)]
    return [name for name in dict.fromkeys(found) if not name.startswith(("libnvinfer", "libTensorRT"))]


def _listed(libraries: list[str]) -> str:
    told = dict.fromkeys(f"{_LIBRARIES.get(name.split('.so')[0], 'a library')} ({name})" for name in libraries)
    return f"{', '.join(told)} {'is' if len(told) == 1 else 'are'} missing"


def _get(libraries: list[str]) -> str:
    if libraries and all(name.startswith("libcuda.so") for name in libraries):
        return _NODE
    return (
        "pip install 'tensorflow[and-cuda]' (from TensorFlow 2.14 on) or the build's nvidia-... packages, or load the "
        'cluster\'s modules before: `setup = ["module load cuda cudnn"]` in the settings of the backend, or --setup'
    )


def _for(one: Framework) -> str:
    needs = [f"CUDA {one.cuda}" if one.cuda else "", f"cuDNN {one.cudnn}" if one.cudnn else ""]
    told = " and ".join(part for part in needs if part)
    return f" (it needs {told})" if told else ""


def _version(pair: tuple[int, int] | None) -> str:
    return ".".join(map(str, pair or ()))


def _gpus(count: int) -> str:
    return f"{count} GPU" + ("" if count == 1 else "s")


def _first(text: str) -> str:
    return (text.strip().splitlines() or ["nothing said"])[0][:300]


def _last(text: str) -> str:
    return (text.strip().splitlines() or ["nothing said"])[-1][:300]
