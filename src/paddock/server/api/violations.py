"""The routes of violations and exemptions."""

import time
from datetime import UTC, datetime
from typing import Annotated

from fastapi import APIRouter, Path, Query

from paddock.errors import Conflict, InvalidInput, NotAllowed
from paddock.models import Role
from paddock.models.violations import Exemption, ExemptionRequest, Violation, ViolationExemption, ViolationPage
from paddock.server.api.caller import By, Caller
from paddock.server.api.server import At
from paddock.server.store import audit, violations
from paddock.server.store.db import Connection

router = APIRouter(tags=["violations"])
ViolationId = Annotated[int, Path(ge=1, le=2**62)]
ASK_SECONDS = 60.0  # between two messages that people ask for


@router.get("/violations")
def list_violations(
    at: At,
    by: By,
    open: Annotated[bool, Query(description="only those that go on")] = False,
    mine: Annotated[bool, Query(description="only yours, and those on your reservations")] = False,
    before: Annotated[
        int | None, Query(ge=1, le=2**62, description="only those that are over, with smaller ids")
    ] = None,
    limit: Annotated[int, Query(ge=1, le=500)] = 100,
) -> ViolationPage:
    """Return violations: those that go on first, then the newest first. Who is no admin sees `mine`."""
    who = by.name if mine or by.role is not Role.ADMIN else None
    with at.db.read() as c:
        return violations.page(c, who=who, open_only=open, before=before, limit=limit)


@router.post("/violations/{id}/ask")
def ask_intruder(id: ViolationId, at: At, by: By) -> Violation:
    """Show the message on the terminals of whoever owns the process once more. For the owner of the reservation too."""
    with at.db.write() as c:
        found = violations.get(c, id)
        if by.role is not Role.ADMIN and by.name != found.owner:
            raise NotAllowed(f"Violation {id} is not on a reservation of yours: ask an admin.")
        _refuse_unknown(found)
        told = [step.at for step in found.steps if step.act == "terminal"]
        if told and (datetime.now(UTC) - max(told)).total_seconds() < ASK_SECONDS:
            raise Conflict("They were told less than a minute ago: give them a moment.")
        violations.want(c, id, ask_by=by.name)
        _record(c, by, "violation.ask", found)
    at.changed()
    return found


@router.post("/violations/{id}/end")
def end_intruder(id: ViolationId, at: At, by: By) -> Violation:
    """End the process now: SIGTERM, and SIGKILL if it does not leave."""
    with at.db.write() as c:
        found = violations.get(c, id)
        _refuse_unknown(found)
        violations.want(c, id, end_by=by.name)
        _record(c, by, "violation.end", found)
        found = violations.get(c, id)
    at.changed()
    return found


@router.post("/violations/{id}/exempt", status_code=201)
def exempt_violation(id: ViolationId, what: ViolationExemption, at: At, by: By) -> Exemption:
    """Let a violation be none until then: what its owner runs on this device, or everywhere."""
    with at.db.write() as c:
        found = violations.get(c, id)
        who = found.account or found.unix_name
        if who is None and what.everywhere:
            raise Conflict(f"Nobody knows whose process violation {id} is: exempt its device only.")
        device = None if what.everywhere else found.device
        wanted = ExemptionRequest(account=who, device=device, until=what.until, why=what.why)
        made = _add(c, wanted, by)
    at.changed()
    return made


def _refuse_unknown(found: Violation) -> None:
    if found.unix_name is None:
        raise Conflict(f"Nobody knows whose process violation {found.id} is: it can only be reported.")


@router.get("/exemptions")
def list_exemptions(at: At) -> list[Exemption]:
    """Return all exemptions, those that end first first."""
    with at.db.read() as c:
        return violations.listed_exemptions(c)


@router.post("/exemptions", status_code=201)
def add_exemption(what: ExemptionRequest, at: At, by: By) -> Exemption:
    """Exempt processes of an account, of a command or on a device until a date: all that is given must hold."""
    with at.db.write() as c:
        made = _add(c, what, by)
    at.changed()
    return made


@router.delete("/exemptions/{id}", status_code=204)
def remove_exemption(id: Annotated[str, Path(max_length=32)], at: At, by: By) -> None:
    """Remove an exemption: what it was for is a violation from now on."""
    with at.db.write() as c:
        violations.remove_exemption(c, id)
        audit.write(c, by, "exemption.remove", "exemption", id)
    at.changed()


def _add(c: Connection, what: ExemptionRequest, by: Caller) -> Exemption:
    if what.until <= datetime.now(UTC):
        raise InvalidInput.at("until", "it is in the past: give a date that is to come")
    made = violations.add_exemption(c, what, by.name, time.time())
    detail = what.model_dump(mode="json", exclude_none=True)
    audit.write(c, by, "exemption.add", "exemption", made.id, detail)
    return made


def _record(c: Connection, by: Caller, act: str, found: Violation) -> None:
    detail = {"process": found.pid, "host": found.host, "device": found.device_name, "owner": found.unix_name}
    audit.write(c, by, act, "violation", str(found.id), detail)
