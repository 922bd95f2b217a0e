"""The routes of notices: one's own, and what one wants to be told where."""

import secrets
import time
from typing import Annotated, Any

from fastapi import APIRouter, Query

from paddock.errors import Conflict, InvalidInput
from paddock.models import (
    AddressRequest,
    ChoicesRequest,
    NoticeAddress,
    NoticeChoices,
    NoticePage,
    NoticesRead,
    TryRequest,
    TryResult,
)
from paddock.server.api.caller import SERVER, By, Caller
from paddock.server.api.server import At, Server
from paddock.server.notify import addresses
from paddock.server.store import audit, notices, team
from paddock.server.store.db import Connection

router = APIRouter(prefix="/me/notices", tags=["notices"])


@router.get("")
def list_notices(
    at: At,
    by: By,
    before: Annotated[int | None, Query(ge=0, le=2**53, description="only those before this id")] = None,
    limit: Annotated[int, Query(ge=1, le=200)] = 50,
    new: Annotated[bool, Query(description="only those that are not read")] = False,
) -> NoticePage:
    """Return one's own notices, newest first."""
    with at.db.read() as c:
        return notices.page(c, by.name, before=before, limit=limit, new=new)


@router.post("/read")
def read_notices(what: NoticesRead, at: At, by: By) -> NoticePage:
    """Mark one's own notices as read."""
    with at.db.write() as c:
        notices.mark_read(c, by.name, time.time(), what.ids, what.up_to)
        found = notices.page(c, by.name)
    at.wakeup.ring()
    return found


@router.get("/choices")
def show_choices(at: At, by: By) -> NoticeChoices:
    """Return what one wants to be told outside the page, and where."""
    with at.db.read() as c:
        return _choices(c, at, _person(by))


@router.put("/choices")
def choose_notices(what: ChoicesRequest, at: At, by: By) -> NoticeChoices:
    """Choose what one wants to be told outside the page, and where. Addresses that are not named are forgotten."""
    name = _person(by)
    with at.db.read() as c:
        known = {one["id"]: one for one in notices.choices(c, name).get("addresses", [])}
    kept = [_checked(at, by, known, one) for one in what.addresses]
    data = {"mail": what.mail, "addresses": kept}
    with at.db.write() as c:
        notices.save_choices(c, name, data)
        shown = [one["shown"] for one in kept]
        audit.write(c, by, "account.notices", "account", name, {"mail": what.mail, "addresses": shown})
        return _choices(c, at, name)


@router.post("/try")
def try_notices(what: TryRequest, at: At, by: By) -> TryResult:
    """Send a message to one's own mail or to an address of one's own, and return whether it was accepted."""
    address = what.to if what.to == addresses.MAIL else addresses.own({"id": what.to})
    found = at.outbox.try_now(_person(by), address)
    return TryResult(sent=found.ok, problem=found.problem)


def _person(by: Caller) -> str:
    if by.team and by.name == SERVER:
        raise Conflict("The server's own token is not an account: sign in as somebody.")
    return by.name


def _checked(at: Server, by: Caller, known: dict[str, dict[str, Any]], one: AddressRequest) -> dict[str, Any]:
    """Return an address as it is stored; raise InvalidInput if it may not be used."""
    if one.id is not None:
        if one.id not in known:
            raise InvalidInput.at("addresses", f"you have no address {one.id!r}: give its url")
        return known[one.id] | {"kinds": one.kinds}
    if one.url is None:
        raise InvalidInput.at("addresses", "give the url of a new address, or the id of one that is known")
    shown = at.outbox.check(one.url, trusted=not by.team)
    return {"id": secrets.token_hex(4), "url": one.url, "shown": shown, "kinds": one.kinds}


def _choices(c: Connection, at: Server, name: str) -> NoticeChoices:
    stored, problems = notices.choices(c, name), notices.problems(c, name)
    to = addresses.mail(c, at.settings, name)
    alone = not team.is_on(c)
    return NoticeChoices(
        mail=stored.get("mail", []),
        mail_to=to if isinstance(to, str) else None,
        mail_why=None if isinstance(to, str) else to.why,
        mail_problem=problems.get(addresses.MAIL),
        addresses=[
            NoticeAddress(
                id=one["id"], shown=one["shown"], kinds=one["kinds"], problem=problems.get(addresses.own(one))
            )
            for one in stored.get("addresses", [])
        ],
        schemes=None if alone else at.settings.notify.schemes,
        others=len(at.settings.notify.urls) if alone else 0,
    )
