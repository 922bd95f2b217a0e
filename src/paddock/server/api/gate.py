"""What the routes share by which people sign in."""

from dataclasses import dataclass, field
from typing import Annotated

import anyio
from fastapi import Depends, Request
from starlette.responses import JSONResponse, Response
from starlette.types import Scope

from paddock.login import methods
from paddock.login.identity import PasswordMethod
from paddock.login.oidc import SingleSignOn
from paddock.server.api.cookies import Cookies
from paddock.server.api.keys import Keys
from paddock.server.api.sessions import ABSOLUTE_SECONDS, SECONDS
from paddock.server.api.throttle import Throttle
from paddock.settings import Settings

MOST_CHECKS = 8  # name and password at a time: a directory may take seconds, and each needs a thread


@dataclass(frozen=True)
class Gate:
    keys: Keys
    cookies: Cookies
    password_methods: list[PasswordMethod]
    providers: dict[str, SingleSignOn]
    throttle: Throttle = field(default_factory=Throttle)
    checks: anyio.CapacityLimiter = field(default_factory=lambda: anyio.CapacityLimiter(MOST_CHECKS))

    @classmethod
    def of(cls, settings: Settings, keys: Keys, cookies: Cookies) -> "Gate":
        return cls(keys, cookies, methods.password_methods(settings), methods.providers(settings))

    def signed_in(self, key: str, scope: Scope, *, account: bool) -> Response:
        """Return the answer to who has signed in: the cookie, and the page's key."""
        answer = JSONResponse({"page": self.cookies.page(key)}, headers={"Cache-Control": "no-store"})
        return self.cookies.give(answer, key, scope, ABSOLUTE_SECONDS if account else SECONDS)


async def _gate(request: Request) -> Gate:  # async: needs no worker thread
    gate: Gate = request.app.state.gate
    return gate


Through = Annotated[Gate, Depends(_gate)]
