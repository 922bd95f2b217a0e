"""`paddock` in processes of their own that import nothing: each is forked from a process that has imported everything.

To import the command line takes half a second of a processor, the server a second, and the tests start hundreds
of both. A `Warm` is the `Popen` of `python -m paddock ARGUMENTS`: with memory, signals, environment, working folder and
exit code of its own. /proc shows the environment of the process that it was forked from, and variables for the
interpreter (PYTHON...) have no effect: tests of these start a plain Popen.
"""

import atexit
import ctypes
import json
import os
import select
import signal
import socket
import subprocess
import sys
import threading
import time
import traceback
from pathlib import Path
from typing import Any, NoReturn

_ROOT = Path(__file__).resolve().parents[2]
_ROOM = 4096  # for command lines


class Warm(subprocess.Popen[bytes]):
    """Takes the arguments of `paddock` and those options of Popen that our tests use; all else is as with Popen."""

    _waited: int | None = None

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
        self.pid = _nursery().ask(order, streams)
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
        return self.pid, _nursery().ask({"wait": self.pid})

    def _internal_poll(self, *_: Any, **__: Any) -> int | None:
        if self.returncode is None:
            pid, status = self._try_wait(os.WNOHANG)
            if pid:
                self.returncode = os.waitstatus_to_exitcode(status)
        return self.returncode


class _Nursery:
    """The process that the others are forked from, as seen by the tests."""

    def __init__(self) -> None:
        self._ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_STREAM)
        clean = {name: value for name, value in os.environ.items() if not name.startswith("PADDOCK_")}
        with theirs:
            theirs.set_inheritable(True)
            self._process = subprocess.Popen(
                [sys.executable, "-m", "tests.support.warm", str(theirs.fileno()), "-" * _ROOM],
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


_made: list[tuple[int, _Nursery]] = []


def _nursery() -> _Nursery:
    """One for each process of the tests (a worker of pytest-xdist)."""
    if not _made or _made[0][0] != os.getpid():
        _made[:] = [(os.getpid(), _Nursery())]
    return _made[0][1]


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
    time.tzset()
    sys.path[0] = order["cwd"]
    sys.argv = ["paddock", *order["argv"]]
    _show([sys.executable, "-m", "paddock", *order["argv"]])
    sys.stdin = open(0, encoding="utf-8")  # noqa: SIM115
    sys.stdout = open(1, "w", encoding="utf-8")  # noqa: SIM115
    if "PYTHONUNBUFFERED" in os.environ:
        sys.stdout.reconfigure(write_through=True)
    sys.stderr = open(2, "w", encoding="utf-8", errors="backslashreplace", buffering=1)  # noqa: SIM115
    from paddock.cli import main

    try:
        main()
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
    import gc
    import warnings

    warnings.simplefilter("ignore", ResourceWarning)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    import paddock.cli
    import paddock.server.serve

    paddock.cli.built()
    gc.freeze()
    return _serve(socket.socket(fileno=int(sys.argv[1])))


if __name__ == "__main__":
    _become(_start())
