"""Runs the process that sends messages (`sender`), with a limit of time."""

import json
import os
import subprocess
import sys
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from paddock.server.notify.addresses import Target
from paddock.settings import NotifySettings

START_SECONDS = 30.0  # of the process, on a busy machine
MESSAGE_SECONDS = 45.0
_PROXIES = ("http_proxy", "https_proxy", "all_proxy")
_KEPT = ("PATH", "HOME", "LANG", "LC_ALL", "TMPDIR", "SSL_CERT_FILE", "SSL_CERT_DIR", "REQUESTS_CA_BUNDLE")


@dataclass(frozen=True)
class Message:
    target: Target
    title: str = ""
    body: str = ""


@dataclass(frozen=True)
class Delivery:
    """What became of a message, or of the check of an address."""

    ok: bool
    problem: str | None = None
    refused: bool = False  # it will not be sent later either
    shown: str = ""  # the address without its secrets


class Sending:
    """Starts such processes, and ends those that run when the server ends."""

    def __init__(self, settings: NotifySettings) -> None:
        self._settings = settings
        self._running: set[subprocess.Popen[str]] = set()
        self._lock = threading.Lock()
        self._closed = False

    def send(self, messages: Sequence[Message]) -> list[Delivery | None]:
        """Send messages that are all trusted, or all not. None: it was not tried, as one before it took too long."""
        return self._run(messages, check=False)

    def check(self, target: Target) -> Delivery:
        """Return whether an address may be used, and how it is shown."""
        return self._run([Message(target)], check=True)[0] or Delivery(False, "it could not be checked: try again")

    def close(self) -> None:
        with self._lock:
            self._closed = True
            for process in self._running:
                process.kill()

    def _run(self, messages: Sequence[Message], *, check: bool) -> list[Delivery | None]:
        trusted = messages[0].target.trusted
        seconds = START_SECONDS + MESSAGE_SECONDS * len(messages)
        asked = {
            "check": check,
            "seconds": seconds,
            "schemes": None if trusted else self._settings.schemes,
            "hosts": None if trusted else [*self._settings.hosts, *_proxy_hosts()],
            "messages": [{"url": one.target.url, "title": one.title, "body": one.body} for one in messages],
        }
        lines = self._output(json.dumps(asked), seconds).splitlines()
        found: list[Delivery | None] = [_outcome(line) for line in lines[: len(messages)]]
        if len(found) < len(messages):
            found.append(Delivery(False, "there was no answer in time"))
        return found + [None] * (len(messages) - len(found))

    def _output(self, asked: str, seconds: float) -> str:
        with self._lock:
            if self._closed:
                return ""
            process = subprocess.Popen(
                [sys.executable, "-m", "paddock.server.notify.sender"],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                env=_environment(),
                cwd="/",
                text=True,
                start_new_session=True,
            )
            self._running.add(process)
        try:
            return process.communicate(asked, timeout=seconds)[0]
        except subprocess.TimeoutExpired:
            process.kill()
            return process.communicate()[0]
        finally:
            with self._lock:
                self._running.discard(process)


def _outcome(line: str) -> Delivery:
    found: dict[str, Any] = json.loads(line)
    return Delivery(**found)


def _proxy_hosts() -> list[str]:
    """Return the hosts of proxies, which connect to the others in place of this machine."""
    named = [os.environ.get(name) or os.environ.get(name.upper()) or "" for name in _PROXIES]
    return [host for one in named if (host := urlsplit(one if "//" in one else f"//{one}").hostname)]


def _environment() -> dict[str, str]:
    """Return a minimal environment in which Python finds the same modules."""
    kept = (*_KEPT, *_PROXIES, *(name.upper() for name in _PROXIES), "no_proxy", "NO_PROXY")
    found = os.pathsep.join(path for path in sys.path if os.path.isabs(path))  # noqa: PTH117
    return {name: os.environ[name] for name in kept if name in os.environ} | {"PYTHONPATH": found}
