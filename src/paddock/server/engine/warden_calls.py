"""Reach the owner of a process on some node, and the process itself: through the warden there, or as that person.

The warden is one file (agents/warden.py) in both cases. With root's rights it is the way that a person cannot turn
away; so it is tried first. Started by a person's agent, it has that person's rights.
"""

import json
import os
import pwd
import subprocess
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from paddock.agents import warden
from paddock.agents.link import Link
from paddock.agents.links import Links
from paddock.errors import PaddockError
from paddock.login import pam
from paddock.server.notify.texts import one_line
from paddock.server.outposts.registry import Fleet
from paddock.settings import Settings

SECONDS = warden.SECONDS + 5.0
MOST_ANSWER = 65_536
LONGEST_DETAIL = 300
Way = Callable[[bytes], bytes]


@dataclass(frozen=True)
class ReachOutcome:
    """What became of it."""

    ok: bool
    detail: str


class WardenCalls:
    """Any thread may use it. Every call ends after a while, whatever hangs."""

    def __init__(self, settings: Settings, links: Links | None, fleets: Mapping[str, Fleet] | None) -> None:
        self._settings, self._links, self._fleets = settings, links, dict(fleets or {})

    def write(self, backend: str, host: str, user: str, text: str) -> ReachOutcome:
        """Show a text on the terminals of a person on a node."""
        answer, problem = self._ask(backend, host, user, {"op": "write", "name": user, "text": text})
        if answer is None:
            return ReachOutcome(False, problem)
        written, refused = answer.get("written"), answer.get("refused")
        if written:
            return ReachOutcome(True, f"on {written} terminal{'s' if written != 1 else ''}")
        why = "their terminals take no messages" if refused else "they have no terminal there"
        return ReachOutcome(False, why)

    def end(self, backend: str, host: str, user: str, pid: int, start: int, signal: str) -> ReachOutcome:
        """Send TERM or KILL to exactly this process of this person."""
        request = {"op": "end", "name": user, "pid": pid, "start": start, "signal": signal}
        answer, problem = self._ask(backend, host, user, request)
        if answer is None:
            return ReachOutcome(False, problem)
        if answer.get("sent") is not True:
            return ReachOutcome(False, "it has ended already")
        return ReachOutcome(True, f"SIG{signal} was sent to process {pid}")

    def _ask(self, backend: str, host: str, user: str, request: dict[str, Any]) -> tuple[dict[str, Any] | None, str]:
        """Return the first answer that there is; without one, what was wrong with each way."""
        line, problems = json.dumps(request).encode() + b"\n", []
        for name, way in self._ways(backend, host, user):
            try:
                answer = json.loads(way(line)[:MOST_ANSWER])
                if isinstance(answer, dict) and answer.get("ok") is True:
                    return answer, ""
                error = answer.get("error") if isinstance(answer, dict) else None
                problems.append(f"{name}: {error or 'it gave no answer'}")
            except PaddockError as error:
                problems.append(f"{name}: {error.message}")
            except (OSError, ValueError, RecursionError) as error:
                problems.append(f"{name}: {error or 'it gave no answer'}")
        return None, one_line("; ".join(problems) or "there is no way to reach them", LONGEST_DETAIL)

    def _ways(self, backend: str, host: str, user: str) -> Iterator[tuple[str, Way]]:
        team, fleet = self._settings.team, self._fleets.get(backend)
        if fleet is not None:
            settings = self._settings.fleets[backend]
            yield "the warden", lambda line: _far(fleet.get(host), team.warden, line)
            yield "the agent", lambda line: _far(fleet.get(host, user), _program(settings.python), line)
            return
        if user != own_name():
            yield "the warden", lambda line: _near(team.warden, line)
        if user == own_name() or os.geteuid() == 0:
            yield "the server", lambda line: _near(pam.here(), line)
        elif self._links is not None and team.run_as == "user":
            links = self._links
            yield "the agent", lambda line: _far(links.get(user), _program("python3"), line)


def _near(argv: Sequence[str], line: bytes) -> bytes:
    kept = {"PATH": os.environ.get("PATH", os.defpath), "LC_ALL": "C"}
    pipe = subprocess.PIPE
    with subprocess.Popen(argv, stdin=pipe, stdout=pipe, stderr=pipe, cwd="/", env=kept) as process:
        try:
            out, errors = process.communicate(line, SECONDS)
        except subprocess.TimeoutExpired:
            with suppress(PermissionError):  # one of root's ends by its own alarm
                process.kill()
            raise TimeoutError("it did not answer") from None
    if not out:
        raise OSError(errors.decode(errors="replace") or f"it ended with code {process.returncode}")
    return out


def _far(link: Link, argv: Sequence[str], line: bytes) -> bytes:
    done = link.run(argv, stdin=line, seconds=SECONDS, most=MOST_ANSWER)
    if not done.out:
        raise OSError(done.err.decode(errors="replace") or f"it ended with code {done.code}")
    return done.out


@cache
def _program(python: str) -> list[str]:
    """Return the command line of the warden for a person: its text, as the file may not be there."""
    return [python, "-IS", "-c", Path(str(warden.__file__)).read_text()]


@cache
def own_name() -> str | None:
    """Return the Unix account of this server."""
    try:
        return pwd.getpwuid(os.geteuid()).pw_name
    except KeyError:
        return None
