"""Servers that the user has signed in to, with a token for each: `logins.json` in the user's configuration folder."""

import json
import os
from dataclasses import asdict, dataclass, field, fields, replace
from pathlib import Path
from typing import Any

from paddock.errors import NotAuthorised
from paddock.paths import write_once

PERSONAL = "pdk_"  # how the tokens of people begin; the server's own begins otherwise


@dataclass(frozen=True)
class Login:
    """A server, and the token of an account there. `made`: `paddock login` made the token, and logout revokes it."""

    url: str
    token: str
    name: str = ""
    id: str = ""
    expires_at: float | None = None
    made: bool = False


@dataclass(frozen=True)
class Logins:
    """All servers by address. The default is the one that commands use when they name none."""

    default: str | None = None
    servers: dict[str, Login] = field(default_factory=dict)

    def of(self, url: str) -> Login | None:
        return self.servers.get(plain(url))

    @property
    def usual(self) -> Login | None:
        return self.servers.get(self.default) if self.default else None

    def adding(self, login: Login) -> "Logins":
        """Return these with one more, which becomes the default."""
        return Logins(plain(login.url), {**self.servers, plain(login.url): replace(login, url=plain(login.url))})

    def without(self, url: str) -> "Logins":
        rest = {name: one for name, one in self.servers.items() if name != plain(url)}
        return Logins(self.default if self.default in rest else next(iter(rest), None), rest)


def plain(url: str) -> str:
    return url.rstrip("/")


def file() -> Path:
    base = os.environ.get("XDG_CONFIG_HOME") or "~/.config"
    return Path(base).expanduser() / "paddock" / "logins.json"


def read() -> Logins:
    """Return the logins; none if there is no file. Raise NotAuthorised if others own, read or write it."""
    place = file()
    try:
        with open(place, "rb") as opened:
            found = os.fstat(opened.fileno())
            if found.st_uid != os.geteuid():
                raise NotAuthorised(f"{place} belongs to another user: remove it, and sign in with `paddock login`.")
            if found.st_mode & 0o077:
                raise NotAuthorised(f"Others can read your tokens in {place}: forbid it with `chmod 600 {place}`.")
            return _understood(json.loads(opened.read(1_000_000)))
    except (FileNotFoundError, NotADirectoryError):
        return Logins()
    except OSError as error:
        raise NotAuthorised(f"{place} cannot be read ({error.strerror}): correct its permissions.") from None
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        raise NotAuthorised(f"{place} is damaged: remove it, and sign in with `paddock login`.") from None


def _understood(given: dict[str, Any]) -> Logins:
    known = [one.name for one in fields(Login)]
    servers = {
        str(url): Login(**{name: one[name] for name in known if name in one}) for url, one in given["servers"].items()
    }
    return Logins(given.get("default"), servers)


def write(logins: Logins) -> None:
    """Keep the logins, for the user alone."""
    place = file()
    place.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    write_once(place, json.dumps(asdict(logins), indent=2) + "\n", mode=0o600)
