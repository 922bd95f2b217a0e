"""Gathers from when to when devices are whose: reservations, maintenance, and access rules about running."""

import math
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from paddock.models import JobSpec, Method, ScriptReport
from paddock.models.access import AccessRule
from paddock.program.inspection import CHECKPOINTS
from paddock.rules import access
from paddock.rules.access import AccessPerson, AccessTarget, Interval
from paddock.rules.booking import Booked
from paddock.rules.gaps import CORES, Booking, maintained
from paddock.rules.pool import PolicyNode
from paddock.server.engine.context import JobFacts
from paddock.server.store import devices, reservations, rules
from paddock.server.store.db import Connection
from paddock.server.store.devices import DeviceRow

AGAIN_SECONDS = 30.0  # how long they are kept: groups change, and hours of rules come into sight
RULES_AHEAD = 8 * 86400.0  # how far rules are looked at
RULES_BEHIND = 86400.0  # when hours began in which somebody must not run there: what runs was told that time


def can_yield(facts: JobFacts) -> bool:
    """Return True if tasks of a job go on from where they were when they have to make way."""
    return goes_on(facts.spec, facts.script)


def goes_on(spec: JobSpec, script: ScriptReport | None) -> bool:
    """Return True if a task goes on from where it was, as the job says or as its script or command shows."""
    if spec.yields is not None:
        return spec.yields
    in_script = script is not None and script.checkpoints
    return in_script or spec.search.method is Method.PBT or CHECKPOINTS.search(spec.command or "") is not None


@dataclass
class BookingGatherer:
    """Makes the bookings of each backend; the same objects as before as long as nothing has changed."""

    closed: bool  # what no rule allows is not allowed
    _kept: dict[str, tuple[float, tuple[Any, ...], tuple[Booking, ...]]] = field(default_factory=dict)  # by backend

    def of(
        self, c: Connection, backend: str, nodes: Sequence[PolicyNode], owners: Collection[str], now: float
    ) -> tuple[Booking, ...]:
        """Return what is booked of a backend, and what rules keep these owners of jobs from."""
        live = reservations.live(c, now, math.inf)
        about = [rule for rule in rules.listed(c) if rule.active and "run" in rule.acts]
        if not live and not about and not self.closed:
            return ()
        there = [row for row in devices.in_use(c) if row.backend == backend and row.place is not None]
        seen = (live, about, there, nodes, sorted(owners))
        at, before, made = self._kept.get(backend, (-math.inf, (), ()))
        if before == seen and 0 <= now - at < AGAIN_SECONDS:
            return made
        known = rules.people(c)
        people = [known[name] for name in sorted(owners)]
        gpus = {node.name: node.ids(gpus=True) for node in nodes}
        fresh = (*_reserved(live, there, gpus, people), *self._closed(about, backend, there, gpus, people, now))
        made = made if fresh == made else fresh
        self._kept[backend] = (now, seen, made)
        return made

    def _closed(
        self,
        about: Sequence[AccessRule],
        backend: str,
        there: Sequence[DeviceRow],
        gpus: Mapping[str, Sequence[str]],
        people: Sequence[AccessPerson],
        now: float,
    ) -> Iterator[Booking]:
        """Return when rules keep people from running on devices, and on the cores beside them."""
        ids = {(row.host, row.place): row.id for row in there}
        places = [
            (host, one, AccessTarget(ids.get((host, one), ""), backend, host)) for host in gpus for one in gpus[host]
        ]
        places += [(host, CORES, AccessTarget("", backend, host)) for host in gpus]
        minute = now // 60 * 60  # equal the next time
        within = (minute - RULES_BEHIND, minute + RULES_AHEAD)
        times: dict[tuple[str, ...], list[Interval]] = {}
        for person in people if about or self.closed else ():
            why = f"is closed to {person.name} by the access rules"
            for host, place, target in places:
                apply = [rule for rule in about if access.applies(rule, person, target, "run")]
                key = (str(person.admin), *(rule.id for rule in apply))
                if key not in times:
                    allowed = access.hours(apply, person, target, "run", within, default=not self.closed)
                    times[key] = _between(allowed, within)
                for start, end in times[key]:
                    yield Booking(host, place, start, end, against=frozenset({person.name}), why=why)


def _between(allowed: Sequence[Interval], within: Interval) -> list[Interval]:
    """Return what these intervals leave out."""
    ends = [within[0], *(end for _, end in allowed)]
    begins = [*(start for start, _ in allowed), within[1]]
    return [(end, start) for end, start in zip(ends, begins, strict=True) if end < start]


def _reserved(
    live: Sequence[Booked],
    there: Sequence[DeviceRow],
    gpus: Mapping[str, Sequence[str]],
    people: Sequence[AccessPerson],
) -> list[Booking]:
    """Return the bookings of these devices, with those of the people who may use them, too."""
    rows = {row.id: row for row in there}
    found: list[Booking] = []
    maintenance: dict[str, list[Booking]] = defaultdict(list)
    for one in live:
        row = rows.get(one.device)
        if row is None or row.place is None:
            continue
        why = f"is reserved by {one.owner}" if one.owner else "is under maintenance"
        guests = people if one.guests or one.guest_groups else ()
        who = frozenset(person.name for person in guests if one.is_for(person.name, person.groups))
        made = Booking(row.host, row.place, one.starts_at, one.ends_at, one.owner or "", who, why=why)
        found.append(made)
        if one.kind == "maintenance":
            maintenance[one.reservation].append(made)
    return found + [whole for some in maintenance.values() for whole in maintained(some, gpus)]
