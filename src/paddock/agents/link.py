"""The near end of an agent: files, processes and commands of one person, as if they were here.

All paths are relative to the agent's root folder, with `/`. An error of the far file system is the same OSError that
it would be here (FileNotFoundError, `NotPlain`); everything else that goes wrong is AgentUnavailable, which means that
nothing is known: the request may have been carried out. Every request but `start` and `run` may be repeated.
"""

import logging
import math
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from typing import Any, TypeVar

from paddock.agents.answers import (
    AgentAnswer,
    AgentInfo,
    FarEntry,
    FarProcess,
    FarResult,
    FileRange,
    FolderPage,
    json_object,
)
from paddock.agents.connection import AgentConnection, AgentGone
from paddock.common.frames import MOST_DATA, BadFrame, Frame
from paddock.errors import AgentUnavailable

PROTOCOL = 1
PART = 1_000_000  # of a file in one frame
WATCHED_AT_ONCE = 500  # files in one request
HEALTHY_SECONDS = 10.0  # an agent that has run this long may be started again at once
PATIENT_SECONDS = 0.5  # a request waits this long until a failed start is tried again
CLOSE_SECONDS = 5.0  # that the end of the agent is waited for
MOST_LEAVING = 3  # agents that were told to leave and have not

log = logging.getLogger("paddock.agents")

T = TypeVar("T")
Grown = Callable[[str, int, bytes], None]
Failed = Callable[[str, OSError], None]
Heard = Callable[[Mapping[str, Any]], None]


@dataclass
class _Watch:
    path: str
    offset: int  # what lies before it was taken
    grown: Grown
    failed: Failed
    key: int  # of the frames that belong to it


class Link:
    """The agent of one person. Any thread may use it.

    The agent is started by the first request, and again after it has ended. It leaves after `idle_seconds` without a
    request. As long as files are watched or its node is, the link keeps an agent running.
    """

    def __init__(
        self,
        name: str,
        argv: Sequence[str] | Callable[[], Sequence[str]],
        folder: str,
        *,
        idle_seconds: float = 600.0,
        start_seconds: float = 30.0,
        answer_seconds: float = 30.0,
        pauses: tuple[float, float] = (0.2, 30.0),
        environment: Mapping[str, str] | None = None,
        gate: Callable[[float], AbstractContextManager[None]] | None = None,
        silent_seconds: float | None = None,
        server: str | None = None,
    ) -> None:
        """`argv` starts the loader. `folder` is the agent's root; it is made if it does not exist, and ~ is allowed.

        `pauses`: the shortest and the longest time until a failed start is tried again. `environment`: variables for
        `argv`, which gets nothing else of the server's. `gate`: what a start must wait for, up to so many seconds.

        For agents on other machines: `silent_seconds`, see AgentConnection; `server`, by which the agent knows earlier
        ones of this link and ends them first: one that does not answer may be stopped, and must not go on later.
        """
        self._name, self._argv, self._folder = name, argv, folder
        self._idle_seconds, self._start_seconds, self._answer_seconds = idle_seconds, start_seconds, answer_seconds
        self._pauses, self._environment, self._gate = pauses, dict(environment or {}), gate or _open_gate
        self._silent_seconds, self._server = silent_seconds, server
        self._state = threading.Condition()  # of everything below
        self._connection: AgentConnection | None = None
        self._info: AgentInfo | None = None
        self._starting = self._closed = False
        self._problem: str | None = None
        self._failures = 0
        self._again_at = self._used_at = self._began_at = 0.0
        self._leaving: list[AgentConnection] = []
        self._watches: dict[str, _Watch] = {}
        self._by_key: dict[int, _Watch] = {}
        self._forgotten: set[int] = set()  # keys of which frames may still come
        self._key = 0
        self._machine: tuple[float, Heard] | None = None
        self._machine_asked = False  # ever: reports may still come although nobody wants them any more
        self._tending = False
        # What is watched changes and the agent is told in the same order. Taken before `_state`, never with it.
        self._telling = threading.Lock()

    # --- the agent itself ---------------------------------------------------------------------------------------------

    def hello(self) -> AgentInfo:
        """Return what the agent reports of itself; start it if it does not run."""
        self._connected()
        with self._state:
            if self._info is None:
                raise self._unavailable(self._problem or "it has ended")
            return self._info

    @property
    def problem(self) -> str | None:
        """Return why there is no agent at the moment; None: it runs, or is not needed."""
        with self._state:
            return self._problem

    @property
    def connected(self) -> bool:
        """Return True if its agent runs."""
        with self._state:
            return self._connection is not None

    def close(self, seconds: float = CLOSE_SECONDS) -> None:
        """End the agent and watch nothing any more; wait until it has left. What it has started goes on."""
        with self._state:
            self._closed = True
            self._watches.clear()
            self._machine = None
            connection = self._connection
            self._state.notify_all()
        if connection is not None:
            connection.close()
        until = time.monotonic() + seconds
        with self._state:
            while (self._connection or self._starting) and self._state.wait(until - time.monotonic()):
                pass
            leaving = list(self._leaving)
        for one in leaving:
            one.join(max(until - time.monotonic(), 0.0))

    # --- files --------------------------------------------------------------------------------------------------------

    def put(self, path: str, data: bytes, *, executable: bool = False) -> None:
        """Write a file at once: readers see all of it or nothing. Replaces a file that exists; folders must exist."""
        for at in range(0, len(data) or 1, PART):
            fields = {"path": path, "at": at, "whole": len(data), "executable": executable}
            self._ask("put", fields, data[at : at + PART], then=bool)

    def append(self, path: str, at: int, data: bytes) -> int:
        """Append `data`, which begins at byte `at` of the file, and return the size that the file has then.

        Sent twice, it is written once: of what the file has already, nothing is written again. If the file ends before
        `at`, nothing is written: send what is missing, from the size that is returned. The file is made if necessary.
        """
        while True:
            size = self._ask("append", {"path": path, "at": at}, data[:PART], then=lambda answer: answer.number("size"))
            if len(data) <= PART or size < at + PART:
                return size
            at, data = at + PART, data[PART:]

    def mkdir(self, *paths: str) -> None:
        """Make folders (0700), with those above them. Folders that exist are left as they are."""
        for at in range(0, len(paths), WATCHED_AT_ONCE):
            self._ask("mkdir", {"paths": paths[at : at + WATCHED_AT_ONCE]}, then=bool)

    def remove(self, path: str) -> bool:
        """Delete a file, or a folder with all that is in it. Return False if there is more to do: call it again."""
        return self._ask("remove", {"path": path}, then=lambda answer: answer.flag("done"))

    def withdraw(self, folder: str, names: Sequence[str]) -> set[str]:
        """Withdraw claims in a folder of claims; see engine/withdraw.py. Return those that no runner has or will have.

        Without that folder's parent nothing of the job can begin: all of them are returned.
        """
        found: set[str] = set()
        for at in range(0, len(names), WATCHED_AT_ONCE):
            fields = {"folder": folder, "names": list(names[at : at + WATCHED_AT_ONCE])}
            found |= self._ask("withdraw", fields, then=lambda answer: answer.those_of(set(names)))
        return found

    def held(self, folder: str, names: Sequence[str]) -> dict[str, str | None]:
        """Return those of these claims that runners have taken, each with the allocation that it names."""
        return self._ask(
            "held", {"folder": folder, "names": list(names)}, then=lambda answer: answer.holders(set(names))
        )

    def read(self, path: str, at: int, most: int) -> FileRange:
        """Return up to `most` bytes from `at`; a negative `at` counts from the end."""
        first = self._read(path, at, min(most, PART))
        parts = [first.data]
        got = len(first.data)
        while parts[-1] and got < most and first.start + got < first.size:
            parts.append(self._read(path, first.start + got, min(most - got, PART)).data)
            got += len(parts[-1])
        return FileRange(first.start, first.size, b"".join(parts))

    def _read(self, path: str, at: int, most: int) -> FileRange:
        return self._ask("read", {"path": path, "at": at, "most": most}, then=lambda answer: answer.range(at, most))

    def entries(self, path: str, offset: int = 0, limit: int = 1000) -> FolderPage:
        """Return entries of a folder, up to 1,000 at a time. An empty path is the root."""
        fields = {"path": path, "offset": offset, "limit": limit}
        return self._ask("entries", fields, then=lambda answer: answer.page(limit))

    def stat(self, path: str) -> FarEntry:
        """Return what is at a path, without following a link."""
        return self._ask("stat", {"path": path}, then=lambda answer: answer.entry())

    def measure(self, path: str, seconds: float) -> tuple[int, int, bool]:
        """Return the bytes and files of a folder, and whether there was time to count all of them."""
        wait = seconds + self._answer_seconds
        return self._ask(
            "measure",
            {"path": path, "seconds": seconds},
            then=lambda answer: (answer.number("bytes"), answer.number("files"), answer.flag("whole")),
            seconds=wait,
        )

    # --- files that grow ----------------------------------------------------------------------------------------------

    def watch(self, files: Mapping[str, int], grown: Grown, failed: Failed) -> None:
        """Call `grown(path, offset, data)` for what is appended to these files, each from its offset on.

        Every byte comes exactly once and in order, also over restarts of the agent: the next call has the offset after
        the last byte of a call that returned. Files need not exist yet. `failed(path, error)` is called once if a file
        is not a plain file or has become shorter; it is not watched any more then.

        Returns at once, and never raises because there is no agent. Both functions are called in a thread of the link.
        They must not ask this link anything, nor wait for somebody who does. If `grown` raises, the agent is started
        again after a pause, and the same bytes come again.
        """
        with self._telling:
            with self._state:
                if self._closed:
                    return
                replaced = [self._drop(path) for path in files]
                fresh = [_Watch(path, offset, grown, failed, self._next_key()) for path, offset in files.items()]
                for one in fresh:
                    self._watches[one.path] = self._by_key[one.key] = one
                connection = self._connection
                self._keep_running()
            if connection is not None:
                self._tell_forget(connection, [key for key in replaced if key is not None])
                self._tell_watch(connection, fresh)

    def forget(self, paths: Sequence[str]) -> None:
        """Stop watching. When this returns, `grown` may still be running once for what had arrived."""
        with self._telling:
            with self._state:
                keys = [key for key in map(self._drop, paths) if key is not None]
                connection = self._connection
                self._state.notify_all()
            if connection is not None:
                self._tell_forget(connection, keys)

    # --- its node -----------------------------------------------------------------------------------------------------

    def machine(self, every: float, heard: Heard) -> None:
        """Call `heard` with how busy the node is, now and every so many seconds; 0 ends that.

        What comes is as common/node_stats.py has it, and not checked: `heard` raises if it is wrong. Returns at once
        and goes on over restarts of the agent, as `watch` does; the same rules hold for `heard`.
        """
        with self._telling:
            with self._state:
                if self._closed:
                    return
                self._machine = (every, heard) if every > 0 else None
                self._machine_asked = True
                connection = self._connection
                self._keep_running()
                self._state.notify_all()
            if connection is not None:
                self._tell_machine(connection, every)

    # --- processes and commands ---------------------------------------------------------------------------------------

    def start(self, argv: Sequence[str], *, env: Mapping[str, str], cwd: str, log: str) -> FarProcess:
        """Start a process that outlives the agent, in a session of its own, with its output appended to `log`.

        Its environment is HOME, USER, LOGNAME, SHELL, LANG and PATH of the person, and `env`. `cwd` and `log` are
        paths below the root. OSError: it could not be started. After AgentUnavailable it may run: look for it with
        `find` before it is started again.
        """
        fields = {"argv": list(argv), "env": dict(env), "cwd": cwd, "log": log}
        return self._ask("start", fields, then=lambda answer: answer.process(), repeat=False)

    def find(self, variable: str, value: str) -> list[FarProcess]:
        """Return the person's processes that were started with this environment variable, the oldest first."""
        return self._ask("find", {"variable": variable, "value": value}, then=lambda answer: answer.processes())

    def alive(self, processes: Sequence[FarProcess]) -> list[bool]:
        """Return for each process whether it still runs."""
        wanted = [[one.pid, one.start] for one in processes]
        return self._ask("alive", {"processes": wanted}, then=lambda answer: answer.flags("alive", len(wanted)))

    def signal(self, process: FarProcess, number: int) -> bool:
        """Send a signal to exactly this process. Return False if it has ended."""
        fields = {"pid": process.pid, "start": process.start, "signal": int(number)}
        return self._ask("signal", fields, then=lambda answer: answer.flag("sent"))

    def run(
        self,
        argv: Sequence[str],
        *,
        stdin: bytes = b"",
        seconds: float = 30.0,
        most: int = PART,
        env: Mapping[str, str] | None = None,
        cwd: str | None = None,
    ) -> FarResult:
        """Run a command to its end and return what it wrote, up to `most` bytes of each stream.

        It is killed after `seconds`, and when the agent ends. `cwd` is the person's home if it is not given, else a
        path below the root. OSError: it could not be started.
        """
        most = min(most, MOST_DATA // 2)
        fields = {"argv": list(argv), "seconds": seconds, "most": most, "env": dict(env or {}), "cwd": cwd}
        wait = seconds + self._answer_seconds
        return self._ask("run", fields, stdin, then=lambda answer: answer.result(most), seconds=wait, repeat=False)

    # --- requests -----------------------------------------------------------------------------------------------------

    def _ask(
        self,
        op: str,
        fields: Mapping[str, Any],
        data: bytes = b"",
        *,
        then: Callable[[AgentAnswer], T],
        seconds: float | None = None,
        repeat: bool = True,
    ) -> T:
        """Ask the agent and return what `then` makes of the answer. `repeat`: once more if it ended meanwhile."""
        connection = self._connected()
        try:
            frame = connection.ask(op, fields, data, seconds=seconds or self._answer_seconds)
        except AgentGone as error:
            if not repeat:
                raise self._unavailable(error.message) from None
            return self._ask(op, fields, data, then=then, seconds=seconds, repeat=False)
        except AgentUnavailable as error:
            raise self._unavailable(error.message) from None
        finally:
            with self._state:
                self._used_at = time.monotonic()
        try:
            return then(AgentAnswer(frame).check())
        except BadFrame as error:
            problem = f"it answered `{op}` with {error}"
            connection.close(problem)
            raise self._unavailable(problem) from None

    def _unavailable(self, problem: str) -> AgentUnavailable:
        return AgentUnavailable(f"The agent of {self._name} does not work: {problem}.")

    # --- its process --------------------------------------------------------------------------------------------------

    def _connected(self) -> AgentConnection:
        """Return the connection; start the agent if there is none, and not too soon after a start that failed."""
        with self._state:
            until = time.monotonic() + self._start_seconds
            while not self._is_settled():
                # What the last one had sent is still being taken: the next must begin after that.
                left = min(until, self._again_at if self._may_wait() else until) - time.monotonic()
                if not self._state.wait(left) and time.monotonic() >= until:
                    raise self._unavailable("it takes too long to start")
            self._used_at = time.monotonic()
            if self._connection is not None:
                return self._connection
            if self._closed:
                raise self._unavailable("the server ends")
            if time.monotonic() < self._again_at:
                raise self._unavailable(self._problem or "it ends again and again")
            self._starting = True
        connection = None
        try:
            connection = self._begin()
            return connection
        except AgentUnavailable as error:
            raise self._unavailable(error.message) from None
        finally:
            with self._state:
                self._starting = False
                if connection is None:
                    self._fail_later()
                self._state.notify_all()

    def _is_settled(self) -> bool:
        """Return True if there is a connection, or one may be begun now, or that is not worth waiting for."""
        if self._starting:
            return False
        if self._connection is not None:
            return self._connection.open
        return self._closed or not self._may_wait()

    def _may_wait(self) -> bool:
        """Return True if the next start may be tried so soon that a request waits for it."""
        return 0 < self._again_at - time.monotonic() <= PATIENT_SECONDS

    def _begin(self) -> AgentConnection:
        with self._state:
            self._leaving = [one for one in self._leaving if not one.has_left]
            many = len(self._leaving) > MOST_LEAVING
        connection = AgentConnection(
            event=self._take_event, ended=self._take_end, idle=self._idle_left, silent_seconds=self._silent_seconds
        )
        try:
            if many:
                raise AgentUnavailable("earlier ones have not ended, although they were told to")
            try:
                with self._gate(self._start_seconds):
                    argv = self._argv() if callable(self._argv) else self._argv
                    connection.begin(argv, self._folder, self._start_seconds, self._environment)
                    info = self._introduced(connection)
            except BaseException:
                connection.close()
                with self._state:
                    self._leaving.append(connection)
                raise
        except AgentUnavailable as error:
            self._problem = error.message
            raise
        with self._telling:
            with self._state:
                if connection.over:
                    self._leaving.append(connection)
                    raise AgentUnavailable(self._problem or "it has ended")
                self._connection, self._info, self._problem = connection, info, None
                self._began_at = self._used_at = time.monotonic()
                self._forgotten.clear()
                watches = list(self._watches.values())
                machine = self._machine
                if self._closed:
                    connection.close()
            self._tell_watch(connection, watches)
            if machine is not None:
                self._tell_machine(connection, machine[0])
        return connection

    def _introduced(self, connection: AgentConnection) -> AgentInfo:
        asked = {"protocol": PROTOCOL, "server": self._server}
        frame = connection.ask("hello", asked, seconds=self._start_seconds)
        try:
            return AgentAnswer(frame).check().info()
        except BadFrame as error:
            raise AgentUnavailable(f"it sent {error}") from None
        except OSError as error:
            raise AgentUnavailable(f"its folder cannot be used: {error}") from None

    def _take_end(self, connection: AgentConnection) -> None:
        with self._state:
            connection.over = True
            if self._connection is connection:
                self._leaving.append(connection)
                self._connection = None
                if connection.problem is not None:
                    self._problem = connection.problem
                    if time.monotonic() - self._began_at > HEALTHY_SECONDS:
                        self._failures = 0
                    self._fail_later()
            self._state.notify_all()

    def _fail_later(self) -> None:
        """Have the next start wait a little, longer after each failure."""
        shortest, longest = self._pauses
        self._again_at = time.monotonic() + min(shortest * 2 ** min(self._failures, 20), longest)
        self._failures += 1

    def _idle_left(self) -> float:
        """Return how long the connection may go on waiting; end it when that is over."""
        with self._state:
            connection = self._connection
            if connection is None or self._is_needed or connection.asked:
                return math.inf
            left = self._used_at + self._idle_seconds - time.monotonic()
            if left <= 0:
                connection.close()
            return left

    # --- watched files ------------------------------------------------------------------------------------------------

    def _next_key(self) -> int:
        self._key += 1
        return self._key

    def _drop(self, path: str) -> int | None:
        """Forget a watched file, and return its key if it was one."""
        watch = self._watches.pop(path, None)
        if watch is None:
            return None
        del self._by_key[watch.key]
        self._forgotten.add(watch.key)
        return watch.key

    def _tell_watch(self, connection: AgentConnection, watches: Sequence[_Watch]) -> None:
        for at in range(0, len(watches), WATCHED_AT_ONCE):
            files = [[one.key, one.path, one.offset] for one in watches[at : at + WATCHED_AT_ONCE]]
            self._tell(connection, "watch", {"files": files}, _expect_success)

    def _tell_forget(self, connection: AgentConnection, keys: Sequence[int]) -> None:
        def over(frame: Frame) -> None:
            with self._state:
                self._forgotten.difference_update(keys)

        if keys:
            self._tell(connection, "forget", {"keys": keys}, over)

    def _tell(
        self, connection: AgentConnection, op: str, fields: Mapping[str, Any], then: Callable[[Frame], None]
    ) -> None:
        try:
            connection.tell(op, fields, then, seconds=self._answer_seconds)
        except AgentUnavailable:
            log.debug("the agent of %s ended; the next one is told", self._name)

    def _tell_machine(self, connection: AgentConnection, every: float) -> None:
        self._tell(connection, "machine", {"every": every}, _expect_success)

    @property
    def _is_needed(self) -> bool:
        """Return True if something is watched."""
        return bool(self._watches) or self._machine is not None

    def _keep_running(self) -> None:
        """Have a thread keep an agent running as long as something is watched."""
        if self._is_needed and not self._tending:
            self._tending = True
            threading.Thread(target=self._tend, name=f"agent of {self._name}", daemon=True).start()

    def _tend(self) -> None:
        while True:
            with self._state:
                while self._connection is not None and self._is_needed:
                    self._state.wait()
                if not self._is_needed:
                    self._tending = False
                    return
                pause = self._again_at - time.monotonic()
                if pause > 0:
                    self._state.wait(pause)
                    continue
            try:
                self._connected()
            except AgentUnavailable as error:
                log.warning("%s", error.message)

    def _take_event(self, header: Mapping[str, Any], data: bytes) -> None:
        """Take what was not requested one by one. Only what was asked for is accepted."""
        if header.get("event") == "machine":
            self._take_report(data)
        else:
            self._take_news(header, data)

    def _take_report(self, data: bytes) -> None:
        with self._state:
            machine = self._machine
            if not self._machine_asked:
                raise BadFrame("a report that nobody asked for")
        if machine is not None:
            machine[1](json_object(data))

    def _take_news(self, header: Mapping[str, Any], data: bytes) -> None:
        """Take what a watched file has grown by, or that it cannot be watched."""
        key, kind = header.get("key"), header.get("event")
        with self._state:
            watch = self._by_key.get(key) if type(key) is int else None
            if watch is None:
                if key in self._forgotten:
                    return
                raise BadFrame("a file that nobody asked for")
        if kind == "grown":
            if header.get("at") != watch.offset or not data:
                raise BadFrame("bytes of another place of a file")
            watch.grown(watch.path, watch.offset, data)
            watch.offset += len(data)
        elif kind == "failed":
            try:
                AgentAnswer((dict(header), data)).check()
                raise BadFrame("a file that failed without a reason")
            except OSError as error:
                problem = error
            with self._state:
                if self._by_key.pop(watch.key, None) is not None:
                    self._watches.pop(watch.path, None)
            watch.failed(watch.path, problem)
        else:
            raise BadFrame("an event that is not known")


def _open_gate(seconds: float) -> AbstractContextManager[None]:
    return nullcontext()


def _expect_success(frame: Frame) -> None:
    AgentAnswer(frame).check()
