"""Test why a process ended, from its exit and the end of its output."""

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from paddock.runner.process.causes import explain

TRACEBACK = 'Traceback (most recent call last):\n  File "train.py", line 3, in <module>\n    main()\n'
HANDLING = "\nDuring handling of the above exception, another exception occurred:\n\n"
FROM = "\nThe above exception was the direct cause of the following exception:\n\n"


def write(tmp_path: Path, content: str | bytes) -> str:
    path = tmp_path / "out.log"
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return str(path)


def run(tmp_path: Path, *argv: str) -> tuple[str | None, str | None]:
    log = tmp_path / "out.log"
    with log.open("wb") as out:
        code = subprocess.run(argv, stdout=out, stderr=subprocess.STDOUT, check=False, cwd=tmp_path).returncode
    return explain(str(log), code if code >= 0 else None, -code if code < 0 else None, False)


def script(tmp_path: Path, text: str) -> tuple[str | None, str | None]:
    (tmp_path / "train.py").write_text(text)
    return run(tmp_path, sys.executable, "train.py")


def test_a_good_end(tmp_path: Path) -> None:
    assert explain(write(tmp_path, TRACEBACK + "ValueError: caught\n"), 0, None, False) == (None, None)


# What Python itself prints


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("tensorflow.x", "NameError: name 'tensorflow' is not defined"),
        ("import nothing.at_all", "ModuleNotFoundError: No module named 'nothing'"),
        ("raise ValueError('one\\ntwo')", "ValueError: one"),
        ("raise ValueError('\\none\\ntwo')", "ValueError: one"),
        ("raise ValueError", "ValueError"),
        ("raise KeyboardInterrupt", "killed by signal 2 (SIGINT), not by Paddock"),
        ("class E(Exception): pass\nE.__module__ = 'a.b'\nraise E('x')", "a.b.E: x"),
        ("try:\n    1 / 0\nexcept Exception:\n    raise KeyError('k')", "KeyError: 'k'"),
        ("import atexit\natexit.register(print, 'bye')\nraise ValueError('v')", "ValueError: v"),
        ("def f(:\n  pass", "SyntaxError: invalid syntax"),
        (
            "import argparse\nargparse.ArgumentParser().parse_args(['--x'])",
            "train.py: error: unrecognized arguments: --x",
        ),
        ("import sys\nsys.exit('no data')", "exit code 1; last line: no data"),
        ("import sys\nprint('almost')\nsys.exit(3)", "exit code 3; last line: almost"),
        ("import sys\nsys.exit(3)", "exit code 3"),
        ("import os\nos.abort()", "crashed: signal 6 (SIGABRT)"),
        ("import os, signal\nos.kill(os.getpid(), signal.SIGSEGV)", "crashed: signal 11 (SIGSEGV)"),
        ("import os, signal\nos.kill(os.getpid(), signal.SIGKILL)", "killed by signal 9 (SIGKILL), not by Paddock"),
        (
            "class D:\n    def __del__(self): raise TypeError('ignored')\nd = D()\nraise ValueError('real')",
            "ValueError: real",
        ),
    ],
)
def test_scripts(tmp_path: Path, text: str, reason: str) -> None:
    assert script(tmp_path, text) == ("user_error", reason)


def test_exception_group(tmp_path: Path) -> None:
    group = "raise ExceptionGroup('several', [e])"
    assert script(tmp_path, "e = ValueError('one')\n" + group)[1] == "ExceptionGroup: several (1 sub-exception)"
    raised = "try:\n    raise ValueError('one')\nexcept Exception as e:\n    " + group
    assert script(tmp_path, raised)[1] == "ValueError: one"


def test_interrupted(tmp_path: Path) -> None:
    log = write(tmp_path, TRACEBACK + "KeyboardInterrupt\n")
    assert explain(log, 130, None, False) == ("user_error", "KeyboardInterrupt")


def test_memory_error(tmp_path: Path) -> None:
    assert script(tmp_path, "raise MemoryError") == ("host_oom", "MemoryError")


def test_shell(tmp_path: Path) -> None:
    cause, reason = run(tmp_path, "bash", "-c", "no_such_program --x")
    assert cause == "user_error"
    assert reason
    assert reason.endswith("no_such_program: command not found")


def test_missing_script(tmp_path: Path) -> None:
    cause, reason = run(tmp_path, sys.executable, "missing.py")
    assert cause == "user_error"
    assert reason
    assert "missing.py" in reason


# Out of memory


GPU = [
    "torch.cuda.OutOfMemoryError: CUDA out of memory. Tried to allocate 20.00 MiB (GPU 0; 79.15 GiB total capacity)",
    "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 has a total capacity of 139 GiB",
    "RuntimeError: CUDA out of memory. Tried to allocate 20.00 MiB",
    "RuntimeError: CUDA error: out of memory",
    "RuntimeError: cuda runtime error (2) : out of memory at /pytorch/aten/src/THC/THCGeneral.cpp:50",
    "RuntimeError: CUDA error: CUBLAS_STATUS_ALLOC_FAILED when calling `cublasCreate(handle)`",
    "RuntimeError: cuDNN error: CUDNN_STATUS_ALLOC_FAILED",
    "torch.distributed.DistBackendError: NCCL error in: x.cpp:1, unhandled cuda error, Cuda failure 2 'out of memory'",
    "jaxlib.xla_extension.XlaRuntimeError: RESOURCE_EXHAUSTED: Out of memory while trying to allocate 123 bytes.",
    "tensorflow.python.framework.errors_impl.InternalError: Failed copying: Dst tensor is not initialized.",
    "tensorflow.python.framework.errors_impl.ResourceExhaustedError: Graph execution error:\n\nDetected at node x\n"
    "OOM when allocating tensor with shape[64,64] and type float on /job:localhost/replica:0/task:0/device:GPU:0",
    "cupy.cuda.memory.OutOfMemoryError: Out of memory allocating 1,000 bytes",
]
HOST = [
    "MemoryError",
    "MemoryError: no room",
    "numpy.core._exceptions._ArrayMemoryError: Unable to allocate 74.5 GiB for an array with shape (100000, 100000)",
    "OSError: [Errno 12] Cannot allocate memory",
    "RuntimeError: [enforce fail at alloc_cpu.cpp:114] . DefaultCPUAllocator: can't allocate memory: you tried",
    "tensorflow.python.framework.errors_impl.ResourceExhaustedError: OOM when allocating tensor with shape[9] and type "
    "float on /job:localhost/replica:0/task:0/device:CPU:0 by allocator cpu",
]


@pytest.mark.parametrize(("line", "cause"), [(line, "gpu_oom") for line in GPU] + [(line, "host_oom") for line in HOST])
def test_wordings(tmp_path: Path, line: str, cause: str) -> None:
    found, reason = explain(write(tmp_path, "epoch 1\n" + TRACEBACK + line + "\n"), 1, None, False)
    assert found == cause
    assert reason
    assert reason.startswith(line.split("\n")[0][:290])


def test_a_survived_out_of_memory_is_not_the_cause(tmp_path: Path) -> None:
    log = TRACEBACK + GPU[0] + "\nretrying with a batch of 16\n" + TRACEBACK + "ValueError: bad\n"
    assert explain(write(tmp_path, log), 1, None, False) == ("user_error", "ValueError: bad")
    log = TRACEBACK + GPU[0] + "\n" + "epoch 1 loss: 0.5\n" * 400 + "bad end\n"
    assert explain(write(tmp_path, log), 3, None, False) == ("user_error", "exit code 3; last line: bad end")
    log = "caught: CUDA out of memory, retrying\n" + TRACEBACK + "ValueError: bad\n"
    assert explain(write(tmp_path, log), 1, None, False)[0] == "user_error"


def test_chains(tmp_path: Path) -> None:
    during = TRACEBACK + GPU[0] + "\n" + HANDLING + TRACEBACK + "NameError: name 'x' is not defined\n"
    assert explain(write(tmp_path, during), 1, None, False) == ("user_error", "NameError: name 'x' is not defined")
    raised = TRACEBACK + GPU[0] + "\n" + FROM + TRACEBACK + "RuntimeError: training failed\n"
    assert explain(write(tmp_path, raised), 1, None, False) == ("gpu_oom", "RuntimeError: training failed")


def test_ranks_and_their_launcher(tmp_path: Path) -> None:
    child = "".join("[rank0]: " + line + "\n" for line in (TRACEBACK + GPU[1]).splitlines())
    launcher = (
        TRACEBACK + "torch.distributed.elastic.multiprocessing.errors.ChildFailedError: \n=====\ntrain.py FAILED\n"
    )
    cause, reason = explain(write(tmp_path, child + launcher), 1, None, False)
    assert (cause, reason) == ("gpu_oom", GPU[1])


def test_without_a_traceback_the_end_of_the_log_counts(tmp_path: Path) -> None:
    log = "F tensorflow/x.cc:1] failed to allocate 1.2G (1288490188 bytes) from device: CUDA_ERROR_OUT_OF_MEMORY\n"
    assert explain(write(tmp_path, log + "bye\n"), 1, None, False) == ("gpu_oom", "exit code 1; last line: bye")
    assert explain(write(tmp_path, log + "x" * 5000 + "\n"), 1, None, False)[0] == "user_error"


def test_cpp(tmp_path: Path) -> None:
    log = "terminate called after throwing an instance of 'std::bad_alloc'\n  what():  std::bad_alloc\n"
    assert explain(write(tmp_path, log), None, signal.SIGABRT, False) == (
        "host_oom",
        "crashed: signal 6 (SIGABRT); what():  std::bad_alloc",
    )
    assert explain(write(tmp_path, log + "Aborted\n"), 134, None, False) == ("host_oom", "what():  std::bad_alloc")
    log = "x.sh: line 1: 123 Segmentation fault      (core dumped) ./train\n"
    assert explain(write(tmp_path, log), 139, None, False) == ("user_error", log.strip())


def test_killed_for_memory(tmp_path: Path) -> None:
    log = write(tmp_path, "epoch 1\n")
    text = "out of memory (of the node or of the allocation)"
    assert explain(log, None, signal.SIGKILL, True) == ("host_oom", "killed by signal 9 (SIGKILL): " + text)
    assert explain(log, 137, None, True) == ("host_oom", "exit code 137: " + text)


def test_ended_by_somebody_after_a_survived_out_of_memory(tmp_path: Path) -> None:
    log = write(tmp_path, TRACEBACK + GPU[0] + "\nretrying\n")
    assert explain(log, None, signal.SIGTERM, False) == ("user_error", "killed by signal 15 (SIGTERM), not by Paddock")


# Odd logs


def test_no_log(tmp_path: Path) -> None:
    assert explain(str(tmp_path / "missing"), 3, None, False) == ("user_error", "exit code 3")
    assert explain(write(tmp_path, "\n \n"), 3, None, False) == ("user_error", "exit code 3")
    assert explain(write(tmp_path, ""), None, None, False) == ("user_error", "ended without an exit code")
    assert explain(write(tmp_path, ""), None, 63, False) == (
        "user_error",
        "killed by signal 63 (unknown), not by Paddock",
    )


def test_controls_colours_and_overwritten_text(tmp_path: Path) -> None:
    log = b"10%\r50%\r\x1b[31mfai\x07led\x1b[0m \xff\r\n"
    assert explain(write(tmp_path, log), 2, None, False) == ("user_error", "exit code 2; last line: failed \ufffd")


def test_long_reasons_and_long_logs(tmp_path: Path) -> None:
    log = "x\n" * 200_000 + TRACEBACK + "ValueError: " + "y" * 1000 + "\n"
    _, reason = explain(write(tmp_path, log), 1, None, False)
    assert reason
    assert len(reason) == 300
    assert reason.startswith("ValueError: yyy")
    _, reason = explain(write(tmp_path, b"\x00\xff" * 100_000), 1, None, False)
    assert reason
    assert len(reason) == 300
