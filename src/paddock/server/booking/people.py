"""Who reserves, and whom they tell."""

from typing import Protocol

from paddock.errors import NotAllowed
from paddock.models import NoticeKind, Reservation, Role
from paddock.server.notify import texts
from paddock.server.notify.tell import tell
from paddock.server.store.audit import Actor
from paddock.server.store.db import Connection
from paddock.settings import Settings

CALENDAR = "/calendar"


class Booker(Actor, Protocol):
    """Whoever reserves, changes or ends something: a `Caller` is one."""

    @property
    def role(self) -> Role: ...


def check_own(by: Booker, found: Reservation) -> None:
    """Raise NotAllowed unless somebody may change a reservation: its owner, and admins."""
    if by.team and by.role is not Role.ADMIN and by.name != found.owner:
        whose = f"of {found.owner}" if found.owner is not None else "maintenance"
        raise NotAllowed(f"Reservation {found.id} is {whose}: only they or an admin may do this.")


def tell_owner(c: Connection, settings: Settings, by: Booker, found: Reservation, did: str, now: float) -> None:
    """Tell the owner of a reservation what somebody else has done to it."""
    if found.owner is not None and by.team and by.name != found.owner:
        inform(c, settings, found.owner, found, f"{by.name} {did}", now)


def inform(
    c: Connection, settings: Settings, user: str, found: Reservation, what: str, now: float, why: str = ""
) -> None:
    """Tell somebody something about a reservation."""
    words = texts.of_reservation(what, found.title, found.starts_at, found.ends_at, why)
    tell(c, settings, NoticeKind.RESERVATION, user=user, words=words, link=link(found.id), now=now)


def link(id: str) -> str:
    """Return the path of the page that shows a reservation."""
    return f"{CALENDAR}?reservation={id}"
