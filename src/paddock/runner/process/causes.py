"""Why a process failed: a cause for the engine, and one line for a person."""

from __future__ import annotations

import re
import signal as signals
from typing import Iterator, Sequence

from ...common.files import read_plain

USER_ERROR, GPU_OOM, HOST_OOM = "user_error", "gpu_oom", "host_oom"

_TAIL = 64 * 1024
_END = 4 * 1024  # the process went on after an exception that is further from the end
_LONGEST = 300

# How the frameworks report that GPU memory was not enough.
_GPU_WORDINGS = (
    r"(?:CUDA|HIP|XPU) out of memory",
    r"(?:CUDA|HIP) error: out of memory",
    r"cuda runtime error \(2\)",
    r"CUDA_ERROR_OUT_OF_MEMORY|cudaErrorMemoryAllocation|hipErrorOutOfMemory",
    r"(?:torch|torch\.cuda|cupy\.cuda\.memory)\.OutOfMemoryError",
    r"(?:CUBLAS|CUDNN|CUSOLVER|CUSPARSE)_STATUS_ALLOC_FAILED",
    r"(?:NCCL|nccl|Cuda failure)[^\n]{0,200}out of memory",
    r"OOM when allocating tensor(?![^\n]*device:CPU)",
    r"RESOURCE_EXHAUSTED: (?:Out of memory|Failed to allocate)",
    r"ResourceExhaustedError: (?:Out of memory|failed to allocate)",
    r"failed to allocate [^\n]{0,80}from device",
    r"Dst tensor is not initialized",  # TensorFlow, when a copy to the GPU does not fit
)
# The same for the memory of the node.
_HOST_WORDINGS = (
    r"^MemoryError\b",
    r"_?ArrayMemoryError",
    r"std::bad_alloc",
    r"[Cc]annot allocate memory",
    r"DefaultCPUAllocator: (?:can't allocate|not enough) memory",
    r"Unable to allocate [\d.]+ [KMGTPE]?i?B",
    r"OOM when allocating tensor[^\n]*device:CPU",
    r"Out of memory: Killed process|oom[-_]kill",
)
_WORDINGS = re.compile("(?P<gpu>%s)|(?P<host>%s)" % ("|".join(_GPU_WORDINGS), "|".join(_HOST_WORDINGS)), re.MULTILINE)

# How much the process tried to allocate when it failed.
_WANTED = (
    re.compile(r"[Tt]r(?:ied|ying) to allocate (?P<size>[\d.]+) ?(?P<unit>[KMGT]?i?B|bytes)"),
    re.compile(r"[Ff]ailed to allocate [^\n]{0,40}?\((?P<size>\d+) (?P<unit>bytes)\)"),
    re.compile(r"allocat(?:e|ing) (?P<size>\d+) (?P<unit>bytes)"),
)
# How much it held then.
_HELD = (
    re.compile(r"this process has (?P<size>[\d.]+) (?P<unit>[KMGT]?i?B|bytes) memory in use"),
    re.compile(r"(?P<size>[\d.]+) (?P<unit>[KMGT]?i?B|bytes) reserved in total by PyTorch"),
)
_UNITS = {"bytes": 1, "B": 1, "KiB": 2**10, "MiB": 2**20, "GiB": 2**30, "TiB": 2**40}
_UNITS.update({"KB": 2**10, "MB": 2**20, "GB": 2**30, "TB": 2**40})
# A fault of the GPU, or of the service through which tasks share it; no lack of memory.
_CUDA_FAULT = re.compile(
    r"CUDA error: |CUDA_ERROR_(?!OUT_OF_MEMORY)|cudaError(?!MemoryAllocation)\w+|cuda runtime error|"
    r"CU(?:BLAS|DNN)_STATUS_(?!ALLOC_FAILED)\w+|\bMPS\b"
)

_OOM_KILLED = "out of memory (of the node or of the allocation)"
_CRASHES = ("SIGSEGV", "SIGBUS", "SIGILL", "SIGFPE", "SIGABRT", "SIGSYS", "SIGTRAP")
_CONTROL = re.compile(
    r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[@-Z\\-_])|[\x00-\x08\x0b-\x1f\x7f-\x9f]"
)
_TRACEBACK = "Traceback (most recent call last):"
_EXCEPTION = re.compile(r"[A-Za-z_][\w.]*(?::(?: .*)?)?$")
_BARE_EXCEPTION = re.compile(
    r"(?:\w+\.)*[A-Z]\w*(?:Error|Exception|Interrupt|Exit): .+"
)  # SyntaxError has no traceback
_ASIDE = ("Exception ignored in", "Exception in thread")  # these tracebacks do not end the process
_LAUNCHER = "torch.distributed.elastic.multiprocessing.errors.ChildFailedError"  # reports only that a child failed
_EXPLANATIONS = (  # lines of other programs that explain the failure; the last one is taken
    re.compile(r"\S+: error: .+"),  # argparse
    re.compile(r".+: command not found$"),
    re.compile(r"what\(\): .+"),
    re.compile(r".*Segmentation fault.*"),
    re.compile(r"terminate called .+"),
)


def explain(
    log_path: str, exit_code: int | None, signal: int | None, oom_killed: bool
) -> tuple[str | None, str | None]:
    """Return (cause, reason) of a failure; (None, None) if the exit code is 0."""
    if exit_code == 0:
        return None, None
    lines = _lines(log_path)
    exception = _final_exception(lines)
    explanation = exception[:1] or _explanation(lines)
    text = "\n".join(exception) if exception else "\n".join(lines)[-_END:]
    cause = HOST_OOM if oom_killed else _cause(text, signal)
    if signal is not None:
        return cause, _shorten(_by_signal(signal, explanation, oom_killed))
    if explanation and not oom_killed:
        return cause, _shorten(explanation[0])
    code = "ended without an exit code" if exit_code is None else "exit code %d" % exit_code
    if oom_killed:
        return cause, "%s: %s" % (code, _OOM_KILLED)
    return cause, _shorten("%s; last line: %s" % (code, lines[-1].strip()) if lines else code)


def wanted(log_path: str) -> int | None:
    """Return how many bytes the process failed to allocate, if its log contains that."""
    return _last_size(log_path, _WANTED)


def held(log_path: str) -> int | None:
    """Return how many bytes of the GPU it held, if its log contains that: polling may have missed the last ones."""
    return _last_size(log_path, _HELD)


def _last_size(log_path: str, patterns: Sequence[re.Pattern[str]]) -> int | None:
    text = "\n".join(_lines(log_path))[-_END:]
    found = [(match.start(), match) for pattern in patterns for match in pattern.finditer(text)]
    if not found:
        return None
    match = max(found, key=lambda one: one[0])[1]
    return int(float(match["size"]) * _UNITS.get(match["unit"], 1))


def is_cuda_fault(log_path: str) -> bool:
    lines = _lines(log_path)
    return bool(_CUDA_FAULT.search("\n".join(_final_exception(lines) or lines)[-_END:]))


def _lines(path: str) -> list[str]:
    """Return the last lines of the log that are not empty, as a terminal shows them."""
    try:
        text = read_plain(path, _TAIL, offset=-_TAIL).decode("utf-8", "replace")
    except OSError:
        return []
    shown = (_shown(line) for line in text.split("\n"))
    return [line for line in shown if line.strip()]


def _shown(line: str) -> str:
    """Return what was last written over a line (\\r, \\b), without colours and other control sequences."""
    segments = [part for part in re.split(r"[\r\b]+", line) if part.strip()]
    return _CONTROL.sub("", segments[-1]).rstrip() if segments else ""


def _final_exception(lines: list[str]) -> list[str]:
    """Return the exception that ended the process: its line, then what follows it; empty if there is none."""
    aside: list[str] = []
    for start, found in _exceptions(lines):
        if sum(map(len, found)) > _END:
            break
        before = lines[start - 1] if start else ""
        if not before.startswith(_ASIDE) and not found[0].startswith(_LAUNCHER):
            return found + _direct_cause(lines, start)
        aside = aside or found
    return aside


def _exceptions(lines: list[str]) -> Iterator[tuple[int, list[str]]]:
    """Yield the exceptions with a traceback, last first: where it starts, the exception's line and all after it."""
    end = len(lines)
    for start in range(len(lines) - 1, -1, -1):
        if not lines[start].endswith(_TRACEBACK):
            continue
        prefix = lines[start][: -len(_TRACEBACK)]  # `[rank0]: `, or the frame of an exception group
        prefix = prefix.replace("+ Exception Group ", "| ")
        inside = [line[len(prefix) :] for line in lines[start + 1 : end] if line.startswith(prefix.rstrip())]
        for i, line in enumerate(inside):
            if _EXCEPTION.match(line):
                follows = inside[i + 1 :]
                first = "%s %s" % (line, follows[0].strip()) if line.endswith(":") and follows else line
                yield start, [first, *follows, *lines[end:]]
                break
        end = start


def _direct_cause(lines: list[str], start: int) -> list[str]:
    """Return the error of `raise ... from error`, which may be the cause too."""
    if not start or "direct cause of the following exception" not in lines[start - 1]:
        return []
    return next((found for _, found in _exceptions(lines[: start - 1])), [])


def _explanation(lines: list[str]) -> list[str]:
    last = [line.strip() for line in lines[-8:]]
    if last and _BARE_EXCEPTION.match(last[-1]):
        return last[-1:]
    for line in reversed(last):
        if any(pattern.match(line) for pattern in _EXPLANATIONS):
            return [line]
    return []


def _cause(text: str, signal: int | None) -> str:
    if signal is not None and _name(signal) not in _CRASHES:
        return USER_ERROR  # it was killed from outside: what it printed before is not the cause
    found = list(_WORDINGS.finditer(text))
    if not found:
        return USER_ERROR
    return GPU_OOM if found[-1]["gpu"] else HOST_OOM


def _name(signal: int) -> str:
    try:
        return signals.Signals(signal).name
    except ValueError:
        return "unknown"


def _by_signal(signal: int, explanation: list[str], oom_killed: bool) -> str:
    name = "signal %d (%s)" % (signal, _name(signal))
    if oom_killed:
        return "killed by %s: %s" % (name, _OOM_KILLED)
    if _name(signal) not in _CRASHES:
        return "killed by %s, not by Paddock" % name
    other = explanation and "Segmentation fault" not in explanation[0]
    return "crashed: %s%s" % (name, "; %s" % explanation[0] if other else "")


def _shorten(text: str) -> str:
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"
