"""Run kubectl, with limits on time and output, and classify its errors."""

import json
import logging
import os
import re
import shlex
import signal
import subprocess
import tempfile
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from typing import IO

from paddock.common import variables
from paddock.errors import BackendBusy, BackendError, BackendUnavailable
from paddock.settings import KubernetesSettings

log = logging.getLogger("paddock.kubernetes")

MOST_OUTPUT = 128 * 1024**2  # bytes: some thousands of pods
MOST_COMPLAINT = 64 * 1024
_PIECE = 1024**2
_LONGEST = 500  # characters of a message

_SERVER = re.compile(r"Error from server(?: \((\w+)\))?: (.*)")
_QUOTA = re.compile(r"exceeded quota", re.IGNORECASE)
_UNUSED = re.compile(r"used: (?:[\w./-]+=0[a-zA-Z]*,?)+(?:\s|$)")
_RIGHTS = re.compile(r"User \S+ cannot |cannot (?:create|list|get|delete|patch) resource")
# What the server says while it cannot do its work, or does not know who we are.
_PASSES = ("Timeout", "ServerTimeout", "TooManyRequests", "InternalError", "ServiceUnavailable", "Unauthorized")
_PASSING = re.compile(
    r"etcdserver|connection refused|timed out|i/o timeout|unable to return a response|being terminated"
)


@dataclass(frozen=True)
class KubectlResult:
    out: str
    err: str
    code: int


class Kubectl:
    """The cluster as kubectl sees it. `calls` counts commands, for tests."""

    def __init__(self, settings: KubernetesSettings) -> None:
        self._settings = settings
        self.calls = 0

    def run(self, *argv: str, given: object = None) -> str:
        """Run a command and return its output. Raises BackendError with the command's message."""
        result = self.try_run(*argv, given=given)
        if result.code:
            raise complaint(result.err)
        return result.out

    def read(self, *argv: str) -> object:
        """Run a command that prints JSON, and return that. Raises BackendUnavailable if it is none."""
        try:
            return json.loads(self.run(*argv, "-o", "json"))
        except (ValueError, RecursionError):
            raise BackendUnavailable("kubectl printed something that is not JSON: see the server's log") from None

    def try_run(self, *argv: str, given: object = None) -> KubectlResult:
        """Run a command, with `given` as JSON on its standard input. Raises BackendUnavailable if it takes too long."""
        self.calls += 1
        whole = self._whole(argv)
        log.debug("%s", shlex.join(whole))
        with tempfile.TemporaryFile() as stdin:
            stdin.write(b"" if given is None else json.dumps(given).encode())
            stdin.seek(0)
            try:
                process = subprocess.Popen(
                    whole,
                    stdin=stdin,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.PIPE,
                    # Plugins that sign in may need what is in the environment; nothing of it gets into pods.
                    env=variables.ordinary(os.environ),
                    start_new_session=True,
                )
            except OSError as error:
                raise BackendUnavailable(f"`{whole[0]}` cannot be run ({error.strerror}): is it installed?") from None
            return self._finish(process)

    def _finish(self, process: subprocess.Popen[bytes]) -> KubectlResult:
        with process, ThreadPoolExecutor(2) as pool:
            out = pool.submit(_up_to, process.stdout, MOST_OUTPUT)
            err = pool.submit(_up_to, process.stderr, MOST_COMPLAINT)
            try:
                code = process.wait(self._settings.command_seconds)
            except subprocess.TimeoutExpired:
                waited = f"{self._settings.command_seconds:g} s"
                raise BackendUnavailable(f"kubectl did not answer within {waited}") from None
            finally:  # also what it has started, which would keep its output open
                with suppress(ProcessLookupError):
                    os.killpg(process.pid, signal.SIGKILL)
            said, complained = out.result(), err.result()
        if said is None:
            raise BackendUnavailable(f"kubectl printed more than {MOST_OUTPUT // 1024**2} MiB")
        return KubectlResult(said.decode(errors="replace"), (complained or b"").decode(errors="replace"), code)

    def _whole(self, argv: Sequence[str]) -> list[str]:
        settings = self._settings
        options = [f"--request-timeout={settings.command_seconds:g}s"]
        options += [f"--kubeconfig={settings.kubeconfig.expanduser()}"] if settings.kubeconfig else []
        options += [f"--context={settings.context}"] if settings.context else []
        options += [f"--namespace={settings.namespace}"] if settings.namespace else []
        whole = [settings.kubectl, *options, *argv]
        prefix = settings.prefix
        # On the other side of ssh is a shell.
        far = bool(prefix) and os.path.basename(prefix[0]) == "ssh"  # noqa: PTH119
        return [*prefix, *([shlex.join(whole)] if far else whole)]


def _up_to(stream: IO[bytes] | None, most: int) -> bytes | None:
    """Read a stream to its end; None if it is longer, then the rest is thrown away."""
    parts, size = [], 0
    while stream is not None and (piece := os.read(stream.fileno(), _PIECE)):
        size += len(piece)
        if size <= most:
            parts.append(piece)
    return b"".join(parts) if size <= most else None


def complaint(said: str) -> BackendError:
    """Return the error for what a failed command printed."""
    text = message(said)
    found = _SERVER.search(said)
    if found is None:
        return BackendUnavailable(text)
    kind = found[1] or ""
    if _QUOTA.search(said):  # what is more than the whole quota never fits
        return BackendError(text) if _UNUSED.search(said) else BackendBusy(text)
    if kind in _PASSES or _PASSING.search(said):
        return BackendUnavailable(text)
    if _RIGHTS.search(said):
        return BackendUnavailable(f"{text} (docs/kubernetes.md lists the rights that are needed)")
    if kind == "NotFound" and "namespaces" in said:
        return BackendUnavailable(text)
    return BackendError(text)


def message(said: str) -> str:
    """Return the part of what a command printed that a person has to read."""
    lines = [line.strip() for line in said.splitlines() if line.strip() and not line.startswith("Warning:")]
    text = "; ".join(dict.fromkeys(lines[-3:])) or "kubectl failed without a message"
    return re.sub(r"[\x00-\x1f\x7f-\x9f]+", " ", text)[:_LONGEST]
