"""Test that queries know who asks: jobs, tasks, events and streams."""

from typing import Any

import pytest

from paddock.errors import AmbiguousId, NotFound
from paddock.models import JobPatch, Visibility
from paddock.server.api import streams
from paddock.server.api.wakeup import Wakeup
from paddock.server.store import events, jobs, tasks
from paddock.server.store.db import Database
from paddock.server.store.sight import EVERYTHING, Sight
from tests.server.store.given import add_job, announce, erase
from tests.support import loop

BOB, ALICE = Sight("bob"), Sight("alice")


@pytest.fixture(autouse=True)
def given(db: Database) -> None:
    add_job(db, "abc1", owner="alice", tags=["shared"])
    add_job(db, "abc2", owner="alice", tags=["hidden"], visibility="private")
    add_job(db, "xyz", owner="carol", tags=["hers"], visibility="private")


@pytest.mark.parametrize(
    ("sight", "ids"), [(BOB, ["abc1"]), (ALICE, ["abc1", "abc2"]), (EVERYTHING, ["abc1", "abc2", "xyz"])]
)
def test_lists_numbers_and_filters(db: Database, sight: Sight, ids: list[str]) -> None:
    with db.read() as c:
        page = jobs.page(c, sight, sort="created")
        found = jobs.facets(c, sight)
        assert ([job.id for job in page.items], page.total) == (ids, len(ids))
        assert jobs.page(c, sight, owner="carol").total == ("xyz" in ids)
        assert jobs.page(c, sight, tag="hidden").total == ("abc2" in ids)
        assert jobs.page(c, sight, q="abc2").total == ("abc2" in ids)
        assert jobs.unseen(c, ["abc1", "abc2", "xyz"], sight) == {"abc1", "abc2", "xyz"} - set(ids)
    assert found.tags == sorted({"abc1": "shared", "abc2": "hidden", "xyz": "hers"}[one] for one in ids)
    assert found.owners == sorted({"alice", "carol"} if "xyz" in ids else {"alice"})


def test_a_short_id_means_what_one_sees(db: Database) -> None:
    with db.read() as c:
        assert jobs.resolve(c, "abc", BOB) == jobs.resolve(c, "a", BOB) == "abc1"
        assert tasks.resolve(c, "ab-1", BOB) == "abc1-1"
        with pytest.raises(AmbiguousId):
            jobs.resolve(c, "abc", ALICE)
        for text in ("abc2", "xyz", "x"):
            with pytest.raises(NotFound) as hidden:
                jobs.resolve(c, text, BOB)
            assert hidden.value.message == f"There is no job {text!r}: `paddock ls` lists them."
        with pytest.raises(NotFound):
            tasks.resolve(c, "abc2-1", BOB)
        with pytest.raises(NotFound):
            tasks.resolve_many(c, "abc1", ["abc2-1"], BOB)


def owners(db: Database) -> dict[str | None, set[str | None]]:
    found: dict[str | None, set[str | None]] = {}
    with db.read() as c:
        for one in events.after(c, 0):
            found.setdefault(one.job, set()).add(one.owner)
    return found


def test_an_event_has_the_only_person_who_may_see_it(db: Database) -> None:
    assert owners(db) == {"abc1": {None}, "abc2": {"alice"}, "xyz": {"carol"}}
    with db.write() as c:
        jobs.patch(c, "abc1", JobPatch(visibility=Visibility.PRIVATE))
    assert owners(db)["abc1"] == {"alice"}, "also what was written before"
    with db.write() as c:
        jobs.patch(c, "abc2", JobPatch(visibility=Visibility.TEAM))
        jobs.mark_removing(c, "xyz")
        erase(c, "xyz")
    assert owners(db) == {"abc1": {"alice"}, "abc2": {"alice", None}, "xyz": {"carol"}}


def test_a_portion_is_read_once_whoever_asks(db: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    reads: list[int] = []
    plain = streams.Streams._read

    def counted(made: streams.Streams, position: int, job: str | None) -> Any:
        reads.append(position)
        return plain(made, position, job)

    monkeypatch.setattr(streams.Streams, "_read", counted)
    with db.write() as c:
        announce(c, "abc1")

    async def read() -> list[streams.EventPage]:
        made = streams.Streams(db, Wakeup())
        return [await made.after(0, None, sight) for sight in (BOB, ALICE, EVERYTHING, BOB, Sight("dora"))]

    found = loop.run(read)
    assert reads == [0]
    assert len({one.position for one in found}) == 1, "also of events that one may not see"
    assert [one.data.count(b"event: ") for one in found] == [2, 3, 4, 2, 2]
    assert b"abc2" not in found[0].data
    assert found[0] is found[3]
