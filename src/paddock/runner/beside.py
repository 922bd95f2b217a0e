"""What `paddock attach` runs on the node of a task, as the person: the task's own terminal, or a shell beside it.

python3 -I -S beside.py terminal|shell TASK ATTEMPT PID [ARGV...]

srun and ssh start it by its text (`python3 -c TEXT`), so it is one file and imports nothing of ours. The environment of
the task is read from the kernel, which shows it to nobody but its owner: it is on no command line and goes through no
server.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import pwd
import select
import shlex
import signal
import socket
import struct
import sys
import termios
import time
import tty
from typing import Any, Dict, Iterator, List, NamedTuple, Optional, Tuple

TERMINAL, SHELL = "terminal", "shell"
# Frames between this and runner/terminal.py, in both directions: a kind, a length, and so many bytes.
HEADER = struct.Struct("!cH")
INPUT, WINDOW, OUTPUT, ENDED = b"i", b"w", b"o", b"e"
SIZE = struct.Struct("!HH")  # of a window: lines and columns
STATUS = struct.Struct("!i")  # how the task ended: its exit code, or a signal as a negative number
LARGEST = 0xFFFF
CREDENTIALS = struct.Struct("iII")  # of SO_PEERCRED: pid, uid, gid

LEAVE = b"\x1d"  # Ctrl-]
REFUSED = 4  # the exit code of Paddock for what is not allowed or cannot be reached
LOOK_SECONDS = 0.5  # how often a shell looks whether its task still runs
END_SECONDS = 3.0  # a shell whose task has ended gets this long to end
QUIET_SECONDS = 1.0  # without a terminal of its own, it leaves when its input is over and nothing was printed for this
# A shell's own start-up files may change these; those of the task are put back.
KEPT = (
    b"PATH", b"PYTHONPATH", b"LD_LIBRARY_PATH", b"VIRTUAL_ENV", b"CONDA_PREFIX", b"CONDA_DEFAULT_ENV",
    b"CUDA_VISIBLE_DEVICES", b"CUDA_DEVICE_ORDER",
)  # fmt: skip
GUARDED = b"PADDOCK_RUNNER"  # by this the guard of a runner finds what it has to kill: a shell is hung up, not killed
OWN = (b"TERM", b"COLORTERM")  # of the person's terminal, not of the task


class CannotAttach(Exception):
    """Why there is nothing to attach to; the text is for a person."""


class TaskProcess(NamedTuple):
    """The process of a task, as the runner reported it: its program, or what keeps its terminal."""

    task: str
    pid: int
    start: bytes
    socket: Optional[str]  # of its terminal

    @property
    def runs(self) -> bool:
        return _start(self.pid) == self.start

    @property
    def program(self) -> int:
        """The process whose environment is that of the task, after its set-up lines."""
        if self.socket is None:
            return self.pid
        parent = b"%d" % self.pid
        return next((pid for pid in _pids() if _fields(pid)[1:2] == [parent]), self.pid)


def find(task: str, attempt: int, pid: int) -> TaskProcess:
    """Return the process of an attempt. Raise CannotAttach if it is not here, or of another account."""
    start = _start(pid)
    try:
        env = environment(pid)
    except PermissionError:
        raise CannotAttach(_foreign(task, pid)) from None
    except OSError:
        env = {}
    if start is None or (env.get(b"PADDOCK_TASK"), env.get(b"PADDOCK_ATTEMPT")) != (task.encode(), b"%d" % attempt):
        raise CannotAttach("%s is not among the processes of %s: it has just ended" % (task, socket.gethostname()))
    argv = _read(pid, "cmdline").split(b"\0")
    keeper = argv[4:5] == [b"--terminal"] and len(argv) > 6
    return TaskProcess(task, pid, start, os.fsdecode(argv[5]) if keeper else None)


def environment(pid: int) -> Dict[bytes, bytes]:
    """Return the environment with which a process was started. Raises OSError."""
    with open("/proc/%d/environ" % pid, "rb") as file:
        entries = [entry.partition(b"=") for entry in file.read().split(b"\0")]
    return {name: value for name, equals, value in entries if equals}


def _foreign(task: str, pid: int) -> str:
    whose = _account(os.stat("/proc/%d" % pid).st_uid)
    text = "the processes of %s are of the account %s, and you are %s here: attach as %s"
    return text % (task, whose, _account(os.getuid()), whose)


def _account(uid: int) -> str:
    try:
        return pwd.getpwuid(uid).pw_name
    except KeyError:
        return str(uid)


def _start(pid: int) -> Optional[bytes]:
    """Return when a process was started; None if there is none, or only a zombie."""
    fields = _fields(pid)
    return None if len(fields) < 20 or fields[0] in (b"Z", b"X") else fields[19]


def _fields(pid: int) -> List[bytes]:
    return _read(pid, "stat").rpartition(b")")[2].split()


def _read(pid: int, name: str) -> bytes:
    try:
        with open("/proc/%d/%s" % (pid, name), "rb") as file:
            return file.read()
    except OSError:
        return b""


def _pids() -> List[int]:
    return [int(name) for name in os.listdir("/proc") if name.isdigit()]


# --- a shell beside the task ------------------------------------------------------------------------------------------


def shell(process: TaskProcess, argv: List[str]) -> int:
    """Run a shell, or a command, in the folder of a task, with its environment and its cores; end it with the task."""
    program = process.program
    try:
        env = environment(program)
        cores = os.sched_getaffinity(program)
        folder = os.open("/proc/%d/cwd" % program, os.O_RDONLY | os.O_DIRECTORY)
    except OSError:
        raise CannotAttach("%s has just ended" % process.task) from None
    env.update({name: os.environb[name] for name in OWN if name in os.environb})
    env.pop(GUARDED, None)
    with _woken() as wake, _kept_terminal():
        child = os.fork()
        if not child:
            _become(process.task, argv, env, cores, folder)
        os.close(folder)
        return _attend(process, child, wake)


def _become(task: str, argv: List[str], env: Dict[bytes, bytes], cores: Any, folder: int) -> None:
    """Become the shell or the command."""
    try:
        for number in (signal.SIGINT, signal.SIGQUIT, signal.SIGTSTP, signal.SIGTTOU, signal.SIGPIPE, signal.SIGCHLD):
            signal.signal(number, signal.SIG_DFL)
        signal.set_wakeup_fd(-1)
        with contextlib.suppress(OSError):
            os.sched_setaffinity(0, cores)
        os.fchdir(folder)
        env[b"PWD"] = os.fsencode(os.getcwd())
        argv = argv or _shell(task, env)
        os.execvpe(argv[0], argv, env)
    except OSError as error:
        print("error: cannot start %s: %s" % (argv[0] if argv else "a shell", error.strerror), file=sys.stderr)
    finally:
        sys.stderr.flush()
        os._exit(127)


def _shell(task: str, env: Dict[bytes, bytes]) -> List[str]:
    """Return the command of the person's shell."""
    try:
        own = pwd.getpwuid(os.getuid()).pw_shell
    except KeyError:
        own = ""
    wanted = (os.fsdecode(env.get(b"SHELL", b"")), own, "/bin/bash")
    chosen = next((one for one in wanted if os.access(one, os.X_OK)), "")
    if os.path.basename(chosen) in ("nologin", "false", ""):
        chosen = "/bin/sh"
    env[b"SHELL"] = os.fsencode(chosen)
    if os.path.basename(chosen) != "bash" or not os.isatty(0):
        return [chosen]
    lines = ["[ ! -f ~/.bashrc ] || . ~/.bashrc", "PS1=%s$PS1" % shlex.quote("(%s) " % task)]
    for name in KEPT:
        kept = env.get(name)
        text = os.fsdecode(name)
        lines.append("unset " + text if kept is None else "export %s=%s" % (text, shlex.quote(os.fsdecode(kept))))
    reader, writer = os.pipe()  # others cannot read it, and it needs no file
    os.set_blocking(writer, False)
    os.write(writer, os.fsencode("\n".join(lines) + "\n"))
    os.set_inheritable(reader, True)
    return [chosen, "--rcfile", "/dev/fd/%d" % reader, "-i"]


def _attend(process: TaskProcess, child: int, wake: int) -> int:
    """Wait for a shell, and end it when its task has ended. Returns its exit code."""
    kill_at = None
    while True:
        pid, status = os.waitpid(child, os.WNOHANG)
        if kill_at is None and not process.runs:
            _say("%s has ended, and this shell with it" % process.task)
            kill_at = time.monotonic() + END_SECONDS
            if not pid:
                os.kill(child, signal.SIGHUP)
        if pid:
            return os.WEXITSTATUS(status) if os.WIFEXITED(status) else 128 + os.WTERMSIG(status)
        if kill_at is not None and time.monotonic() > kill_at:
            os.kill(child, signal.SIGKILL)
        if select.select([wake], [], [], LOOK_SECONDS)[0]:
            for number in os.read(wake, 100):
                if number in (signal.SIGTERM, signal.SIGHUP):
                    os.kill(child, signal.SIGHUP)


# --- the task's own terminal ------------------------------------------------------------------------------------------


def terminal(process: TaskProcess) -> int:
    """Connect this terminal with that of a task, until Ctrl-] or the end of the task. Returns the task's exit code."""
    if process.socket is None:
        raise CannotAttach("%s has no terminal: it was not submitted with --terminal" % process.task)
    with _connect(process) as connection, _woken() as wake, _kept_terminal(raw=True):
        ended = _Session(connection, wake).run()
    if ended is None:
        _say("left %s, which goes on" % process.task)
        return 0
    if ended < 0:
        _say("%s has ended: %s" % (process.task, signal.Signals(-ended).name if -ended in _SIGNALS else -ended))
        return 128 - ended
    _say("%s has ended: exit code %d" % (process.task, ended))
    return ended


_SIGNALS = frozenset(map(int, signal.Signals))


def _connect(process: TaskProcess) -> socket.socket:
    assert process.socket is not None
    connection = socket.socket(socket.AF_UNIX)
    # As the task sees its files: in Slurm, /tmp may be another one.
    for path in ("/proc/%d/root%s" % (process.pid, process.socket), process.socket):
        try:
            connection.connect(path)
            break
        except OSError as error:
            problem = error.strerror
    else:
        raise CannotAttach("the terminal of %s cannot be opened (%s): it has just ended" % (process.task, problem))
    if peer(connection) != os.getuid():
        raise CannotAttach("the terminal of %s is not yours" % process.task)
    return connection


def peer(connection: socket.socket) -> int:
    """Return the user id of the other side, which the kernel vouches for."""
    found = connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, CREDENTIALS.size)
    return int(CREDENTIALS.unpack(found)[1])


class _Session:
    """A person at the terminal of a task."""

    def __init__(self, connection: socket.socket, wake: int) -> None:
        self._connection = connection
        self._wake = wake
        self._has_terminal = os.isatty(0)
        self._inbox = bytearray()
        self._over = False  # standard input

    def run(self) -> Optional[int]:
        """Return how the task ended; None if the person has left."""
        self._send_window()
        while True:
            sources: List[Any] = [self._connection, self._wake, *([] if self._over else [0])]
            ready, _, _ = select.select(sources, [], [], QUIET_SECONDS if self._over else None)
            if not ready:
                return None
            if self._wake in ready and self._is_told_to_leave():
                return None
            if 0 in ready and self._has_left():
                return None
            if self._connection in ready:
                data = self._connection.recv(LARGEST)
                if not data:
                    raise CannotAttach("the terminal was closed: the task was killed")
                ended = self._show(data)
                if ended is not None:
                    return ended

    def _has_left(self) -> bool:
        data = os.read(0, 4096)
        if not data:
            self._over = True
            return self._has_terminal
        data, leave, _ = data.partition(LEAVE)
        if data:
            self._connection.sendall(HEADER.pack(INPUT, len(data)) + data)
        return bool(leave)

    def _is_told_to_leave(self) -> bool:
        numbers = os.read(self._wake, 100)
        if signal.SIGWINCH in numbers:
            self._send_window()
        return signal.SIGTERM in numbers or signal.SIGHUP in numbers

    def _send_window(self) -> None:
        if self._has_terminal:
            lines, columns, _, _ = struct.unpack("HHHH", fcntl.ioctl(0, termios.TIOCGWINSZ, b"\0" * 8))
            self._connection.sendall(HEADER.pack(WINDOW, SIZE.size) + SIZE.pack(lines, columns))

    def _show(self, data: bytes) -> Optional[int]:
        self._inbox += data
        for kind, content in frames(self._inbox):
            if kind == OUTPUT:
                _write(content)
            elif kind == ENDED:
                return int(STATUS.unpack(content)[0])
        return None


def frames(inbox: bytearray) -> Iterator[Tuple[bytes, bytes]]:
    """Take the complete frames from what has arrived."""
    while len(inbox) >= HEADER.size:
        kind, length = HEADER.unpack_from(inbox)
        end = HEADER.size + length
        if len(inbox) < end:
            return
        content = bytes(inbox[HEADER.size : end])
        del inbox[:end]
        yield kind, content


def _write(data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(1, view) :]


def _say(text: str) -> None:
    with contextlib.suppress(OSError):
        os.write(2, ("\r\n[%s]\r\n" % text if os.isatty(2) else "[%s]\n" % text).encode())


# --- signals and the person's own terminal ----------------------------------------------------------------------------


@contextlib.contextmanager
def _woken() -> Iterator[int]:
    """Make signals readable from a descriptor."""
    reader, writer = os.pipe()
    os.set_blocking(writer, False)
    signal.set_wakeup_fd(writer, warn_on_full_buffer=False)
    for number in (signal.SIGCHLD, signal.SIGWINCH, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, lambda *_: None)
    for number in (signal.SIGINT, signal.SIGQUIT, signal.SIGTSTP, signal.SIGTTOU):  # they are for the other side
        signal.signal(number, signal.SIG_IGN)
    yield reader


@contextlib.contextmanager
def _kept_terminal(raw: bool = False) -> Iterator[None]:
    """Put the person's terminal back as it was, whatever happens; `raw`: every key is sent on meanwhile."""
    if not os.isatty(0):
        yield
        return
    before = termios.tcgetattr(0)
    if raw:
        tty.setraw(0, termios.TCSADRAIN)  # what was typed already is kept
    try:
        yield
    finally:
        with contextlib.suppress(OSError, termios.error):
            os.tcsetpgrp(0, os.getpgrp())  # a killed shell does not give it back
            termios.tcsetattr(0, termios.TCSADRAIN, before)


def main(arguments: List[str]) -> int:
    mode, task, attempt, pid = arguments[:4]
    try:
        process = find(task, int(attempt), int(pid))
        return terminal(process) if mode == TERMINAL else shell(process, arguments[4:])
    except CannotAttach as error:
        print("error: %s." % error, file=sys.stderr)
        return REFUSED
    except BrokenPipeError:
        return 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
