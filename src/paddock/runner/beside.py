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
import re
import select
import shlex
import signal
import socket
import struct
import sys
import termios
import time
import tty
from typing import Any, Dict, Iterator, List, Mapping, NamedTuple, Optional, Tuple

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
IMAGE = b"PADDOCK_IMAGE"  # of the container in which the task runs
_NAMED = (b"PADDOCK_ALLOCATION", b"PADDOCK_TASK", b"PADDOCK_ATTEMPT")  # by these Podman knows the container
_NAMESPACES = ("user", "mnt")  # in the order in which they are entered
_EITHER = "if command -v bash >/dev/null; then exec bash; fi; exec sh"
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
    attempt: int

    @property
    def runs(self) -> bool:
        return _start(self.pid) == self.start

    @property
    def program(self) -> int:
        """The process whose environment is that of the task, after its set-up lines."""
        first = self.pid
        if self.socket is not None:
            first = next(iter(_children(self.pid)), self.pid)
        return _shown(first, self.task, self.attempt) or first

    def inside(self, env: Mapping[bytes, bytes]) -> Optional[int]:
        """Return the process of the task that was the first one in its container: it sees other mounts than the runner.

        `env` is the environment of its program.
        """
        runner = _fields(self.pid)[1:2]
        outside = _namespace(int(runner[0]), "mnt") if runner else None
        wanted = {name: env.get(name) for name in _NAMED}
        found = []
        for pid in _pids():
            with contextlib.suppress(OSError):
                theirs = environment(pid)
                mine = all(theirs.get(name) == value for name, value in wanted.items())
                if mine and _namespace(pid, "mnt") not in (outside, None) and not _is_engine(pid):
                    found.append((int(_start(pid) or 0), pid))
        return min(found)[1] if found else None


def find(task: str, attempt: int, pid: int) -> TaskProcess:
    """Return the process of an attempt. Raise CannotAttach if it is not here, or of another account."""
    start = _start(pid)
    try:
        shown = _shown(pid, task, attempt)
    except PermissionError:
        raise CannotAttach(_foreign(task, pid)) from None
    if start is None or shown is None:
        raise CannotAttach("%s is not among the processes of %s: it has just ended" % (task, socket.gethostname()))
    argv = _read(pid, "cmdline").split(b"\0")
    keeper = argv[4:5] == [b"--terminal"] and len(argv) > 6
    return TaskProcess(task, pid, start, os.fsdecode(argv[5]) if keeper else None, attempt)


def _shown(pid: int, task: str, attempt: int) -> Optional[int]:
    """Return the process, or its child, in whose environment this attempt is named. Raises PermissionError.

    Apptainer writes over its own environment.
    """
    wanted = (task.encode(), b"%d" % attempt)
    for one in (pid, *_children(pid)):
        try:
            env = environment(one)
        except PermissionError:
            if one == pid:
                raise
            continue
        except OSError:
            continue
        if (env.get(b"PADDOCK_TASK"), env.get(b"PADDOCK_ATTEMPT")) == wanted:
            return one
    return None


def environment(pid: int) -> Dict[bytes, bytes]:
    """Return the environment with which a process was started. Raises OSError."""
    with open("/proc/%d/environ" % pid, "rb") as file:
        entries = [entry.partition(b"=") for entry in file.read().split(b"\0")]
    return {name: value for name, equals, value in entries if equals}


def _namespace(pid: int, kind: str) -> Optional[str]:
    try:
        return os.readlink("/proc/%d/ns/%s" % (pid, kind))
    except OSError:
        return None


def _is_engine(pid: int) -> bool:
    try:
        return os.path.basename(os.readlink("/proc/%d/exe" % pid)) in ("podman", "starter", "starter-suid")
    except OSError:
        return True


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


def _children(pid: int) -> List[int]:
    return [one for one in _pids() if _fields(one)[1:2] == [b"%d" % pid]]


def _pids() -> List[int]:
    return [int(name) for name in os.listdir("/proc") if name.isdigit()]


# --- a shell beside the task ------------------------------------------------------------------------------------------


def shell(process: TaskProcess, argv: List[str]) -> int:
    """Run a shell, or a command, in the folder of a task, with its environment and its cores; end it with the task."""
    program = process.program
    enter: List[int] = []
    try:
        env = environment(program)
        if IMAGE in env:
            if _is_podman(program):
                return _by_podman(process, env, argv)
            inside = process.inside(env)
            if inside is None:
                raise CannotAttach("%s is not in its container yet, or has just ended" % process.task)
            program, env = inside, environment(inside)
            enter = _openings(inside)
        cores = os.sched_getaffinity(program)
        folder = os.open("/proc/%d/cwd" % program, os.O_RDONLY | os.O_DIRECTORY)
    except OSError:
        raise CannotAttach("%s has just ended" % process.task) from None
    env.update({name: os.environb[name] for name in OWN if name in os.environb})
    env.pop(GUARDED, None)
    with _woken() as wake, _kept_terminal():
        child = os.fork()
        if not child:
            _become(process.task, argv, env, cores, folder, enter)
        for one in (folder, *enter):
            os.close(one)
        return _attend(process, child, wake)


def _is_podman(pid: int) -> bool:
    with contextlib.suppress(OSError):
        return os.path.basename(os.readlink("/proc/%d/exe" % pid)) == "podman"
    return False


def _by_podman(process: TaskProcess, env: Dict[bytes, bytes], argv: List[str]) -> int:
    """Run a shell or a command in a container of Podman, whose processes have numbers of their own."""
    name = re.sub("[^A-Za-z0-9_.-]", "_", b"-".join([b"paddock", *(env.get(one, b"") for one in _NAMED)]).decode())
    before = ["podman", "exec", "--interactive", *(["--tty"] if os.isatty(0) else [])]
    before += ["--env=%s=" % GUARDED.decode(), "--workdir=/proc/1/cwd", name]
    with _woken() as wake, _kept_terminal():
        child = os.fork()
        if not child:
            here = os.open(".", os.O_RDONLY | os.O_DIRECTORY)
            _become(process.task, [*before, *(argv or ["sh", "-c", _EITHER])], env, os.sched_getaffinity(0), here, [])
        return _attend(process, child, wake)


def _openings(pid: int) -> List[int]:
    """Open the root of a process, and its namespaces that are not ours."""
    kinds = [kind for kind in _NAMESPACES if _namespace(pid, kind) != _namespace(os.getpid(), kind)]
    places = ["root", *("ns/" + kind for kind in kinds)]
    return [os.open("/proc/%d/%s" % (pid, place), os.O_RDONLY) for place in places]


def _enter(root: int, namespaces: List[int]) -> None:
    """Go where another process of this person is. Raises OSError."""
    import ctypes

    libc = ctypes.CDLL(None, use_errno=True)
    for one in namespaces:
        if libc.setns(one, 0):
            raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    os.fchdir(root)
    os.chroot(".")


def _become(task: str, argv: List[str], env: Dict[bytes, bytes], cores: Any, folder: int, enter: List[int]) -> None:
    """Become the shell or the command. `enter`: the root and the namespaces of its container."""
    try:
        for number in (signal.SIGINT, signal.SIGQUIT, signal.SIGTSTP, signal.SIGTTOU, signal.SIGPIPE, signal.SIGCHLD):
            signal.signal(number, signal.SIG_DFL)
        signal.set_wakeup_fd(-1)
        with contextlib.suppress(OSError):
            os.sched_setaffinity(0, cores)
        if enter:
            try:
                _enter(enter[0], enter[1:])
            except (OSError, ImportError, AttributeError) as error:
                print("error: cannot enter the container of %s: %s" % (task, error), file=sys.stderr)
                os._exit(REFUSED)
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
