"""How well devices and reservations are used: what a look finds, what is summed up, and what reports say. Pure."""

import math
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from functools import cached_property
from statistics import fmean
from typing import Literal
from zoneinfo import ZoneInfo

from paddock.common.spreadsheet import cell
from paddock.models import Device, UsageReport, UsageRow
from paddock.rules.booking import Booked

HOUR = 3600.0
UNIX = "unix:"  # somebody who has no account is called by this and the Unix name
UNKNOWN = ""  # somebody uses it, and it is not known who
GROWTH = 64 * 2**20  # bytes: a process that loads its data is not idle
Grouping = Literal["account", "group", "device", "week"]
May = Callable[[str], bool]


# --- a look at one device ---------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class GpuLook:
    """What was found on one GPU at one moment."""

    active: bool  # it computes, or gets its data
    users: frozenset[str]  # who has processes on it; `UNKNOWN` if somebody else may
    load: float | None
    memory: int | None


@dataclass(frozen=True)
class DeviceLook:
    """What was found on the GPUs of one device at one moment."""

    gpus: tuple[GpuLook, ...]

    @cached_property
    def load(self) -> float | None:
        known = [one.load for one in self.gpus if one.load is not None]
        return fmean(known) if known else None

    @cached_property
    def memory(self) -> int | None:
        known = [one.memory for one in self.gpus if one.memory is not None]
        return sum(known) if known else None

    @cached_property
    def busy(self) -> float:
        """Return the share of its GPUs that are active."""
        return fmean(one.active for one in self.gpus)

    @cached_property
    def by(self) -> dict[str, float]:
        """Return the share of each person in what is active. Several on one GPU have equal parts of it."""
        found: dict[str, float] = defaultdict(float)
        for one in self.gpus:
            for user in one.users if one.active else ():
                found[user] += 1 / len(one.users) / len(self.gpus)
        return dict(found)

    def busy_by(self, may: May) -> float:
        """Return the share of its GPUs that are active, and not only by people who may not use them."""
        return fmean(one.active and any(user == UNKNOWN or may(user) for user in one.users) for one in self.gpus)

    def has_others(self, may: May) -> bool:
        """Return True if somebody is on it who is known and may not use it."""
        return any(user != UNKNOWN and not may(user) for one in self.gpus for user in one.users)


def look(gpu: Device, users: Collection[str], low: float, *, grew: bool = False) -> GpuLook | None:
    """Return what was found on a GPU; None if nothing is known.

    `users`: who is on it. `low`: a load below this is idle. `grew`: more of its memory is in use than when it last
    was active. Where its load cannot be measured, it is active while a process is on it.
    """
    if gpu.load is None and gpu.memory_used is None and not gpu.processes:
        return None
    active = grew or (bool(gpu.processes) if gpu.load is None else gpu.load >= low)
    return GpuLook(active, frozenset(users) or frozenset([UNKNOWN]), gpu.load, gpu.memory_used)


UNUSED = GpuLook(False, frozenset(), None, None)  # its scheduler has given it to nobody


# --- sums over time ---------------------------------------------------------------------------------------------------


@dataclass
class UseSums:
    """What looks found over time, in seconds; means are sums divided by `seen`."""

    seen: float = 0.0
    busy: float = 0.0
    load_sum: float = 0.0
    load_peak: float | None = None
    memory_sum: float = 0.0
    memory_peak: float | None = None

    def add(self, seconds: float, found: DeviceLook, busy: float) -> None:
        """Add a stretch of time in which a device was as a look found it."""
        self.seen += seconds
        self.busy += seconds * busy
        if found.load is not None:
            self.load_sum += seconds * found.load
            self.load_peak = max(self.load_peak or 0.0, found.load)
        if found.memory is not None:
            self.memory_sum += seconds * found.memory
            self.memory_peak = max(self.memory_peak or 0.0, found.memory)

    @property
    def load_mean(self) -> float | None:
        return self.load_sum / self.seen if self.load_peak is not None and self.seen else None

    @property
    def memory_mean(self) -> float | None:
        return self.memory_sum / self.seen if self.memory_peak is not None and self.seen else None


@dataclass
class HourSums(UseSums):
    """The use of a device in one hour."""

    by: dict[str, float] = field(default_factory=dict)  # account -> seconds
    held: dict[str, list[float]] = field(default_factory=dict)  # owner of a reservation -> seconds seen, and busy

    def credit(self, seconds: float, found: DeviceLook) -> None:
        """Add what each person used."""
        for user, share in found.by.items():
            self.by[user] = self.by.get(user, 0.0) + seconds * share

    def hold(self, owner: str, seconds: float, busy: float) -> None:
        """Add what was reserved, and used."""
        seen, used = self.held.get(owner, (0.0, 0.0))
        self.held[owner] = [seen + seconds, used + seconds * busy]


@dataclass
class ReservedSums(UseSums):
    """The use of a device of a reservation."""

    foreign: float = 0.0
    first_used_at: float | None = None
    last_used_at: float | None = None
    seen_at: float | None = None
    idle_since: float | None = None

    def note(self, since: float, now: float, found: DeviceLook, may: May) -> None:
        """Add a stretch of time until now."""
        busy = found.busy_by(may)
        self.add(now - since, found, busy)
        self.seen_at = now
        if busy:
            self.first_used_at = now if self.first_used_at is None else self.first_used_at
            self.last_used_at, self.idle_since = now, None
        elif self.idle_since is None:
            self.idle_since = since
        if found.has_others(may):
            self.foreign += now - since


def hours_between(since: float, until: float) -> Iterator[tuple[int, float]]:
    """Yield each hour of a stretch of time, counted from 1970, with the seconds that are in it."""
    for hour in range(int(since // HOUR), int(until // HOUR) + 1):
        seconds = min(until, (hour + 1) * HOUR) - max(since, hour * HOUR)
        if seconds > 0:
            yield hour, seconds


# --- reports ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class HourOfDevice:
    """One stored hour of one device."""

    device: str
    hour: int
    busy: float
    by: dict[str, float]
    held: dict[str, list[float]]


@dataclass(frozen=True)
class KnownDevice:
    """What a report needs to know of a device."""

    name: str
    gpus: int


@dataclass(frozen=True)
class Question:
    """What a report is about: how it adds up, the time, the zone of its weeks, and who counts."""

    by: Grouping
    since: float
    until: float
    zone: ZoneInfo
    only: str | None = None  # only the use by this account, and its reservations


class _Row:
    def __init__(self) -> None:
        self.reserved = self.used = self.idle = self.busy = 0.0


class Report:
    """Adds up GPU-hours."""

    def __init__(
        self, question: Question, known: Mapping[str, KnownDevice], groups: Mapping[str, Sequence[str]]
    ) -> None:
        """`groups`: those of each account."""
        self._question, self._known, self._groups = question, known, groups
        self._rows: dict[str, _Row] = defaultdict(_Row)
        self._weeks: dict[int, str] = {}

    def add_hour(self, one: HourOfDevice) -> None:
        only, weight = self._question.only, self._known[one.device].gpus / HOUR
        for owner, (seen, busy) in one.held.items():
            if only in (None, owner):
                for row in self._of(owner, one.device, one.hour):
                    row.idle += (seen - busy) * weight
                    row.busy += busy * weight
        for user, seconds in one.by.items():
            if only in (None, user):
                for row in self._of(user, one.device, one.hour):
                    row.used += seconds * weight

    def add_booking(self, one: Booked) -> None:
        question = self._question
        if one.owner is None or question.only not in (None, one.owner):
            return
        gpus = self._known[one.device].gpus
        since, until = max(one.starts_at, question.since), min(one.ends_at, question.until)
        for hour, seconds in hours_between(since, until):
            for row in self._of(one.owner, one.device, hour):
                row.reserved += seconds * gpus / HOUR

    def _of(self, account: str, device: str, hour: int) -> list[_Row]:
        """Return the rows to which something belongs: several if somebody is in several groups."""
        match self._question.by:
            case "account":
                return [self._rows[account]]
            case "group":
                return [self._rows[group] for group in self._groups.get(account) or [""]]
            case "device":
                return [self._rows[device]]
            case "week":
                return [self._rows[self._week(hour)]]

    def _week(self, hour: int) -> str:
        found = self._weeks.get(hour)
        if found is None:
            found = self._weeks[hour] = week_of(hour * HOUR, self._question.zone)
        return found

    def rows(self) -> list[UsageRow]:
        """Return the rows: weeks in their order, all others by what they used and reserved."""
        made = [
            UsageRow(
                key=key,
                name=self._name(key),
                reserved=row.reserved,
                used=row.used,
                idle=row.idle,
                efficiency=row.busy / (row.busy + row.idle) if row.busy + row.idle else None,
            )
            for key, row in self._rows.items()
        ]
        if self._question.by == "week":
            return sorted(made, key=lambda row: row.key)
        return sorted(made, key=lambda row: (-max(row.used, row.reserved), row.name))

    def _name(self, key: str) -> str:
        match self._question.by:
            case "account":
                return key.removeprefix(UNIX) + " (no account)" if key.startswith(UNIX) else key or "unknown"
            case "group":
                return key or "no group"
            case "device":
                return self._known[key].name
            case "week":
                return f"week of {key}"


def as_table(report: UsageReport) -> list[list[str | float]]:
    """Return a report as rows of a spreadsheet, the first with the names of the columns."""
    rows: list[list[str | float]] = [
        [report.by, "name", "reserved_gpu_hours", "used_gpu_hours", "idle_gpu_hours", "efficiency"]
    ]
    for row in report.rows:
        hours = [round(value, 4) for value in (row.reserved, row.used, row.idle)]
        share = "" if row.efficiency is None else round(row.efficiency, 4)
        rows.append([cell(row.key), cell(row.name), *hours, share])
    return rows


def week_of(at: float, zone: ZoneInfo) -> str:
    """Return the Monday of the week of a moment."""
    day = datetime.fromtimestamp(at, UTC).astimezone(zone).date()
    return (day - timedelta(days=day.weekday())).isoformat()


def owners_by_hour(booked: Iterable[Booked], first: int, hours: int) -> list[str | None]:
    """Return who has reserved a device for most of each hour, from the first one on; maintenance is empty text."""
    owners: list[str | None] = [None] * hours
    most: dict[int, float] = {}  # of hours that are reserved in part
    for one in booked:
        since, until = max(one.starts_at / HOUR - first, 0.0), min(one.ends_at / HOUR - first, float(hours))
        owner = one.owner or ""
        begin, end = math.ceil(since), math.floor(until)
        if end > begin:
            owners[begin:end] = [owner] * (end - begin)
        for hour in {math.floor(since), end} - set(range(begin, end)):
            part = min(until, hour + 1) - max(since, hour)
            if part > most.get(hour, 0.0):
                most[hour], owners[hour] = part, owner
    return owners
