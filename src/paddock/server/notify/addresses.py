"""Where notices of a person may be sent, and the URL behind each address.

An address is `mail` (to one's own), `own:ID` (given by the person) or `settings:DIGEST` (in the settings of the
server). Rows of the outbox have only these: a URL that was changed since is used as it is now.
"""

import hashlib
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, quote, urlencode, urlsplit, urlunsplit

from paddock.models import NoticeKind
from paddock.server.store import notices, team, users
from paddock.server.store.db import Connection
from paddock.settings import NotifySettings, Settings

MAIL = "mail"
_OWN, _SETTINGS = "own:", "settings:"
_EMAIL = re.compile(r"[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}@[A-Za-z0-9.-]{1,190}")
_NO_MAIL = "this server sends no mail: an admin sets `notify.mail`"


@dataclass(frozen=True)
class Target:
    """Where a message goes. `trusted`: an admin wrote the URL, which may name anything."""

    url: str
    shown: str
    trusted: bool


def of_settings(settings: NotifySettings) -> dict[str, str]:
    """Return the URLs in the settings by address."""
    return {_SETTINGS + hashlib.sha256(url.encode()).hexdigest()[:12]: url for url in settings.urls}


def wanted(
    c: Connection, settings: Settings, user: str, kinds: tuple[NoticeKind, ...], only: list[NoticeKind] | None
) -> Iterator[str]:
    """Yield the addresses of a person that get a notice that counts as these kinds.

    `only`: what the person wants for this job, at all of their addresses, in place of what they chose for each.
    """
    chosen = notices.choices(c, user)
    alone = not team.is_on(c)

    def wants(of_address: list[str]) -> bool:
        return any(kind in (of_address if only is None else only) for kind in kinds)

    if wants(chosen.get("mail", [])) and not isinstance(mail(c, settings, user), Unreachable):
        yield MAIL
    for one in chosen.get("addresses", []):
        if wants(one["kinds"]):
            yield own(one)
    if alone and wants(list(NoticeKind)):
        yield from of_settings(settings.notify)


@dataclass(frozen=True)
class Unreachable:
    """Why nothing can be sent to an address."""

    why: str


def mail(c: Connection, settings: Settings, user: str) -> str | Unreachable:
    """Return the mail address of an account; or why none can be sent there."""
    if not settings.notify.mail and not settings.notify.mail_file:
        return Unreachable(_NO_MAIL)
    if not team.is_on(c):
        return Unreachable("without accounts nobody has an address: add one that begins with mailtos://")
    account = users.find(c, user)
    if account is None or not account.active:
        return Unreachable("there is no such account in use")
    if not _EMAIL.fullmatch(account.email):
        return Unreachable("your profile has no valid e-mail address")
    return account.email


def lane(user: str, address: str) -> str:
    """Return the lane of an address: messages of one lane are sent one after the other, lanes side by side."""
    return f"{_OWN}{user}" if address.startswith(_OWN) else address


def target(c: Connection, settings: Settings, home: Path, user: str, address: str) -> Target | Unreachable | None:
    """Return where messages to an address go; None if there is no such address any more."""
    if address == MAIL:
        to = mail(c, settings, user)
        url = mail_url(settings.notify, home)
        if isinstance(to, Unreachable):
            return to
        return Target(_to(url, to), to, True) if url else Unreachable("`notify.mail_file` cannot be read")
    if address.startswith(_SETTINGS):
        found = of_settings(settings.notify).get(address)
        return Target(found, "an address in the settings", True) if found else None
    for one in notices.choices(c, user).get("addresses", []):
        if own(one) == address:
            return Target(one["url"], one["shown"], not team.is_on(c))
    return None


def mail_url(settings: NotifySettings, home: Path) -> str | None:
    """Return the URL of the mail server; None if there is none, or its file cannot be read."""
    if settings.mail:
        return settings.mail
    if settings.mail_file is None:
        return None
    try:
        return (home / settings.mail_file).read_text().strip() or None
    except (OSError, UnicodeDecodeError):
        return None


def own(stored: dict[str, Any]) -> str:
    """Return the address of one that a person has given."""
    return f"{_OWN}{stored['id']}"


def _to(url: str, email: str) -> str:
    """Return the URL of the mail server with this one recipient, and plain text."""
    parts = urlsplit(url)
    given = [(name, value) for name, value in parse_qsl(parts.query) if name not in ("to", "format")]
    query = urlencode([*given, ("to", email), ("format", "text")], quote_via=quote)
    return urlunsplit((parts.scheme, parts.netloc, "", query, ""))
