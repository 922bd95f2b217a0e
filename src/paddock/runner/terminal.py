"""Keep the terminal of a task, so that its owner can attach to it later: for breakpoint() and input().

python -I -S runner.pyz --terminal SOCKET -- ARGV...

The task's program runs on a pseudo-terminal. What it prints goes to standard output, which is the log, and to everybody
who is attached (runner/beside.py). This process ends as the program does, so the runner sees no difference.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import resource
import selectors
import signal
import socket
import struct
import sys
import tempfile
import termios
from typing import Dict, List, NoReturn, Optional, Tuple

from ..common import processes
from .beside import ENDED, HEADER, INPUT, LARGEST, OUTPUT, SIZE, STATUS, WINDOW, frames, peer

TAIL = 64 * 1024  # bytes that somebody who attaches sees of what was printed before
MOST_CLIENTS = 8
MOST_WAITING = 1024 * 1024  # bytes for a client that does not read; then it is disconnected
MOST_INPUT = 64 * 1024  # bytes that the program has not read; then no more is taken
LINES, COLUMNS = 40, 120  # of the terminal, until somebody attaches
LONGEST_FOLDER = 60  # letters: the whole path of a socket has up to 107
LEFT_SECONDS = 0.1  # how often it looks for what a program that was stopped has left


def make_folder() -> str:
    """Make a folder for sockets, that only this user can enter, with a short path."""
    folder = tempfile.gettempdir()
    return tempfile.mkdtemp(prefix="paddock-", dir=folder if len(folder) <= LONGEST_FOLDER else "/tmp")


def command(path: str, argv: List[bytes]) -> List[bytes]:
    """Return the command to start in place of argv."""
    before = [sys.executable, "-I", "-S", os.path.abspath(sys.argv[0]), "--terminal", path, "--"]
    return [os.fsencode(part) for part in before] + argv


def main(arguments: List[str]) -> int:
    if len(arguments) < 3 or arguments[1] != "--":
        print("usage: runner.pyz --terminal SOCKET -- ARGV...", file=sys.stderr)
        return 2
    return _end_as(TerminalKeeper(arguments[0]).run(arguments[2:]))


def _end_as(status: int) -> NoReturn:
    """End in the same way as the program did: by an exit code, or by a signal as a negative number."""
    if status < 0:
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        with contextlib.suppress(OSError, ValueError):
            signal.signal(-status, signal.SIG_DFL)
        os.kill(os.getpid(), -status)
    os._exit(status if status >= 0 else 128 - status)


class Attached:
    """A connection of somebody who is attached."""

    def __init__(self, connection: socket.socket) -> None:
        self.connection = connection
        self.inbox = bytearray()
        self.outbox = bytearray()

    def send(self, kind: bytes, content: bytes) -> None:
        for begin in range(0, len(content), LARGEST):
            part = content[begin : begin + LARGEST]
            self.outbox += HEADER.pack(kind, len(part)) + part

    def flush(self) -> bool:
        """Send what can be sent now. Returns False if the other side is gone, or does not read."""
        try:
            while self.outbox:
                del self.outbox[: self.connection.send(self.outbox)]
        except BlockingIOError:
            return len(self.outbox) <= MOST_WAITING
        except OSError:
            return False
        return True


class TerminalKeeper:
    """Keeps the terminal of one program."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._clients: Dict[int, Attached] = {}
        self._tail = bytearray()
        self._typed = bytearray()  # what the program has not taken yet
        self._half = b""  # the first half of an end of line, for the log
        self._stopped = False
        self._selector = selectors.DefaultSelector()

    def run(self, argv: List[str]) -> int:
        """Run the program to its end. Returns its exit code, or a signal as a negative number."""
        self._catch_signals()
        self._listen()
        self._child, self._master = _start(argv)
        os.set_blocking(self._master, False)
        self._selector.register(self._master, selectors.EVENT_READ)
        while not self._ended():
            self._serve(None)
        if self._stopped:  # the runner ends the rest when the grace time is over
            while self._group_runs():
                self._serve(LEFT_SECONDS)
        else:
            processes.signal_group(self._child, signal.SIGKILL)
        while self._read_program():
            pass
        _, status = os.waitpid(self._child, 0)
        return self._close(-os.WTERMSIG(status) if os.WIFSIGNALED(status) else os.WEXITSTATUS(status))

    def _catch_signals(self) -> None:
        self._wake, writer = os.pipe()
        for end in (self._wake, writer):
            os.set_blocking(end, False)
        signal.set_wakeup_fd(writer, warn_on_full_buffer=False)
        for number in (signal.SIGCHLD, signal.SIGTERM, signal.SIGINT):
            signal.signal(number, lambda *_: None)
        # The runner sends its warning to every process of a task that handles it, and this one need not.
        for number in (signal.SIGUSR1, signal.SIGUSR2, signal.SIGHUP, signal.SIGPIPE):
            signal.signal(number, signal.SIG_IGN)
        self._selector.register(self._wake, selectors.EVENT_READ)

    def _listen(self) -> None:
        """Listen for who attaches. Without a socket, the program runs all the same."""
        self._listener = socket.socket(socket.AF_UNIX)
        try:
            self._listener.bind(self._path)
            self._listener.listen(MOST_CLIENTS)
        except OSError as error:
            print("Nobody can attach to this terminal: %s" % (error.strerror or error), flush=True)
            return
        self._listener.setblocking(False)
        self._selector.register(self._listener, selectors.EVENT_READ)

    def _serve(self, seconds: Optional[float]) -> None:
        for key, _ in self._selector.select(seconds):
            if key.fd == self._wake:
                self._obey_signals()
            elif key.fd == self._master:
                self._read_program()
            elif key.fd == self._listener.fileno():
                self._accept()
            elif key.fd in self._clients:
                self._read_client(self._clients[key.fd])
        self._write_program()
        for client in list(self._clients.values()):
            if not client.flush():
                self._disconnect(client)
        self._select_again()

    def _select_again(self) -> None:
        """Wait for what can be done: nobody is read whose input has no place."""
        room = len(self._typed) < MOST_INPUT
        for number, client in self._clients.items():
            events = (selectors.EVENT_READ if room else 0) | (selectors.EVENT_WRITE if client.outbox else 0)
            self._wait_for(number, events)
        self._wait_for(self._master, selectors.EVENT_READ | (selectors.EVENT_WRITE if self._typed else 0))

    def _wait_for(self, number: int, events: int) -> None:
        known = number in self._selector.get_map()
        if not events:
            if known:
                self._selector.unregister(number)
        elif known:
            self._selector.modify(number, events)
        else:
            self._selector.register(number, events)

    # --- the program ----------------------------------------------------------------------------------------------

    def _ended(self) -> bool:
        """Return True if the program has ended. It is not reaped yet, so nothing else has its id."""
        return os.waitid(os.P_PID, self._child, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None

    def _group_runs(self) -> bool:
        members = [pid for pid in processes.all_pids() if pid != self._child]
        return any(known.group == self._child for known in map(processes.stat, members) if known is not None)

    def _obey_signals(self) -> None:
        with contextlib.suppress(BlockingIOError):
            for number in os.read(self._wake, 1000):
                if number != signal.SIGCHLD:
                    self._stopped = True
                    self._pass_on(number)

    def _pass_on(self, number: int) -> None:
        groups = {self._child}
        with contextlib.suppress(OSError):  # a shell gives the terminal to the group of what it runs
            groups.add(os.tcgetpgrp(self._master))
        for group in groups:
            if group > 1:
                processes.signal_group(group, number)

    def _read_program(self) -> bool:
        """Take what the program has printed. Returns False if there is nothing at the moment."""
        try:
            data = os.read(self._master, LARGEST)
        except OSError:
            return False
        self._log(data)
        self._tail += data
        del self._tail[:-TAIL]
        for client in self._clients.values():
            client.send(OUTPUT, data)
        return True

    def _log(self, data: bytes) -> None:
        """Write to the log, with the line ends of files."""
        data = self._half + data
        self._half = b"\r" if data.endswith(b"\r") else b""
        view = memoryview(data[: len(data) - len(self._half)].replace(b"\r\n", b"\n"))
        with contextlib.suppress(OSError):  # a full disk: a program that writes for itself would lose it, too
            while view:
                view = view[os.write(1, view) :]

    def _write_program(self) -> None:
        with contextlib.suppress(OSError):
            while self._typed:
                del self._typed[: os.write(self._master, self._typed)]

    # --- who is attached ------------------------------------------------------------------------------------------

    def _accept(self) -> None:
        try:
            connection, _ = self._listener.accept()
        except OSError:
            return
        if peer(connection) != os.getuid() or len(self._clients) >= MOST_CLIENTS:
            connection.close()
            return
        connection.setblocking(False)
        client = self._clients[connection.fileno()] = Attached(connection)
        client.send(OUTPUT, bytes(self._tail))

    def _read_client(self, client: Attached) -> None:
        try:
            data = client.connection.recv(LARGEST)
        except BlockingIOError:
            return
        except OSError:
            data = b""
        if not data:
            self._disconnect(client)
            return
        client.inbox += data
        for kind, content in frames(client.inbox):
            if kind == INPUT:
                self._typed += content
            elif kind == WINDOW and len(content) == SIZE.size:
                _set_size(self._master, *SIZE.unpack(content))

    def _disconnect(self, client: Attached) -> None:
        number = client.connection.fileno()
        self._wait_for(number, 0)
        del self._clients[number]
        client.connection.close()

    def _close(self, status: int) -> int:
        if self._half:
            self._log(b"\n")
        for client in self._clients.values():
            client.send(ENDED, STATUS.pack(status))
            client.connection.settimeout(1.0)  # for each send
            client.flush()
        with contextlib.suppress(OSError):
            os.unlink(self._path)
        return status


def _start(argv: List[str]) -> Tuple[int, int]:
    """Start the program on a terminal of its own. Returns its process and the other end of the terminal."""
    parent = os.getpid()
    if os.environ.get("TERM", "dumb") == "dumb":
        os.environ["TERM"] = "xterm-256color"
    for name in ("LINES", "COLUMNS"):  # of another terminal
        os.environ.pop(name, None)
    master, slave = os.openpty()
    _set_size(slave, LINES, COLUMNS)
    # This process is the leader of the session: if it were the program, its end would hang up what it has started.
    with contextlib.suppress(OSError):
        os.setsid()
    fcntl.ioctl(slave, termios.TIOCSCTTY, 0)
    child = os.fork()
    if child:
        return child, master
    try:
        processes.die_with(parent)
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGTTOU, signal.SIG_IGN)
        os.setpgid(0, 0)
        os.tcsetpgrp(slave, os.getpid())
        for number in (0, 1, 2):
            os.dup2(slave, number)
        for one in set(signal.Signals) - {signal.SIGKILL, signal.SIGSTOP}:
            with contextlib.suppress(OSError, ValueError):
                signal.signal(one, signal.SIG_DFL)
        os.execvp(argv[0], argv)
    except (OSError, ValueError) as error:
        print("cannot start %s: %s" % (argv[0], getattr(error, "strerror", None) or error), file=sys.stderr, flush=True)
    finally:
        os._exit(127)


def _set_size(terminal: int, lines: int, columns: int) -> None:
    with contextlib.suppress(OSError):
        fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", lines, columns, 0, 0))
