"""Tell people about violations: whoever owns the process, whoever has the reservation, and admins.

Each function returns whether somebody was told, and in words whom, or why nobody was.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from paddock.models import NoticeKind
from paddock.server.notify import addresses, texts
from paddock.server.notify.addresses import MAIL, Unreachable
from paddock.server.notify.tell import tell as tell_person
from paddock.server.store import notices, team, users
from paddock.server.store.db import Connection
from paddock.settings import Settings

TITLE = "Your process is on a GPU that is not for you"
OWNERS_TITLE = "Somebody else is on a GPU that you have reserved"
MOST_LINES = 20
NO_ACCOUNT = "the owner of the process has no account here"


@dataclass(frozen=True)
class Told:
    """Whom a violation is about."""

    intruder: str | None  # an account
    owner: str | None  # of the reservation
    violation: int

    @property
    def link(self) -> str:
        return f"/violations?id={self.violation}"


def tell(c: Connection, settings: Settings, told: Told, words: str, owners: str, now: float) -> tuple[bool, str]:
    """Write notices for the intruder and for the owner of the reservation."""
    whom = []
    for user, title, text in ((told.intruder, TITLE, words), (told.owner, OWNERS_TITLE, owners)):
        if user is not None and _exists(c, user):
            about = (title, texts.one_line(text, texts.LONGEST_TEXT))
            tell_person(c, settings, NoticeKind.VIOLATION, user=user, words=about, link=told.link, now=now)
            whom.append(user)
    return (True, f"notice to {' and '.join(whom)}") if whom else (False, NO_ACCOUNT)


def mail(c: Connection, settings: Settings, told: Told, words: str, now: float) -> tuple[bool, str]:
    """Have the intruder's notice sent to their own mail address, whatever they chose."""
    user = told.intruder
    if user is None:
        return False, NO_ACCOUNT
    address = addresses.mail(c, settings, user)
    if isinstance(address, Unreachable):
        return False, address.why
    if not notices.send_too(c, user, told.link, MAIL, now):  # notices in the page are left out
        about = {"title": TITLE, "text": texts.one_line(words, texts.LONGEST_TEXT), "link": told.link}
        notices.add(c, now, [MAIL], user=user, kind=NoticeKind.VIOLATION.value, **about, job_id=None)
    return True, f"mail to {user}"


def digest(c: Connection, settings: Settings, lines: Sequence[str], now: float) -> tuple[bool, str]:
    """Write one notice about all that is new for each admin, and send it to their mail address."""
    text = " ".join(texts.one_line(line, texts.LONGEST_TEXT) for line in lines[:MOST_LINES])
    title = (
        "A GPU is used by somebody else" if len(lines) == 1 else f"{len(lines)} people use GPUs that are not for them"
    )
    whom = users.active_admins(c) if team.is_on(c) else [settings.owner]
    for admin in whom:
        wanted = list(addresses.wanted(c, settings, admin, (NoticeKind.VIOLATION,), None))
        if MAIL not in wanted and not isinstance(addresses.mail(c, settings, admin), Unreachable):
            wanted.append(MAIL)
        about = {"user": admin, "kind": NoticeKind.VIOLATION.value, "title": title, "text": text}
        notices.add(c, now, wanted, **about, link="/violations", job_id=None)
    return (
        (True, f"notice to {len(whom)} admin{'s' if len(whom) != 1 else ''}") if whom else (False, "there is no admin")
    )


def _exists(c: Connection, user: str) -> bool:
    return not team.is_on(c) or users.find(c, user) is not None
