"""Programs in processes of their own that import nothing: each is forked from a process that has imported everything.

To import the command line takes half a second of a processor, the server a second, TensorFlow four, and the tests start
hundreds of them. A `Warm` is the `Popen` of `python -m paddock ARGUMENTS`, a `WarmScript` that of a script: with
memory, signals, environment, working folder and exit code of its own. /proc shows the environment of the process it
was forked from, and of the variables for the interpreter only PYTHONPATH and PYTHONUNBUFFERED have an effect: tests of
others start a plain Popen.
"""

import atexit
import ctypes
import gc
import importlib
import json
import os
import runpy
import select
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import traceback
from functools import cache
from pathlib import Path
from typing import Any, NoReturn

_ROOT = Path(__file__).resolve().parents[2]
_ROOM = 4096  # for command lines
WAITS = "TESTS_WAITS"
"""The environment variable with constants of Paddock's modules that have another value in a `Warm`, as JSON."""


class Warm(subprocess.Popen[bytes]):
    """Takes the arguments of `paddock` and those options of Popen that our tests use; all else is as with Popen."""

    _waited: int | None = None
    _nursery_of = (sys.executable, "paddock.cli,paddock.server.serve")

    def _execute_child(self, *given: Any) -> None:
        """In place of fork and exec. The order of these arguments is that of Python 3.11 to 3.14."""
        arguments, _, _, _, pass_fds, cwd, environment, _, _, _, *rest = given
        stdin, theirs_in, theirs_out, stdout, theirs_err, stderr, _, _, _, _, _, new_session, *_ = rest
        assert not pass_fds
        streams = [own if fd == -1 else fd for own, fd in enumerate((stdin, stdout, stderr))]
        order = {
            "argv": [*map(str, arguments)],
            "cwd": str(cwd or Path.cwd()),
            "env": dict(environment or os.environ),
            "new_session": new_session,
        }
        self.pid = _nursery(*self._nursery_of).ask(order, streams)
        self._child_created = True
        self._waited = os.pidfd_open(self.pid)
        self._close_pipe_fds(stdin, theirs_in, theirs_out, stdout, theirs_err, stderr)  # type: ignore[attr-defined]

    def _try_wait(self, flags: int) -> tuple[int, int]:
        if self._waited is None:
            return self.pid, 0
        ended, _, _ = select.select([self._waited], [], [], 0 if flags & os.WNOHANG else None)
        if not ended:
            return 0, 0
        os.close(self._waited)
        self._waited = None
        return self.pid, _nursery(*self._nursery_of).ask({"wait": self.pid})

    def _internal_poll(self, *_: Any, **__: Any) -> int | None:
        if self.returncode is None:
            pid, status = self._try_wait(os.WNOHANG)
            if pid:
                self.returncode = os.waitstatus_to_exitcode(status)
        return self.returncode


class WarmScript(Warm):
    """A script and its arguments, with a Python that has imported these modules."""

    def __init__(self, arguments: list[str], python: str, modules: str, **options: Any) -> None:
        self._nursery_of = (python, modules)
        super().__init__(arguments, **options)


class _Nursery:
    """The process that the others are forked from, as seen by the tests."""

    def __init__(self, python: str, modules: str) -> None:
        self._ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_STREAM)
        clean = {name: value for name, value in os.environ.items() if not name.startswith("PADDOCK_")}
        if python != sys.executable:
            clean.pop("PYTHONPATH", None)
            # What frameworks read while they are imported. Keras writes a file of its own.
            clean |= {"TF_CPP_MIN_LOG_LEVEL": "3", "OMP_NUM_THREADS": "1", "KERAS_HOME": _keras_home().name}
        with theirs:
            self._process = subprocess.Popen(
                [python, "-m", "tests.support.warm", str(theirs.fileno()), modules, "-" * _ROOM],
                cwd=_ROOT,
                env=clean,
                stdin=subprocess.DEVNULL,
                pass_fds=[theirs.fileno()],
            )
        self._lock = threading.Lock()
        atexit.register(self.close)

    def ask(self, order: dict[str, Any], fds: list[int] | None = None) -> int:
        content = json.dumps(order).encode()
        with self._lock:
            socket.send_fds(self._ours, [len(content).to_bytes(4, "big")], fds or [])
            self._ours.sendall(content)
            return int.from_bytes(_exactly(self._ours, 4), "big")

    def close(self) -> None:
        self._ours.close()
        self._process.wait()


@cache
def _nursery(python: str, modules: str) -> _Nursery:
    return _Nursery(python, modules)


@cache
def _keras_home() -> tempfile.TemporaryDirectory[str]:
    return tempfile.TemporaryDirectory(prefix="keras-")


def _exactly(stream: socket.socket, size: int) -> bytes:
    content = b""
    while len(content) < size:
        more = stream.recv(size - len(content))
        if not more:
            raise EOFError
        content += more
    return content


# --- in that process ----------------------------------------------------------------------------------------------


def _serve(stream: socket.socket) -> dict[str, Any]:
    """Fork until the tests end. Returns in each child, with what it shall do."""
    while True:
        try:
            head, fds, _, _ = socket.recv_fds(stream, 4, 3)
            if not head:
                raise EOFError
            head += _exactly(stream, 4 - len(head))
            order: dict[str, Any] = json.loads(_exactly(stream, int.from_bytes(head, "big")))
        except (EOFError, ConnectionError):
            os._exit(0)
        if "wait" in order:
            answer = os.waitpid(order["wait"], 0)[1]
        else:
            answer = os.fork()
            if not answer:
                stream.close()
                for target, fd in enumerate(fds):
                    os.dup2(fd, target)
                os.closerange(3, max(fds) + 1)
                return order
            for fd in fds:
                os.close(fd)
        stream.sendall(answer.to_bytes(4, "big"))


def _become(order: dict[str, Any]) -> NoReturn:
    """What the interpreter does when it starts, as far as it matters to Paddock."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
    if order["new_session"]:
        os.setsid()
    os.chdir(order["cwd"])
    os.environ.clear()
    os.environ.update(order["env"])
    for name, seconds in json.loads(os.environ.pop(WAITS, "{}")).items():
        module, _, constant = name.rpartition(".")
        found = importlib.import_module(module)
        assert constant in vars(found), f"there is no {name}"
        setattr(found, constant, seconds)
    time.tzset()
    scripted = not sys.modules.get("paddock.cli")
    sys.path[0] = str(Path(order["argv"][0]).parent) if scripted else order["cwd"]
    if scripted:
        sys.path[1:1] = [part for part in order["env"].get("PYTHONPATH", "").split(os.pathsep) if part]
    sys.argv = order["argv"] if scripted else ["paddock", *order["argv"]]
    _show([sys.executable, *([] if scripted else ["-m", "paddock"]), *order["argv"]])
    sys.stdin = open(0, encoding="utf-8")  # noqa: SIM115
    sys.stdout = open(1, "w", encoding="utf-8")  # noqa: SIM115
    if "PYTHONUNBUFFERED" in os.environ:
        sys.stdout.reconfigure(write_through=True)
    sys.stderr = open(2, "w", encoding="utf-8", errors="backslashreplace", buffering=1)  # noqa: SIM115
    try:
        if scripted:
            runpy.run_path(sys.argv[0], run_name="__main__")
        else:
            sys.modules["paddock.cli"].main()
        code = 0
    except SystemExit as leaving:
        code = int(leaving.code or 0)
    except BaseException:
        traceback.print_exc()
        code = 1
    # As the interpreter does, but for taking apart all that was imported: this touches every page shared with others.
    threading._shutdown()  # type: ignore[attr-defined]
    atexit._run_exitfuncs()
    sys.stdout.flush()
    os._exit(code)


def _show(argv: list[str]) -> None:
    """Put a command line where /proc reads it: Paddock and the tests recognise processes by it."""
    words = Path("/proc/self/stat").read_text().rpartition(")")[2].split()
    start, end = int(words[45]), int(words[46])  # numbers 48 and 49 in proc(5)
    text = "\0".join(argv).encode(errors="surrogateescape")[: end - start - 1]
    ctypes.memset(start, 0, end - start)
    ctypes.memmove(start, text, len(text))


def _start() -> dict[str, Any]:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    for module in sys.argv[2].split(","):
        importlib.import_module(module)
    if "paddock.cli" in sys.modules:
        sys.modules["paddock.cli"].load_all()
        # What these keep serves every server.
        importlib.import_module("paddock.runner.build").archive()
        importlib.import_module("paddock.server.api.app").bare_app().openapi()
    gc.freeze()
    return _serve(socket.socket(fileno=int(sys.argv[1])))


if __name__ == "__main__":
    _become(_start())
