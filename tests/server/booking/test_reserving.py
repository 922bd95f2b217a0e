"""What is due about reservations: notices, hooks, the end, rules that shrink, slots that somebody waits for."""

import json
from pathlib import Path
from typing import Any

import pytest

from paddock.models import BookingResult
from paddock.paths import Home
from paddock.server.engine.context import Context
from paddock.server.engine.reservations import Reserving
from paddock.server.notify.hooks import HookRunner
from paddock.server.outposts.registry import Outposts
from paddock.server.store import devices, notices, reservations, rules, wanted_slots
from paddock.settings import HookSettings
from tests.server.booking.office import DAY, HOUR, Office, at
from tests.support.server import wait_for

MINUTE = 60.0


class Round:
    """Rounds of the step, at the time of the office."""

    def __init__(self, office: Office, home: Home, runner: HookRunner) -> None:
        self.office = office
        outposts = Outposts(home, None, lambda: None, None, office.db)
        self.context = Context(office.db, home, office.settings, {}, outposts)
        self.step = Reserving(self.context, runner)

    def at(self, seconds: float) -> None:
        self.office.now = at(seconds).timestamp()
        self.step.run(self.office.now)
        self.step.run(self.office.now)  # again: nothing is done twice

    def told(self, user: str) -> list[str]:
        with self.office.db.read() as c:
            return [one.title for one in reversed(notices.page(c, user).items)]


@pytest.fixture
def rounds(office: Office, home: Home) -> Round:
    return Round(office, home, HookRunner(home.root))


def test_owners_are_told_before_it_begins_and_when_it_has_ended(office: Office, rounds: Round) -> None:
    made = office.made("alice", HOUR, 1.0, devices=office.gpus[:2], title="paper")
    soon = office.made("bob", 5 * MINUTE, 0.5, devices=office.gpus[2:3])
    rounds.at(0)
    rounds.at(49 * MINUTE)
    assert rounds.told("alice") == []
    rounds.at(51 * MINUTE)
    assert rounds.told("alice") == ["Your reservation of gpu1:0, gpu1:1 begins soon"]
    assert rounds.told("bob") == ["Your reservation of gpu2:0 has ended"]  # he had just made it when it began
    with office.db.read() as c:
        [notice] = notices.page(c, "alice").items
        assert notice.text == "From Wed 2026-11-18 13:00 UTC until Wed 2026-11-18 14:00 UTC (paper)."
        assert notice.link == f"/calendar?reservation={made.id}"
        assert [one.id for one in reservations.unfinished(c)] == [made.id]  # bob's is over
    office.now = at(90 * MINUTE).timestamp()
    office.release("alice", office.get(made.id))
    rounds.at(3 * HOUR)
    assert len(rounds.told("alice")) == 1  # who has released it knows
    with office.db.read() as c:
        assert reservations.unfinished(c) == []
    assert office.get(soon.id).ends_at == at(35 * MINUTE)


def test_one_that_was_moved_is_told_of_again(office: Office, rounds: Round) -> None:
    made = office.made("alice", HOUR, 1.0)
    rounds.at(55 * MINUTE)
    office.change("alice", made, starts_at=at(5 * HOUR), ends_at=at(6 * HOUR))
    rounds.at(4 * HOUR + 55 * MINUTE)
    assert rounds.told("alice") == ["Your reservation of gpu1:0 begins soon"] * 2


def test_hooks_are_called_once_each(office: Office, home: Home, tmp_path: Path) -> None:
    log = tmp_path / "log"
    hook = HookSettings(command=["sh", "-c", f"cat >> {log}; echo >> {log}"])
    given = {name: [hook] for name in ("on_create", "before_start", "on_start", "on_end")}
    office.settings = office.settings.model_copy(
        update={"reservations": office.settings.reservations.model_copy(update=given)}
    )
    runner = HookRunner(home.root)
    rounds = Round(office, home, runner)
    made = office.made("alice", HOUR, 1.0, title="'; $(touch x)\n")

    def called(count: int) -> list[dict[str, Any]]:
        lines = log.read_text().splitlines() if log.exists() else []
        return [json.loads(line) for line in lines] if len(lines) == count else []

    for count, seconds in enumerate((0, 55 * MINUTE, HOUR, 2 * HOUR), start=1):
        rounds.at(seconds)
        seen = wait_for(lambda count=count: called(count))  # type: ignore[misc]
    assert [one["event"] for one in seen] == [
        "reservation.create",
        "reservation.before_start",
        "reservation.start",
        "reservation.end",
    ]
    about = seen[0]["reservation"]
    assert (about["id"], about["title"], about["devices"][0]["name"]) == (made.id, "'; $(touch x)", "gpu1:0")
    runner.close()


def test_everybody_is_told_of_maintenance_a_day_before(office: Office, rounds: Round) -> None:
    office.made("ann", 2 * DAY, 5.0, kind="maintenance", devices=office.gpus, title="new disks")
    rounds.at(HOUR)
    assert rounds.told("alice") == []
    rounds.at(DAY + HOUR)
    assert rounds.told("alice") == rounds.told("ann") == ["Maintenance of gpu1:0, gpu1:1, gpu2:0, gpu2:1"]
    assert rounds.told("gina") == []


def test_what_a_rule_no_longer_allows_is_cancelled_after_a_day(office: Office, rounds: Round) -> None:
    near = office.made("bob", HOUR, 1.0)
    far = office.made("bob", 5 * DAY, 1.0)
    other = office.made("alice", 5 * DAY, 1.0, devices=office.gpus[1:2])
    rounds.at(0)
    office.rule("deny", who={"accounts": ["bob"]}, since=at(2 * HOUR))
    rounds.at(MINUTE)
    assert office.get(near.id).outside_since is None
    assert office.get(far.id).outside_since == at(MINUTE) and office.get(far.id).version == far.version
    assert rounds.told("bob") == ["Your reservation is against the rules now, and will be cancelled in a day"]
    assert rounds.told("ann") == ["A reservation of bob is against the rules now, and will be cancelled in a day"]
    with office.db.write() as c:
        [rule] = rules.listed(c)
        rules.remove(c, rule.id)
    rounds.at(HOUR / 2)
    assert office.get(far.id).outside_since is None  # it is allowed again
    office.rule("deny", who={"accounts": ["bob"]}, since=at(2 * HOUR))
    rounds.at(HOUR)
    rounds.at(20 * HOUR)
    assert office.get(far.id).cancelled_at is None
    rounds.at(DAY + HOUR)
    gone = office.get(far.id)
    assert (gone.cancelled_by, gone.cancelled_at) == ("rules", at(DAY + HOUR))
    assert "forbids it" in (gone.cancelled_why or "")
    assert rounds.told("bob")[-1] == "Your reservation was cancelled"
    assert office.get(other.id).cancelled_at is None
    assert office.get(near.id).cancelled_at is None
    assert office.audited()[-1] == "reservation.cancel"


def test_who_waits_for_a_slot_is_told_when_it_is_free(office: Office, rounds: Round) -> None:
    made = office.made("alice", HOUR, 2.0, devices=office.gpus)
    waits = office.reserve("bob", HOUR, 2.0, notify_if_free=True)
    any_two = office.reserve("carol", HOUR, 1.0, gpus=2, notify_if_free=True)
    assert waits.waits_for is not None and any_two.waits_for is not None
    refused = office.reserve("carol", -DAY, 1.0, notify_if_free=True)  # for other reasons: no wish
    assert isinstance(refused, BookingResult) and refused.waits_for is None
    rounds.at(MINUTE)
    assert rounds.told("bob") == rounds.told("carol") == []
    office.change("alice", made, devices=office.gpus[1:3])
    rounds.at(2 * MINUTE)
    assert rounds.told("bob") == ["gpu1:0 can be reserved"]
    assert rounds.told("carol") == []  # one GPU is free on each of the hosts
    office.cancel("alice", office.get(made.id))
    rounds.at(90 * MINUTE)  # half of it is left
    assert rounds.told("carol") == ["gpu1:0, gpu1:1 can be reserved"]
    with office.db.read() as c:
        assert wanted_slots.listed(c, "bob") == wanted_slots.listed(c, "carol") == []


def test_a_wish_ends_with_its_time(office: Office, rounds: Round) -> None:
    office.made("alice", HOUR, 2.0)
    assert office.reserve("bob", HOUR, 2.0, notify_if_free=True).waits_for is not None
    rounds.at(2 * HOUR + 45 * MINUTE)
    with office.db.read() as c:
        assert wanted_slots.listed(c, "bob") == []
    assert rounds.told("bob") == []


def test_a_reserved_device_that_is_gone_is_reported(office: Office, rounds: Round) -> None:
    office.made("alice", HOUR, 2.0, devices=office.gpus[:2])
    rounds.at(0)
    with office.db.write() as c:
        devices.retire(c, office.gpus[:1], office.now)
    rounds.at(MINUTE)
    assert rounds.told("alice") == ["Your reservation has gpu1:0, which is not there any more"]
    assert rounds.told("ann") == ["A reservation of alice has gpu1:0, which is not there any more"]
    assert [one.kind for one in office.reserve("bob", 4 * HOUR).problems] == ["device"]
