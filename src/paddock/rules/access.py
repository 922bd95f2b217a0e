"""When somebody may reserve or run on a device, by the access rules. Pure: works on intervals of seconds since 1970.

What a rule allows is added up, what a rule denies is taken away. Hours of a rule are hours of a clock on the wall in
its time zone: a time that the clock jumps over in spring is the jump, and an hour that comes twice in autumn belongs to
its window as one unbroken stretch.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from functools import lru_cache
from zoneinfo import ZoneInfo

from paddock.models.access import AccessRule, AccessRuleRequest, AccessWindow, Act

Interval = tuple[float, float]  # from the first until before the second

INSTANT = 1.0  # seconds: how long a moment is judged for
LATE = {"23:59": "00:00"}  # `until` the one means the other: nobody wants to leave out one minute of the night
DAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
_MOST_NAMED = 3  # rules in one message
_Hours = tuple[tuple[tuple[int, ...], str, str], ...]  # windows that can be a key: days, since, until


@dataclass(frozen=True)
class AccessPerson:
    """Somebody whom rules are about."""

    name: str
    groups: frozenset[str] = frozenset()
    admin: bool = False  # rules and quotas do not bind admins


@dataclass(frozen=True)
class AccessTarget:
    """A device that rules are about. With an empty device and host: any of these partitions."""

    device: str
    backend: str
    host: str
    partitions: frozenset[str] = frozenset()


@dataclass(frozen=True)
class AccessVerdict:
    allowed: bool
    gap: Interval | None = None  # the first stretch that is not allowed
    rule: AccessRule | None = None  # that decided; None: what holds without rules
    why: str = ""


def hours(
    rules: Iterable[AccessRule],
    who: AccessPerson,
    target: AccessTarget,
    act: Act,
    within: Interval,
    *,
    default: bool,
) -> list[Interval]:
    """Return when this is allowed, of this stretch: intervals in order that do not touch.

    `default` is what holds where no rule speaks (`team.access` is open).
    """
    if within[0] >= within[1]:
        return []
    if who.admin:
        return [within]
    allowed: list[Interval] = [within] if default else []
    denied: list[Interval] = []
    for rule in rules:
        if applies(rule, who, target, act):
            (denied if rule.effect == "deny" else allowed).extend(spoken(rule, within))
    return _without(_joined(allowed), _joined(denied))


def judge(
    rules: Iterable[AccessRule],
    who: AccessPerson,
    target: AccessTarget,
    act: Act,
    within: Interval,
    *,
    default: bool,
) -> AccessVerdict:
    """Return whether this is allowed from end to end; if not, the first gap and the rule that makes it.

    An empty stretch is judged as a moment.
    """
    within = (within[0], max(within[1], within[0] + INSTANT))
    if who.admin:
        return AccessVerdict(True, why="Rules do not bind admins.")
    about = [rule for rule in rules if applies(rule, who, target, act)]
    free = hours(about, who, target, act, within, default=default)
    gaps = _without([within], free)
    if not gaps:
        by = next((rule for rule in about if rule.effect == "allow" and _at(rule, within[0])), None)
        return AccessVerdict(True, rule=by, why=f"{by.name}: {_sentence(by)}." if by else "No rule forbids it.")
    denies = [rule for rule in about if rule.effect == "deny" and _at(rule, gaps[0][0])]
    if denies:
        end = spoken(denies[0], (gaps[0][0], gaps[0][1]))[0][1]
        gap, rule = (gaps[0][0], end), denies[0]
        why = f"The rule {rule.name!r} forbids it {stretch(gap, rule.zone)}: {_sentence(rule)}."
        return AccessVerdict(False, gap, rule, why)
    return AccessVerdict(False, gaps[0], None, _not_covered(about, gaps[0]))


def _not_covered(about: Sequence[AccessRule], gap: Interval) -> str:
    allows = [rule for rule in about if rule.effect == "allow"]
    if not allows:
        return "No rule allows it, and what no rule allows is not allowed here."
    named = "; ".join(_sentence(rule) for rule in allows[:_MOST_NAMED])
    return f"No rule allows it {stretch(gap, allows[0].zone)}. Allowed: {named}."


def _sentence(rule: AccessRule) -> str:
    return rule.sentence or in_words(rule)


def applies(rule: AccessRuleRequest, who: AccessPerson, target: AccessTarget, act: Act) -> bool:
    """Return True if a rule is about this person, this device and this act, at whatever time."""
    if not rule.active or act not in rule.acts or not concerns(rule, who):
        return False
    what = rule.what
    if what.backends and target.backend not in what.backends:
        return False
    if not (what.hosts or what.devices or what.partitions):
        return True
    return (
        target.host in what.hosts or target.device in what.devices or not target.partitions.isdisjoint(what.partitions)
    )


def concerns(rule: AccessRuleRequest, who: AccessPerson) -> bool:
    """Return True if a rule is about this person, whatever else it is about."""
    named = rule.who.accounts or rule.who.groups
    return not named or who.name in rule.who.accounts or not who.groups.isdisjoint(rule.who.groups)


def spoken(rule: AccessRuleRequest, within: Interval) -> list[Interval]:
    """Return when a rule speaks, of this stretch: in its windows, and not before or after its dates."""
    start = max(within[0], rule.since.timestamp()) if rule.since else within[0]
    end = min(within[1], rule.until.timestamp()) if rule.until else within[1]
    if start >= end:
        return []
    if not rule.windows:
        return [(start, end)]
    zone = ZoneInfo(rule.zone)
    # From two days before: a window may begin the day before, and the clock may have been set in between.
    first = datetime.fromtimestamp(start, zone).toordinal() - 2
    last = datetime.fromtimestamp(end, zone).toordinal() + 1
    windows = tuple((tuple(one.days), one.since, one.until) for one in rule.windows)
    found = _expanded(windows, rule.zone, first, last)
    return [(max(a, start), min(b, end)) for a, b in found if a < end and b > start]


def _at(rule: AccessRule, moment: float) -> bool:
    return bool(spoken(rule, (moment, moment + INSTANT)))


@lru_cache(maxsize=4096)
def _expanded(windows: _Hours, zone: str, first: int, last: int) -> tuple[Interval, ...]:
    """Return the stretches of windows that begin from one day until another, as ordinals of dates."""
    found = []
    for ordinal in range(first, last + 1):
        day = date.fromordinal(ordinal)
        for days, since, until in windows:
            if day.weekday() in days:
                begins, ends = _wall(day, since, zone), _wall(day, LATE.get(until, until), zone)
                if ends <= begins:
                    ends += timedelta(days=1)  # on the wall, whatever the clock does in between
                stretch = _first(begins), _last(ends)
                if stretch[0] < stretch[1]:
                    found.append(stretch)
    return tuple(_joined(found))


def _wall(day: date, clock: str, zone: str) -> datetime:
    return datetime(day.year, day.month, day.day, int(clock[:2]), int(clock[3:]), tzinfo=ZoneInfo(zone))


def _first(wall: datetime) -> float:
    """Return when a clock on the wall first shows this; if it jumps over it, the jump."""
    zone = wall.tzinfo
    at = wall.timestamp()
    if datetime.fromtimestamp(at, zone).replace(tzinfo=None) == wall.replace(tzinfo=None):
        return at
    # Counted from before the jump, such a time lies after it; counted from after it (fold 1), before it.
    low, high = int(wall.replace(fold=1).timestamp()), int(at)
    before = datetime.fromtimestamp(low, zone).utcoffset()
    while high - low > 1:
        middle = (low + high) // 2
        if datetime.fromtimestamp(middle, zone).utcoffset() == before:
            low = middle
        else:
            high = middle
    return float(high)


def _last(wall: datetime) -> float:
    """Return when a clock on the wall has shown everything before this, also what it shows twice."""
    before = wall - timedelta(minutes=1)
    twice = (before.utcoffset() or timedelta()) > (before.replace(fold=1).utcoffset() or timedelta())
    return wall.replace(fold=1).timestamp() if twice else _first(wall)


def _joined(intervals: Iterable[Interval]) -> list[Interval]:
    """Return the same stretches in order; those that overlap or touch are one."""
    found: list[Interval] = []
    for start, end in sorted(intervals):
        if found and start <= found[-1][1]:
            found[-1] = (found[-1][0], max(found[-1][1], end))
        else:
            found.append((start, end))
    return found


def _without(intervals: Iterable[Interval], taken: Sequence[Interval]) -> list[Interval]:
    """Return what is left of these stretches; both are in order and do not overlap."""
    left = []
    for start, end in intervals:
        for a, b in taken:
            if b <= start or a >= end:
                continue
            if a > start:
                left.append((start, a))
            start = b
            if start >= end:
                break
        if start < end:
            left.append((start, end))
    return left


def in_words(rule: AccessRuleRequest, names: Mapping[str, str] | None = None) -> str:
    """Return a rule as a sentence without its full stop. `names`: what people call devices, by id."""
    deny = rule.effect == "deny"
    acts = {"reserve": "reserve", "run": "run jobs on"}
    does = (" or " if deny else " and ").join(acts[one] for one in acts if one in rule.acts)
    subject, verb = _subject(rule, deny)
    parts = [subject, verb, does, _object(rule, names or {}) or ("anything" if deny else "everything")]
    if rule.windows:
        parts.append(", ".join(_window(one) for one in rule.windows) + f" {rule.zone}")
    for word, moment in (("from", rule.since), ("until", rule.until)):
        if moment:
            parts.append(f"{word} {moment.astimezone(ZoneInfo(rule.zone)):%Y-%m-%d %H:%M} {rule.zone}")
    return " ".join(parts)


def _subject(rule: AccessRuleRequest, deny: bool) -> tuple[str, str]:
    groups = [f"members of {name}" for name in rule.who.groups]
    named = _listed([*rule.who.accounts, *groups])
    if not named:
        return ("Nobody", "may") if deny else ("Everyone", "may")
    return named[0].upper() + named[1:] if not rule.who.accounts else named, "may not" if deny else "may"


def _object(rule: AccessRuleRequest, names: Mapping[str, str]) -> str:
    what = rule.what
    parts = [*what.hosts, *(names.get(one, one) for one in what.devices)]
    parts += [f"partition {one}" for one in what.partitions]
    backends = _listed(what.backends)
    if not parts:
        return backends
    return _listed(parts) + (f" of {backends}" if backends else "")


def _listed(parts: Sequence[str]) -> str:
    return " and ".join(filter(None, [", ".join(parts[:-1]), *parts[-1:]]))


def _window(window: AccessWindow) -> str:
    days = "every day" if len(set(window.days)) == len(DAYS) else _days(sorted(set(window.days)))
    until = LATE.get(window.until, window.until).replace("00:00", "24:00")
    return days if (window.since, until) == ("00:00", "24:00") else f"{days} {window.since}-{until}"


def _days(days: Sequence[int]) -> str:
    """Return days as "Mon-Wed, Sat"; the week goes on from Sunday to Monday."""
    runs: list[list[int]] = []
    for day in days:
        if runs and day == runs[-1][-1] + 1:
            runs[-1].append(day)
        else:
            runs.append([day])
    if len(runs) > 1 and runs[0][0] == 0 and runs[-1][-1] == 6:
        runs = [*runs[1:-1], runs[-1] + runs[0]]
    return ", ".join(
        f"{DAYS[run[0]]}-{DAYS[run[-1]]}" if len(run) > 2 else ", ".join(DAYS[day] for day in run) for run in runs
    )


def stretch(interval: Interval, zone: str) -> str:
    """Return a stretch in words, in a time zone: "from Sun 8 Nov 22:00 until Mon 9 Nov 06:00 Europe/Warsaw"."""
    start, end = (datetime.fromtimestamp(one, UTC).astimezone(ZoneInfo(zone)) for one in interval)
    if interval[1] - interval[0] <= INSTANT:
        return f"on {_when(start)} {zone}"
    later = f"{end:%H:%M}" if start.date() == end.date() else _when(end)
    return f"from {_when(start)} until {later} {zone}"


def _when(moment: datetime) -> str:
    return f"{DAYS[moment.weekday()]} {moment.day} {moment:%b %H:%M}"
