"""Processes that the agent starts for the server: commands that it waits for, and runners that outlive it."""

from __future__ import annotations

import errno
import os
import selectors
import signal
import subprocess
import time
from contextlib import suppress
from typing import IO, Any, Callable, Dict, List, Optional

from ...common import processes

CHECK_SECONDS = 0.05  # whether a command has ended
LINGER_SECONDS = 0.5  # that a command's output is waited for after its end: something that it started may hold it
CHUNK = 65_536


class RunningCommand:
    """A command that runs."""

    def __init__(self, process: "subprocess.Popen[bytes]", stdin: bytes, seconds: float, most: int) -> None:
        self.process = process
        self.left = memoryview(stdin)
        self.until = time.monotonic() + seconds
        self.most = most
        self.written: Dict[str, bytearray] = {"out": bytearray(), "err": bytearray()}
        self.open: Dict[str, IO[bytes]] = {}
        self.cut = self.late = False
        self.ended_at: Optional[float] = None

    def kill(self) -> None:
        if self.process.poll() is None:
            processes.signal_group(self.process.pid, signal.SIGKILL)


class RunningCommands:
    """The commands that run now. The agent's only selector reports when something can be read or written."""

    def __init__(self, selector: selectors.BaseSelector, done: Callable[[int, Dict[str, Any], bytes], None]) -> None:
        self._selector, self._done = selector, done
        self._running: Dict[int, RunningCommand] = {}

    def start(self, number: int, argv: List[str], stdin: bytes, request: Dict[str, Any], cwd: str) -> None:
        """Start a command; its answer follows when it has ended."""
        parent = os.getpid()
        process = subprocess.Popen(
            argv,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            bufsize=0,
            cwd=cwd,
            env=request["env"],
            start_new_session=True,
            # A command whose answer nobody gets any more must not go on: the next server may have looked already.
            preexec_fn=lambda: processes.die_with(parent),  # noqa: PLW1509  (the other thread, if there is one, is inside a driver)
        )
        command = RunningCommand(process, stdin, float(request["seconds"]), int(request["most"]))
        for name, stream in (("in", process.stdin), ("out", process.stdout), ("err", process.stderr)):
            if stream is not None:
                os.set_blocking(stream.fileno(), False)
                command.open[name] = stream
                what = selectors.EVENT_WRITE if name == "in" else selectors.EVENT_READ
                self._selector.register(stream, what, (command, name))
        self._running[number] = command

    def next_in(self) -> Optional[float]:
        return CHECK_SECONDS if self._running else None

    def serve(self, command: RunningCommand, name: str) -> None:
        """Read or write what is possible now."""
        stream = command.open[name]
        try:
            if name == "in":
                if command.left:
                    command.left = command.left[os.write(stream.fileno(), command.left[:CHUNK]) :]
                if not command.left:
                    self._close(command, name)
                return
            got = os.read(stream.fileno(), CHUNK)
        except BlockingIOError:
            return
        except OSError:  # it does not read its standard input to the end
            self._close(command, name)
            return
        if not got:
            self._close(command, name)
        kept = command.written[name]
        command.cut = command.cut or len(kept) + len(got) > command.most
        kept += got[: command.most - len(kept)]

    def check(self, now: float) -> None:
        """Kill what runs too long, and answer for what has ended."""
        for number, command in list(self._running.items()):
            if now > command.until and not command.late:
                command.late = True
                command.kill()
            if command.process.poll() is None:
                continue
            command.ended_at = command.ended_at or now
            if {"out", "err"} & set(command.open) and now - command.ended_at < LINGER_SECONDS:
                continue
            del self._running[number]
            self._answer(number, command)

    def _answer(self, number: int, command: RunningCommand) -> None:
        for name in list(command.open):
            self._close(command, name)
        out, err = bytes(command.written["out"]), bytes(command.written["err"])
        code = None if command.late else command.process.returncode
        self._done(number, {"code": code, "out": len(out), "cut": command.cut}, out + err)

    def _close(self, command: RunningCommand, name: str) -> None:
        stream = command.open.pop(name)
        self._selector.unregister(stream)
        stream.close()

    def kill(self) -> None:
        """Kill all of them."""
        for command in self._running.values():
            command.kill()


def start(argv: List[str], env: Dict[str, str], cwd: int, log: int) -> Dict[str, int]:
    """Start a process that outlives the agent, and return its id and start time. Raise OSError if it does not start.

    `cwd` and `log` are descriptors. Its parent ends at once, so the system adopts it.
    """
    told, tell = os.pipe()  # closed by exec
    child = os.fork()
    if not child:
        try:
            if not os.fork():
                _become(argv, env, cwd, log, tell)
        finally:
            os._exit(127)
    os.close(tell)
    os.waitpid(child, 0)
    with open(told, "rb") as pipe:
        lines = pipe.read().decode().splitlines()
    if len(lines) != 1:
        code = int(lines[1]) if len(lines) == 2 else errno.EAGAIN
        raise OSError(code, os.strerror(code), argv[0])
    pid, began = lines[0].split()
    return {"pid": int(pid), "start": int(began)}


def _become(argv: List[str], env: Dict[str, str], cwd: int, log: int, tell: int) -> None:
    """Become the program. Only in the process that is to be it."""
    try:
        os.setsid()
        os.fchdir(cwd)
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        os.dup2(log, 1)
        os.dup2(log, 2)
        for number in (signal.SIGPIPE, signal.SIGXFSZ):
            signal.signal(number, signal.SIG_DFL)
        os.write(tell, b"%d %d\n" % (os.getpid(), processes.started(os.getpid()) or 0))
        os.execvpe(argv[0], argv, env)
    except OSError as error:
        os.write(tell, b"%d\n" % (error.errno or errno.EINVAL))


def send_signal(pid: int, start_time: int, number: int) -> bool:
    """Send a signal to exactly this process. Return False if it has ended."""
    if pid <= 1:
        return False
    handle = -1
    with suppress(AttributeError, OSError):  # Python 3.9 and Linux 5.3 have it
        handle = os.pidfd_open(pid)
    try:
        if processes.started(pid) != start_time:
            return False
        if handle >= 0:
            signal.pidfd_send_signal(handle, number)
        else:
            os.kill(pid, number)
        return True
    except ProcessLookupError:
        return False
    finally:
        if handle >= 0:
            os.close(handle)


def find(variable: str, value: str) -> List[List[int]]:
    """Return ids and start times of the processes with this variable in their environment, the oldest first."""
    found = []
    for pid in processes.all_pids():
        if processes.variable(pid, variable) == value:
            began = processes.started(pid)
            if began is not None:
                found.append([began, pid])
    return [[pid, began] for began, pid in sorted(found)]
