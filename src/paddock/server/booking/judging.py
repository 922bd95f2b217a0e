"""What speaks against a reservation: time, rules, quotas, other reservations, work that runs."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby

from paddock.errors import InvalidInput
from paddock.models import BookingProblem, Quota
from paddock.models.access import AccessRule
from paddock.models.units import words
from paddock.rules import access, quota
from paddock.rules.access import AccessPerson, AccessTarget, stretch
from paddock.rules.booking import Booked, Interval
from paddock.rules.quota import Held
from paddock.server.store import devices, quotas, reservations, rules, users
from paddock.server.store.db import Connection
from paddock.server.store.devices import DeviceRow
from paddock.server.store.rows import moment
from paddock.server.store.rules import People
from paddock.settings import ReservationSettings, Settings

LATE_SECONDS = 60.0  # a reservation "from now on" may be this old when it arrives
MOST_PROBLEMS = 200
HOUR, DAY, WEEK = 3600.0, 86_400.0, 7 * 86_400.0


@dataclass(frozen=True)
class Wish:
    """Devices that somebody wants to have reserved."""

    owner: str | None  # None: maintenance
    devices: tuple[DeviceRow, ...]
    within: Interval
    reservation: str = ""  # the id of one that is changed

    @property
    def gpus(self) -> int:
        return sum(one.gpus for one in self.devices)

    @property
    def held(self) -> Held:
        return Held(self.reservation, self.owner or "", self.gpus, *self.within)


class Judge:
    """Judges wishes by what the database says in one transaction."""

    def __init__(self, c: Connection, settings: Settings, now: float) -> None:
        self.c, self._settings, self.now = c, settings, now

    @property
    def limits(self) -> ReservationSettings:
        return self._settings.reservations

    @cached_property
    def rules(self) -> list[AccessRule]:
        return rules.worded(self.c)  # refusals name devices

    @cached_property
    def _quotas(self) -> list[Quota]:
        return quotas.listed(self.c)

    @cached_property
    def _people(self) -> People:
        return rules.people(self.c)

    @property
    def open(self) -> bool:
        """Return True if what no rule speaks of is allowed."""
        return self._settings.team.access == "open"

    def person(self, name: str) -> AccessPerson:
        return self._people[name]

    def zone(self, name: str | None) -> str:
        """Return the time zone in which somebody reads times."""
        found = users.find(self.c, name) if name is not None else None
        return (found.zone if found is not None else "") or self._settings.team.zone

    def devices(self, ids: Sequence[str]) -> tuple[DeviceRow, ...]:
        """Return devices in their order; raise InvalidInput for ids that are not known."""
        known = devices.by_ids(self.c, ids)
        for one in ids:
            if one not in known:
                raise InvalidInput.at("devices", f"there is no device {one!r}: `paddock gpus` lists those that exist")
        return tuple(sorted(known.values(), key=lambda row: (row.backend, row.host, row.number or 0, row.id)))

    # --- what speaks against it ---------------------------------------------------------------------------------------

    def problems(self, wish: Wish, beside: Iterable[Held] = (), *, extends: bool = False) -> list[BookingProblem]:
        """Return what speaks against a wish. `beside`: what its owner gets at the same time.

        `extends`: it has begun, and only its end is new.
        """
        found = list(self._times(wish, extends=extends))
        found += [
            BookingProblem(kind="device", message=f"{one.name} is not there any more.", device=one.id)
            for one in wish.devices
            if one.retired_at is not None
        ]
        if wish.owner is not None:
            found += self._rules(wish) + self._quota(wish, beside)
        found += self._taken(wish)
        if not extends:
            found += self._notice(wish)
        return found[:MOST_PROBLEMS]

    def _times(self, wish: Wish, *, extends: bool) -> Iterable[BookingProblem]:
        since, until = wish.within
        limits, length = self.limits, until - since
        if until <= self.now or (since < self.now - LATE_SECONDS and not extends):
            yield _timed("past", "That is in the past: what has been cannot be reserved.", wish.within)
        if wish.owner is None:
            return
        if length < limits.min_minutes * 60 and since > self.now + LATE_SECONDS:
            shortest = words(limits.min_minutes * 60)
            yield _timed("length", f"A reservation that begins later is {shortest} long at least.", wish.within)
        if length > limits.max_hours * HOUR:
            yield _timed("length", f"A reservation is {words(limits.max_hours * HOUR)} long at most.", wish.within)
        if since > self.now + limits.ahead_days * DAY:
            ahead = words(limits.ahead_days * DAY)
            yield _timed("ahead", f"A reservation begins at most {ahead} from now.", wish.within)

    def _rules(self, wish: Wish) -> list[BookingProblem]:
        person = self.person(wish.owner or "")
        if person.admin:
            return []
        refused = []
        for one in wish.devices:
            verdict = access.judge(self.rules, person, target(one), "reserve", wish.within, default=self.open)
            if not verdict.allowed:
                refused.append((verdict.why, verdict.gap or wish.within, one))
        found = []
        for (why, gap), same in groupby(sorted(refused, key=lambda one: one[:2]), key=lambda one: one[:2]):
            rows = [row for _, _, row in same]
            message = f"{names(rows)}: {why}"
            found.append(_timed("rule", message, gap, device=rows[0].id if len(rows) == 1 else None))
        return found

    def allows(self, owner: str | None, row: DeviceRow, within: Interval) -> bool:
        """Return True if no rule forbids somebody, or maintenance (None), to have a device then."""
        if owner is None or self.person(owner).admin:
            return True
        person = self.person(owner)
        return access.judge(self.rules, person, target(row), "reserve", within, default=self.open).allowed

    def _quota(self, wish: Wish, beside: Iterable[Held]) -> list[BookingProblem]:
        limits = quota.strictest(self._quotas, self.person(wish.owner or ""))
        if not limits:
            return []
        zone = self._settings.team.zone
        since = min(self.now, quota.week_of(wish.within[0], zone)[0])
        held = [*quotas.held(self.c, wish.owner or "", since), *beside]
        breached = quota.breaches(held, wish.held, limits, self.now, zone)
        return [_timed("quota", text, wish.within) for text in breached]

    def within_quota(self, wish: Wish) -> bool:
        """Return True if no quota speaks against a wish."""
        return wish.owner is None or not self._quota(wish, ())

    def _taken(self, wish: Wish) -> list[BookingProblem]:
        rows = {one.id: one for one in wish.devices}
        zone = self.zone(wish.owner)
        return [
            self.taken(rows[one.device], one, zone)
            for one in reservations.taken(self.c, rows, wish.within, wish.reservation)
        ]

    @staticmethod
    def taken(row: DeviceRow, one: Booked, zone: str) -> BookingProblem:
        """Return that a device is reserved by somebody else."""
        whose = f"reserved by {one.owner}" if one.owner is not None else "in maintenance"
        when = (one.starts_at, one.ends_at)
        message = f"{row.name} is {whose} {stretch(when, zone)}."
        return _timed("taken", message, when, device=row.id, reservation=one.reservation, owner=one.owner)

    def _notice(self, wish: Wish) -> list[BookingProblem]:
        """Return what runs on the devices, if it would have to end too soon."""
        until = self.now + self.limits.notice_minutes * 60
        if wish.within[0] >= until or wish.owner is None:
            return []
        running = self.running_for_others(wish.owner)
        zone = self.zone(wish.owner)
        found = []
        for one in wish.devices:
            if one.id in running:
                message = (
                    f"Work of {running[one.id]} runs on {one.name}, and has {words(self.limits.notice_minutes * 60)} "
                    f"to end: reserve it {stretch((until, wish.within[1]), zone)}."
                    if until < wish.within[1]
                    else f"Work of {running[one.id]} runs on {one.name}: reserve it for longer, or later."
                )
                found.append(_timed("notice", message, (wish.within[0], until), device=one.id, owner=running[one.id]))
        return found

    def running_for_others(self, owner: str) -> Mapping[str, str]:
        """Return the devices on which work of somebody else runs, and whose it is.

        Where a scheduler has its own queue, it decides by itself what its reservations wait for.
        """
        return {device: other for device, other in self._running.items() if other != owner}

    @cached_property
    def _running(self) -> Mapping[str, str]:
        return reservations.running(self.c)


def target(row: DeviceRow) -> AccessTarget:
    """Return a device as rules know it."""
    return AccessTarget(row.id, row.backend, row.host, frozenset(row.partitions))


def names(rows: Collection[DeviceRow]) -> str:
    """Return what people call some devices, of many only the first."""
    first = ", ".join(row.name for row in list(rows)[:4])
    return first if len(rows) <= 4 else f"{first} and {len(rows) - 4} more"


def _timed(kind: str, message: str, within: Interval, **given: str | None) -> BookingProblem:
    times = {"starts_at": moment(within[0]), "ends_at": moment(within[1])}
    return BookingProblem.model_validate({"kind": kind, "message": message, **times, **given})
