"""Test one contract against every kind of outpost: in the server's home, behind an agent without and with sudo, and on
hosts by real ssh."""

import json
import os
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import pytest
import sqlalchemy as sa

from paddock.agents import loader
from paddock.agents.host_links import HostLinks
from paddock.agents.links import Links
from paddock.common import files, layout
from paddock.models import AllocationState
from paddock.paths import Home, JobFolder
from paddock.server.outposts import courier
from paddock.server.outposts.away import Away
from paddock.server.outposts.claims import Identity
from paddock.server.outposts.outpost import Outpost, UnreadFiles
from paddock.server.outposts.person import JobSite
from paddock.server.outposts.registry import Outposts
from paddock.server.outposts.spread import Spread
from paddock.server.store.allocations import AllocationRow
from paddock.server.store.db import Database
from paddock.server.store.places import JobPlace
from paddock.server.store.tables import attempts
from paddock.settings import HostsSettings, TeamSettings
from tests.server.store.given import add_job
from tests.support.database import new_database
from tests.support.server import wait_for
from tests.support.sshd import NEEDS_SSHD, ssh_hosts
from tests.team.unix_users import ROOT, unix_users

T = TypeVar("T")
JOB, TASK, KEY = "k3v9x2ab", "k3v9x2ab-1", "k3v9x2ab-a1.0"
NODE = "gpu1"
SSH = pytest.param("ssh", marks=NEEDS_SSHD), pytest.param("ssh as alice", marks=[NEEDS_SSHD, ROOT])
KINDS = ["here", "agent", pytest.param("sudo", marks=ROOT), *SSH]


@dataclass
class Place:
    """An outpost, and how the next server would find it."""

    open: Callable[[], Outposts]
    outposts: Outposts
    node: str | None = None

    @property
    def post(self) -> Outpost:
        return self.outposts.of(JOB)

    @property
    def folder(self) -> JobFolder:
        """The folder as the job's processes see it."""
        return self.post.on(self.node)

    @property
    def queue(self) -> Path:
        """Where runners find attempts and claim them."""
        return Path(layout.queue(str(self.folder.root), KEY, self.post.dealt))

    def plan(self, text: str = "{}") -> None:
        wait_for(lambda: self.post.reached(self.node), what=str(self.post.problem(self.node)))
        self.post.plan([KEY], f"{JOB}-a1.manifest.json", text, self.node)

    def give(self, line: dict[str, Any]) -> None:
        """Have a runner find a line."""
        if self.post.dealt:
            self.post.deal(KEY, [line])
        else:
            self.post.publish([line])

    def claim(self, number: int) -> Path:
        return Path(layout.claim(str(self.queue), TASK, number))

    def reopen(self) -> None:
        """As after a crash: another server begins, which knows nothing but what lies on the disk."""
        self.outposts.close()
        self.outposts = self.open()

    def settled(self, ask: Callable[[], T | None]) -> T:
        found: list[T] = []

        def look() -> bool:
            answer = ask()
            if answer is not None:
                found.append(answer)
            return answer is not None

        wait_for(look)
        return found[0]

    def carried(self) -> None:
        wait_for(lambda: self.post.carried(self.node), what=str(self.post.problem(self.node)))

    def lines(self, path: Path) -> list[dict[str, Any]]:
        """What a runner reads."""
        return [json.loads(line) for line in path.read_text().splitlines()]

    def write(self, path: Path, text: str) -> None:
        """As a process of the job."""
        path.parent.mkdir(parents=True, exist_ok=True)
        with open(path, "a") as file:
            file.write(text)
        root = self.folder.root
        owner = root.stat()
        for one in (path, *path.parents):
            if one == root:
                break
            os.chown(one, owner.st_uid, owner.st_gid)


def dealt(db: Database) -> None:
    """Store a job whose only task has two attempts, both dealt to the allocation."""
    add_job(db, JOB)
    with db.write() as c:
        c.execute(sa.update(attempts).values(dealt_to=KEY))
        [row] = c.execute(sa.select(attempts)).mappings().all()
        c.execute(sa.insert(attempts).values({**row, "id": None, "number": 2}))


@pytest.fixture(params=KINDS)
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Place]:
    home = Home(tmp_path / "home")
    home.create()
    with ExitStack() as stack:
        user: str | None = "nobody-else"
        argv, folder = [sys.executable, loader.__file__], str(tmp_path / "theirs")
        db: Database | None = None
        fleet: HostsSettings | None = None
        if request.param in ("sudo", "ssh as alice"):
            users = stack.enter_context(unix_users())
            user, argv, folder = users.alice, users.through, "~/.paddock-jobs"
        if request.param.startswith("ssh"):
            rig = stack.enter_context(ssh_hosts(1))
            new_database(tmp_path / "paddock.db")
            db = Database(f"sqlite:///{tmp_path}/paddock.db")
            stack.callback(db.close)
            dealt(db)
            fleet = HostsSettings(ssh=rig.ssh, folder=f"{tmp_path}/{{host}}", python=sys.executable)
            if request.param == "ssh":
                user = None
            else:
                changed = {"as_user": "ssh", "folder": "~/jobs-{host}", "python": "/usr/bin/python3"}
                fleet = fleet.model_copy(update=changed)

        places: list[Any] = []

        def begin() -> Outposts:
            links = {"lab": HostLinks(fleet, TeamSettings(), home.root)} if fleet else {}
            made = Outposts(home, Links([str(one) for one in argv], folder), fleets=links, db=db)
            made.load(places)
            return made

        first = begin()
        home.job(JOB).claims.mkdir(parents=True)
        home.job(JOB).code.mkdir()
        (home.job(JOB).code / "run.sh").write_text("#!/bin/sh\n")
        (home.job(JOB).code / "run.sh").chmod(0o755)
        (home.job(JOB).spec).write_text("{}")
        if request.param != "here":
            site = JobSite(user)
            if fleet:
                site = JobSite(user, "lab", first.person_on("lab", [NODE], user))
            away = first.establish(JOB, site)
            away.lay_down()
            places.append(JobPlace(JOB, site.user, str(away.folder.root), site.fleet))
        made = Place(begin, first, NODE if fleet else None)
        if made.node:
            made.plan()
            made.carried()
        yield made
        made.outposts.close()


def test_what_is_written_is_where_runners_find_it(place: Place) -> None:
    assert (place.folder.code / "run.sh").stat().st_mode & 0o100
    place.plan()
    place.give({"task": TASK, "attempt": 1})
    place.post.order([{"op": "hold"}])
    place.carried()
    assert place.lines(place.queue / "tasks.jsonl") == [{"task": TASK, "attempt": 1}]
    assert place.lines(place.folder.control) == [{"op": "hold"}]
    assert place.folder.allocation(KEY).is_dir()
    assert json.loads(Path(layout.manifest(str(place.folder.allocation(KEY)))).read_text()) == {}
    place.reopen()
    place.post.order([{"op": "release"}])
    place.carried()
    assert place.lines(place.folder.control) == [{"op": "hold"}, {"op": "release"}], "nothing twice"
    assert place.lines(place.queue / "tasks.jsonl") == [{"task": TASK, "attempt": 1}]


def _withdrawn(place: Place, wanted: list[Identity]) -> Mapping[Identity, bool]:
    wait_for(lambda: place.post.withdraw(wanted).keys() == set(wanted))
    return place.post.withdraw(wanted)


def test_a_claim_is_withdrawn_or_a_runners(place: Place) -> None:
    place.write(place.claim(1), f"{KEY}\n")
    wanted = [(TASK, 1), (TASK, 2)]
    for _ in range(2):
        assert _withdrawn(place, wanted) == {(TASK, 1): False, (TASK, 2): True}
        place.reopen()
    assert place.claim(2).is_symlink()
    assert dict(place.settled(lambda: place.post.held(wanted, [KEY]))) == {(TASK, 1): KEY}


def test_logs_are_read_and_links_are_not(place: Place) -> None:
    log, there = place.post.folder.log(TASK, 1), place.folder.log(TASK, 1)
    with pytest.raises(FileNotFoundError):
        place.post.read(log, 0, 10)
    place.write(there, "0123456789")
    assert place.post.read(log, 2, 3) == (2, 10, b"234")
    assert place.post.read(log, -4, 100) == (6, 10, b"6789")
    assert place.post.read(log, 50, 3) == (10, 10, b"")
    there.rename(there.with_name("other"))
    there.symlink_to("/etc/passwd")
    with pytest.raises(files.NotPlain):
        place.post.read(log, 0, 10)
    there.unlink()
    os.mkfifo(there)
    with pytest.raises(files.NotPlain):
        place.post.read(log, 0, 10)


def row(state: AllocationState = AllocationState.RUNNING) -> AllocationRow:
    given = dict.fromkeys(AllocationRow.__dataclass_fields__)
    return AllocationRow(**given | {"key": KEY, "job_id": JOB, "state": state, "offsets": []})  # type: ignore[arg-type]


def test_journals_arrive_byte_for_byte(place: Place) -> None:
    place.plan()
    place.carried()
    far, near = place.folder.journal(KEY, 1), place.post.mirror.journal(KEY, 1)
    place.outposts.attend([row()])
    place.write(far, '{"e": "runner"}\n')
    wait_for(lambda: near.exists() and near.read_text() == '{"e": "runner"}\n')
    place.write(far, '{"e": "half')
    wait_for(lambda: near.read_text().endswith("half"))
    place.reopen()
    place.write(far, 'way"}\n')
    ended = [row(AllocationState.ENDED)]
    wait_for(lambda: not place.outposts.attend(ended), what="all of it to be here")
    assert near.read_bytes() == far.read_bytes()


@pytest.mark.parametrize("place", KINDS[1:], indirect=True)
def test_journals_are_taken_up_to_a_limit(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    """A person can write any amount into a journal, which the server would keep."""
    monkeypatch.setattr(courier, "MOST_JOURNALS", 50_000)
    place.plan()
    place.carried()
    far, near = place.folder.journal(KEY, 1), place.post.mirror.journal(KEY, 1)
    place.outposts.attend([row()])
    away = place.post
    assert isinstance(away, Away | Spread)
    assert not away.full
    for _ in range(8):
        place.write(far, '{"e": "runner"}\n' * 1_000)
        wait_for(lambda: away.full or (near.exists() and near.stat().st_size == far.stat().st_size))
    wait_for(lambda: away.full)
    taken = near.stat().st_size
    assert 50_000 < taken <= 66_000
    place.write(far, '{"e": "bye"}\n' * 1_000)
    place.outposts.attend([row()])
    place.reopen()
    wait_for(lambda: not place.outposts.attend([row(AllocationState.ENDED)]), what="no more of it to be waited for")
    assert near.stat().st_size == taken


def test_what_was_not_reported_is_read_again(place: Place) -> None:
    place.write(place.folder.log(TASK, 1), "epoch: 1 val_loss: 0.5\ngave 7\n")
    found = place.post.unread(UnreadFiles(TASK, 1, False, None, [], True))
    assert any(one.get("v") == {"val_loss": 0.5} for one in found), found
    [points] = place.post.search([place.post.folder.log(TASK, 1)], [r"gave (?P<quality>\d+)"])
    assert [values for _, values in points] == [{"quality": 7.0}]


def test_put_away_begins_anew(place: Place) -> None:
    place.plan()
    place.give({"task": TASK, "attempt": 1})
    place.carried()
    place.write(place.claim(1), f"{KEY}\n")
    place.post.put_away()
    place.reopen()  # killed before anything was carried
    place.plan()
    place.give({"task": TASK, "attempt": 2})
    place.carried()
    assert place.lines(place.queue / "tasks.jsonl") == [{"task": TASK, "attempt": 2}], "an old attempt would run again"
    assert not place.claim(1).exists()


def test_old_attempts_and_the_whole_job_go(place: Place) -> None:
    for number in (1, 2):
        place.write(place.folder.log(TASK, number), "x" * 5000)
    attempts = place.post.folder.log(TASK, 1).parent.parent
    assert place.post.names(attempts) == {"1", "2"}
    assert place.post.measure(attempts, float("inf")).bytes >= 10_000
    place.post.drop([attempts / "1"])
    assert place.post.names(attempts) == {"2"}
    folder, mirror = place.folder.root, place.post.mirror.root
    place.settled(place.post.remove)
    assert not folder.exists()
    assert not mirror.exists()
