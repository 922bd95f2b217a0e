"""Check a name and a password. A failure does not show which of the two was wrong, not even by its time."""

import asyncio
import logging
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

import anyio

from paddock.errors import Busy, NotAuthorised, PaddockError, SignInUnavailable
from paddock.login import password
from paddock.login.identity import Identity
from paddock.models import SignInSource
from paddock.server.api.gate import Gate
from paddock.server.api.joining import account_of
from paddock.server.api.server import Server
from paddock.server.api.sessions import digest
from paddock.server.store import audit, users

log = logging.getLogger("paddock.api")
WRONG = "Name and password do not belong together."
OWN_SECONDS = 1.0  # a failure takes a whole number of these
OTHERS_SECONDS = (
    3.0  # the same where others check passwords: PAM takes 2 s for a wrong one, and less for an unknown name
)
MOST_WAITING = 60  # sign-ins at a time
MOST_REPORTS = 60  # failures per minute that the audit has room for
R = TypeVar("R")


@dataclass(frozen=True)
class Newcomer:
    """Whoever is about to sign in, as the audit names them."""

    name: str
    address: str
    via: str = "sign-in"
    team: bool = True


class _Reports:
    """Bounds how many failures are written: strangers must not fill the database."""

    def __init__(self) -> None:
        self.waiting = 0
        self._minute = 0
        self._number = 0

    def room(self) -> bool:
        minute = int(time.monotonic() / 60)
        self._minute, self._number = minute, self._number + 1 if minute == self._minute else 1
        return self._number <= MOST_REPORTS


_reports = _Reports()


async def by_password(at: Server, gate: Gate, name: str, given: str, code: str | None, address: str) -> str:
    """Return the name of the account that name and password belong to; raise NotAuthorised or TooManyTries."""
    return await guarded(at, gate, name, address, lambda: _check(at, gate, name, given, code, address))


async def guarded(at: Server, gate: Gate, name: str, address: str, check: Callable[[], R | None]) -> R:
    """Return what a check of a password in a thread returns; None is a failure, after which the next try must wait."""
    if _reports.waiting >= MOST_WAITING:
        raise Busy
    gate.throttle.enter(name, address)
    begun = time.monotonic()
    _reports.waiting += 1
    try:
        found = await anyio.to_thread.run_sync(check, limiter=gate.checks)
        if found is not None:
            gate.throttle.succeeded(name, address)
            return found
        await anyio.to_thread.run_sync(report, at, name, address)
        await _pause(at, begun)
    except PaddockError as error:
        if isinstance(error, SignInUnavailable):
            gate.throttle.succeeded(name, address)
        await _pause(at, begun)
        raise
    finally:
        _reports.waiting -= 1
    raise NotAuthorised(WRONG)


async def _pause(at: Server, begun: float) -> None:
    """Wait until a failure has taken a whole number of steps."""
    others = at.settings.login.pam is not None or at.settings.login.ldap is not None
    step = OTHERS_SECONDS if others else OWN_SECONDS
    taken = time.monotonic() - begun
    await asyncio.sleep((int(taken / step) + 1) * step - taken)


def report(at: Server, name: str, address: str) -> None:
    """Write a failure to sign in into the audit, if it has room."""
    if not _reports.room():
        log.warning("there are many failures to sign in; the last from %s", address)
        return
    with at.db.write() as c:
        # A name that nobody has may be a password, typed into the wrong field.
        known = users.find(c, name) is not None
        audit.add(c, Newcomer(name if known else "", address), "session.failed", "account", name if known else "")


def _check(at: Server, gate: Gate, name: str, given: str, code: str | None, address: str) -> str | None:
    with at.db.read() as c:
        row = users.find(c, name) or (users.find(c, name.lower()) if name.isascii() else None)
    stored = row.password if row and row.active and at.settings.login.password else None
    fits = password.matches(stored if row and row.source is SignInSource.PASSWORD else None, given)
    if fits and row is not None:
        if password.outdated(row.password or ""):
            again = password.hashed(given)
            with at.db.write() as c:
                users.change(c, row.name, password=again)
        return row.name
    who = _ask(gate, name, given)
    if who is None:
        return None
    with at.db.write() as c:
        found = account_of(c, who, at.settings.team, digest(code) if code else None, Newcomer(who.name, address))
    gate.keys.reload()
    return found.name


def _ask(gate: Gate, name: str, given: str) -> Identity | None:
    """Return who a directory says that is; raise SignInUnavailable if none knows and one of them does not answer."""
    away: SignInUnavailable | None = None
    if not given or not name.isprintable():
        return None
    for method in gate.password_methods:
        try:
            if (who := method.check(name, given)) is not None:
                return who
        except SignInUnavailable as error:
            away = error
    if away is not None:
        raise away
    return None
