"""One process of an agent: start it, send requests, take its answers. Nothing that it sends is trusted.

The person whose process it is can replace or trace it. So whatever arrives is bounded and checked, every wait has an
end, and a wrong answer ends this connection and nothing else.
"""

import contextlib
import json
import math
import os
import selectors
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from paddock.common.frames import BadFrame, Frame, Frames, encode
from paddock.errors import AgentUnavailable
from paddock.runner import build

COMPLAINT_BYTES = 2_000  # of what it writes to its standard error
STALLED_SECONDS = 1.0  # that a request waits when an earlier one had no answer in time and nothing has come since
MOST_ABANDONED = 1_000  # answers that may still come although nobody waits for them
CHUNK = 262_144
LOOK_SECONDS = 30.0  # after this, whether the connection is still needed is looked at
LEAVE_SECONDS = 2.0  # that the process of a far end on another machine has to leave by itself
_ENVIRONMENT = {"PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "LANG": "C.UTF-8"}


@dataclass
class _Waiting:
    then: Callable[[Frame], None] | None = None  # called with the answer, instead of somebody who waits for it
    done: threading.Event = field(default_factory=threading.Event)
    answer: Frame | None = None  # None after `done`: the connection ended


class AgentGone(AgentUnavailable):
    """The agent ended before it had answered."""


class AgentConnection:
    """A started agent. Any thread may ask; events and the end are reported in a thread of the connection's own."""

    def __init__(
        self,
        *,
        event: Callable[[Mapping[str, Any], bytes], None],
        ended: Callable[["AgentConnection"], None],
        idle: Callable[[], float],
        silent_seconds: float | None = None,
    ) -> None:
        """`idle` returns for how long the connection may go on without anything that arrives.

        `silent_seconds`: for a far end on another machine. It is asked from time to time whether it is there; if
        nothing arrives for this long, the connection ends. Its process here, which is ssh, is killed if it stays.
        """
        self.problem: str | None = None  # why it ended; None: it runs, or was closed
        self.over = False  # everything that it had sent is taken
        self._event, self._ended, self._idle, self._silent_seconds = event, ended, idle, silent_seconds
        self._process: subprocess.Popen[bytes] | None = None
        self._waiting: dict[int, _Waiting] = {}
        self._abandoned: set[int] = set()
        self._number = 0
        self._stalled = False
        self._arrived = 0  # how often something has come
        self._heard_at = 0.0  # when it last did
        self._pinged = False  # since then
        self._complaint = b""
        self._lock = threading.Lock()  # of what is above
        self._writing = threading.Lock()
        self._closed = True
        self._wake = self._waker = self._input = self._output = self._errors = -1

    def begin(self, argv: Sequence[str], folder: str, seconds: float, environment: Mapping[str, str]) -> None:
        """Start the agent and wait until it is ready. `environment` is what it gets beside a PATH."""
        try:
            self._process = process = subprocess.Popen(
                list(argv),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                bufsize=0,
                cwd="/",
                env={**_ENVIRONMENT, **environment},
                start_new_session=True,  # a Ctrl-C in the server's terminal is not for it
            )
        except OSError as error:
            raise AgentUnavailable(f"{argv[0]} cannot be started: {error.strerror}") from None
        streams = [one.fileno() for one in (process.stdin, process.stdout, process.stderr) if one is not None]
        self._input, self._output, self._errors = streams
        self._wake, self._waker = os.pipe()
        self._closed = False
        for descriptor in streams:
            os.set_blocking(descriptor, False)
        try:
            self._load(folder, time.monotonic() + seconds)
        except AgentGone:  # it ended before it had read what was sent: why is in what it wrote
            self._last_words()
            self._release()
            self._end_process(0.0)
            raise AgentUnavailable(self._with_complaint("it could not be started")) from None
        except BaseException:
            self._release()
            self._end_process(0.0)
            raise
        self._heard_at = time.monotonic()
        threading.Thread(target=self._read, name="agent", daemon=True).start()

    @property
    def has_left(self) -> bool:
        """Return True if its process has ended."""
        return self._process is None or self._process.poll() is not None

    # --- asking -------------------------------------------------------------------------------------------------------

    @property
    def open(self) -> bool:
        return not self._closed

    @property
    def asked(self) -> bool:
        """Return True if somebody waits for an answer."""
        with self._lock:
            return any(one.then is None for one in self._waiting.values())

    def ask(self, op: str, fields: Mapping[str, Any], data: bytes = b"", *, seconds: float) -> Frame:
        """Send a request and return its answer. Raise AgentUnavailable if there is none in time."""
        waiting, arrived = _Waiting(), self._arrived
        seconds = min(seconds, STALLED_SECONDS) if self._stalled else seconds
        until = time.monotonic() + seconds
        number = self._send(op, fields, data, until, waiting)
        if waiting.done.wait(max(until - time.monotonic(), 0.0)):
            if waiting.answer is None:
                raise AgentGone(self.problem or "it ended before it had answered")
            return waiting.answer
        with self._lock:
            if self._waiting.pop(number, None) is not None:
                self._abandoned.add(number)
        if waiting.answer is not None:
            return waiting.answer
        self._stalled = self._arrived == arrived
        if len(self._abandoned) > MOST_ABANDONED:
            self.close("it does not answer")
        raise AgentUnavailable(f"it did not answer `{op}` within {seconds:g} s")

    def tell(self, op: str, fields: Mapping[str, Any], then: Callable[[Frame], None], *, seconds: float) -> None:
        """Send a request and do not wait: `then` gets the answer, in the connection's thread."""
        self._send(op, fields, b"", time.monotonic() + seconds, _Waiting(then))

    def _send(self, op: str, fields: Mapping[str, Any], data: bytes, until: float, waiting: _Waiting) -> int:
        with self._lock:
            self._number += 1
            number = self._number
            self._waiting[number] = waiting
        try:
            self._write(encode({**fields, "op": op, "id": number}, data), until)
        except BadFrame as error:
            with self._lock:
                self._waiting.pop(number, None)
            raise AgentUnavailable(f"the request `{op}` cannot be sent: {error}") from None
        except AgentUnavailable:
            with self._lock:
                self._waiting.pop(number, None)
            raise
        return number

    def _write(self, data: bytes, until: float) -> None:
        """Write a whole frame. Half of one makes the connection useless, so that ends it."""
        if not self._writing.acquire(timeout=max(until - time.monotonic(), 0.0)):
            raise AgentUnavailable("it does not read what it is sent")
        try:
            self._pour(data, until)
        except AgentUnavailable as error:
            self.close(error.message)
            raise
        finally:
            self._writing.release()

    def _pour(self, data: bytes, until: float) -> None:
        view = memoryview(data)
        with selectors.DefaultSelector() as selector:
            registered = False
            while view:
                if self._closed:
                    raise AgentGone(self.problem or "it has ended")
                try:
                    view = view[os.write(self._input, view) :]
                except BlockingIOError:
                    if not registered:
                        selector.register(self._input, selectors.EVENT_WRITE)
                        registered = True
                    left = until - time.monotonic()
                    if left <= 0:
                        raise AgentUnavailable("it does not read what it is sent") from None
                    selector.select(min(left, 1.0))
                except OSError:
                    raise AgentGone("it has ended") from None

    # --- its start ----------------------------------------------------------------------------------------------------

    def _load(self, folder: str, until: float) -> None:
        """Tell the loader which program to run, and send the program if the loader has none of that digest."""
        program, digest = build.archive(), build.archive_digest()
        header = {"digest": digest, "length": len(program), "folder": folder}
        self._pour(json.dumps(header).encode() + b"\n", until)
        answer = self._line(until)
        if answer == b"send":
            self._pour(program, until)
            answer = self._line(until)
        if answer != b"ready":
            raise AgentUnavailable(f"its loader answered {answer[:80].decode(errors='replace')!r}")

    def _line(self, until: float) -> bytes:
        """Return the next short line that the loader writes. No byte after it is read."""
        line = b""
        with selectors.DefaultSelector() as selector:
            selector.register(self._output, selectors.EVENT_READ)
            selector.register(self._errors, selectors.EVENT_READ)
            while len(line) < 200:
                left = until - time.monotonic()
                if left <= 0:
                    raise AgentUnavailable(self._with_complaint("it did not start in time"))
                for key, _ in selector.select(left):
                    if key.fd == self._errors:
                        if not self._take_complaint():
                            selector.unregister(self._errors)
                        continue
                    got = os.read(self._output, 1)
                    if not got:
                        self._last_words()
                        raise AgentUnavailable(self._with_complaint("it could not be started"))
                    if got == b"\n":
                        return line
                    line += got
        raise AgentUnavailable("its loader does not answer as expected")

    def _last_words(self) -> None:
        """Take what it wrote to its standard error before it ended."""
        self.join(1.0)
        while self._take_complaint():
            pass

    def _take_complaint(self) -> bool:
        """Keep the end of what it writes to its standard error. Return False when nothing more comes."""
        try:
            got = os.read(self._errors, CHUNK)
        except BlockingIOError:
            return False
        self._complaint = (self._complaint + got)[-COMPLAINT_BYTES:]
        return bool(got)

    def _with_complaint(self, what: str) -> str:
        lines = self._complaint.decode(errors="replace").strip().splitlines()
        text = "".join(one if one.isprintable() else "?" for one in lines[-1]) if lines else ""
        return f"{what}: {text}" if text else what

    # --- what arrives -------------------------------------------------------------------------------------------------

    def _read(self) -> None:
        """Take answers and events until the connection ends."""
        frames = Frames()
        try:
            with selectors.DefaultSelector() as selector:
                selector.register(self._output, selectors.EVENT_READ)
                selector.register(self._errors, selectors.EVENT_READ)
                selector.register(self._wake, selectors.EVENT_READ)
                while not self._closed and (left := min(self._idle(), self._listen())) > 0:
                    for key, _ in selector.select(min(left, LOOK_SECONDS)):
                        if key.fd == self._wake:
                            return
                        if key.fd == self._errors:
                            if not self._take_complaint():
                                selector.unregister(self._errors)
                        elif not self._take(frames):
                            return
        except BadFrame as error:
            self.problem = self.problem or f"it sent {error}"
        except Exception as error:
            self.problem = self.problem or f"what it sent could not be taken: {error}"
        finally:
            self.close()
            self._release()
            self._ended(self)
            self._end_process(LEAVE_SECONDS)

    def _listen(self) -> float:
        """Return for how long nothing may arrive before this is to be called again; 0: it has been silent too long."""
        if self._silent_seconds is None:
            return math.inf
        quiet = time.monotonic() - self._heard_at
        if quiet >= self._silent_seconds:
            self.problem = self.problem or f"nothing was heard of it for {self._silent_seconds:g} s"
            return 0.0
        if quiet >= self._silent_seconds / 3 and not self._pinged:
            self._pinged = self._ping()
        return self._silent_seconds / 6

    def _ping(self) -> bool:
        """Ask something that is answered at once, without ever waiting: in the thread that reads nothing may."""
        if not self._writing.acquire(blocking=False):
            return False
        try:
            with self._lock:
                self._number += 1
                number = self._number
                self._waiting[number] = _Waiting(lambda frame: None)
            os.write(self._input, encode({"op": "alive", "processes": [], "id": number}))  # short: all of it or nothing
        except OSError:
            with self._lock:
                self._waiting.pop(number, None)
            return False
        finally:
            self._writing.release()
        return True

    def _take(self, frames: Frames) -> bool:
        """Take what can be read now. Return False at the end."""
        try:
            got = os.read(self._output, CHUNK)
        except BlockingIOError:
            return True
        if not got:
            if not self._closed:
                self._last_words()
                self.problem = self.problem or self._with_complaint("it has ended")
            return False
        self._arrived += 1
        self._pinged = self._stalled = False
        for header, data in frames.feed(got):
            if self._closed:
                return False
            self._take_frame(header, data)
        self._heard_at = time.monotonic()  # now: it may have taken long to take it
        return True

    def _take_frame(self, header: Mapping[str, Any], data: bytes) -> None:
        number = header.get("id")
        if number is None:
            self._event(header, data)
            return
        with self._lock:
            waiting = self._waiting.pop(number, None) if type(number) is int else None
            late = type(number) is int and number in self._abandoned
            if late:
                self._abandoned.discard(number)
        if waiting is None:
            if not late:
                raise BadFrame("an answer that nobody asked for")
        elif waiting.then is not None:
            waiting.then((dict(header), data))
        else:
            waiting.answer = (dict(header), data)
            waiting.done.set()

    # --- its end ------------------------------------------------------------------------------------------------------

    def close(self, problem: str | None = None) -> None:
        """Have it leave: its standard input ends. It is not killed here, as that would orphan it behind sudo."""
        with self._lock:
            if self._closed:
                return
            self._closed = True
            self.problem = self.problem or problem
            os.write(self._waker, b"x")

    def _release(self) -> None:
        """Close what is open, and tell everybody who waits. Only in the thread that reads, or before that has begun."""
        with self._lock:
            self._closed = True
            waiting, self._waiting = list(self._waiting.values()), {}
        for one in waiting:
            one.done.set()
        with self._writing:
            for stream in (self._process.stdin, self._process.stdout, self._process.stderr) if self._process else ():
                if stream is not None:
                    stream.close()
        with self._lock:
            os.close(self._wake)
            os.close(self._waker)

    def _end_process(self, seconds: float) -> None:
        """Kill the process of a far end on another machine if it does not leave: what is behind it sees its end."""
        if self._silent_seconds is not None and self._process is not None and not self.join(seconds):
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self._process.pid, signal.SIGKILL)
            self.join(1.0)

    def join(self, seconds: float) -> bool:
        """Wait until the process has left. Return False if it does not."""
        if self._process is not None:
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._process.wait(seconds)
        return self.has_left
