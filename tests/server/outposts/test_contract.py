"""Test one contract against every kind of outpost: in the server's home, and behind an agent without and with sudo."""

import json
import os
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import pytest

from paddock.agents import loader
from paddock.agents.links import Links
from paddock.common import files, layout
from paddock.models import AllocationState
from paddock.paths import Home
from paddock.server.outposts import courier
from paddock.server.outposts.away import Away
from paddock.server.outposts.claims import Identity
from paddock.server.outposts.outpost import Outpost, UnreadFiles
from paddock.server.outposts.person import JobSite
from paddock.server.outposts.registry import Outposts
from paddock.server.store.allocations import AllocationRow
from tests.support.server import wait_for
from tests.team.unix_users import ROOT, unix_users

T = TypeVar("T")
JOB, TASK, KEY = "k3v9x2ab", "k3v9x2ab-1", "k3v9x2ab-a1.0"
KINDS = ["here", "agent", pytest.param("sudo", marks=ROOT)]


@dataclass
class Place:
    """An outpost, and how the next server would find it."""

    open: Callable[[], Outposts]
    outposts: Outposts

    @property
    def post(self) -> Outpost:
        return self.outposts.of(JOB)

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
        wait_for(self.post.carried, what=str(self.post.problem()))

    def lines(self, name: str) -> list[dict[str, Any]]:
        """What a runner reads."""
        return [json.loads(line) for line in (self.post.folder.root / name).read_text().splitlines()]

    def write(self, path: Path, text: str) -> None:
        """As a process of the job."""
        path.parent.mkdir(parents=True, exist_ok=True)
        with open(path, "a") as file:
            file.write(text)
        owner = self.post.folder.root.stat()
        for one in (path, *path.parents):
            if one == self.post.folder.root:
                break
            os.chown(one, owner.st_uid, owner.st_gid)


@pytest.fixture(params=KINDS)
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Place]:
    home = Home(tmp_path / "home")
    home.create()
    with ExitStack() as stack:
        user, argv, folder = "nobody-else", [sys.executable, loader.__file__], str(tmp_path / "theirs")
        if request.param == "sudo":
            users = stack.enter_context(unix_users())
            user, argv, folder = users.alice, users.through, "~/.paddock-jobs"
        places: list[Any] = []

        def begin() -> Outposts:
            made = Outposts(home, Links([str(one) for one in argv], folder))
            made.load(places)
            return made

        first = begin()
        home.job(JOB).claims.mkdir(parents=True)
        home.job(JOB).code.mkdir()
        (home.job(JOB).code / "run.sh").write_text("#!/bin/sh\n")
        (home.job(JOB).code / "run.sh").chmod(0o755)
        if request.param != "here":
            away = first.establish(JOB, JobSite(user))
            away.lay_down()
            from paddock.server.store.places import JobPlace

            places.append(JobPlace(JOB, user, str(away.folder.root)))
        made = Place(begin, first)
        yield made
        made.outposts.close()


def test_what_is_written_is_where_runners_find_it(place: Place) -> None:
    assert (place.post.folder.code / "run.sh").stat().st_mode & 0o100
    place.post.plan([KEY], f"{JOB}-a1.manifest.json", '{"job": 1}')
    place.post.publish([{"task": TASK, "attempt": 1}])
    place.post.order([{"op": "hold"}])
    place.carried()
    assert place.lines("tasks.jsonl") == [{"task": TASK, "attempt": 1}]
    assert place.lines("control.jsonl") == [{"op": "hold"}]
    assert place.post.folder.allocation(KEY).is_dir()
    assert json.loads(Path(layout.manifest(str(place.post.folder.allocation(KEY)))).read_text()) == {"job": 1}
    place.reopen()
    place.post.order([{"op": "release"}])
    place.carried()
    assert place.lines("control.jsonl") == [{"op": "hold"}, {"op": "release"}], "nothing twice"
    assert place.lines("tasks.jsonl") == [{"task": TASK, "attempt": 1}]


def _withdrawn(place: Place, wanted: list[Identity]) -> Mapping[Identity, bool]:
    wait_for(lambda: place.post.withdraw(wanted).keys() == set(wanted))
    return place.post.withdraw(wanted)


def test_a_claim_is_withdrawn_or_a_runners(place: Place) -> None:
    place.write(place.post.folder.claim(TASK, 1), f"{KEY}\n")
    wanted = [(TASK, 1), (TASK, 2)]
    for _ in range(2):
        assert _withdrawn(place, wanted) == {(TASK, 1): False, (TASK, 2): True}
        place.reopen()
    assert place.post.folder.claim(TASK, 2).is_symlink()
    assert dict(place.settled(lambda: place.post.held(wanted, [KEY]))) == {(TASK, 1): KEY}


def test_logs_are_read_and_links_are_not(place: Place) -> None:
    log = place.post.folder.log(TASK, 1)
    with pytest.raises(FileNotFoundError):
        place.post.read(log, 0, 10)
    place.write(log, "0123456789")
    assert place.post.read(log, 2, 3) == (2, 10, b"234")
    assert place.post.read(log, -4, 100) == (6, 10, b"6789")
    assert place.post.read(log, 50, 3) == (10, 10, b"")
    log.rename(log.with_name("other"))
    log.symlink_to("/etc/passwd")
    with pytest.raises(files.NotPlain):
        place.post.read(log, 0, 10)
    log.unlink()
    os.mkfifo(log)
    with pytest.raises(files.NotPlain):
        place.post.read(log, 0, 10)


def row(state: AllocationState = AllocationState.RUNNING) -> AllocationRow:
    given = dict.fromkeys(AllocationRow.__dataclass_fields__)
    return AllocationRow(**given | {"key": KEY, "job_id": JOB, "state": state, "offsets": []})  # type: ignore[arg-type]


def test_journals_arrive_byte_for_byte(place: Place) -> None:
    place.post.plan([KEY], f"{JOB}-a1.manifest.json", "{}")
    place.carried()
    far, near = place.post.folder.journal(KEY, 1), place.post.mirror.journal(KEY, 1)
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
    place.post.plan([KEY], f"{JOB}-a1.manifest.json", "{}")
    place.carried()
    far, near = place.post.folder.journal(KEY, 1), place.post.mirror.journal(KEY, 1)
    place.outposts.attend([row()])
    away = place.post
    assert isinstance(away, Away)
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
    place.write(place.post.folder.log(TASK, 1), "epoch: 1 val_loss: 0.5\ngave 7\n")
    found = place.post.unread(UnreadFiles(TASK, 1, False, None, [], True))
    assert any(one.get("v") == {"val_loss": 0.5} for one in found), found
    [points] = place.post.search([place.post.folder.log(TASK, 1)], [r"gave (?P<quality>\d+)"])
    assert [values for _, values in points] == [{"quality": 7.0}]


def test_put_away_begins_anew(place: Place) -> None:
    place.post.publish([{"task": TASK, "attempt": 1}])
    place.carried()
    place.write(place.post.folder.claim(TASK, 1), f"{KEY}\n")
    place.post.put_away()
    place.reopen()  # killed before anything was carried
    place.post.publish([{"task": TASK, "attempt": 2}])
    place.carried()
    assert place.lines("tasks.jsonl") == [{"task": TASK, "attempt": 2}], "an old attempt would run again"
    assert not place.post.folder.claim(TASK, 1).exists()


def test_old_attempts_and_the_whole_job_go(place: Place) -> None:
    for number in (1, 2):
        place.write(place.post.folder.log(TASK, number), "x" * 5000)
    attempts = place.post.folder.log(TASK, 1).parent.parent
    assert place.post.names(attempts) == {"1", "2"}
    assert place.post.measure(attempts, float("inf")).bytes >= 10_000
    place.post.drop([attempts / "1"])
    assert place.post.names(attempts) == {"2"}
    folder, mirror = place.post.folder.root, place.post.mirror.root
    place.settled(place.post.remove)
    assert not folder.exists()
    assert not mirror.exists()
