"""What is reserved, what is free, and when the first slot is. Pure: times are seconds since 1970."""

import math
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from heapq import merge
from itertools import islice
from typing import Protocol
from zoneinfo import ZoneInfo

Interval = tuple[float, float]
FIRST = 3  # free slots that are offered
WEEK = timedelta(days=7)


@dataclass(frozen=True, slots=True)
class Booked:
    """The part of a reservation on one device."""

    reservation: str
    kind: str  # reservation, maintenance
    device: str
    owner: str | None  # None: maintenance
    guests: tuple[str, ...]
    guest_groups: tuple[str, ...]
    starts_at: float
    ends_at: float
    end_intruders_minutes: float | None
    version: int

    def is_for(self, account: str, groups: Collection[str] = ()) -> bool:
        """Return True if somebody may use the device then: the owner, or a guest."""
        return account == self.owner or account in self.guests or not set(self.guest_groups).isdisjoint(groups)


class Bookable(Protocol):
    """A device that can be reserved: where it is, and for how many GPUs it stands."""

    @property
    def id(self) -> str: ...
    @property
    def backend(self) -> str: ...
    @property
    def host(self) -> str: ...
    @property
    def number(self) -> int | None: ...
    @property
    def gpus(self) -> int: ...


@dataclass(frozen=True, slots=True)
class OpenSlot:
    """Devices of one host that are free together."""

    backend: str
    host: str
    devices: tuple[str, ...]
    starts_at: float
    ends_at: float


def overlapping(taken: Iterable[Booked], devices: Collection[str], within: Interval) -> list[Booked]:
    """Return what is booked of these devices at some time of an interval, the earliest first."""
    since, until = within
    found = [one for one in taken if one.device in devices and one.starts_at < until and one.ends_at > since]
    return sorted(found, key=lambda one: (one.starts_at, one.device))


def gaps(taken: Iterable[Interval], within: Interval) -> list[Interval]:
    """Return what is left of an interval without these."""
    found: list[Interval] = []
    at, until = within
    for since, end in sorted(taken):
        if since >= until:
            break
        if since > at:
            found.append((at, since))
        at = max(at, end)
    return [*found, (at, until)] if at < until else found


def common(first: Sequence[Interval], second: Sequence[Interval]) -> list[Interval]:
    """Return the times that are in both lists, which are in order and do not overlap themselves."""
    found: list[Interval] = []
    left, right = 0, 0
    while left < len(first) and right < len(second):
        since, until = max(first[left][0], second[right][0]), min(first[left][1], second[right][1])
        if since < until:
            found.append((since, until))
        if first[left][1] <= second[right][1]:
            left += 1
        else:
            right += 1
    return found


def free_times(
    places: Sequence[Bookable],
    taken: Iterable[Booked],
    within: Interval,
    allowed: Mapping[str, Sequence[Interval]] | None = None,
) -> dict[str, list[Interval]]:
    """Return by device when it is free, and allowed if that is given."""
    busy: dict[str, list[Interval]] = defaultdict(list)
    for one in taken:
        busy[one.device].append((one.starts_at, one.ends_at))
    found = {place.id: gaps(busy[place.id], within) for place in places}
    if allowed is None:
        return found
    return {device: common(times, allowed.get(device, ())) for device, times in found.items()}


def first_free(
    places: Sequence[Bookable],
    free: Mapping[str, Sequence[Interval]],
    *,
    gpus: int,
    seconds: float,
    after: float,
    grid: float = 0.0,
    count: int = FIRST,
) -> list[OpenSlot]:
    """Return the earliest slots with this many GPUs of one host for this long, each at another time or host.

    A slot begins at `after`, or later at a multiple of `grid` seconds.
    """
    hosts: dict[tuple[str, str], list[Bookable]] = defaultdict(list)
    for place in places:
        hosts[place.backend, place.host].append(place)
    slots = (_on_host(at_host, free, gpus, seconds, (after, grid)) for at_host in hosts.values())
    # Each host has its own in order, and no more of them are looked for than are needed.
    return list(islice(merge(*slots, key=lambda slot: (slot.starts_at, slot.backend, slot.host)), count))


def _on_host(
    places: Sequence[Bookable],
    free: Mapping[str, Sequence[Interval]],
    gpus: int,
    seconds: float,
    start: tuple[float, float],
) -> Iterator[OpenSlot]:
    if sum(place.gpus for place in places) < gpus:
        return
    after, grid = start
    times = {after if since <= after else _on_grid(since, grid) for place in places for since, _ in free[place.id]}
    for at in sorted(times):
        chosen = chosen_at(places, free, gpus, (at, at + seconds))
        if chosen:
            yield OpenSlot(places[0].backend, places[0].host, chosen, at, at + seconds)


def chosen_at(
    places: Sequence[Bookable], free: Mapping[str, Sequence[Interval]], gpus: int, within: Interval
) -> tuple[str, ...]:
    """Return devices of one host with this many GPUs that are free then, in their order; none if there are too few.

    Those that somebody else needs the soonest are taken first, so that long gaps are left to who needs them.
    """
    fitting: list[tuple[float, int, Bookable]] = []
    for place in places:
        times = free[place.id]
        at = bisect_right(times, (within[0], math.inf)) - 1  # the last that begins before, or just then
        if at >= 0 and times[at][1] >= within[1]:
            fitting.append((times[at][1], place.number or 0, place))
    chosen: list[Bookable] = []
    for _, _, place in sorted(fitting, key=lambda one: (one[0], one[1], one[2].id)):
        chosen.append(place)
        if sum(one.gpus for one in chosen) >= gpus:
            break
    else:
        return ()
    return tuple(one.id for one in sorted(chosen, key=lambda one: (one.number or 0, one.id)))


def _on_grid(at: float, grid: float) -> float:
    return math.ceil(at / grid) * grid if grid else at


def weekly(within: Interval, until: float, zone: str) -> Iterator[Interval]:
    """Yield an interval, and the same one in each week after it that begins before `until`.

    It begins at the same time of the clock in this zone, also after the clocks were changed, and is as long.
    """
    since, seconds = within[0], within[1] - within[0]
    yield within
    begins = datetime.fromtimestamp(since, ZoneInfo(zone))
    while True:
        begins += WEEK  # of the clock on the wall: the zone stays, its distance to UTC follows
        if (at := begins.timestamp()) >= until:
            return
        yield at, at + seconds
