"""Outposts on hosts without a common file system: the job has a folder on each of them, behind an agent there.

Each host has its own couriers, so one that does not answer holds up nothing but what it has. What must outlive the
server is in the mirror: `hosts.jsonl` names the hosts that have a folder of the job, and whose each allocation is.
"""

import errno
import json
from collections import defaultdict
from collections.abc import Callable, Container, Hashable, Iterable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from paddock.agents.answers import FarEntry, FolderPage
from paddock.common import layout
from paddock.common.folders import Size
from paddock.errors import AgentUnavailable
from paddock.paths import Home, JobFolder, append_lines, write_once
from paddock.runner.sources import patterns
from paddock.server.outposts import courier as couriers
from paddock.server.outposts.away import MOST_ENTRIES, Away
from paddock.server.outposts.claims import Identity
from paddock.server.outposts.courier import Courier, runner_path
from paddock.server.outposts.here import Mirror
from paddock.server.outposts.outpost import Line, Removed, UnreadFiles
from paddock.server.outposts.person import Person
from paddock.server.store import places
from paddock.server.store.db import Database

JOBS = "jobs"  # the folder of all jobs, in the agent's
BOOK = "hosts.jsonl"
_ATTEMPTS = Path(layout.attempt("", 1)).parent.name
_TASK_DEPTH = len(Path(layout.task("", "job", "task")).parts)

T = TypeVar("T")


class Spread(Mirror):
    """The folders of one job on several hosts. A path is given as if they were one folder; see `_find`."""

    dealt = True

    def __init__(
        self,
        home: Home,
        place: places.JobPlace,
        courier: Callable[[str], Courier],
        db: Database,
        person: Person | None = None,
    ) -> None:
        """`courier` returns the one of the job's account on a host. `person`: where a new job is tried."""
        super().__init__(home, place.id)
        self.user = place.unix_name
        self.folder = JobFolder(Path(place.folder), place.id)
        self.fleet = place.fleet or ""
        self._courier, self._db = courier, db
        self._folders: dict[str, str] = {}  # host -> the job's folder there
        self._stations: dict[str, Away] = {}  # by host, made when they are first needed
        self._own: dict[str, set[str]] = defaultdict(set)  # host -> what of `allocations` is for it
        self._hosts: dict[str, str] = {}  # allocation -> host
        self._claims: dict[tuple[str, Identity], bool] = {}  # never out of date, as in `Away`
        self._answers: dict[Hashable, dict[str, Any]] = {}  # of some hosts, while others are waited for
        self._person = person
        self._read_book()

    # --- hosts --------------------------------------------------------------------------------------------------------

    def _read_book(self) -> None:
        with suppress(FileNotFoundError):
            for text in (self.mirror.root / BOOK).read_text().splitlines():
                with suppress(ValueError):  # a crash can leave half a line
                    line = json.loads(text)
                    if "folder" in line:
                        self._folders[line["host"]] = line["folder"]
                    else:
                        self._assign(line["host"], line["names"])

    def _assign(self, host: str, names: Iterable[str]) -> None:
        self._own[host].update(names)
        self._hosts.update(dict.fromkeys(names, host))

    @property
    def hosts(self) -> list[str]:
        """Return the hosts that have a folder of the job."""
        return list(self._folders)

    def host_of(self, key: str) -> str | None:
        """Return the host of an allocation; None: it was not planned here."""
        return self._hosts.get(key)

    def station(self, key: str, lost: Container[str] = ()) -> Away | None:
        """Return the outpost on the host of an allocation; None if it is one of the lost ones."""
        host = self._hosts.get(key, "")
        return None if host in lost or host not in self._folders else self._at(host)

    def _at(self, host: str) -> Away:
        if host not in self._stations:
            courier, folder = self._courier(host), self._folders[host]
            courier.add(self._job, folder, self._own[host])
            self._stations[host] = Away(self._home, self._job, folder, courier, {})
        return self._stations[host]

    def lost(self) -> frozenset[str]:
        """Return the hosts from which nothing is waited for."""
        with self._db.read() as c:
            return places.lost(c, self.fleet)

    def reached(self, node: str | None) -> bool:
        if node is None or node in self._folders:
            return True
        courier = self._courier(node)
        with suppress(AgentUnavailable):  # see `problem`
            root = courier.ask(("root", self._job), lambda: courier.link.hello().root)
            if root is not None:
                folder = f"{root}/{JOBS}/{self._job}"
                append_lines(self.mirror.root / BOOK, [{"host": node, "folder": folder}], mode=0o600)
                self._folders[node] = folder
        return node in self._folders

    def on(self, node: str | None) -> JobFolder:
        if node is None:
            return self.folder
        if node not in self._folders:
            raise AgentUnavailable(self.problem(node) or f"{node} was not reached yet.")
        return JobFolder(Path(self._folders[node]), self._job)

    def carried(self, node: str | None = None) -> bool:
        wanted = self.hosts if node is None else [node]
        known = [one in self._folders and self._at(one).carried() for one in wanted]  # all of them are carried now
        return all(known)

    def problem(self, node: str | None = None) -> str | None:
        """Return why a host cannot be reached. The job as a whole always can: its other hosts go on."""
        return None if node is None else self._courier(node).problem(self._job)

    @property
    def full(self) -> bool:
        """Return True if its journals are larger than what is taken, as in `Away`."""
        return sum(one.taken for one in list(self._stations.values())) > couriers.MOST_JOURNALS

    def forget(self) -> None:
        """Forget the job, which was removed."""
        for station in self._stations.values():
            station.forget()

    # --- a new job ----------------------------------------------------------------------------------------------------

    @property
    def person(self) -> Person:
        """Return where the environment of a new job is tried."""
        if self._person is None:
            raise AgentUnavailable("No host was asked for this job.")
        return self._person

    def lay_down(self) -> None:
        """Copy nothing yet: each host gets the code before its first runner."""

    def abandon(self) -> None:
        """Remove nothing: no host has anything of a job that was not accepted."""

    # --- to runners ---------------------------------------------------------------------------------------------------

    def _wrote(self, hosts: Iterable[str]) -> None:
        for host in hosts:
            self._at(host).courier.wrote(self._job)

    def order(self, lines: list[Line]) -> None:
        super().order(lines)
        self._wrote(self.hosts)

    def deal(self, key: str, lines: list[Line]) -> None:
        super().deal(key, lines)
        self._wrote([self._hosts[key]])

    def plan(self, names: Iterable[str], manifest: str, text: str, node: str | None = None) -> None:
        if node is None:
            raise ValueError("an allocation of a job on hosts has a host")
        names = list(names)
        append_lines(self.mirror.root / BOOK, [{"host": node, "names": [*names, manifest]}], mode=0o600)
        self._assign(node, [*names, manifest])
        super().plan(names, manifest, text)
        self._wrote([node])

    def runner(self, archive: Path, node: str | None = None) -> str:
        return runner_path(str(self.on(node).root), archive.name)

    # --- claims -------------------------------------------------------------------------------------------------------

    def withdraw(self, attempts: Iterable[Identity]) -> Mapping[Identity, bool]:
        """Withdraw attempts where they were dealt to. What was dealt to nobody, or to a lost host, nobody will have."""
        known: dict[Identity, bool] = {}
        asked: dict[str, list[tuple[str, Identity]]] = defaultdict(list)
        lost, wanted = self.lost(), set(attempts)
        rows = self._rows(wanted)
        for one in wanted:
            row = rows.get(one)
            host = self._hosts.get((row and row.dealt_to) or "")
            if row is not None and row.allocation is not None:
                known[one] = False
            elif row is None or row.dealt_to is None or row.state.ended or host is None or host in lost:
                known[one] = True
            else:
                asked[host].append((row.dealt_to, one))
        for host, claims in asked.items():
            missing = [one for one in claims if one not in self._claims]
            with suppress(AgentUnavailable, OSError):  # asked again in a later round
                if missing:
                    self._courier(host).ask(("withdraw", self._job), partial(self._withdraw, host, missing))
            known |= {claim[1]: self._claims[claim] for claim in claims if claim in self._claims}
        return known

    def _withdraw(self, host: str, claims: Sequence[tuple[str, Identity]]) -> bool:
        courier = self._at(host).courier
        for key, names in _by_key(claims).items():
            folder = courier.path(self._job, layout.ALLOCATIONS, key, layout.CLAIMS)
            courier.link.mkdir(folder)  # its queue may be carried later: runners must find what was withdrawn
            gone = courier.link.withdraw(folder, list(names))
            self._claims.update({(key, one): name in gone for name, one in names.items()})
        return True

    def held(self, attempts: Iterable[Identity], after: Iterable[str]) -> Mapping[Identity, str | None] | None:
        """Ask for the claims on attempts that were dealt to these allocations; a job's id stands for all of them."""
        ended, lost = set(after), self.lost()
        asked: dict[str, list[tuple[str, Identity]]] = defaultdict(list)
        for one, row in self._rows(attempts).items():
            host = self._hosts.get(row.dealt_to or "")
            if row.dealt_to and host and host not in lost and ended & {row.dealt_to, self._job}:
                asked[host].append((row.dealt_to, one))
        question = ("held", frozenset(ended), frozenset(one for some in asked.values() for one in some))
        found = self._gather(question, {host: partial(self._held, host, some) for host, some in asked.items()})
        return None if found is None else {one: key for some in found for one, key in some.items()}

    def _held(self, host: str, claims: Sequence[tuple[str, Identity]]) -> dict[Identity, str | None]:
        courier = self._at(host).courier
        found: dict[Identity, str | None] = {}
        for key, names in _by_key(claims).items():
            folder = courier.path(self._job, layout.ALLOCATIONS, key, layout.CLAIMS)
            with suppress(FileNotFoundError):
                found |= {names[name]: key for name in courier.link.held(folder, list(names))}
        return found

    def _gather(self, question: Hashable, calls: Mapping[str, Callable[[], T]]) -> list[T] | None:
        """Return what each host answers to a question; None: not all have answered yet."""
        answers = self._answers.setdefault(question, {})
        problems = []
        for host in calls.keys() - answers.keys():
            try:
                answer = self._courier(host).ask((self._job, question), calls[host])
            except (AgentUnavailable, OSError) as error:
                problems.append(error)
                continue
            if answer is not None:
                answers[host] = answer
        if problems:
            raise problems[0]
        if calls.keys() - answers.keys():
            return None
        del self._answers[question]
        return [*answers.values()]

    def _rows(self, wanted: Iterable[Identity]) -> dict[Identity, places.DealtAttempt]:
        given = set(wanted)
        with self._db.read() as c:
            found = places.dealt(c, [task for task, _ in given])
        return {(row.task_id, row.number): row for row in found if (row.task_id, row.number) in given}

    # --- what scripts wrote -------------------------------------------------------------------------------------------

    def _find(self, path: Path) -> tuple[Away, Path]:
        """Return which host has a file of a task, and its path there.

        An attempt's folder is on the host that ran it, everything else of a task on that of its last attempt that ran.
        """
        inside = path.relative_to(self.folder.root)
        task, number = _whose(inside)
        with self._db.read() as c:
            rows = places.dealt(c, [task] if task else [])
        ran = [row for row in rows if row.number == number or (number is None and row.allocation)] or rows[-1:]
        host = self._hosts.get((ran[-1].key if ran else None) or "")
        if host is None or host not in self._folders:
            raise FileNotFoundError(errno.ENOENT, "no host has it", str(path))
        station = self._readable(host)
        return station, station.folder.root / inside

    def _readable(self, host: str) -> Away:
        if host in self.lost():
            raise AgentUnavailable(f"{host} was declared lost: what it has cannot be read.")
        return self._at(host)

    def task_folder(self, task: str) -> Path:
        folder = super().task_folder(task)
        with suppress(FileNotFoundError, AgentUnavailable):
            return self._find(folder)[1]
        return folder

    def read(self, path: Path, offset: int, limit: int) -> tuple[int, int, bytes]:
        station, there = self._find(path)
        return station.read(there, offset, limit)

    def stat(self, path: Path) -> FarEntry:
        """Return what is at a path, as `Away` does. It may block."""
        station, there = self._find(path)
        return station.stat(there)

    def entries(self, path: Path, offset: int, limit: int) -> FolderPage:
        """Return entries of a folder, as `Away` does. It may block."""
        task, number = _whose(path.relative_to(self.folder.root))
        if task and number is None and path.name == _ATTEMPTS and path.parent == self.folder.task(task):
            found = self._attempts(path)
            return FolderPage(len(found), found[offset : offset + limit], more=False)
        station, there = self._find(path)
        return station.entries(there, offset, limit)

    def _attempts(self, path: Path) -> list[FarEntry]:
        """Return the folders of attempts, which may be on several hosts. Those of silent hosts are left out."""
        inside = path.relative_to(self.folder.root)
        with self._db.read() as c:
            rows = places.dealt(c, [path.parent.name])
        numbers: dict[str, set[str]] = defaultdict(set)
        for row in rows:
            numbers[self._hosts.get(row.key or "", "")].add(str(row.number))
        found: list[FarEntry] = []
        problems: list[Exception] = []
        for host in numbers.keys() & self._folders.keys():
            try:
                station = self._readable(host)
                page = station.entries(station.folder.root / inside, 0, MOST_ENTRIES)
            except (OSError, AgentUnavailable) as error:
                problems.append(error)
                continue
            found += [one for one in page.entries if one.name in numbers[host]]
        if problems and not found:
            raise problems[0]
        return sorted(found, key=lambda one: int(one.name))

    def unread(self, asked: UnreadFiles) -> list[dict[str, Any]]:
        station, _ = self._find(self.folder.log(asked.task, asked.attempt))
        return station.unread(asked)

    def search(self, logs: Sequence[Path], wanted: Sequence[str]) -> list[list[patterns.Found]]:
        found: dict[Path, list[patterns.Found]] = {}
        by_host: dict[Away, dict[Path, Path]] = defaultdict(dict)
        for log in logs:
            with suppress(FileNotFoundError):
                station, there = self._find(log)
                by_host[station][log] = there
        for station, some in by_host.items():
            found |= zip(some, station.search([*some.values()], wanted), strict=True)
        return [found.get(log, []) for log in logs]

    def names(self, path: Path) -> set[str]:
        try:
            return {one.name for one in self.entries(path, 0, MOST_ENTRIES).entries}
        except (OSError, AgentUnavailable):
            return set()

    def measure(self, path: Path, until: float) -> Size:
        inside = path.relative_to(self.folder.root)
        if _whose(inside)[0] is not None:
            try:
                station, there = self._find(path)
            except FileNotFoundError:
                return Size()
            except AgentUnavailable:
                return Size(whole=False)
            return station.measure(there, until)
        size = Size()
        for station in map(self._at, self.hosts):
            size.add(station.measure(station.folder.root / inside, until))
        return size

    def drop(self, paths: Sequence[Path]) -> None:
        for path in paths:
            with suppress(FileNotFoundError):
                station, there = self._find(path)
                station.drop([there])

    # --- the end ------------------------------------------------------------------------------------------------------

    def put_away(self) -> Path:
        """Move the mirror's files away; each host removes its own before anything else is carried to it."""
        for host in self.hosts:
            write_once(self.mirror.root / self._at(host).courier.mark, "")
        target = self._put_away()
        self._wrote(self.hosts)
        return target

    def remove(self) -> Removed | None:
        """Remove the folder on all hosts, and here last. One that does not answer is waited for, a lost one is not."""
        lost = self.lost()
        calls = {host: self._at(host).remove_far for host in self.hosts if host not in lost}
        return None if self._gather("remove", calls) is None else self._remove()


def _by_key(claims: Iterable[tuple[str, Identity]]) -> dict[str, dict[str, Identity]]:
    """Return allocation -> name of a claim -> attempt."""
    found: dict[str, dict[str, Identity]] = defaultdict(dict)
    for key, one in claims:
        found[key][layout.claim_name(*one)] = one
    return found


def _whose(inside: Path) -> tuple[str | None, int | None]:
    """Return the task and the attempt that a path in a job's folder belongs to, as far as it names them."""
    parts = inside.parts
    if len(parts) < _TASK_DEPTH or parts[0] != layout.RESULTS:
        return None, None
    more = parts[_TASK_DEPTH:]
    named = len(more) > 1 and more[0] == _ATTEMPTS and more[1].isascii() and more[1].isdigit() and len(more[1]) < 10
    return parts[_TASK_DEPTH - 1], int(more[1]) if named else None
