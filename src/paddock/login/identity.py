"""What a login method finds out about somebody."""

import logging
import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Protocol

from paddock.errors import SignInUnavailable
from paddock.models import SignInSource

log = logging.getLogger("paddock.login")

MAX_GROUPS = 500
_NAME = re.compile(r"[a-z_][a-z0-9_.-]{0,63}", re.ASCII)


@dataclass(frozen=True, slots=True)
class Identity:
    """Somebody whom a login method vouches for.

    An account belongs to (`source`, `subject`), never to a name or an e-mail address. `name` is valid as the name of
    an account, or empty where the source has none that is. All `groups` are valid names of groups.
    """

    source: SignInSource
    subject: str
    name: str
    full_name: str = ""
    email: str = ""
    unix_name: str | None = None
    groups: tuple[str, ...] = ()


def unavailable(detail: str) -> SignInUnavailable:
    """Return the error for neither yes nor no, with `detail` in the log and not in the answer."""
    log.warning("a way to sign in does not work: %s", detail)
    return SignInUnavailable(detail)


class PasswordMethod(Protocol):
    """A login method that takes a name and a password."""

    def check(self, name: str, password: str) -> Identity | None:
        """Return who that is, None if name and password do not belong together. Raise SignInUnavailable if unsure."""
        ...


def valid_name(text: object) -> str:
    """Return `text` if it can be the name of an account, a group or a Unix account, otherwise the empty text."""
    return text if isinstance(text, str) and _NAME.fullmatch(text) else ""


def valid_names(texts: Iterable[object]) -> tuple[str, ...]:
    """Return the valid names among `texts`, sorted, each once, and not more than can be meant."""
    return tuple(sorted({name for text in texts if (name := valid_name(text))}))[:MAX_GROUPS]


def printable(text: object, most: int = 200) -> str:
    """Return a text of a directory as one line that can be shown and stored."""
    return "".join(c for c in text if c.isprintable())[:most].strip() if isinstance(text, str) else ""
