"""Make and change reservations. What is refused says why, and what is free instead."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from itertools import islice, pairwise
from typing import Any

from paddock.errors import Conflict, InvalidInput, NotAllowed, Refused
from paddock.models import (
    BookingProblem,
    BookingResult,
    FreeSlot,
    Reservation,
    ReservationPatch,
    ReservationRequest,
    Role,
)
from paddock.models.reservations import MOST_REPEATS
from paddock.rules import booking
from paddock.rules.booking import Interval
from paddock.rules.quota import Held
from paddock.server.booking import finding
from paddock.server.booking.finding import WantedDevices
from paddock.server.booking.judging import LATE_SECONDS, MOST_PROBLEMS, Judge, Wish
from paddock.server.booking.people import Booker, check_own, tell_owner
from paddock.server.store import audit, groups, reservations, team, users, wanted_slots
from paddock.server.store.db import Connection
from paddock.server.store.devices import DeviceRow
from paddock.settings import Settings

_NO_START = "say when it begins, as it repeats"


@dataclass(frozen=True)
class BookingPlan:
    """What a request asks for, one interval per week of a series."""

    owner: str | None
    devices: tuple[DeviceRow, ...]
    weeks: tuple[Interval, ...]
    wanted: WantedDevices  # what else would do

    def wish(self, within: Interval) -> Wish:
        return Wish(self.owner, self.devices, within)


@dataclass(frozen=True)
class Refusal:
    """What speaks against a request, of which nothing was done. See `error`."""

    plan: BookingPlan
    result: BookingResult


def make(
    c: Connection, settings: Settings, by: Booker, what: ReservationRequest, now: float
) -> BookingResult | Refusal:
    """Reserve, in this transaction, all that is asked for; with `skip_conflicts`, all of it that is possible.

    A refusal is returned, not raised, so that a wish for a notice is stored.
    """
    judge = Judge(c, settings, now)
    plan = _plan(judge, by, what)
    accepted: list[Interval] = []
    problems: list[BookingProblem] = []
    beside: list[Held] = []
    if not plan.devices:
        problems.append(_none_free(plan))
    for within in plan.weeks if plan.devices else ():
        found = judge.problems(plan.wish(within), beside)
        problems += found
        if not found:
            accepted.append(within)
            beside.append(replace(plan.wish(within).held, reservation=f"week {within[0]}"))
    if not accepted or (problems and not what.skip_conflicts):
        return Refusal(
            plan, BookingResult(problems=problems[:MOST_PROBLEMS], waits_for=_wish(judge, plan, what, problems))
        )
    made = [_add(c, settings, by, what, plan, within, now) for within in accepted]
    if len(made) > 1:
        made = reservations.in_series(c, _join(c, made))
    for one in made:
        detail = {"owner": one.owner, "devices": one.devices, "from": str(one.starts_at), "until": str(one.ends_at)}
        audit.write(c, by, "reservation.add", "reservation", one.id, detail)
    tell_owner(c, settings, by, made[0], "reserved devices for you", now)
    return BookingResult(reservations=made, problems=problems)


def error(c: Connection, settings: Settings, refused: Refusal, now: float) -> Refused:
    """Return the error of a refusal, with what is free instead. Outside of the transaction that writes: this reads."""
    result = refused.result.model_copy(update={"free": _free(Judge(c, settings, now), refused.plan)})
    shown = [problem.message for problem in result.problems[:3]]
    more = len(result.problems) - len(shown)
    made = Refused(" ".join(shown) + (f" ({more} more problems)" if more else ""))
    made.booking = result
    return made


def _free(judge: Judge, plan: BookingPlan) -> list[FreeSlot]:
    since, until = plan.weeks[0]
    if plan.owner is None or until <= since:
        return []
    return finding.first(judge, plan.owner, plan.wanted, until - since, max(since, judge.now))


def _join(c: Connection, made: Sequence[Reservation]) -> str:
    series = reservations.new_series()
    reservations.join(c, [one.id for one in made], series)
    return series


def _add(
    c: Connection,
    settings: Settings,
    by: Booker,
    what: ReservationRequest,
    plan: BookingPlan,
    within: Interval,
    now: float,
) -> Reservation:
    values: dict[str, Any] = what.model_dump(
        include={"kind", "title", "description", "guests", "guest_groups", "end_intruders_minutes"}
    )
    ids = [one.id for one in plan.devices]
    values |= _until_enforced(settings, plan.devices)
    return reservations.get(c, reservations.add(c, ids, within, now, owner=plan.owner, by=by.name, **values))


def _until_enforced(settings: Settings, devices: Sequence[DeviceRow]) -> dict[str, Any]:
    """Return what is known of a new or moved reservation: a cluster has not yet said that it keeps others away."""
    asked = any(one.backend in settings.clusters for one in devices)
    return {"enforced": "pending" if asked else "yes", "enforced_why": None}


def _wish(judge: Judge, plan: BookingPlan, what: ReservationRequest, problems: Sequence[BookingProblem]) -> int | None:
    """Store the wish to be told when it is free, if it is refused for others only; return its number."""
    if not what.notify_if_free or plan.owner is None or not {one.kind for one in problems} <= {"taken", "notice"}:
        return None
    ids = [row.id for row in plan.devices or finding.places(judge, plan.wanted)]
    gpus = None if plan.devices else plan.wanted.gpus
    return wanted_slots.add(judge.c, plan.owner, ids, gpus, plan.weeks[0], judge.now)


def _none_free(plan: BookingPlan) -> BookingProblem:
    what = f" of model {plan.wanted.model}" if plan.wanted.model else ""
    where = f" of {plan.wanted.host}" if plan.wanted.host else " of one host"
    count = f"{plan.wanted.gpus} GPUs" if plan.wanted.gpus != 1 else "No GPU"
    verb = "are not free together" if plan.wanted.gpus != 1 else "is free"
    since, until = plan.weeks[0]
    message = f"{count}{what}{where} {verb} then, or your rules do not allow it."
    return BookingProblem.model_validate({"kind": "taken", "message": message, "starts_at": since, "ends_at": until})


# --- what is asked for ------------------------------------------------------------------------------------------------


def _plan(judge: Judge, by: Booker, what: ReservationRequest) -> BookingPlan:
    owner = _owner(judge.c, by, what)
    _known_guests(judge.c, what.guests, what.guest_groups)
    if bool(what.devices) == (what.gpus is not None):
        raise InvalidInput.at("devices", "name devices, or give a number of `gpus`: one of both")
    weeks = _weeks(judge, owner, what)
    if what.gpus is None:
        rows = judge.devices(what.devices)
        hosts = {(row.backend, row.host) for row in rows}
        [(backend, host)] = hosts if len(hosts) == 1 else [(None, None)]
        return BookingPlan(owner, rows, weeks, WantedDevices(sum(row.gpus for row in rows), host=host, backend=backend))
    wanted = WantedDevices(what.gpus, what.model, what.host, what.backend)
    if sum(row.gpus for row in finding.places(judge, wanted)) < what.gpus:
        raise InvalidInput.at("gpus", "there are not so many GPUs that fit: `paddock gpus` lists them")
    return BookingPlan(owner, finding.fitting(judge, owner, wanted, weeks), weeks, wanted)


def _owner(c: Connection, by: Booker, what: ReservationRequest) -> str | None:
    if what.kind == "maintenance":
        if by.role is not Role.ADMIN:
            raise NotAllowed("Only admins of this server plan its maintenance.")
        return None
    if what.owner is None or what.owner == by.name:
        if team.is_on(c) and users.find(c, by.name) is None:
            raise InvalidInput.at("owner", "say for which account: the server's own token has none")
        return by.name
    if by.role is not Role.ADMIN:
        raise NotAllowed("Only admins reserve for others.")
    account = users.find(c, what.owner) if team.is_on(c) else None
    if account is None or not account.active or account.role is Role.GUEST:
        raise InvalidInput.at("owner", f"there is no active account {what.owner!r} that may reserve")
    return what.owner


def _known_guests(c: Connection, guests: Collection[str], guest_groups: Collection[str]) -> None:
    if (guests or guest_groups) and not team.is_on(c):
        raise InvalidInput.at("guests", "accounts are not in use on this server (`paddock team on`)")
    for name in guests:
        if users.find(c, name) is None:
            raise InvalidInput.at("guests", f"there is no account {name!r}")
    known = {one.name for one in groups.listed(c)} if guest_groups else set()
    for name in guest_groups:
        if name not in known:
            raise InvalidInput.at("guest_groups", f"there is no group {name!r}")


def _weeks(judge: Judge, owner: str | None, what: ReservationRequest) -> tuple[Interval, ...]:
    """Return when: once, or every week."""
    since = what.starts_at.timestamp() if what.starts_at is not None else judge.now
    if (what.ends_at is None) == (what.seconds is None):
        raise InvalidInput.at("ends_at", "say until when, or for how long (`seconds`): one of both")
    until = what.ends_at.timestamp() if what.ends_at is not None else since + (what.seconds or 0)
    if until <= since:
        raise InvalidInput.at("ends_at", "it must be later than the beginning")
    if what.repeat_until is None:
        return ((since, until),)
    if what.starts_at is None:
        raise InvalidInput.at("starts_at", _NO_START)
    last = what.repeat_until.timestamp()
    weeks = tuple(islice(booking.weekly((since, until), last, judge.zone(owner)), MOST_REPEATS + 1))
    if len(weeks) > MOST_REPEATS:
        raise InvalidInput.at("repeat_until", f"it repeats {MOST_REPEATS} times at most: choose an earlier date")
    if any(before[1] > after[0] for before, after in pairwise(weeks)):
        raise InvalidInput.at("repeat_until", "it is longer than a week, so it cannot repeat every week")
    return weeks


# --- changes ----------------------------------------------------------------------------------------------------------


def change(
    c: Connection, settings: Settings, by: Booker, id: str, what: ReservationPatch, now: float
) -> Reservation | Refusal:
    """Change a reservation, as far as it is not in the past; return it, or what speaks against the change."""
    found = reservations.get(c, id)
    check_own(by, found)
    reservations.check_version(found, what.version)
    refuse_ended(found, now)
    begun = found.starts_at.timestamp() <= now
    given = what.model_dump(include={"title", "description", "guests", "guest_groups"}, exclude_none=True)
    _known_guests(c, what.guests or (), what.guest_groups or ())
    before = (found.starts_at.timestamp(), found.ends_at.timestamp())
    within = (
        what.starts_at.timestamp() if what.starts_at is not None else before[0],
        what.ends_at.timestamp() if what.ends_at is not None else before[1],
    )
    ids = sorted(set(what.devices)) if what.devices is not None else sorted(found.devices)
    moved, other = within != before, ids != sorted(found.devices)
    if begun and (within[0] != before[0] or other):
        raise Conflict("It has begun: only its end, title, description and guests can be changed.")
    if within[1] <= within[0]:
        raise InvalidInput.at("ends_at", "it must be later than the beginning")
    if begun and within[1] < now - LATE_SECONDS:
        raise Conflict("It has begun, and what has been stays as it was: release it to end it now.")
    judge = Judge(c, settings, now)
    wish = Wish(found.owner, judge.devices(ids), (within[0], max(within[1], now + 1) if begun else within[1]), found.id)
    if moved or other:
        shorter = not other and within[0] >= before[0] and within[1] <= before[1]
        problems = judge.problems(wish, extends=begun)
        # What is given up needs nobody's consent, though rules may have changed since.
        problems = [one for one in problems if one.kind in ("past", "length") or not shorter]
        if problems:
            wanted = WantedDevices(wish.gpus, host=wish.devices[0].host, backend=wish.devices[0].backend)
            plan = BookingPlan(found.owner if not begun else None, wish.devices, (within,), wanted)
            return Refusal(plan, BookingResult(problems=problems))
    if moved:
        given |= {"outside_since": None, **_until_enforced(settings, wish.devices)}
    reservations.change(c, found.id, wish.within if moved else None, ids if other else None, **given)
    changed = reservations.get(c, found.id)
    detail = what.model_dump(mode="json", exclude={"version"}, exclude_none=True)
    audit.write(c, by, "reservation.change", "reservation", found.id, {"owner": found.owner} | detail)
    tell_owner(c, settings, by, changed, "changed your reservation", now)
    return changed


def refuse_ended(found: Reservation, now: float) -> None:
    """Raise Conflict if a reservation is in the past, or cancelled."""
    if found.cancelled_at is not None:
        raise Conflict(f"Reservation {found.id} is cancelled: make a new one.")
    if found.ends_at.timestamp() <= now:
        raise Conflict(f"Reservation {found.id} has ended, and what has been stays as it was.")
