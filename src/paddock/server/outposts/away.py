"""Outposts in the home of the person as whom a job runs, behind that person's agent."""

import math
import time
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import Any, Protocol

from paddock.agents.answers import FarEntry, FolderPage
from paddock.common import layout
from paddock.common.folders import Size
from paddock.errors import AgentUnavailable
from paddock.paths import Home, JobFolder, write_once
from paddock.runner.sources import patterns
from paddock.server.outposts.claims import Identity
from paddock.server.outposts.courier import Courier, runner_path
from paddock.server.outposts.here import SEARCH_SECONDS, Mirror
from paddock.server.outposts.outpost import Line, Removed, UnreadFiles
from paddock.server.outposts.person import Person

UNREAD_SECONDS = 50.0
MEASURE_SECONDS = 5.0
MOST_READ = 50_000_000
MOST_ENTRIES = 1000  # in one answer of an agent


class FarFolder(Protocol):
    """A folder of which parts are read through an agent. All of it may block."""

    def read(self, path: Path, offset: int, limit: int) -> tuple[int, int, bytes]: ...

    def entries(self, path: Path, offset: int, limit: int) -> FolderPage: ...

    def stat(self, path: Path) -> FarEntry: ...


class Away(Mirror):
    """The folder is in a person's home. What is written here is brought there, what runners report is brought here.

    `claims` is what is known of them. It is never out of date: a claim stays as it is once somebody has it.
    """

    def __init__(self, home: Home, job: str, folder: str, courier: Courier, claims: dict[Identity, bool]) -> None:
        super().__init__(home, job)
        self.user: str | None = courier.user
        self.folder = JobFolder(Path(folder), job)
        self.courier = courier
        self._claims = claims

    def reached(self, node: str | None) -> bool:
        return True

    def on(self, node: str | None) -> JobFolder:
        return self.folder

    def carried(self, node: str | None = None) -> bool:
        return self.courier.carried(self._job)

    def resume(self) -> None:
        """Carry what an earlier server may have left: the job has runners."""
        self.courier.carried(self._job)

    def problem(self, node: str | None = None) -> str | None:
        return self.courier.problem(self._job)

    @property
    def host(self) -> str | None:
        """Return the host that the folder is on; None: this machine."""
        return self.courier.host

    @property
    def taken(self) -> int:
        """Return how many bytes of its journals were taken from there."""
        return self.courier.taken(self._job)

    @property
    def full(self) -> bool:
        """Return True if its journals are larger than what is taken: its runners are not followed any more."""
        return self.courier.full(self._job)

    @property
    def person(self) -> Person:
        return Person(self.courier.name, self.courier.link)

    def far(self, path: Path) -> str:
        """Return a path below `folder` as the agent knows it. It may block."""
        return self.courier.below(str(path))

    def lay_down(self) -> None:
        """Copy the mirror of a new job into the person's home. It may block."""
        self.courier.lay_down(self._job)

    def abandon(self) -> None:
        """Remove what there is of a job that was not accepted. It may block."""
        with suppress(OSError, AgentUnavailable):
            self.remove_far()

    def catch_up(self, key: str) -> float | None:
        """Take up the journals of an ended allocation to their ends. Returns when that began; None: not done yet."""
        return self.courier.ask(("ended", key), lambda: self.courier.catch_up(self._job, key))

    def forget(self) -> None:
        """Forget the job, which was removed."""
        self.courier.forget(self._job)

    # --- to runners ---------------------------------------------------------------------------------------------------

    def order(self, lines: list[Line]) -> None:
        super().order(lines)
        self.courier.wrote(self._job)

    def publish(self, lines: list[Line]) -> None:
        super().publish(lines)
        self.courier.wrote(self._job)

    def deal(self, key: str, lines: list[Line]) -> None:
        super().deal(key, lines)
        self.courier.wrote(self._job)

    def plan(self, names: Iterable[str], manifest: str, text: str, node: str | None = None) -> None:
        super().plan(names, manifest, text)
        self.courier.wrote(self._job)

    def runner(self, archive: Path, node: str | None = None) -> str:
        return runner_path(str(self.folder.root), archive.name)

    # --- claims -------------------------------------------------------------------------------------------------------

    def withdraw(self, attempts: Iterable[Identity]) -> Mapping[Identity, bool]:
        wanted = set(attempts)
        missing = wanted - self._claims.keys()
        if missing:
            self.courier.ask(("withdraw", self._job), lambda: self._withdraw(sorted(missing)))
        return {one: self._claims[one] for one in wanted if one in self._claims}

    def _withdraw(self, wanted: Sequence[Identity]) -> bool:
        names = {layout.claim_name(*one): one for one in wanted}
        gone = self.courier.link.withdraw(self.courier.path(self._job, layout.CLAIMS), list(names))
        self._claims.update({one: name in gone for name, one in names.items()})
        return True

    def held(self, attempts: Iterable[Identity], after: Iterable[str]) -> Mapping[Identity, str | None] | None:
        names = {layout.claim_name(*one): one for one in attempts}
        if not names:
            return {}
        return self.courier.ask(("held", self._job, frozenset(after)), lambda: self._held(names))

    def _held(self, names: Mapping[str, Identity]) -> Mapping[Identity, str | None]:
        try:
            found = self.courier.link.held(self.courier.path(self._job, layout.CLAIMS), list(names))
        except FileNotFoundError:
            return {}
        return {names[name]: key for name, key in found.items()}

    # --- what scripts wrote -------------------------------------------------------------------------------------------

    def read(self, path: Path, offset: int, limit: int) -> tuple[int, int, bytes]:
        with self.courier.visit() as link:
            part = link.read(self.far(path), offset, min(limit, MOST_READ))
        return part.start, part.size, part.data

    def entries(self, path: Path, offset: int, limit: int) -> FolderPage:
        """Return entries of a folder below `folder`, folders first, then by name. It may block."""
        with self.courier.visit() as link:
            return link.entries(self.far(path), offset, min(limit, MOST_ENTRIES))

    def stat(self, path: Path) -> FarEntry:
        """Return what is at a path below `folder`, without following a link. It may block."""
        with self.courier.visit() as link:
            return link.stat(self.far(path))

    def unread(self, asked: UnreadFiles) -> list[dict[str, Any]]:
        given = asdict(asked) | {"task_dir": str(self.folder.task(asked.task)), "files": list(asked.files)}
        del given["task"]
        found = self.person.call("unread", given, UNREAD_SECONDS)
        return [one for one in found if isinstance(one, dict)] if isinstance(found, list) else []

    def search(self, logs: Sequence[Path], wanted: Sequence[str]) -> list[list[patterns.Found]]:
        given = {"logs": [str(log) for log in logs], "wanted": list(wanted)}
        found = self.person.call("search", given, SEARCH_SECONDS)
        if not isinstance(found, list) or len(found) != len(logs):
            raise AgentUnavailable(f"The agent of {self.courier.name} does not work: it has not searched all logs.")
        return [_points(one) for one in found]

    def names(self, path: Path) -> set[str]:
        try:
            return {one.name for one in self.entries(path, 0, MOST_ENTRIES).entries}
        except (OSError, AgentUnavailable):
            return set()

    def measure(self, path: Path, until: float) -> Size:
        seconds = max(min(until - time.monotonic(), MEASURE_SECONDS), 0.0)
        try:
            return Size(*self.courier.link.measure(self.far(path), seconds))
        except FileNotFoundError:
            return Size()
        except (OSError, AgentUnavailable):
            return Size(whole=False)

    def drop(self, paths: Sequence[Path]) -> None:
        for path in paths:
            self.courier.remove(self.far(path))

    # --- the end ------------------------------------------------------------------------------------------------------

    def put_away(self) -> Path:
        """Move the mirror's files away; the far ones are removed before anything else is carried, also after a crash.

        Not the other way round: with the old list of tasks and without the claims, old attempts would run again.
        """
        write_once(self.mirror.root / self.courier.mark, "")
        target = self._put_away()
        self.courier.wrote(self._job)
        return target

    def remove(self) -> Removed | None:
        if self.courier.ask(("remove", self._job), self.remove_far) is None:
            return None
        return self._remove()

    def remove_far(self) -> bool:
        """Remove the folder there. It may block."""
        self.courier.remove(self.courier.path(self._job))
        return True


def _points(given: object) -> list[patterns.Found]:
    """Return those points that are some: what an agent answers is not trusted."""
    found: list[patterns.Found] = []
    for one in given if isinstance(given, list) else []:
        step, values = one if isinstance(one, list) and len(one) == 2 else (None, None)
        if not isinstance(step, int | float) or not math.isfinite(step) or not isinstance(values, dict):
            continue
        kept = {name: float(value) for name, value in values.items() if isinstance(value, int | float)}
        found.append((step, {name: value for name, value in kept.items() if name.isprintable() and len(name) <= 200}))
    return found[: patterns.MOST]
