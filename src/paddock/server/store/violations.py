"""Violations, what was done about each, and exemptions."""

import secrets
from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

import sqlalchemy as sa

from paddock.errors import Conflict, NotFound
from paddock.models.events import CalendarChanged
from paddock.models.violations import (
    Exemption,
    ExemptionRequest,
    StepAct,
    Violation,
    ViolationKind,
    ViolationPage,
    ViolationStep,
)
from paddock.rules.guarding import ExemptProcesses, Intrusion
from paddock.server.store import events
from paddock.server.store.kept import fetch_kept
from paddock.server.store.rows import columns, fetch, model, moment, portions
from paddock.server.store.tables import devices, exemptions, jobs, reservations, violation_steps, violations

MOST_EXEMPTIONS = 500


@dataclass(frozen=True, slots=True)
class OpenViolation:
    """A violation that goes on."""

    id: int
    kind: ViolationKind
    backend: str
    device: str
    host: str
    pid: int
    start: int  # 0: not known
    command: str | None
    unix_name: str | None
    account: str | None
    reservation: str | None
    first_seen: float
    last_seen: float
    end_by: str | None
    ask_by: str | None

    @property
    def key(self) -> tuple[str, str, int, int, str, str | None]:
        """Return what `Intrusion.key` returns."""
        return self.host, self.device, self.pid, self.start, self.kind, self.reservation


@dataclass(frozen=True, slots=True)
class StepRow:
    id: int
    violation: int
    at: float
    act: StepAct
    ok: bool
    detail: str


_OPEN = (
    sa.select(*columns(OpenViolation, violations.c)).where(violations.c.ended_at.is_(None)).order_by(violations.c.id)
)
_STEPS = sa.select(*columns(StepRow, violation_steps.c)).order_by(violation_steps.c.id)
_OPEN_STEPS = _STEPS.join(violations, violations.c.id == violation_steps.c.violation).where(
    violations.c.ended_at.is_(None)
)
_EXEMPTIONS = sa.select(exemptions).order_by(exemptions.c.until, exemptions.c.id)
_EXEMPT = sa.select(
    exemptions.c.id, exemptions.c.account, exemptions.c.command, exemptions.c.device, exemptions.c.until
)


# --- for the engine ---------------------------------------------------------------------------------------------------


def unended(c: sa.Connection) -> list[OpenViolation]:
    """Return the violations that go on, oldest first. Kept in memory."""
    return fetch_kept(c, OpenViolation, _OPEN)


def open_steps(c: sa.Connection) -> dict[int, list[StepRow]]:
    """Return what was done about the violations that go on. Kept in memory."""
    found: dict[int, list[StepRow]] = defaultdict(list)
    for one in fetch_kept(c, StepRow, _OPEN_STEPS):
        found[one.violation].append(one)
    return found


def steps_since(c: sa.Connection, since: float) -> list[tuple[StepRow, OpenViolation]]:
    """Return what was done since then about violations, with these; also about those that are over."""
    rows = fetch(c, StepRow, _STEPS.where(violation_steps.c.at >= since))
    about: dict[int, OpenViolation] = {}
    query = sa.select(*columns(OpenViolation, violations.c))
    for some in portions(sorted({row.violation for row in rows})):
        about |= {one.id: one for one in fetch(c, OpenViolation, query.where(violations.c.id.in_(some)))}
    return [(row, about[row.violation]) for row in rows]


def begin(c: sa.Connection, found: Intrusion, now: float) -> int:
    """Store a new violation and return its id."""
    one = found.process
    values = {
        "kind": found.kind,
        "backend": one.backend,
        "device": one.device,
        "host": one.host,
        "pid": one.pid,
        "start": one.start or 0,
        "command": None if one.command is None else one.command[:200],
        "unix_name": None if one.unix_name is None else one.unix_name[:64],
        "account": one.account,
        "reservation": None if found.booking is None else found.booking.reservation,
        "first_seen": now,
        "last_seen": now,
    }
    id: int = c.execute(sa.insert(violations).values(**values).returning(violations.c.id)).scalar_one()
    announce(c)
    return id


def see(c: sa.Connection, ids: Collection[int], now: float) -> None:
    """Record that these go on."""
    c.execute(sa.update(violations).where(violations.c.id.in_(ids)).values(last_seen=now))


def end(c: sa.Connection, id: int, at: float, outcome: str) -> None:
    """Record that a violation is over, and how it ended."""
    mine = sa.and_(violations.c.id == id, violations.c.ended_at.is_(None))
    c.execute(sa.update(violations).where(mine).values(ended_at=at, last_seen=at, outcome=outcome))
    announce(c)


def add_steps(c: sa.Connection, ids: Sequence[int], at: float, act: StepAct, ok: bool, detail: str) -> list[int]:
    """Record what was done about each of these violations; return the ids of the steps."""
    made = []
    for id in ids:
        values = {"violation": id, "at": at, "act": act, "ok": ok, "detail": detail}
        made.append(c.execute(sa.insert(violation_steps).values(**values).returning(violation_steps.c.id)).scalar_one())
    if act == "terminal":
        c.execute(sa.update(violations).where(violations.c.id.in_(ids)).values(ask_by=None))
    announce(c)
    return made


def finish_steps(c: sa.Connection, ids: Sequence[int], ok: bool, detail: str) -> None:
    """Record what became of steps that had been begun."""
    c.execute(sa.update(violation_steps).where(violation_steps.c.id.in_(ids)).values(ok=ok, detail=detail))
    announce(c)


def announce(c: sa.Connection) -> None:
    """Record that violations have changed, for everybody who shows them."""
    events.write_for_all(c, CalendarChanged(what=["violations"]))


def unix_names_of_jobs(c: sa.Connection, ids: Collection[str]) -> dict[str, str | None]:
    """Return as whom the tasks of these jobs run; None: as the server, or as whoever signs in on a host."""
    found: dict[str, str | None] = {}
    for some in portions(sorted(ids)):
        rows = c.execute(sa.select(jobs.c.id, jobs.c.unix_name).where(jobs.c.id.in_(some)))
        found |= {row.id: row.unix_name for row in rows}
    return found


def forget(c: sa.Connection, before: float) -> None:
    """Delete violations that were over before this moment, and exemptions whose time was."""
    c.execute(sa.delete(violations).where(violations.c.ended_at < before))
    c.execute(sa.delete(exemptions).where(exemptions.c.until < before))


# --- for people -------------------------------------------------------------------------------------------------------


def page(
    c: sa.Connection, *, who: str | None = None, open_only: bool = False, before: int | None = None, limit: int = 100
) -> ViolationPage:
    """Return violations, those that go on first, then the newest first.

    `who`: only those of this account, and those on its reservations. `before`: the id of the last one of the page
    before; after it, only those follow that are over.
    """
    mine = sa.true() if who is None else sa.or_(violations.c.account == who, reservations.c.owner == who)
    going_on = violations.c.ended_at.is_(None)
    query = _whole().where(mine).order_by(going_on.desc(), violations.c.id.desc()).limit(limit + 1)
    if open_only:
        query = query.where(going_on)
    if before is not None:
        query = query.where(~going_on, violations.c.id < before)
    rows = c.execute(query).all()
    count = _whole().where(mine, going_on).with_only_columns(sa.func.count())
    return ViolationPage(items=_models(c, rows[:limit]), open=c.scalar(count) or 0, more=len(rows) > limit)


def get(c: sa.Connection, id: int) -> Violation:
    """Return a violation; raise NotFound if there is none of this number."""
    rows = c.execute(_whole().where(violations.c.id == id)).all()
    if not rows:
        raise NotFound(f"There is no violation {id}: `paddock violations` lists them.")
    return _models(c, rows)[0]


def _whole() -> sa.Select[Any]:
    number = sa.cast(devices.c.number, sa.String)
    name = sa.case((devices.c.number.is_(None), devices.c.host), else_=devices.c.host + ":" + number)
    return (
        sa.select(violations, reservations.c.owner, name.label("device_name"))
        .join(devices, devices.c.id == violations.c.device)
        .join(reservations, reservations.c.id == violations.c.reservation, isouter=True)
    )


def _models(c: sa.Connection, rows: Sequence[sa.Row[Any]]) -> list[Violation]:
    steps: dict[int, list[ViolationStep]] = defaultdict(list)
    for some in portions([row.id for row in rows]):
        for one in fetch(c, StepRow, _STEPS.where(violation_steps.c.violation.in_(some))):
            steps[one.violation].append(ViolationStep(at=moment(one.at), act=one.act, ok=one.ok, detail=one.detail))
    return [
        model(
            Violation,
            row,
            first_seen=moment(row.first_seen),
            last_seen=moment(row.last_seen),
            steps=steps[row.id],
        )
        for row in rows
    ]


def want(c: sa.Connection, id: int, **by: str) -> None:
    """Record who wants a violation to be ended (`end_by`), or its owner to be told again (`ask_by`).

    Raise Conflict if it is over.
    """
    mine = sa.and_(violations.c.id == id, violations.c.ended_at.is_(None))
    if not c.execute(sa.update(violations).where(mine).values(**by)).rowcount:
        get(c, id)
        raise Conflict(f"Violation {id} is over.")
    announce(c)


# --- exemptions -------------------------------------------------------------------------------------------------------


def exempt(c: sa.Connection) -> list[ExemptProcesses]:
    """Return what is exempt, also if its time is over. Kept in memory."""
    return fetch_kept(c, lambda _, *given: ExemptProcesses(*given), _EXEMPT)


def listed_exemptions(c: sa.Connection) -> list[Exemption]:
    """Return all exemptions, those that end first first."""
    return [_exemption(row._mapping) for row in c.execute(_EXEMPTIONS)]


def add_exemption(c: sa.Connection, what: ExemptionRequest, by: str, now: float) -> Exemption:
    """Store an exemption. Raise Conflict if there are too many."""
    if (c.scalar(sa.select(sa.func.count()).select_from(exemptions)) or 0) >= MOST_EXEMPTIONS:
        raise Conflict(f"There are {MOST_EXEMPTIONS} exemptions already: remove one first.")
    if what.device is not None and not c.scalar(sa.select(sa.func.count()).where(devices.c.id == what.device)):
        raise NotFound(f"There is no device {what.device!r}: `paddock gpus` lists those that exist.")
    values = {
        "id": secrets.token_hex(4),
        "account": what.account,
        "command": what.command,
        "device": what.device,
        "until": what.until.timestamp(),
        "why": what.why,
        "by": by,
        "created_at": now,
    }
    c.execute(sa.insert(exemptions).values(**values))
    announce(c)
    return _exemption(values)


def remove_exemption(c: sa.Connection, id: str) -> None:
    """Delete an exemption; raise NotFound if there is none with this id."""
    if not c.execute(sa.delete(exemptions).where(exemptions.c.id == id)).rowcount:
        raise NotFound(f"There is no exemption {id!r}: `paddock violations exempt` lists those that exist.")
    announce(c)


def _exemption(values: Mapping[Any, Any]) -> Exemption:
    given = cast(dict[str, Any], dict(values))
    return Exemption(**given | {"until": moment(given["until"]), "created_at": moment(given["created_at"])})
