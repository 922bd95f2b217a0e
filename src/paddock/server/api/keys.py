"""Who may come in: accounts, their sessions and their tokens, in memory, as every request asks.

Whoever changes one of them in the database calls `reload` after that transaction.
"""

import logging
import re
import secrets
import string
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, replace

from paddock.models import Role, TokenScope
from paddock.server.api.caller import SERVER, Caller
from paddock.server.api.sessions import NOTE_SECONDS, Sessions, digest
from paddock.server.store import groups, team, tokens, users
from paddock.server.store.db import Connection, Database
from paddock.server.store.tokens import TokenRow

log = logging.getLogger("paddock.api")
_TOKEN = re.compile(r"pdk_[a-z0-9]{8}_[A-Za-z0-9_-]{43}", re.ASCII)
_LETTERS = string.ascii_lowercase + string.digits


@dataclass(frozen=True)
class KnownAccount:
    name: str
    role: Role
    groups: frozenset[str]


class Keys:
    """Finds who sent a request, in microseconds. `owner` is everybody while accounts are not in use."""

    def __init__(self, db: Database, token: str, owner: str, days: float = 30.0) -> None:
        self._db = db
        self._token = token.encode()
        self._owner = owner
        self.sessions = Sessions(db, token, days)
        self.on = False
        self._accounts: dict[str, KnownAccount] = {}  # the active ones
        self._by_unix_name: dict[str, KnownAccount] = {}
        self._tokens: dict[str, TokenRow] = {}
        self._digests: dict[str, str] = {}  # by id
        self._used: dict[str, float] = {}  # tokens, by id, whose use is to be written
        self._seen: dict[str, float] = {}  # and accounts
        self._flushed_at = time.monotonic()
        self._loading = threading.Lock()
        self.stale = False
        self.reload()

    def reload(self) -> None:
        """Read everything again. If that fails, `stale` is set, and nobody is let in before it has succeeded."""
        with self._loading:
            try:
                self._load()
            except BaseException:
                self.stale = True
                raise
            self.stale = False

    def refresh(self) -> None:
        """Read everything again unless another thread has just done so."""
        with self._loading:
            if self.stale:
                self._load()
                self.stale = False

    def _load(self) -> None:
        with self._db.read() as c:
            on, found, of = team.is_on(c), users.every(c), groups.by_user(c)
            valid = tokens.valid(c, time.time())
        self._accounts = {
            one.name: KnownAccount(one.name, one.role, frozenset(of.get(one.name, ()))) for one in found if one.active
        }
        self._by_unix_name = {one.unix_name: self._accounts[one.name] for one in found if one.active and one.unix_name}
        self._tokens = {one.hash: one for one in valid}
        self._digests = {one.id: one.hash for one in valid}
        self.sessions.reload()
        self.on = on

    def is_server(self, given: str | None) -> bool:
        """Return True if this is the server's own token."""
        return given is not None and secrets.compare_digest(given.encode(errors="replace"), self._token)

    def by_token(self, given: str | None, address: str) -> Caller | None:
        """Return whose token this is, or None if it is not valid."""
        if given is None:
            return None
        if self.is_server(given):
            return self._server("server", address)
        if not self.on or not _TOKEN.fullmatch(given):
            return None
        now = time.time()
        row = self._tokens.get(digest(given))
        account = self._accounts.get(row.user) if row is not None else None
        if row is None or account is None or (row.expires_at is not None and row.expires_at <= now):
            return None
        if now - self._used.get(row.id, row.used_at or 0.0) >= NOTE_SECONDS:
            self._used[row.id] = self._seen[row.user] = now
        return Caller(account.name, account.role, f"token {row.name}", row.scope, account.groups, address, team=True)

    def by_unix_name(self, user: str | None) -> Caller | None:
        """Return the account of a user of this machine, who came through the door."""
        account = self._by_unix_name.get(user) if user and self.on else None
        if account is None:
            return None
        now = time.time()
        if now - self._seen.get(account.name, 0.0) >= NOTE_SECONDS:
            self._seen[account.name] = now
        return Caller(account.name, account.role, "door", TokenScope.ALL, account.groups, team=True)

    def by_account(self, caller: Caller) -> Caller | None:
        """Return somebody who was let in before as they would be now; None if they may not come in any more."""
        account = self._accounts.get(caller.name) if self.on else None
        return replace(caller, role=account.role, groups=account.groups) if account else None

    def digest_of(self, id: str) -> str:
        """Return what is known of a token, by its id; for one that is not known, something that proves nothing."""
        return self._digests.get(id) or digest(f"no token {id} {self._token.decode()}")

    def by_session(self, key: str | None, address: str) -> Caller | None:
        """Return whose session has this key; None if there is none, or it is of an account that may not come in."""
        row = self.sessions.find(key)
        if row is None:
            return None
        if row.user is None:
            return self._server("session", address, row.hash)
        account = self._accounts.get(row.user) if self.on else None
        if account is None:
            return None
        now = time.time()
        if self.sessions.use(row, now):
            self._seen[row.user] = now
        return Caller(
            account.name, account.role, "session", TokenScope.ALL, account.groups, address, team=True, session=row.hash
        )

    def _server(self, via: str, address: str, session: str | None = None) -> Caller:
        name = SERVER if self.on else self._owner
        return Caller(name, via=via, address=address, team=self.on, session=session)

    def issue(
        self,
        user: str,
        name: str,
        scope: TokenScope,
        expires_at: float | None,
        record: Callable[[Connection, str], None] = lambda c, id: None,
    ) -> tuple[str, str]:
        """Make a token of an account; return its id and the token itself, which is not kept.

        `record` writes the audit in the same transaction.
        """
        id = "".join(secrets.choice(_LETTERS) for _ in range(8))
        made = f"pdk_{id}_{secrets.token_urlsafe(32)}"
        with self._db.write() as c:
            tokens.add(c, TokenRow(id, user, name, digest(made), scope, expires_at, None), time.time())
            record(c, id)
        self.reload()
        return id, made

    @property
    def flush_due(self) -> bool:
        """Return True if there is use to be written that is not quite new."""
        return time.monotonic() - self._flushed_at > NOTE_SECONDS and bool(self._seen)

    def flush(self) -> None:
        """Write when accounts, sessions and tokens were last used."""
        self._flushed_at = time.monotonic()
        used, self._used = self._used, {}
        seen, self._seen = self._seen, {}
        try:
            with self._db.write() as c:
                tokens.used(c, used)
                users.seen(c, seen)
                self.sessions.flush(c)
            self.reload()
        except Exception as error:  # the next use is written again
            log.warning("it could not be written who was here: %s", type(error).__name__)
