"""Run work whose cost a user controls in a separate process, with limits of time and memory.

`run("paddock.server.intake.planning:planned", argument, ...)` returns what that function returns, or raises what it
raises. Starting the process takes about half a second, so do in place what is known to be cheap.
"""

import os
import pickle
import subprocess
import sys
import threading
from importlib import import_module
from typing import Any

from paddock.common.size import size_text
from paddock.errors import Busy, InvalidInput, PaddockError

SECONDS = 60.0
BYTES = 2 * 1024**3
AT_ONCE = 2
WAITING = 8  # with those that run; more are refused at once, as each takes a thread of the server
_places = threading.BoundedSemaphore(AT_ONCE)
_queue = threading.BoundedSemaphore(WAITING)
_SMALLER = "give fewer values or a smaller script"
_BUSY = "The server is working out several large requests: try again in a minute."


def run(
    function: str, argument: Any, what: str, seconds: float = SECONDS, bytes_: int = BYTES, advice: str = _SMALLER
) -> Any:
    """Return the result of a function. `what` begins the message when it takes too long, and `advice` ends it."""
    if not _queue.acquire(blocking=False):
        raise Busy(_BUSY)
    try:
        if not _places.acquire(timeout=seconds):
            raise Busy(_BUSY)
        try:
            return _run(pickle.dumps((function, bytes_, argument)), what, seconds, bytes_, advice)
        finally:
            _places.release()
    finally:
        _queue.release()


def _run(task: bytes, what: str, seconds: float, bytes_: int, advice: str) -> Any:
    try:
        done = subprocess.run(
            [sys.executable, "-m", "paddock.server.intake.apart"],
            input=task,
            capture_output=True,
            timeout=seconds,
            env=_environment(),
            cwd="/",
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise InvalidInput(f"{what} takes longer than {seconds:.0f} s: {advice}.") from None
    try:
        kind, result = pickle.loads(done.stdout)  # noqa: S301 - written by the few lines below
    except (EOFError, pickle.UnpicklingError):
        kind, result = "memory" if done.returncode < 0 else "failed", done.stderr.decode(errors="replace")[-2000:]
    if kind == "memory":
        raise InvalidInput(f"{what} takes more than {size_text(bytes_)} of memory: {advice}.")
    if kind == "refused":
        error, message, fields = result
        raise error(message, fields=fields)
    if kind == "failed":
        raise RuntimeError(f"{what} failed in a process of its own: {result}")
    return result


def _environment() -> dict[str, str]:
    """Return a minimal environment in which Python finds the same modules."""
    kept = {name: os.environ[name] for name in ("PATH", "HOME", "LANG", "LC_ALL", "TMPDIR") if name in os.environ}
    found = os.pathsep.join(path for path in sys.path if os.path.isabs(path))  # noqa: PTH117
    return kept | {"PYTHONPATH": found, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}


def _main() -> None:
    import resource
    import traceback

    os.nice(5)
    function, bytes_, argument = pickle.load(sys.stdin.buffer)  # noqa: S301 - what the server sends
    resource.setrlimit(resource.RLIMIT_DATA, (bytes_, bytes_))
    module, _, name = function.partition(":")
    try:
        answer: tuple[str, Any] = "done", getattr(import_module(module), name)(argument)
        reply = pickle.dumps(answer)
    except PaddockError as error:
        reply = pickle.dumps(("refused", (type(error), error.message, error.fields)))
    except MemoryError:
        reply = pickle.dumps(("memory", ""))
    except Exception:
        reply = pickle.dumps(("failed", traceback.format_exc()[-2000:]))
    sys.stdout.buffer.write(reply)


if __name__ == "__main__":
    _main()
