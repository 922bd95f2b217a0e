"""Access rules and quotas: who may use what, when, and how much."""

import re
from datetime import datetime
from typing import Annotated, Literal, Self, get_args
from zoneinfo import ZoneInfo

from pydantic import AfterValidator, AwareDatetime, Field, StringConstraints, model_validator

from paddock.models.accounts import AccountName, GroupName
from paddock.models.base import Model, Text
from paddock.models.reservations import DeviceId

Act = Literal["reserve", "run"]
QuotaField = Literal["gpu_hours_week", "devices_at_once", "open_reservations", "longest_hours", "ahead_days"]
ClockTime = Annotated[str, StringConstraints(pattern=r"^([01]\d|2[0-3]):[0-5]\d$")]


def _known_zone(name: str) -> str:
    try:
        ZoneInfo(name)
    except (ValueError, OSError, KeyError):
        raise ValueError(f"{name!r} is not a time zone: write it like Europe/Warsaw or UTC") from None
    return name


ZoneName = Annotated[str, StringConstraints(min_length=1, max_length=64), AfterValidator(_known_zone)]


class AccessWindow(Model):
    """Hours of the week. Until a time that is not later than `since`, it goes on into the next day."""

    days: list[Annotated[int, Field(ge=0, le=6)]] = Field(
        min_length=1, max_length=7, description="on which it begins; 0 is Monday"
    )
    since: ClockTime = "00:00"
    until: ClockTime = Field("00:00", description="the same as `since`: a whole day")


_DAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
_WINDOW = re.compile(r"^(?P<days>[a-z, -]*?)\s*(?:(?P<since>\d{1,2}:\d\d)\s*-\s*(?P<until>\d{1,2}:\d\d))?$")


def window_of(text: str) -> AccessWindow:
    """Return the hours that a text means: `Mon-Fri 20:00-06:00`, `Sat,Sun`, `8:00-20:00`; raise ValueError if none."""
    found = _WINDOW.match(text.strip().lower()[:100])
    if not found or not text.strip():
        raise ValueError(f"{text[:100]!r} are no hours: write them like Mon-Fri 20:00-06:00, or Sat,Sun")
    given = {name: found[name].rjust(5, "0") for name in ("since", "until") if found[name]}
    if given.get("until") == "24:00":
        given["until"] = "00:00"
    every = found["days"] in ("", "daily", "every day")
    return AccessWindow(days=[*range(7)] if every else _days_of(found["days"]), **given)


def _days_of(text: str) -> list[int]:
    found: list[int] = []
    for part in text.replace(" ", "").split(","):
        first, _, last = part.partition("-")
        ends = [next((n for n, day in enumerate(_DAYS) if one[:3] == day), None) for one in (first, last or first)]
        if ends[0] is None or ends[1] is None:
            raise ValueError(f"{part!r} is no day of the week: write Mon, Tue, Wed, Thu, Fri, Sat or Sun")
        found += [(ends[0] + n) % 7 for n in range((ends[1] - ends[0]) % 7 + 1)]
    return sorted(set(found))


class RuleSubjects(Model):
    """Whom a rule is about: everyone, if nobody is named."""

    accounts: list[AccountName] = Field(default_factory=list, max_length=500)
    groups: list[GroupName] = Field(default_factory=list, max_length=100)


class RuleTargets(Model):
    """What a rule is about: everything, if nothing is named."""

    backends: list[Annotated[str, Field(max_length=200)]] = Field(
        default_factory=list, max_length=100, description="only of these; everything of them, if nothing else is named"
    )
    hosts: list[Annotated[str, Field(max_length=255)]] = Field(default_factory=list, max_length=1000)
    devices: list[DeviceId] = Field(default_factory=list, max_length=1000)
    partitions: list[Annotated[str, Field(max_length=200)]] = Field(default_factory=list, max_length=100)


class AccessRuleRequest(Model):
    """A rule. What is denied by one is not allowed by another."""

    name: Annotated[Text, StringConstraints(strip_whitespace=True, min_length=1, max_length=100)]
    effect: Literal["allow", "deny"]
    acts: list[Act] = Field(["reserve", "run"], min_length=1, max_length=2)
    who: RuleSubjects = RuleSubjects()
    what: RuleTargets = RuleTargets()
    windows: list[AccessWindow] = Field(default_factory=list, max_length=50, description="none: always")
    zone: ZoneName = "UTC"
    since: AwareDatetime | None = Field(None, description="it speaks from then on")
    until: AwareDatetime | None = Field(None, description="and until then")
    active: bool = True

    @model_validator(mode="after")
    def _in_order(self) -> Self:
        if self.since and self.until and self.until <= self.since:
            raise ValueError("`until` must be later than `since`")
        if any(one and not 1970 < one.year < 2200 for one in (self.since, self.until)):
            raise ValueError("`since` and `until` must be years from 1971 to 2199")
        return self


class AccessRule(AccessRuleRequest):
    id: str
    sentence: str = Field("", description="the rule in words")
    by: str = ""
    changed_at: datetime | None = None


class AccessTrial(Model):
    """Whether somebody may use a device at a moment."""

    account: str
    device: str
    act: Act
    at: datetime
    allowed: bool
    rule: str | None = Field(None, description="id of the rule that decided; null: what holds without rules")
    why: str


class TimeStretch(Model):
    starts_at: datetime
    ends_at: datetime


class AllowedHours(Model):
    """When the caller may use devices: those for which it is the same are together."""

    devices: list[str]
    hours: list[TimeStretch]


class QuotaRequest(Model):
    """How much somebody may reserve. What is not given is not limited; of several that apply the strictest counts."""

    kind: Literal["account", "group", "everyone"]
    subject: Annotated[str, StringConstraints(max_length=64)] = Field("", description="the account or group")
    gpu_hours_week: float | None = Field(None, ge=0, le=1e6, description="in a week, from Monday on")
    devices_at_once: int | None = Field(None, ge=0, le=100_000)
    open_reservations: int | None = Field(None, ge=0, le=100_000, description="that have not ended")
    longest_hours: float | None = Field(None, ge=0, le=100_000)
    ahead_days: float | None = Field(None, ge=0, le=3650, description="how far in the future one may begin")
    near_hours: float | None = Field(
        None, ge=0, le=1000, description="what begins within so many hours does not count for `devices_at_once`"
    )

    @model_validator(mode="after")
    def _whole(self) -> Self:
        if (self.kind == "everyone") != (not self.subject):
            raise ValueError("name the account or the group in `subject`; a quota of everyone names nobody")
        if all(getattr(self, field) is None for field in get_args(QuotaField)):
            raise ValueError("give at least one limit")
        if self.near_hours is not None and self.devices_at_once is None:
            raise ValueError("`near_hours` goes with `devices_at_once`")
        return self


class Quota(QuotaRequest):
    id: str
    by: str = ""
    changed_at: datetime | None = None


class QuotaUse(Model):
    """What an account has used of a limit that applies to it."""

    field: QuotaField
    limit: float
    used: float | None = Field(None, description="null for limits of a single reservation")
    left: float
    quota: str = Field(description="id of the quota that is the strictest")
