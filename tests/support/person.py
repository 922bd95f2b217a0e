"""A person at a terminal: a program on a real pseudo-terminal, what it shows, and keys."""

import fcntl
import os
import pty
import select
import shutil
import signal
import struct
import termios
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import pytest

from tests.support.server import PATIENCE

LEAVE = "\x1d"  # Ctrl-]


# Before a command: it runs as on another machine that shares files, sockets and network with this one, but has none of
# its processes. Root only.
ELSEWHERE = ("unshare", "-pf", "--mount-proc")
NEEDS_ELSEWHERE = pytest.mark.skipif(
    os.geteuid() != 0 or shutil.which("unshare") is None, reason="needs root and unshare, to be on another machine"
)


class PersonAtTerminal:
    def __init__(
        self,
        argv: Sequence[str],
        env: Mapping[str, str] | None = None,
        *,
        cwd: Path | None = None,
        user: Callable[[], None] = lambda: None,
        lines: int = 24,
        columns: int = 100,
    ) -> None:
        self.shown = ""
        self._seen = 0
        self.pid, self._master = pty.fork()
        if not self.pid:
            try:
                self._size(0, lines, columns)
                os.chdir(cwd or ".")
                for number in (signal.SIGINT, signal.SIGQUIT, signal.SIGHUP):  # tests in the background ignore them
                    signal.signal(number, signal.SIG_DFL)
                user()
                os.execvpe(argv[0], list(argv), {**(os.environ if env is None else env), "TERM": "xterm"})
            finally:
                os._exit(126)
        self.code: int | None = None

    def __enter__(self) -> "PersonAtTerminal":
        return self

    def __exit__(self, *_: object) -> None:
        if self.code is None:
            os.kill(self.pid, signal.SIGKILL)
            os.waitpid(self.pid, 0)
        os.close(self._master)

    def type(self, text: str) -> None:
        os.write(self._master, text.encode())

    def resize(self, lines: int, columns: int) -> None:
        self._size(self._master, lines, columns)

    @staticmethod
    def _size(terminal: int, lines: int, columns: int) -> None:
        fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", lines, columns, 0, 0))

    @property
    def echoes(self) -> bool:
        """Whether the terminal is as a shell leaves it, not raw."""
        return bool(termios.tcgetattr(self._master)[3] & termios.ECHO)

    def sees(self, text: str) -> None:
        """Wait until a text is shown that was not seen before."""
        deadline = time.monotonic() + PATIENCE
        while text not in self.shown[self._seen :]:
            assert time.monotonic() < deadline, f"{text!r} is not in {self.shown[self._seen :]!r}"
            if not self._read():
                assert text in self.shown[self._seen :], f"ended, and {text!r} is not in {self.shown[self._seen :]!r}"
        self._seen = self.shown.index(text, self._seen) + len(text)

    def says(self, typed: str, text: str) -> bool:
        """Type a line; return True if a text is shown soon after it."""
        self.type(f"{typed}\r")
        deadline = time.monotonic() + 1.0
        while text not in self.shown and time.monotonic() < deadline:
            self._read()
        return text in self.shown

    def _read(self) -> bool:
        """Take what is shown; False when the program has ended."""
        if select.select([self._master], [], [], 1.0)[0]:
            try:
                data = os.read(self._master, 65536)
            except OSError:
                return False
            self.shown += data.decode(errors="replace")
            return bool(data)
        return True

    def ends(self) -> int:
        """Wait for the end; the exit code."""
        deadline = time.monotonic() + PATIENCE
        while self._read():
            assert time.monotonic() < deadline, f"it does not end: {self.shown[-2000:]!r}"
        _, status = os.waitpid(self.pid, 0)
        self.code = os.waitstatus_to_exitcode(status)
        return self.code
