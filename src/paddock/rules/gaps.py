"""When devices are whose: reservations, maintenance and access rules as the policy sees them. Pure."""

import heapq
import math
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, tzinfo
from operator import attrgetter

SPARE_SECONDS = 120.0  # between the expected end of a task and the time from which its device is for others
UNKNOWN_SECONDS = 86400.0  # the shortest gap for work that cannot make way, if nobody knows how long it takes
FOREVER = math.inf
CORES = ""  # as a device: the CPU slots of a node
Work = tuple[bool, float | None, bool]  # whether it needs GPUs, how long it takes, and whether it can make way


@dataclass(frozen=True)
class Booking:
    """A stretch of time in which a device is for some people only; without a device, all of the node and its cores."""

    node: str
    device: str | None
    starts_at: float
    ends_at: float
    owner: str = ""
    who: frozenset[str] = frozenset()  # who may use it then, beside the owner
    against: frozenset[str] | None = None  # it concerns only these people; None: all
    why: str = ""  # what keeps others away, in words

    def bars(self, person: str) -> bool:
        if self.against is not None:
            return person in self.against
        return not (self.owner and person == self.owner) and person not in self.who


@dataclass(frozen=True)
class Gap:
    """For how long somebody may use a device from a time on. `until` is that time itself if they may not use it."""

    until: float = FOREVER
    mine: bool = False  # they have reserved it
    next: Booking | None = None  # what ends it


@dataclass
class Gaps:
    """Answers from when to when people may use devices."""

    bookings: Sequence[Booking]
    now: float
    yield_seconds: float  # the shortest gap for work that can make way
    gpus: Mapping[str, Sequence[str]]  # those of each node
    any: bool = field(init=False)
    reserved_now: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))  # owner -> nodes
    _on: dict[tuple[str, str], list[Booking]] = field(default_factory=lambda: defaultdict(list))
    _nodes: dict[str, list[Booking]] = field(default_factory=lambda: defaultdict(list))
    _known: dict[tuple[str, str, str | None], Gap] = field(default_factory=dict)
    _firsts: dict[tuple[str, str | None], Gap] = field(default_factory=dict)
    _away: dict[tuple[str, str, bool], bool] = field(default_factory=dict)
    _open: dict[tuple[str, str, Work], list[str | None]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for one in sorted(self.bookings, key=attrgetter("starts_at")):
            if one.ends_at <= self.now:
                continue
            if one.starts_at <= self.now:
                self.reserved_now[one.owner].add(one.node)
            if one.device is None:
                self._nodes[one.node].append(one)
            else:
                self._on[one.node, one.device].append(one)
        self.any = bool(self._on or self._nodes)

    def gap(self, person: str, node: str, device: str | None, at: float | None = None) -> Gap:
        """Return the gap from now on, or from a later time on. Without a device: of the CPU slots of the node."""
        if at is not None and at > self.now:
            return self._find(person, node, device, at)
        gap = self._first(node, device)
        if gap.next is None or gap.next.bars(person):
            return gap
        key = (person, node, device)
        if key not in self._known:
            self._known[key] = self._find(person, node, device, self.now)
        return self._known[key]

    def _first(self, node: str, device: str | None) -> Gap:
        """Return the gap of everybody who is kept away by the first booking: that is nearly everybody."""
        place = (node, device)
        if place not in self._firsts:
            some = [*self._nodes.get(node, ())[:1], *self._on.get((node, device or CORES), ())[:1]]
            first = min(some, key=lambda one: one.starts_at, default=None)
            self._firsts[place] = Gap() if first is None else Gap(max(first.starts_at, self.now), False, first)
        return self._firsts[place]

    def _kept_away(self, person: str, node: str, ids: Sequence[str | None]) -> bool:
        """Return True if the first bookings of all these devices keep somebody away: all such people are alike."""
        key = (person, node, ids == (None,))
        if key not in self._away:
            firsts = [self._first(node, one).next for one in ids]
            self._away[key] = all(first is None or first.bars(person) for first in firsts)
        return self._away[key]

    def _find(self, person: str, node: str, device: str | None, at: float) -> Gap:
        mine, first = False, None
        for some in (self._nodes.get(node, ()), self._on.get((node, device or CORES), ())):
            for one in some:  # by their start
                if one.ends_at <= at:
                    continue
                if one.bars(person):
                    first = one if first is None or one.starts_at < first.starts_at else first
                    break
                mine = mine or (one.starts_at <= at and one.owner == person)
        return Gap(FOREVER if first is None else max(first.starts_at, at), mine, first)

    def gap_of_all(self, person: str, node: str, devices: Iterable[str | None]) -> Gap:
        """Return the shortest of the gaps of these devices."""
        return min((self.gap(person, node, one) for one in devices), key=lambda one: one.until, default=Gap())

    def suits(self, gap: Gap, seconds: float | None, yields: bool, at: float | None = None) -> tuple[int, float] | None:
        """Return how well work suits a gap, the smallest best; None: it may not begin there.

        Their own time first; then the tightest gap in which it will be done; then the longest out of which it can
        make way. `seconds`: how long it takes, if that is known.
        """
        left = gap.until - (self.now if at is None else at)
        done = left == FOREVER or (seconds is not None and seconds + SPARE_SECONDS <= left)
        if gap.mine and left >= SPARE_SECONDS and (done or seconds is None or yields):
            return 0, gap.until
        if done:
            return 1, gap.until
        enough = max(self.yield_seconds, SPARE_SECONDS) if yields else UNKNOWN_SECONDS
        if left >= enough and (yields or seconds is None):
            return 2, -gap.until
        # It will be cut off; but it is their own time, and they may use all of it.
        return (3, -gap.until) if gap.mine and left >= SPARE_SECONDS else None

    def open(self, person: str, node: str, work: Work) -> list[str | None]:
        """Return the devices of a node on which such work may begin, the best first: GPUs, or None for its cores."""
        key = (person, node, work)
        if key not in self._open:
            ids: Sequence[str | None] = self.gpus.get(node, ()) if work[0] else (None,)
            alike = ("", node, work) if self._kept_away(person, node, ids) else key
            if alike not in self._open:
                self._open[alike] = self.open_at(person, node, ids, work, None)
            self._open[key] = self._open[alike]
        return self._open[key]

    def open_at(
        self, person: str, node: str, ids: Sequence[str | None], work: Work, at: float | None
    ) -> list[str | None]:
        """Return those of these devices on which such work may begin at a time, the best first."""
        _, seconds, yields = work
        known = [(self.suits(self.gap(person, node, one, at), seconds, yields, at), n) for n, one in enumerate(ids)]
        return [ids[n] for _, n in sorted((how, n) for how, n in known if how is not None)]

    def ends(self, most: int) -> list[tuple[float, str]]:
        """Return the first times at which bookings end, each with its node, in their order."""
        every = (*self._on.values(), *self._nodes.values())
        return heapq.nsmallest(most, ((one.ends_at, one.node) for some in every for one in some[:most]))


def yield_time(next_start: float | None, told: float | None, now: float, notice: float) -> float | None:
    """Return when work has to leave its devices, which are for others from `next_start` on; None: it may stay.

    It was `told` a time before. It has `notice` seconds from the moment on at which it first hears of an earlier one.
    """
    if next_start is None:
        return None
    return max(next_start, min(now + notice, FOREVER if told is None else told))


def in_words(seconds: float) -> str:
    """Return a length of time as people write it: `40 min`, `3 h`, `2.5 h`, `4 days`."""
    if seconds < 5400:
        return f"{max(round(seconds / 60), 1)} min"
    if seconds < 36 * 3600:
        return f"{seconds / 3600:.1f}".removesuffix(".0") + " h"
    return f"{seconds / 86400:.1f}".removesuffix(".0") + " days"


def clock_time(at: float, now: float, zone: tzinfo) -> str:
    """Return a time of the day, with the date if that is another day."""
    then, today = datetime.fromtimestamp(at, zone), datetime.fromtimestamp(now, zone)
    if then.date() == today.date():
        return f"{then:%H:%M}"
    return f"{then:%a %H:%M}" if 0 < (then.date() - today.date()).days < 7 else f"{then:%d %b %H:%M}"


def maintained(bookings: Iterable[Booking], devices: Mapping[str, Collection[str]]) -> list[Booking]:
    """Return bookings of whole nodes for maintenance that concerns all their GPUs: then CPU slots are not used either.

    `bookings` are those of one maintenance, `devices` the GPUs of each node.
    """
    there: dict[str, list[Booking]] = defaultdict(list)
    for one in bookings:
        there[one.node].append(one)
    return [
        Booking(name, None, max(one.starts_at for one in some), min(one.ends_at for one in some), why=some[0].why)
        for name, some in there.items()
        if devices.get(name) and {one.device for one in some} >= set(devices[name])
    ]
