"""Does what is due about reservations: notices, hooks, the end; those that rules no longer allow; wanted slots.

That something was done is written before it is done, in the transaction of the notice: nobody is told twice, and a hook
is called at most once.
"""

import math
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from paddock.models import AccessRule, NoticeKind, Reservation, Role
from paddock.rules import access, booking
from paddock.rules.access import AccessPerson
from paddock.rules.booking import Booked
from paddock.server.booking import people
from paddock.server.booking.judging import Judge, names, target
from paddock.server.engine.context import Context
from paddock.server.notify import texts
from paddock.server.notify.hooks import HookRunner
from paddock.server.notify.tell import tell
from paddock.server.store import audit, devices, reservations, rules, team, users, wanted_slots
from paddock.server.store.db import Connection
from paddock.server.store.devices import DeviceRow
from paddock.server.store.reservations import OpenReservation
from paddock.server.store.rows import moment
from paddock.server.store.wanted_slots import WantedRow
from paddock.settings import HookSettings

BEFORE_SECONDS = 600.0
DAY = 86_400.0
OUTSIDE_SECONDS = DAY  # after which one that a rule no longer allows is cancelled
ALIKE_SECONDS = 10.0  # how often it is looked whether rules or people have changed
RULES = "rules"  # who cancels what a rule no longer allows


@dataclass(frozen=True)
class Due:
    """Something that is due about a reservation, once."""

    act: str
    key: str
    hooks: list[HookSettings] = field(default_factory=list)
    notice: str = ""
    for_all: bool = False


class Reserving:
    def __init__(self, context: Context, hooks: HookRunner) -> None:
        self._context, self._hooks = context, hooks
        self._known: tuple[list[AccessRule], dict[str, AccessPerson]] | None = None
        self._looked_at = 0.0

    def run(self, now: float) -> None:
        with self._context.db.read() as c:
            open_ones = reservations.unfinished(c)
            wanted = wanted_slots.open_ones(c)
            taken = reservations.live(c, now, math.inf) if wanted else []
        _all_of(
            [
                *(partial(self._do, one, due, now) for one in open_ones for due in self._due(one, now)),
                partial(self._report_gone, open_ones, now),
                partial(self._close, open_ones, now),
                *(partial(self._offer, one, taken, now) for one in wanted),
                partial(self._compare, open_ones, now),
            ]
        )

    # --- what is due by the clock -------------------------------------------------------------------------------------

    def _due(self, one: OpenReservation, now: float) -> Iterator[Due]:
        """Yield what is due about a reservation and was not done. What is about a time that was moved is due again."""
        settings = self._context.settings.reservations
        if one.cancelled_at is not None:
            return
        found = []
        if settings.on_create:
            found.append(Due("create", "create", settings.on_create))
        if now < one.starts_at <= now + BEFORE_SECONDS:
            late = one.created_at > one.starts_at - BEFORE_SECONDS  # its owner has just made it
            words = "" if late else "begins soon"
            found.append(Due("before_start", f"before {one.starts_at:.0f}", settings.before_start, words))
        if one.owner is None and now < one.starts_at <= now + DAY:
            found.append(Due("maintenance", f"day {one.starts_at:.0f}", for_all=True))
        if one.starts_at <= now < one.ends_at and settings.on_start:
            found.append(Due("start", "start", settings.on_start))
        if one.ends_at <= now and one.starts_at <= now:
            words = "" if one.released_at is not None else "has ended"
            found.append(Due("end", f"end {one.ends_at:.0f}", settings.on_end, words))
        yield from (due for due in found if due.key not in one.told and (due.hooks or due.notice or due.for_all))

    def _do(self, one: OpenReservation, due: Due, now: float) -> None:
        settings = self._context.settings
        with self._context.db.write() as c:
            if not reservations.claim(c, one.id, due.key, now):
                return
            found = reservations.get(c, one.id)
            rows = list(devices.by_ids(c, found.devices).values())
            if due.for_all:
                self._tell_of_maintenance(c, found, rows, now)
            elif due.notice and found.owner is not None:
                people.inform(c, settings, found.owner, found, f"Your reservation of {names(rows)} {due.notice}", now)
        for hook in due.hooks:
            self._hooks.submit(hook, event(due.act, found, rows, now))

    def _tell_of_maintenance(self, c: Connection, found: Reservation, rows: list[DeviceRow], now: float) -> None:
        """Tell everybody who may reserve, a day before."""
        if not team.is_on(c):
            return
        for user in users.every(c):
            if user.active and user.role is not Role.GUEST:
                what = f"Maintenance of {names(rows)}"
                people.inform(c, self._context.settings, user.name, found, what, now)

    def _close(self, open_ones: list[OpenReservation], now: float) -> None:
        """Record which ones are over."""
        ended = [one.id for one in open_ones if one.cancelled_at is not None or one.ends_at <= now]
        if ended:
            with self._context.db.write() as c:
                reservations.close(c, ended, now)

    def _report_gone(self, open_ones: list[OpenReservation], now: float) -> None:
        """Tell owners and admins of devices that are not there any more, but reserved."""
        with self._context.db.read() as c:
            gone = {row.id: row for row in devices.every(c) if row.retired_at is not None}
            lost = [one for one in reservations.live(c, now, math.inf) if one.device in gone] if gone else []
        told = {one.id: one.told for one in open_ones}
        news = [one for one in lost if _gone(one.device) not in told.get(one.reservation, {})]
        for one in news:
            with self._context.db.write() as c:
                if reservations.claim(c, one.reservation, _gone(one.device), now):
                    found = reservations.get(c, one.reservation)
                    what = f"has {gone[one.device].name}, which is not there any more"
                    self._tell(c, found, what, "Change the reservation, or cancel it", now)

    # --- rules that have changed since --------------------------------------------------------------------------------

    def _compare(self, open_ones: list[OpenReservation], now: float) -> None:
        """Judge what is to come by the rules as they are now, if these or the people have changed."""
        future = [
            one for one in open_ones if one.owner is not None and one.cancelled_at is None and one.starts_at > now
        ]
        if now - self._looked_at < ALIKE_SECONDS or not future:
            return
        self._looked_at = now
        with self._context.db.read() as c:
            asked = rules.people(c)
            known = rules.listed(c), {one.owner: asked[one.owner] for one in future if one.owner is not None}
            if known == self._known and not any(one.outside_since is not None for one in future):
                return
            self._known = known
            refused = self._outside(c, future, now)
        news = [one for one in future if (one.id in refused) != (one.outside_since is not None) or _overdue(one, now)]
        _all_of(partial(self._record, one, now) for one in news)

    def _record(self, one: OpenReservation, now: float) -> None:
        """Record and tell that a reservation is outside the rules, or no longer; cancel it after a day."""
        with self._context.db.write() as c:
            found = reservations.get(c, one.id)
            if found.cancelled_at is not None or found.version != one.version:
                return  # the next look sees it as it is
            why = self._outside(c, [one], now).get(one.id)
            if why is None:
                reservations.flag(c, one.id, None)
            elif _overdue(one, now):
                reservations.cancel(c, one.id, RULES, why, now)
                audit.add(c, _ENGINE, "reservation.cancel", "reservation", one.id, {"owner": one.owner, "why": why})
                self._tell(c, found, "was cancelled", why, now)
            elif one.outside_since is None:
                reservations.flag(c, one.id, now)
                self._tell(c, found, "is against the rules now, and will be cancelled in a day", why, now)

    def _outside(self, c: Connection, some: list[OpenReservation], now: float) -> dict[str, str]:
        """Return those of these reservations that their owners may not have, and why."""
        judge = Judge(c, self._context.settings, now)
        on: dict[str, list[str]] = defaultdict(list)
        for booked in reservations.live(c, now, math.inf):
            on[booked.reservation].append(booked.device)
        rows = devices.by_ids(c, {device for some in on.values() for device in some})
        found = {}
        for one in some:
            person, within = judge.person(one.owner or ""), (one.starts_at, one.ends_at)
            for device in on[one.id]:
                verdict = access.judge(judge.rules, person, target(rows[device]), "reserve", within, default=judge.open)
                if not verdict.allowed:
                    found[one.id] = f"{rows[device].name}: {verdict.why}"
                    break
        return found

    def _tell(self, c: Connection, found: Reservation, what: str, why: str, now: float) -> None:
        """Tell the owner of a reservation, and admins."""
        owner = [found.owner] if found.owner is not None else []
        for name in dict.fromkeys([*owner, *users.active_admins(c)]):
            of = f"A reservation of {found.owner}" if found.owner is not None else "A maintenance"
            whose = "Your reservation" if name == found.owner else of
            people.inform(c, self._context.settings, name, found, f"{whose} {what}", now, why)

    # --- slots that somebody waits for --------------------------------------------------------------------------------

    def _offer(self, one: WantedRow, taken: list[Booked], now: float) -> None:
        """Tell somebody that what they want is free; forget it when it is too late."""
        within = (max(one.starts_at, now), one.ends_at)
        settings = self._context.settings
        shortest = min(settings.reservations.min_minutes * 60.0, one.ends_at - one.starts_at)
        if within[1] - within[0] < shortest:
            with self._context.db.write() as c:
                wanted_slots.delete(c, None, one.id)
            return
        with self._context.db.read() as c:
            rows = [row for row in devices.by_ids(c, one.devices).values() if row.retired_at is None]
        busy = {found.device for found in booking.overlapping(taken, set(one.devices), within)}
        free = [row for row in rows if row.id not in busy]
        if one.gpus is None:
            chosen = free if len(free) == len(one.devices) else []
        else:
            ids = _on_one_host(free, one.gpus)
            chosen = [row for row in free if row.id in ids]
        if not chosen:
            return
        since, until = moment(within[0]), moment(within[1])
        words = texts.of_reservation(f"{names(chosen)} can be reserved", "", since, until)
        with self._context.db.write() as c:
            if wanted_slots.claim(c, one.id, now):
                path = f"{people.CALENDAR}?at={since:%Y-%m-%dT%H:%MZ}"
                tell(c, settings, NoticeKind.SLOT, user=one.owner, words=words, link=path, now=now)


class _Engine:
    """The engine, as the audit names it."""

    name, via, address, team = RULES, "engine", "", True


_ENGINE = _Engine()


def event(act: str, found: Reservation, rows: Iterable[DeviceRow], now: float) -> dict[str, Any]:
    """Return what a hook is told about a reservation."""
    on = [{"id": row.id, "name": row.name, "backend": row.backend, "host": row.host, "uuid": row.uuid} for row in rows]
    about = found.model_dump(mode="json") | {"devices": on}
    return {"event": f"reservation.{act}", "at": moment(now).isoformat(), "reservation": about}


def _gone(device: str) -> str:
    return f"gone {device}"


def _overdue(one: OpenReservation, now: float) -> bool:
    return one.outside_since is not None and now >= one.outside_since + OUTSIDE_SECONDS


def _on_one_host(rows: list[DeviceRow], gpus: int) -> tuple[str, ...]:
    """Return devices of one host with this many GPUs; none if no host has them."""
    always = {row.id: [(0.0, math.inf)] for row in rows}
    slots = booking.first_free(rows, always, gpus=gpus, seconds=1.0, after=0.0, count=1)
    return slots[0].devices if slots else ()


def _all_of(tasks: Iterable[Callable[[], None]]) -> None:
    """Do everything; an error of one is raised after the others."""
    failed: Exception | None = None
    for task in tasks:
        try:
            task()
        except Exception as error:
            failed = error
    if failed is not None:
        raise failed
