"""Runners that are processes of other people: started, watched and ended through their agents.

Each person has a thread, as an agent may not answer. What it finds out is stored as new entries.
"""

import logging
import signal
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass

from paddock.agents.answers import FarProcess
from paddock.agents.link import Link
from paddock.agents.links import Links
from paddock.agents.places import below_root
from paddock.backends.processes import MARK
from paddock.errors import AgentUnavailable

log = logging.getLogger("paddock.local")


@dataclass(frozen=True)
class FarRunner:
    """A runner as a person's thread needs it."""

    key: str
    folder: str
    argv: Sequence[str]
    environment: Mapping[str, str]
    process: FarProcess | None  # None: it may not have been started
    cancelled: bool  # it was told to end
    overdue: bool  # and has not ended in time


@dataclass(frozen=True)
class FarNews:
    """What was found out about a runner."""

    process: FarProcess | None = None
    ended: bool = False
    failed: str | None = None  # why it could not be started
    waits: str | None = None  # why nothing is known at the moment


class FarRunners:
    """Looks after the runners of all people, at most one look per person at a time."""

    def __init__(self, links: Links, heard: Callable[[str, FarNews], None]) -> None:
        """`heard` is called in the threads."""
        self._links, self._heard = links, heard
        self._threads: dict[str, ThreadPoolExecutor] = {}
        self._looks: dict[str, Future[None]] = {}

    def look(self, user: str, runners: Sequence[FarRunner]) -> None:
        """Start those that have not started, end those that are to end, and see which have ended."""
        if runners and (user not in self._looks or self._looks[user].done()):
            self._looks[user] = self._thread(user).submit(self._look, user, list(runners))

    def terminate(self, user: str, process: FarProcess) -> None:
        """Have a runner end its tasks, then itself."""
        self._thread(user).submit(self._terminate, user, process)

    def _thread(self, user: str) -> ThreadPoolExecutor:
        if user not in self._threads:
            self._threads[user] = ThreadPoolExecutor(1, thread_name_prefix=f"runners of {user}")
        return self._threads[user]

    def _terminate(self, user: str, process: FarProcess) -> None:
        try:
            self._links.get(user).signal(process, signal.SIGTERM)
        except (AgentUnavailable, OSError) as error:
            log.warning("a runner of %s cannot be told to end, and will be: %s", user, error)

    def _look(self, user: str, runners: Sequence[FarRunner]) -> None:
        left = list(runners)
        try:
            link = self._links.get(user)
            started = [one for one in runners if one.process is not None]
            alive = link.alive([one.process for one in started if one.process is not None]) if started else []
            for one, lives in zip(started, alive, strict=True):
                if not lives or one.overdue:
                    self._heard(one.key, FarNews(ended=_end(link, one)))
                left.remove(one)
            for one in list(left):
                self._heard(one.key, _start(link, one))
                left.remove(one)
        except AgentUnavailable as error:
            for one in left:
                self._heard(one.key, FarNews(waits=error.message))
        except Exception:
            log.exception("the runners of %s cannot be looked after; trying again", user)


def _start(link: Link, one: FarRunner) -> FarNews:
    """Start a runner, unless an earlier request has."""
    found = link.find(MARK, one.key)
    if found:
        return FarNews(process=found[0])  # the others are its children
    if one.cancelled:
        return FarNews(ended=True)
    try:
        folder = below_root(link, one.folder)
        process = link.start(one.argv, env=one.environment, cwd=folder, log=f"{folder}/out.log")
    except OSError as error:
        return FarNews(ended=True, failed=f"the runner: {error}")
    return FarNews(process=process)


def _end(link: Link, one: FarRunner) -> bool:
    """Kill what a runner has left. Returns False if something does not die at once."""
    until = time.monotonic() + 5
    while left := link.find(MARK, one.key):
        for process in left:
            link.signal(process, signal.SIGKILL)
        if time.monotonic() > until:
            return False
    return True
