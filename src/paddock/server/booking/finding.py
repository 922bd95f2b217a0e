"""What is free: the first slots for somebody, and devices that fit a wish."""

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from paddock.models import FreeSlot
from paddock.rules import access, booking
from paddock.rules.booking import Booked, Interval
from paddock.server.booking.judging import Judge, Wish, target
from paddock.server.store import devices, reservations
from paddock.server.store.devices import DeviceRow
from paddock.server.store.rows import moment

AFTERWARDS = 7 * 86_400.0  # seconds that are looked at to see which gap is the tightest
NEAR = 14 * 86_400.0
TRIED = 12  # slots that are compared with the quota, of which the first few are offered


@dataclass(frozen=True)
class WantedDevices:
    """Any devices that fit."""

    gpus: int
    model: str | None = None
    host: str | None = None
    backend: str | None = None

    def fits(self, row: DeviceRow) -> bool:
        return (
            (self.model is None or self.model.lower() in row.model.lower())
            and self.host in (None, row.host)
            and self.backend in (None, row.backend)
        )


def places(judge: Judge, wanted: WantedDevices) -> list[DeviceRow]:
    """Return the devices that fit, whether or not they are free."""
    return [row for row in devices.in_use(judge.c) if wanted.fits(row)]


def first(judge: Judge, owner: str, wanted: WantedDevices, seconds: float, after: float) -> list[FreeSlot]:
    """Return the first slots that somebody may reserve, by their rules and quotas."""
    rows = places(judge, wanted)
    last = judge.now + judge.limits.ahead_days * 86_400 + seconds
    found: list[FreeSlot] = []
    for until in (min(after + NEAR + seconds, last), last):  # most find it in the near future, which is quick
        if len(found) < booking.FIRST and until > after:
            found = _within(judge, owner, wanted, rows, seconds, (after, until))
    return found


def _within(
    judge: Judge, owner: str, wanted: WantedDevices, rows: Sequence[DeviceRow], seconds: float, within: Interval
) -> list[FreeSlot]:
    free = free_times(judge, owner, rows, within)
    grid, after = judge.limits.grid_minutes * 60.0, within[0]
    slots = booking.first_free(rows, free, gpus=wanted.gpus, seconds=seconds, after=after, grid=grid, count=TRIED)
    known = {row.id: row for row in rows}
    found: list[FreeSlot] = []
    for slot in slots:
        wish = Wish(owner, tuple(known[one] for one in slot.devices), (slot.starts_at, slot.ends_at))
        if len(found) < booking.FIRST and judge.within_quota(wish):
            times = {"starts_at": moment(slot.starts_at), "ends_at": moment(slot.ends_at)}
            about = {"devices": list(slot.devices), "host": slot.host, "backend": slot.backend}
            found.append(FreeSlot.model_validate(about | times))
    return found


def free_times(judge: Judge, owner: str, rows: Sequence[DeviceRow], within: Interval) -> dict[str, list[Interval]]:
    """Return when devices are free and somebody may reserve them."""
    person = judge.person(owner)
    allowed: Mapping[str, Sequence[Interval]] | None = None
    if not person.admin:
        rules = judge.rules
        allowed = {
            row.id: access.hours(rules, person, target(row), "reserve", within, default=judge.open) for row in rows
        }
    return booking.free_times(rows, _taken(judge, owner, rows, within), within, allowed)


def _taken(judge: Judge, owner: str, rows: Sequence[DeviceRow], within: Interval) -> list[Booked]:
    """Return what is booked from now on, and as such what has the time of its notice."""
    found = reservations.live(judge.c, within[0], within[1])
    noticed = judge.now + judge.limits.notice_minutes * 60
    if within[0] < noticed:
        running = judge.running_for_others(owner)
        found += [
            Booked("", "running", row.id, running[row.id], (), (), judge.now, noticed, None, 0)
            for row in rows
            if row.id in running
        ]
    return found


def fitting(judge: Judge, owner: str | None, wanted: WantedDevices, weeks: Sequence[Interval]) -> tuple[DeviceRow, ...]:
    """Return devices of one host that are free in all of these weeks, or else in the first; if none are: none."""
    rows = places(judge, wanted)
    busy: dict[str, list[Interval]] = defaultdict(list)
    for one in _taken(judge, owner or "", rows, (weeks[0][0], weeks[-1][1] + AFTERWARDS)):
        busy[one.device].append((one.starts_at, one.ends_at))
    first_end = weeks[0][1]
    for some in dict.fromkeys((tuple(weeks), tuple(weeks[:1]))):
        usable: dict[tuple[str, str], list[DeviceRow]] = defaultdict(list)
        for row in rows:
            if all(_is_free(busy[row.id], week) and judge.allows(owner, row, week) for week in some):
                usable[row.backend, row.host].append(row)
        for at_host in usable.values():
            until = {row.id: [(weeks[0][0], _next(busy[row.id], first_end))] for row in at_host}
            chosen = booking.chosen_at(at_host, until, wanted.gpus, weeks[0])
            if chosen:
                return tuple(row for row in at_host if row.id in chosen)
    return ()


def _is_free(busy: Sequence[Interval], within: Interval) -> bool:
    return not any(since < within[1] and until > within[0] for since, until in busy)


def _next(busy: Sequence[Interval], after: float) -> float:
    """Return when a device is needed next."""
    return min((since for since, _ in busy if since >= after), default=math.inf)
