"""GPUs that are reserved while a program lives: `paddock run`.

The reservation is short, and made longer again and again while the program runs. So when this machine, this program or
the network dies, the GPUs are free again soon, and nobody has to give them back.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

from paddock.errors import Conflict, NotFound, PaddockError, Refused, ServerUnreachable

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from paddock.client.calendar import CalendarCalls
    from paddock.models import FreeSlot, Reservation

NOTE = "It is made longer while a program runs: `paddock run`."
LEASE_SECONDS = 1800
RENEW_SECONDS = 600  # so much of the lease is used up before it is renewed
SOONER_SECONDS = 60  # an earlier slot is taken if it is at least so much earlier


@dataclass(frozen=True)
class WantedGpus:
    """What is to be held."""

    gpus: int
    host: str
    backend: str
    title: str = ""
    model: str | None = None
    seconds: int | None = None  # to be sure of from the start; a short lease when not given

    @property
    def length(self) -> int:
        return self.seconds or LEASE_SECONDS


def _now() -> datetime:
    return datetime.now(UTC)


def take(calls: CalendarCalls, wanted: WantedGpus, *, wait: bool, clock: Callable[[], datetime] = _now) -> GpuLease:
    """Reserve from now on; if that is refused and `wait`, the first slot that is free: a place in the line.

    Raise Refused if there is none. If its booking has free slots, ask again later: these slots come after leases of
    programs, and nobody knows when programs end.
    """
    asked: dict[str, Any] = {"host": wanted.host, "backend": wanted.backend, "model": wanted.model}
    about: dict[str, Any] = {"seconds": wanted.length, "title": wanted.title, "description": NOTE}
    try:
        made = calls.reserve(gpus=wanted.gpus, **about, **asked)
    except Refused as refusal:
        slots = refusal.booking.free if refusal.booking is not None and wait else []
        slot = _place_in_line(calls, slots)
        if slot is None:
            raise
        made = calls.reserve(slot.devices, starts_at=slot.starts_at, **about)
    held = made.reservations[0]
    ahead = held.created_at - clock()  # the server's clock decides when it begins
    return GpuLease(calls, wanted, held, lambda: clock() + ahead)


def _place_in_line(calls: CalendarCalls, slots: Sequence[FreeSlot]) -> FreeSlot | None:
    """Return the first slot that ends no program of somebody else, as it would if it begins where a lease ends."""
    if not slots:
        return None
    leased = {id for one in calls.reservations() if one.description == NOTE for id in one.devices}
    return next((slot for slot in slots if leased.isdisjoint(slot.devices)), None)


@dataclass
class GpuLease:
    """GPUs of one host that are reserved until they are given back, or nobody keeps them any more."""

    calls: CalendarCalls
    wanted: WantedGpus
    held: Reservation
    clock: Callable[[], datetime]  # that of the server
    refusal: str | None = None  # why it cannot be made longer

    @property
    def begun(self) -> bool:
        return self.seconds_before <= 0

    @property
    def seconds_before(self) -> float:
        """Return how long it is until it begins."""
        return (self.held.starts_at - self.clock()).total_seconds()

    @property
    def seconds_left(self) -> float:
        return (self.held.ends_at - self.clock()).total_seconds()

    def sooner(self) -> None:
        """Move the reservation, which has not begun, to an earlier slot if one has become free."""
        where = {"host": self.wanted.host, "backend": self.wanted.backend, "model": self.wanted.model}
        found = self.calls.free(self.wanted.gpus, self.wanted.length, **where)
        now = self.clock()
        slot = next((one for one in found if one.starts_at <= now), None) or _place_in_line(self.calls, found)
        if slot is None or (self.held.starts_at - slot.starts_at).total_seconds() < SOONER_SECONDS:
            return
        starts_at = max(slot.starts_at, now)
        ends_at = starts_at + timedelta(seconds=self.wanted.length)
        self._change(devices=slot.devices, starts_at=starts_at, ends_at=ends_at)

    def keep(self) -> bool:
        """Make the reservation longer if it is time for that. Return False if it is over and the GPUs are others'."""
        try:
            self.held = self.calls.reservation(self.held.id)
            if self.held.released_at or self.held.cancelled_at:
                return False
            if self.seconds_left <= 0:  # the server was away, or this machine asleep
                return self._again()
            if self.refusal or self.seconds_left <= LEASE_SECONDS - RENEW_SECONDS:
                self._lengthen(self.clock() + timedelta(seconds=LEASE_SECONDS))
        except ServerUnreachable:
            return True
        except NotFound:
            return False
        return True

    def give_back(self) -> None:
        """Release what is reserved, or cancel it if it has not begun."""
        try:
            if self.begun:
                self.calls.release(self.held.id)
            else:
                self.calls.cancel(self.held.id)
        except (Conflict, NotFound):
            pass  # it is over

    def _lengthen(self, until: datetime) -> None:
        """Make it longer; if others have the GPUs before then, until they have them."""
        try:
            self._change(ends_at=until)
            self.refusal = None
        except Refused as refusal:
            self.refusal = refusal.message
            problems = refusal.booking.problems if refusal.booking is not None else []
            taken = [one.starts_at for one in problems if one.starts_at is not None]
            if taken and min(taken) > self.held.ends_at:
                self._change(ends_at=min(taken))

    def _change(self, **changes: Any) -> None:
        try:
            self.held = self.calls.change(self.held.id, self.held.version, **changes)
        except Refused:
            raise
        except Conflict:  # somebody has changed its title, or it has begun meanwhile: the next look tries again
            self.held = self.calls.reservation(self.held.id)

    def _again(self) -> bool:
        """Reserve the same GPUs anew; return False if others have them."""
        try:
            made = self.calls.reserve(
                self.held.devices, seconds=LEASE_SECONDS, title=self.wanted.title, description=NOTE
            )
        except ServerUnreachable:
            raise
        except PaddockError as error:
            self.refusal = error.message
            return False
        self.held = made.reservations[0]
        return True
