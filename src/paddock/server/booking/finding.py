"""What is free: the first slots for somebody, and devices that fit a wish."""

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
    free = free_times(judge, owner, rows, (after, judge.now + judge.limits.ahead_days * 86_400 + seconds))
    grid = judge.limits.grid_minutes * 60.0
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
    found = reservations.taken(judge.c, [row.id for row in rows], within)
    noticed = judge.now + judge.limits.notice_minutes * 60
    if within[0] < noticed:  # what runs there has the time of its notice
        running = judge.running_for_others(owner)
        found += [
            Booked("", "running", row.id, running[row.id], (), (), judge.now, noticed, None, 0)
            for row in rows
            if row.id in running
        ]
    return found


def fitting(judge: Judge, owner: str | None, wanted: WantedDevices, weeks: Sequence[Interval]) -> tuple[DeviceRow, ...]:
    """Return devices of one host that are free in all of these weeks, or else in the first ones; if none are: none."""
    rows = places(judge, wanted)
    by_host: dict[tuple[str, str], list[DeviceRow]] = defaultdict(list)
    for row in rows:
        by_host[row.backend, row.host].append(row)
    for some in (weeks, weeks[:1]):
        free = [free_times(judge, owner or "", rows, (since, until + AFTERWARDS)) for since, until in some]
        for at_host in by_host.values():
            usable = [row for row in at_host if all(_whole(one[row.id], some[n]) for n, one in enumerate(free))]
            chosen = booking.chosen_at(usable, free[0], wanted.gpus, some[0])
            if chosen:
                return tuple(row for row in at_host if row.id in chosen)
    return ()


def _whole(times: Sequence[Interval], within: Interval) -> bool:
    return any(since <= within[0] and until >= within[1] for since, until in times)
