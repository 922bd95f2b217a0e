"""The routes of access rules and quotas."""

import time
from collections import defaultdict
from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta
from typing import Annotated

from fastapi import APIRouter, Path, Query
from pydantic import AwareDatetime

from paddock.errors import Conflict, InvalidInput, NotAllowed, NotFound
from paddock.models import Role
from paddock.models.access import (
    AccessRule,
    AccessRuleRequest,
    AccessTrial,
    Act,
    AllowedHours,
    Quota,
    QuotaRequest,
    QuotaUse,
    TimeStretch,
)
from paddock.models.reservations import DeviceId
from paddock.rules import access, quota
from paddock.rules.access import AccessPerson, AccessTarget
from paddock.server.api.caller import By, Caller
from paddock.server.api.server import At, Server
from paddock.server.store import audit, devices, groups, quotas, rules, users
from paddock.server.store.db import Connection
from paddock.server.store.devices import DeviceRow
from paddock.server.store.rows import moment

router = APIRouter(tags=["rules"])
RuleId = Annotated[str, Path(max_length=32)]
Moment = Annotated[AwareDatetime | None, Query(description="now when not given")]
DAY = 86_400.0
MOST_DAYS = 100  # that hours are answered for
MOST_YEARS = 10  # from now
MOST_TRIED = 1_000  # accounts


def _in_use(by: Caller) -> None:
    if not by.team:
        raise Conflict("Accounts are not in use on this server, so rules bind nobody: `paddock team on` begins that.")


def person(by: Caller) -> AccessPerson:
    """Return the caller as rules know them."""
    return AccessPerson(by.name, by.groups, by.role is Role.ADMIN)


@router.get("/rules")
def list_rules(at: At, by: By) -> list[AccessRule]:
    """Return all rules by name; for who is no admin, those that are about them."""
    with at.db.read() as c:
        found = rules.worded(c)
    if by.role is Role.ADMIN:
        return found
    return [one for one in found if one.active and access.concerns(one, person(by))]


@router.post("/rules", status_code=201)
def add_rule(what: AccessRuleRequest, at: At, by: By) -> AccessRule:
    """Make a rule. It holds at once, also for reservations that have been made: these are flagged."""
    _in_use(by)
    with at.db.write() as c:
        _known(c, at, what)
        id = rules.add(c, what, by.name, time.time())
        made = rules.get(c, id)
        audit.write(c, by, "rule.add", "rule", id, {"name": what.name, "after": made.sentence})
    at.changed()
    return made


@router.put("/rules/{id}")
def change_rule(id: RuleId, what: AccessRuleRequest, at: At, by: By) -> AccessRule:
    """Replace a rule as a whole."""
    _in_use(by)
    with at.db.write() as c:
        before = rules.get(c, id)
        _known(c, at, what)
        rules.change(c, id, what, by.name, time.time())
        made = rules.get(c, id)
        detail = {"name": what.name, "before": before.sentence, "after": made.sentence, "active": made.active}
        audit.write(c, by, "rule.change", "rule", id, detail)
    at.changed()
    return made


@router.delete("/rules/{id}", status_code=204)
def remove_rule(id: RuleId, at: At, by: By) -> None:
    """Delete a rule."""
    with at.db.write() as c:
        before = rules.get(c, id)
        rules.remove(c, id)
        audit.write(c, by, "rule.remove", "rule", id, {"name": before.name, "before": before.sentence})
    at.changed()


def _known(c: Connection, at: Server, what: AccessRuleRequest) -> None:
    """Raise InvalidInput for names that nothing has: a rule that is about nobody would look as if it worked."""
    there, nodes = devices.every(c), at.engine.nodes()
    known: dict[str, set[str]] = {
        "who.accounts": {one.name for one in users.every(c)},
        "who.groups": {one.name for one in groups.listed(c)},
        "what.backends": set(at.engine.traits),
        "what.hosts": {one.host for one in there} | {one.name for one in nodes},
        "what.devices": {one.id for one in there},
        "what.partitions": {name for one in there for name in one.partitions}
        | {name for one in nodes for name in one.partitions},
    }
    for field, names in known.items():
        part, _, name = field.partition(".")
        given: list[str] = getattr(getattr(what, part), name)
        for one in given:
            if one not in names:
                raise InvalidInput.at(field, f"there is no {name.removesuffix('s')} {one!r}")


@router.get("/rules/try")
def try_rules(
    at: At,
    by: By,
    device: Annotated[DeviceId, Query()],
    act: Annotated[Act, Query()] = "reserve",
    when: Annotated[AwareDatetime | None, Query(alias="at", description="now when not given")] = None,
    account: Annotated[str | None, Query(max_length=64, description="everybody (for admins) when not given")] = None,
) -> list[AccessTrial]:
    """Return who may use a device at a moment, and why. Who is no admin asks for themselves."""
    moment = _near("at", when)
    with at.db.read() as c:
        found, target = rules.worded(c), _target(_device(c, device))
        people = _people(c, by, account)
    judged = []
    for who in people:
        instant = (moment.timestamp(), moment.timestamp())
        verdict = access.judge(found, who, target, act, instant, default=_open(at))
        rule = verdict.rule.id if verdict.rule else None
        judged.append(
            AccessTrial(
                account=who.name,
                device=device,
                act=act,
                at=moment,
                allowed=verdict.allowed,
                rule=rule,
                why=verdict.why,
            )
        )
    return judged


def _people(c: Connection, by: Caller, account: str | None) -> list[AccessPerson]:
    """Return whom a trial is about."""
    if by.role is not Role.ADMIN:
        if account not in (None, by.name):
            raise NotAllowed("Only admins ask what others may do: leave out the account.")
        return [person(by)]
    if not by.team:
        return [person(by)]
    known = rules.people(c)
    if account is not None:
        return [known[users.get(c, account).name]]
    every = [one.name for one in users.every(c) if one.active and one.role is not Role.GUEST]
    return [known[name] for name in every[:MOST_TRIED]]


@router.get("/rules/hours")
def allowed_hours(
    at: At,
    by: By,
    device: Annotated[list[DeviceId] | None, Query(max_length=1000, description="all when not given")] = None,
    since: Moment = None,
    until: Annotated[AwareDatetime | None, Query(description="a week later when not given")] = None,
    act: Annotated[Act, Query()] = "reserve",
) -> list[AllowedHours]:
    """Return when the caller may use devices: what is not in it, no rule allows, or one forbids."""
    start = _near("since", since).timestamp()
    end = until.timestamp() if until else start + 7 * DAY
    if not start < end <= start + MOST_DAYS * DAY:
        raise InvalidInput.at("until", f"it must be later than `since`, by up to {MOST_DAYS} days")
    with at.db.read() as c:
        found = rules.listed(c)
        wanted = [_device(c, one) for one in dict.fromkeys(device)] if device else devices.in_use(c)
    together: dict[tuple[access.Interval, ...], list[str]] = defaultdict(list)
    for one in wanted:
        hours = access.hours(found, person(by), _target(one), act, (start, end), default=_open(at))
        together[tuple(hours)].append(one.id)
    return [AllowedHours(devices=ids, hours=_stretches(hours)) for hours, ids in together.items()]


def _stretches(hours: Iterable[access.Interval]) -> list[TimeStretch]:
    return [TimeStretch(starts_at=moment(start), ends_at=moment(end)) for start, end in hours]


def _open(at: Server) -> bool:
    return at.settings.team.access == "open"


def _near(field: str, given: datetime | None) -> datetime:
    """Return a moment that a request names, or now. Raise InvalidInput for one that no calendar needs."""
    now = moment(time.time())
    if given is not None and abs(given - now) > timedelta(days=MOST_YEARS * 366):
        raise InvalidInput.at(field, f"it must be within {MOST_YEARS} years")
    return given or now


def _device(c: Connection, id: str) -> DeviceRow:
    found = devices.by_ids(c, [id])
    if id not in found:
        raise NotFound(f"There is no device {id!r}: GET /devices lists those that exist.")
    return found[id]


def _target(row: DeviceRow) -> AccessTarget:
    return AccessTarget(row.id, row.backend, row.host, frozenset(row.partitions))


@router.get("/quotas")
def list_quotas(at: At, by: By) -> list[Quota]:
    """Return all quotas; for who is no admin, those that are about them."""
    with at.db.read() as c:
        found = quotas.listed(c)
    return found if by.role is Role.ADMIN else [one for one in found if quota.concerns(one, person(by))]


@router.put("/quotas")
def set_quota(what: QuotaRequest, at: At, by: By) -> Quota:
    """Set the quota of an account, of the members of a group or of everyone, in place of the one there was."""
    _in_use(by)
    with at.db.write() as c:
        _subject_known(c, what)
        before = [one for one in quotas.listed(c) if (one.kind, one.subject) == (what.kind, what.subject)]
        made = quotas.put(c, what, by.name, time.time())
        detail = {"before": _limits(before), "after": _limits([made])}
        audit.write(c, by, "quota.set", "quota", f"{what.kind} {what.subject}".strip(), detail)
    at.changed()
    return made


def _subject_known(c: Connection, what: QuotaRequest) -> None:
    known = {"account": users.find(c, what.subject) is not None, "everyone": True}
    if what.kind == "group":
        known["group"] = any(one.name == what.subject for one in groups.listed(c))
    if not known[what.kind]:
        raise InvalidInput.at("subject", f"there is no {what.kind} {what.subject!r}")


def _limits(of: Sequence[Quota]) -> dict[str, float]:
    """Return the limits of a quota, if there is one, for the audit."""
    fields = (*quota.FIELDS, "near_hours")
    return {name: getattr(one, name) for one in of for name in fields if getattr(one, name) is not None}


@router.delete("/quotas/{id}", status_code=204)
def remove_quota(id: RuleId, at: At, by: By) -> None:
    """Delete a quota."""
    with at.db.write() as c:
        before = quotas.get(c, id)
        quotas.remove(c, id)
        detail = {"before": _limits([before])}
        audit.write(c, by, "quota.remove", "quota", f"{before.kind} {before.subject}".strip(), detail)
    at.changed()


@router.get("/me/quota")
def my_quota(
    at: At,
    by: By,
    when: Annotated[AwareDatetime | None, Query(alias="at", description="a moment of the week that counts")] = None,
) -> list[QuotaUse]:
    """Return what the caller has used of each limit, and what is left; nothing where nothing is limited."""
    now, moment = time.time(), _near("at", when).timestamp()
    zone = at.settings.team.zone
    with at.db.read() as c:
        limits = quota.strictest(quotas.listed(c), person(by))
        held = quotas.held(c, by.name, min(now, quota.week_of(moment, zone)[0])) if limits else []
    return quota.left(held, limits, now, zone, moment)
