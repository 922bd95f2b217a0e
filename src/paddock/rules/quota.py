"""How much somebody may reserve. Pure.

A quota of a group, or of everyone, limits each of its people by themselves, not all of them together.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, time, timedelta
from typing import get_args
from zoneinfo import ZoneInfo

from paddock.models.access import Quota, QuotaField, QuotaUse
from paddock.rules.access import AccessPerson, Interval

HOUR = 3600.0
DAY = 24 * HOUR
_TINY = 1e-6  # hours: sums of fractions are not exact
FIELDS: tuple[QuotaField, ...] = get_args(QuotaField)


@dataclass(frozen=True)
class Held:
    """What a reservation takes. Of one that was released, `ends_at` is when; cancelled ones are none."""

    reservation: str
    owner: str
    devices: int  # number of GPUs: a whole node counts with all of its
    starts_at: float
    ends_at: float


@dataclass(frozen=True)
class QuotaLimit:
    """The limit of one field that binds somebody."""

    field: QuotaField
    value: float
    near_hours: float  # of devices_at_once: what begins within so many hours does not count
    quota: Quota

    @property
    def whose(self) -> str:
        """Return in words whom the quota is for."""
        return {"account": "your quota", "group": f"the quota of {self.quota.subject}"}.get(
            self.quota.kind, "the quota of everyone"
        )


def strictest(quotas: Iterable[Quota], person: AccessPerson) -> list[QuotaLimit]:
    """Return the limits that bind somebody: of each field the lowest. Admins are not bound.

    Of devices_at_once there may be several, as a higher limit that counts more may be the one that is reached.
    """
    if person.admin:
        return []
    found: list[QuotaLimit] = []
    for quota in quotas:
        if concerns(quota, person):
            values = ((field, getattr(quota, field)) for field in FIELDS)
            near = quota.near_hours or 0.0
            found += [
                QuotaLimit(field, value, near if field == "devices_at_once" else 0.0, quota)
                for field, value in values
                if value is not None
            ]
    found.sort(key=lambda one: (FIELDS.index(one.field), one.value, one.near_hours))
    binding: list[QuotaLimit] = []
    for one in found:
        if not any(other.field == one.field and other.near_hours <= one.near_hours for other in binding):
            binding.append(one)
    return binding


def concerns(quota: Quota, person: AccessPerson) -> bool:
    """Return True if a quota is about this person."""
    if quota.kind == "everyone":
        return True
    return quota.subject == person.name if quota.kind == "account" else quota.subject in person.groups


def breaches(held: Iterable[Held], new: Held, limits: Sequence[QuotaLimit], now: float, zone: str) -> list[str]:
    """Return in words which limits somebody would exceed with a new or changed reservation.

    `held` is all of the owner's that has not ended, and what has ended in the weeks of the new one; the reservation
    that is changed may be among them. `limits` come from `strictest`. Weeks are those of a time zone.
    """
    others = [one for one in held if one.reservation != new.reservation and one.owner == new.owner]
    found = []
    for limit in limits:
        text = _breach(others, new, limit, now, zone)
        if text:
            found.append(f"{text} ({limit.whose}).")
    return found


def _breach(others: Sequence[Held], new: Held, limit: QuotaLimit, now: float, zone: str) -> str | None:
    most = limit.value
    match limit.field:
        case "gpu_hours_week":
            return _weeks_breach(others, new, most, zone)
        case "devices_at_once":
            counted_from = now + limit.near_hours * HOUR if limit.near_hours else float("-inf")
            if new.starts_at < counted_from:
                return None
            beside = _peak([one for one in others if one.starts_at >= counted_from], (new.starts_at, new.ends_at))
            if beside + new.devices > most:
                return f"{_number(most)} GPUs may be reserved at once: {beside} are, and this takes {new.devices}"
        case "open_reservations":
            there = sum(one.ends_at > now for one in others)
            if there + 1 > most:
                return f"{_number(most)} reservations may be open at once, and {there} are"
        case "longest_hours":
            length = (new.ends_at - new.starts_at) / HOUR
            if length > most + _TINY:
                return f"A reservation may be {_number(most)} h long, and this is {_number(length)} h"
        case "ahead_days":
            if new.starts_at > now + most * DAY:
                return f"A reservation may begin up to {_number(most)} days ahead, and this is further ahead"
    return None


def _weeks_breach(others: Sequence[Held], new: Held, most: float, zone: str) -> str | None:
    week = week_of(new.starts_at, zone)
    while week[0] < new.ends_at:
        used = sum(gpu_hours(one, week) for one in others)
        wanted = gpu_hours(new, week)
        if used + wanted > most + _TINY:
            monday = datetime.fromtimestamp(week[0], ZoneInfo(zone))
            return (
                f"{_number(most)} GPU-hours may be reserved in a week: in that of {monday:%Y-%m-%d} "
                f"{_number(used)} are, and this takes {_number(wanted)}"
            )
        week = week_of(week[1], zone)
    return None


def left(
    held: Iterable[Held], limits: Sequence[QuotaLimit], now: float, zone: str, at: float | None = None
) -> list[QuotaUse]:
    """Return what somebody, whose reservations are given, has used of each limit, in the week and at the time `at`."""
    mine = list(held)
    at = now if at is None else at
    found = []
    for limit in limits:
        used: float | None = None
        match limit.field:
            case "gpu_hours_week":
                used = sum(gpu_hours(one, week_of(at, zone)) for one in mine)
            case "devices_at_once":
                counted_from = now + limit.near_hours * HOUR if limit.near_hours else float("-inf")
                used = _peak([one for one in mine if one.starts_at >= counted_from], (at, at + 1))
            case "open_reservations":
                used = sum(one.ends_at > now for one in mine)
        rest = max(0.0, limit.value - (used or 0.0))
        found.append(QuotaUse(field=limit.field, limit=limit.value, used=used, left=rest, quota=limit.quota.id))
    return found


def week_of(moment: float, zone: str) -> Interval:
    """Return the week, from Monday to Monday in a time zone, that a moment is in."""
    info = ZoneInfo(zone)
    today = datetime.fromtimestamp(moment, info).date()
    monday = today - timedelta(days=today.weekday())
    start, end = (datetime.combine(day, time(), info).timestamp() for day in (monday, monday + timedelta(days=7)))
    return start, end


def gpu_hours(one: Held, within: Interval) -> float:
    """Return the GPU-hours of a reservation in a stretch of time."""
    return one.devices * max(0.0, min(one.ends_at, within[1]) - max(one.starts_at, within[0])) / HOUR


def _peak(others: Sequence[Held], within: Interval) -> int:
    """Return the largest number of GPUs that are held at once in a stretch of time."""
    overlapping = [one for one in others if one.starts_at < within[1] and one.ends_at > within[0]]
    moments = {max(one.starts_at, within[0]) for one in overlapping}
    return max(
        (sum(one.devices for one in overlapping if one.starts_at <= at < one.ends_at) for at in moments), default=0
    )


def _number(value: float) -> str:
    return f"{value:.1f}".removesuffix(".0")
