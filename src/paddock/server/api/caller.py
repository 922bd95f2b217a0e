"""Who sent a request. The wall (`auth`) finds out; routes ask for `By`."""

from dataclasses import dataclass
from typing import Annotated

from fastapi import Depends, Request

from paddock.models import Role, TokenScope
from paddock.server.store.sight import EVERYTHING, Sight

CALLER = "paddock.caller"  # where the wall leaves it in the scope of a request
SERVER = "server"  # the name of whoever has the server's own token, while accounts are in use


@dataclass(frozen=True)
class Caller:
    """Without accounts, everybody who is let in is the owner of the server, and an admin."""

    name: str
    role: Role = Role.ADMIN
    via: str = "server"  # session, token NAME, door, or server: the server's own token
    scope: TokenScope = TokenScope.ALL
    groups: frozenset[str] = frozenset()
    address: str = ""
    team: bool = False  # accounts are in use
    session: str | None = None  # the digest of the session's key

    @property
    def sight(self) -> Sight:
        """Return which jobs the caller may see."""
        return EVERYTHING if self.role is Role.ADMIN else Sight(self.name)


async def _caller(request: Request) -> Caller:  # async: needs no worker thread
    caller: Caller = request.scope[CALLER]
    return caller


By = Annotated[Caller, Depends(_caller)]
