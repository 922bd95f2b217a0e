"""Many at once: of one slot exactly one has it, and a quota holds. On both databases."""

from concurrent.futures import ThreadPoolExecutor

import pytest
import sqlalchemy as sa

from paddock.models import BookingResult
from paddock.server.store import reservations
from paddock.server.store.db import Database
from paddock.settings import Settings
from tests.server.booking.office import HOUR, Office

MANY = 100


@pytest.fixture(params=["sqlite", "postgresql"])
def database_kind(request: pytest.FixtureRequest) -> str:
    kind: str = request.param
    return kind


@pytest.fixture
def office(db: Database, settings: Settings) -> Office:
    return Office(db, settings)


def test_of_100_at_once_one_gets_the_slot_and_a_quota_of_2_gives_2(office: Office) -> None:
    people = ["alice", "bob", "carol", "ann"]
    with ThreadPoolExecutor(MANY) as pool:
        tried = [pool.submit(office.reserve, people[n % 4], HOUR, 1.0) for n in range(MANY)]
        results = [one.result() for one in tried]
    won = [one for one in results if one.reservations]
    assert len(won) == 1
    lost = [one for one in results if not one.reservations]
    assert {problem.kind for one in lost for problem in one.problems} == {"taken"}
    assert all(one.free[0].devices == [office.gpus[1]] for one in lost)  # the other GPU of the host is free

    office.quota("account", subject="bob", open_reservations=2)
    office.gpus = office.gpus[2:3]
    mine = sum(one.owner == "bob" for one in won[0].reservations)

    def later(n: int) -> BookingResult:
        return office.reserve("bob", (10 + 2 * n) * HOUR, 1.0)

    with ThreadPoolExecutor(MANY) as pool:
        results = list(pool.map(later, range(MANY)))
    assert sum(bool(one.reservations) for one in results) == 2 - mine
    assert {problem.kind for one in results for problem in one.problems} == {"quota"}


def test_the_schema_alone_lets_one_of_many_have_the_slot(office: Office) -> None:
    """Whoever writes without the lock of all writers, and without looking what is taken."""
    own = {"kind": "reservation", "title": "", "description": "", "guests": [], "guest_groups": []}

    def write(n: int) -> bool:
        try:
            with office.db.engine.begin() as c:
                within = (office.now, office.now + HOUR)
                reservations.add(c, office.gpus, within, office.now, owner=f"p{n}", by="x", **own)
        except sa.exc.DBAPIError:
            return False
        return True

    with ThreadPoolExecutor(8) as pool:
        assert sum(pool.map(write, range(20))) == 1
    with office.db.read() as c:
        assert len({one.reservation for one in reservations.live(c, office.now, office.now + 1)}) == 1
