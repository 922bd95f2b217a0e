"""Runners behind agents, of other people or on other machines: started, watched and ended there.

Each agent has a thread, as an agent may not answer. What it finds out is stored as new entries.
"""

import logging
import signal
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import NamedTuple

from paddock.agents.answers import FarProcess
from paddock.agents.link import Link
from paddock.agents.places import below_root
from paddock.backends.entries import Entries, Entry
from paddock.backends.processes import MARK
from paddock.errors import AgentUnavailable
from paddock.models import AllocationState, Cause

log = logging.getLogger("paddock.backends")


class Whose(NamedTuple):
    """Behind which agent a runner is."""

    host: str | None  # None: this machine
    user: str | None  # None: the account that ssh signs in as

    def __str__(self) -> str:
        return " on ".join(one for one in (self.user, self.host) if one)


@dataclass(frozen=True)
class FarRunner:
    """A runner as the thread of its agent needs it."""

    key: str
    folder: str
    argv: Sequence[str]
    environment: Mapping[str, str]
    process: FarProcess | None  # None: it may not have been started
    boot: str | None  # of the machine, when it was started
    cancelled: bool  # it was told to end
    overdue: bool  # and has not ended in time
    haunts: bool  # nobody counts on it any more: whatever is left of it is killed


@dataclass(frozen=True)
class FarNews:
    """What was found out about a runner."""

    process: FarProcess | None = None
    boot: str | None = None
    ended: bool = False
    cause: Cause | None = None
    reason: str | None = None  # why it could not be started, or ended
    waits: str | None = None  # why nothing is known at the moment


class FarRunners:
    """Looks after the runners behind all agents, at most one look per agent at a time."""

    def __init__(self, link: Callable[[Whose], Link], heard: Callable[[str, FarNews], None]) -> None:
        """`heard` is called in the threads."""
        self._link, self._heard = link, heard
        self._threads: dict[Whose, ThreadPoolExecutor] = {}
        self._looks: dict[Whose, Future[None]] = {}

    def look(self, whose: Whose, runners: Sequence[FarRunner]) -> None:
        """Start those that have not started, end those that are to end, and see which have ended."""
        if runners and (whose not in self._looks or self._looks[whose].done()):
            self._looks[whose] = self._thread(whose).submit(self._look, whose, list(runners))

    def terminate(self, whose: Whose, process: FarProcess) -> None:
        """Have a runner end its tasks, then itself."""
        self._thread(whose).submit(self._terminate, whose, process)

    def _thread(self, whose: Whose) -> ThreadPoolExecutor:
        if whose not in self._threads:
            self._threads[whose] = ThreadPoolExecutor(1, thread_name_prefix=f"runners of {whose}")
        return self._threads[whose]

    def _terminate(self, whose: Whose, process: FarProcess) -> None:
        try:
            self._link(whose).signal(process, signal.SIGTERM)
        except (AgentUnavailable, OSError) as error:
            log.warning("a runner of %s cannot be told to end, and will be: %s", whose, error)

    def _look(self, whose: Whose, runners: Sequence[FarRunner]) -> None:
        left = list(runners)
        try:
            link = self._link(whose)
            boot = link.hello().boot
            for one in [one for one in left if one.haunts]:
                self._heard(one.key, FarNews(ended=_end(link, one)))
                left.remove(one)
            for one in [one for one in left if one.process is not None and one.boot not in (None, boot)]:
                news = f"{whose.host or 'the machine'} was restarted"
                self._heard(one.key, FarNews(ended=_end(link, one), cause=Cause.NODE_FAILURE, reason=news))
                left.remove(one)
            started = [one for one in left if one.process is not None]
            alive = link.alive([one.process for one in started if one.process is not None]) if started else []
            for one, lives in zip(started, alive, strict=True):
                ended = _end(link, one) if not lives or one.overdue else False
                self._heard(one.key, FarNews(ended=ended))
                left.remove(one)
            for one in list(left):
                self._heard(one.key, _start(link, one, boot))
                left.remove(one)
        except AgentUnavailable as error:
            for one in left:
                self._heard(one.key, FarNews(waits=error.message))
        except Exception:
            log.exception("the runners of %s cannot be looked after; trying again", whose)


def _start(link: Link, one: FarRunner, boot: str) -> FarNews:
    """Start a runner, unless an earlier request has."""
    found = link.find(MARK, one.key)
    if found:
        return FarNews(process=found[0], boot=boot)  # the others are its children
    if one.cancelled:
        return FarNews(ended=True)
    try:
        folder = below_root(link, one.folder)
        process = link.start(one.argv, env=one.environment, cwd=folder, log=f"{folder}/out.log")
    except OSError as error:
        return FarNews(ended=True, cause=Cause.LAUNCH_FAILED, reason=f"the runner: {error}")
    return FarNews(process=process, boot=boot)


def _end(link: Link, one: FarRunner) -> bool:
    """Kill what a runner has left. Returns False if something does not die at once."""
    until = time.monotonic() + 5
    while left := link.find(MARK, one.key):
        for process in left:
            link.signal(process, signal.SIGKILL)
        if time.monotonic() > until:
            return False
    return True


class FarEntries:
    """The entries whose runners are behind agents. The lock of the entries is to be held for every use."""

    def __init__(
        self,
        entries: Entries,
        link: Callable[[Whose], Link],
        environment: Callable[[Entry], Mapping[str, str]],
        stuck_seconds: float,
    ) -> None:
        """`environment` returns the variables of a runner, by which it knows its devices."""
        self._entries, self._environment, self._stuck_seconds = entries, environment, stuck_seconds
        self._runners = FarRunners(link, self._hear)

    def look(self, whose: Whose, mine: Sequence[Entry]) -> None:
        """Have the thread of an agent look after these entries, which are all behind it."""
        self._runners.look(whose, [self._runner(entry) for entry in mine if not entry.ended or entry.haunts])

    def cancel(self, entry: Entry, waiting_only: bool) -> None:
        """Have an allocation end: at once, or when its agent answers."""
        if entry.ended or (waiting_only and entry.process):
            return
        if entry.cancelled_at is None:
            self._entries.keep(replace(entry, cancelled_at=time.time()))
        if entry.process:
            self._runners.terminate(whose(entry), entry.process)

    def _runner(self, entry: Entry) -> FarRunner:
        return FarRunner(
            key=entry.key,
            folder=entry.spec["folder"],
            argv=entry.spec["runner"],
            environment=self._environment(entry),
            process=entry.process,
            boot=entry.boot,
            cancelled=entry.cancelled_at is not None,
            overdue=entry.is_overdue(self._stuck_seconds),
            haunts=entry.haunts,
        )

    def _hear(self, key: str, news: FarNews) -> None:
        """Store what the thread of an agent has found out."""
        with self._entries.lock:
            entry = self._entries.get(key)
            if entry is None or (entry.ended and not entry.haunts):
                return
            if entry.ended:
                entry = replace(entry, haunts=not news.ended)
            elif news.waits is not None or (news.process is None and not news.ended):
                entry = replace(entry, reason=news.waits)
            elif news.process is not None:
                running, process = AllocationState.RUNNING.value, news.process
                entry = replace(entry, state=running, pid=process.pid, start=process.start, reason=None)
                entry = replace(entry, boot=news.boot)
                if entry.cancelled_at is not None:
                    self._runners.terminate(whose(entry), process)
            else:
                cause = news.cause.value if news.cause else None
                entry = replace(entry, state=AllocationState.ENDED.value, cause=cause, reason=news.reason)
            self._entries.keep(entry)


def whose(entry: Entry) -> Whose:
    """Return behind which agent the runner of an entry is."""
    return Whose(entry.node, entry.user)
