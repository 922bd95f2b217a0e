"""Hooks: what an admin wants to be done outside Paddock when something happens. A webhook, or a command.

They are in the settings of the server, so only who has its home can set them; the URL may be any, also in the own
network. What is in an event comes from people: it is data of JSON, and never part of a command line.
"""

import hashlib
import hmac
import json
import logging
import os
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from queue import Full, Queue
from tempfile import TemporaryFile
from typing import Any
from urllib.parse import urlsplit

from paddock.server.notify.texts import one_line
from paddock.settings import HookSettings

SIGNATURE = "X-Paddock-Signature"
AT_ONCE = 4
WAITING = 1_000  # events in memory; more are not called, and that is the outcome
LONGEST_DETAIL = 300
_KEPT = ("PATH", "HOME", "LANG", "LC_ALL", "TMPDIR", "USER", "LOGNAME")
_OUTPUT = 64 * 1024  # bytes of what a command prints that are read
log = logging.getLogger("paddock.hooks")


@dataclass(frozen=True)
class HookOutcome:
    """What became of a call."""

    ok: bool
    detail: str = ""


def call(hook: HookSettings, event: Mapping[str, Any], home: Path) -> HookOutcome:
    """Call a hook with an event, and wait for it up to its limit of time; never raise.

    Not in a thread that others wait for, and not in a transaction.
    """
    try:
        body = json.dumps(event, ensure_ascii=True, default=str).encode()
        found = _post(hook, body, home) if hook.url else _run(hook, body)
    except Exception as error:
        found = HookOutcome(False, f"{type(error).__name__}: {error}")
    return HookOutcome(found.ok, one_line(found.detail, LONGEST_DETAIL))


def sign(key: bytes, body: bytes) -> str:
    """Return the value of the header by which a receiver knows that the body is from this server."""
    return "sha256=" + hmac.new(key, body, hashlib.sha256).hexdigest()


def _post(hook: HookSettings, body: bytes, home: Path) -> HookOutcome:
    import httpx2  # takes a while, and most servers have no hooks

    headers = {"Content-Type": "application/json", "User-Agent": "paddock"}
    if hook.secret_file is not None:
        try:
            key = (home / hook.secret_file).read_bytes().strip()
        except OSError as error:
            return HookOutcome(False, f"the file of its secret cannot be read: {error.strerror}")
        if not key:
            return HookOutcome(False, "the file of its secret is empty")
        headers[SIGNATURE] = sign(key, body)
    ends = time.monotonic() + hook.seconds
    with (
        httpx2.Client(timeout=hook.seconds, follow_redirects=False) as client,
        client.stream("POST", hook.url or "", content=body, headers=headers) as reply,
    ):
        for _ in reply.iter_raw(_OUTPUT):  # the answer may never end
            if time.monotonic() > ends:
                break
            if reply.num_bytes_downloaded > _OUTPUT:
                break
        return HookOutcome(reply.is_success, f"HTTP {reply.status_code}")


def _run(hook: HookSettings, body: bytes) -> HookOutcome:
    # Files, not pipes: what the command leaves behind may keep a pipe open for ever.
    with TemporaryFile() as given, TemporaryFile() as printed:
        given.write(body)
        given.seek(0)
        kept = {name: os.environ[name] for name in _KEPT if name in os.environ}
        process = subprocess.Popen(
            hook.command, stdin=given, stdout=printed, stderr=printed, env=kept, cwd="/", start_new_session=True
        )
        try:
            code = process.wait(hook.seconds)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            return HookOutcome(False, f"it took longer than {hook.seconds:g} s, and was ended")
        printed.seek(0)
        said = printed.read(_OUTPUT).decode(errors="replace")
    return HookOutcome(code == 0, said if code == 0 else f"exit status {code}: {said}")


class HookRunner:
    """Calls hooks in threads of its own, so that nobody waits for one that hangs."""

    def __init__(self, home: Path) -> None:
        self._home = home
        self._waiting: Queue[tuple[HookSettings, dict[str, Any], Callable[[HookOutcome], None]]] = Queue(WAITING)
        self._threads: list[threading.Thread] = []
        self._closed = threading.Event()

    def submit(
        self, hook: HookSettings, event: Mapping[str, Any], then: Callable[[HookOutcome], None] = lambda outcome: None
    ) -> None:
        """Call a hook soon; `then` gets the outcome, in a thread of the runner, or at once if too many wait."""
        try:
            self._waiting.put_nowait((hook, dict(event), then))
        except Full:
            then(HookOutcome(False, "too many calls of hooks wait"))
            return
        if len(self._threads) < AT_ONCE:  # of one thread, the engine's
            self._threads.append(threading.Thread(target=self._serve, name="hook", daemon=True))
            self._threads[-1].start()

    def _serve(self) -> None:
        while True:
            hook, event, then = self._waiting.get()
            if self._closed.is_set():
                return
            outcome = call(hook, event, self._home)
            if not outcome.ok:
                log.warning("the hook %s failed: %s", name_of(hook), outcome.detail)
            try:
                then(outcome)
            except Exception:
                log.exception("the outcome of the hook %s could not be recorded", name_of(hook))

    def close(self) -> None:
        """Begin no further call, and wait for none: the threads end with the server."""
        self._closed.set()


def name_of(hook: HookSettings) -> str:
    """Return how a hook is called in logs: without what may be secret."""
    return urlsplit(hook.url).hostname or "webhook" if hook.url else hook.command[0]
