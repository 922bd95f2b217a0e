"""Test how GPUs are held for a program, against a calendar in memory whose clock the test moves."""

from datetime import UTC, datetime, timedelta
from typing import Any, cast

import pytest

from paddock.client.calendar import CalendarCalls
from paddock.client.lease import LEASE_SECONDS, NOTE, RENEW_SECONDS, GpuLease, WantedGpus, take
from paddock.errors import Conflict, NotFound, Refused, ServerUnreachable
from paddock.models import BookingProblem, BookingResult, FreeSlot, Reservation

NOW = datetime(2026, 11, 18, 12, tzinfo=UTC)
WANTED = WantedGpus(1, "gpu1", "lab", "train")


def after(seconds: float) -> datetime:
    return NOW + timedelta(seconds=seconds)


class Calendar:
    """One GPU, others' reservations of it, and ours."""

    def __init__(self) -> None:
        self.now = NOW
        self.others: list[tuple[datetime, datetime]] = []
        self.ours: Reservation | None = None
        self.made = 0
        self.about = ""  # the description of the others
        self.down = False

    def clock(self) -> datetime:
        return self.now

    def reserve(self, devices: Any = (), *, seconds: int, starts_at: datetime | None = None, **_: Any) -> BookingResult:
        begin = starts_at or self.now
        self._check(begin, begin + timedelta(seconds=seconds))
        self.made += 1
        end = begin + timedelta(seconds=seconds)
        self.ours = self._reservation(f"r{self.made}", begin, end, NOTE)
        return BookingResult(reservations=[self.ours])

    def reservation(self, id: str) -> Reservation:
        if self.down:
            raise ServerUnreachable
        if self.ours is None or self.ours.id != id:
            raise NotFound
        return self.ours

    def change(self, id: str, version: int, **changes: Any) -> Reservation:
        found = self.reservation(id)
        if version != found.version:
            raise Conflict
        new = found.model_copy(update={**changes, "version": version + 1})
        self._check(new.starts_at, new.ends_at)
        self.ours = new
        return new

    def free(self, *_: Any, **__: Any) -> list[FreeSlot]:
        begin = max([self.now, *(end for _, end in self.others)])
        end = begin + timedelta(hours=1)
        return [FreeSlot(devices=["gpu"], host="gpu1", backend="lab", starts_at=begin, ends_at=end)]

    def reservations(self) -> list[Reservation]:
        return [self._reservation(f"o{n}", *times, self.about) for n, times in enumerate(self.others)]

    def release(self, id: str) -> None:
        self.end("released_at")

    def cancel(self, id: str) -> None:
        self.end("cancelled_at")

    def end(self, how: str) -> None:
        assert self.ours is not None
        self.ours = self.ours.model_copy(update={how: self.now})

    def _reservation(self, id: str, begin: datetime, end: datetime, about: str) -> Reservation:
        times = {"starts_at": begin, "ends_at": end, "planned_end": end, "created_at": self.now}
        given = {"id": id, "owner": "alice", "devices": ["gpu"], "by": "alice", "version": 1, "description": about}
        return Reservation.model_validate(given | times)

    def _check(self, begin: datetime, end: datetime) -> None:
        for taken, until in self.others:
            if begin < until and taken < end:
                refusal = Refused("gpu1:0 is reserved by bob.")
                problem = BookingProblem(kind="taken", message="taken", starts_at=max(begin, taken), ends_at=until)
                refusal.booking = BookingResult(problems=[problem], free=self.free())
                raise refusal


@pytest.fixture
def calendar() -> Calendar:
    return Calendar()


def held(calendar: Calendar, wanted: WantedGpus = WANTED, *, wait: bool = True) -> GpuLease:
    return take(cast(CalendarCalls, calendar), wanted, wait=wait, clock=calendar.clock)


def test_it_is_short_and_made_longer_while_somebody_keeps_it(calendar: Calendar) -> None:
    lease = held(calendar)
    assert (lease.begun, lease.seconds_left) == (True, LEASE_SECONDS)
    calendar.now = after(RENEW_SECONDS - 1)
    assert lease.keep()
    assert lease.held.version == 1
    calendar.now = after(RENEW_SECONDS)
    assert lease.keep()
    assert lease.seconds_left == LEASE_SECONDS
    lease.give_back()
    assert calendar.ours is not None
    assert calendar.ours.released_at == calendar.now


@pytest.mark.parametrize("wrong", [-300, 300])
def test_the_servers_clock_counts(calendar: Calendar, wrong: float) -> None:
    calendar.others = [(NOW, after(100))]
    clock = lambda: calendar.now + timedelta(seconds=wrong)  # noqa: E731
    lease = take(cast(CalendarCalls, calendar), WANTED, wait=True, clock=clock)
    assert (lease.begun, lease.seconds_before) == (False, 100)
    calendar.now = after(100)
    assert lease.begun


def test_a_length_is_reserved_at_once_and_extended_from_its_end_on(calendar: Calendar) -> None:
    lease = held(calendar, WantedGpus(1, "gpu1", "lab", seconds=4 * 3600))
    calendar.now = after(2 * 3600)
    assert lease.keep()
    assert lease.held.ends_at == after(4 * 3600)
    calendar.now = after(4 * 3600 - 60)
    assert lease.keep()
    assert lease.seconds_left == LEASE_SECONDS


def test_what_is_not_free_is_taken_at_the_first_time_when_it_is(calendar: Calendar) -> None:
    calendar.others = [(NOW, after(3600))]
    with pytest.raises(Refused, match="bob"):
        held(calendar, wait=False)
    lease = held(calendar)
    assert (lease.begun, lease.held.starts_at) == (False, after(3600))
    lease.sooner()
    assert lease.held.starts_at == after(3600)
    calendar.others, calendar.now = [], after(600)  # bob has released it
    lease.sooner()
    assert (lease.begun, lease.held.starts_at) == (True, after(600))


def test_who_waits_for_a_program_does_not_take_the_time_after_its_lease(calendar: Calendar) -> None:
    calendar.others, calendar.about = [(NOW, after(1500))], NOTE
    with pytest.raises(Refused) as refused:
        held(calendar)
    assert refused.value.booking.free  # so it is worth while to ask again
    calendar.others = []
    assert held(calendar).begun


def test_a_place_in_the_line_is_not_moved_to_the_end_of_a_program(calendar: Calendar) -> None:
    calendar.others = [(NOW, after(3600))]
    lease = held(calendar)
    calendar.others, calendar.about = [(NOW, after(1500))], NOTE
    lease.sooner()
    assert lease.held.starts_at == after(3600)


def test_what_has_not_begun_is_cancelled(calendar: Calendar) -> None:
    calendar.others = [(NOW, after(3600))]
    held(calendar).give_back()
    assert calendar.ours is not None
    assert calendar.ours.cancelled_at


def test_somebody_who_comes_after_us_limits_it(calendar: Calendar) -> None:
    lease = held(calendar)
    calendar.others = [(after(2000), after(9000))]
    calendar.now = after(RENEW_SECONDS)
    assert lease.keep()
    assert lease.held.ends_at == after(2000)
    assert lease.refusal == "gpu1:0 is reserved by bob."
    calendar.now = after(2001)
    assert not lease.keep()


def test_a_refusal_that_is_over_is_forgotten(calendar: Calendar) -> None:
    lease = held(calendar)
    calendar.others, calendar.now = [(after(2000), after(9000))], after(RENEW_SECONDS)
    lease.keep()
    calendar.others = []
    assert lease.keep()
    assert (lease.refusal, lease.seconds_left) == (None, LEASE_SECONDS)


@pytest.mark.parametrize("how", ["released_at", "cancelled_at"])
def test_it_is_over_when_somebody_ends_it(calendar: Calendar, how: str) -> None:
    lease = held(calendar)
    calendar.end(how)
    assert not lease.keep()


def test_a_server_that_is_away_ends_nothing_and_the_gpus_are_taken_again(calendar: Calendar) -> None:
    lease = held(calendar)
    calendar.down, calendar.now = True, after(2 * LEASE_SECONDS)
    assert lease.keep()
    calendar.down = False
    assert lease.keep()
    assert (lease.held.id, lease.seconds_left) == ("r2", LEASE_SECONDS)


def test_a_change_by_somebody_else_does_not_stop_it(calendar: Calendar) -> None:
    lease = held(calendar)
    calendar.change("r1", 1, title="from the page")
    calendar.now = after(RENEW_SECONDS)
    assert lease.keep()
    assert lease.seconds_left == LEASE_SECONDS
