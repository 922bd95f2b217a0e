"""Sessions of signed-in browsers. Each has a random key, never the token; the server keeps only its digest."""

import hashlib
import hmac
import secrets
import threading
import time
from collections.abc import Callable
from dataclasses import replace

from paddock.server.store import sessions, users
from paddock.server.store.db import Connection, Database
from paddock.server.store.sessions import SessionRow

SECONDS = 30 * 86_400
ABSOLUTE_SECONDS = 90 * 86_400  # the longest life of the session of an account, however often it is used
MOST = 100  # of each account, and of the server's token: beyond this number, the oldest session ends
NOTE_SECONDS = 60.0  # how often it is noted that a session or a token was used


class Sessions:
    """Sessions in memory, as every request looks one up; changes are written to the database as well.

    A session of an account goes on while it is used: `days` is how long it may rest.
    """

    def __init__(self, db: Database, token: str, days: float = 30.0) -> None:
        self._db = db
        self._token = digest(hmac.new(token.encode(), b"paddock sessions", "sha256").hexdigest())
        self._rest_seconds = days * 86_400
        self._writing = threading.Lock()
        self._used: dict[str, SessionRow] = {}  # as they are in memory only: to be written
        with db.write() as c:
            sessions.forget(c, self._token, time.time())
            self._known = sessions.known(c)

    def begin(
        self,
        user: str | None = None,
        *,
        address: str = "",
        browser: str = "",
        instead: str | None = None,
        record: Callable[[Connection], None] = lambda c: None,
    ) -> str:
        """Begin a session; return its key, which is always a new one.

        `instead`: the key of a session that ends with that. `record` writes the audit in the same transaction.
        """
        key = secrets.token_urlsafe(32)
        now = time.time()
        expires = now + (SECONDS if user is None else min(self._rest_seconds, ABSOLUTE_SECONDS))
        row = SessionRow(digest(key), now, expires, user, now, address[:64], browser[:200])
        with self._writing:
            alive = [one.hash for one in self._known.values() if one.expires_at > now and one.user == user]
            with self._db.write() as c:
                sessions.forget(c, self._token, now)
                for hash in alive[: max(0, len(alive) - MOST + 1)]:
                    sessions.end(c, hash)
                if instead is not None:
                    sessions.end(c, digest(instead))
                sessions.begin(c, row, self._token)
                if user is not None:
                    users.seen(c, {user: now})
                record(c)
                known = sessions.known(c)
            self._known = known
        return key

    def find(self, key: str | None) -> SessionRow | None:
        """Return the session of a key, or None if the key is not valid."""
        found = self._known.get(digest(key)) if key else None
        if found is None:
            return None
        found = self._used.get(found.hash, found)
        return found if found.expires_at > time.time() else None

    def use(self, row: SessionRow, now: float) -> bool:
        """Note that the session of an account is used, which prolongs it; return True if there is something new."""
        if row.user is None or now - (row.seen_at or 0.0) < NOTE_SECONDS:
            return False
        until = min(now + self._rest_seconds, row.created_at + ABSOLUTE_SECONDS)
        self._used[row.hash] = replace(row, seen_at=now, expires_at=until)
        return True

    def flush(self, c: Connection) -> None:
        """Write which sessions were used."""
        used, self._used = self._used, {}
        sessions.seen(c, list(used.values()))

    def of(self, user: str | None) -> list[SessionRow]:
        """Return the valid sessions of an account, newest first; without a name, those of the server's token."""
        now = time.time()
        rows = [self._used.get(one.hash, one) for one in list(self._known.values())]
        return [one for one in reversed(rows) if one.user == user and one.expires_at > now]

    def end(self, key: str) -> None:
        self.end_digest(digest(key))

    def end_digest(self, hash: str, record: Callable[[Connection], None] = lambda c: None) -> None:
        with self._writing:
            self._known.pop(hash, None)  # first, in case the database cannot be written
            with self._db.write() as c:
                sessions.end(c, hash)
                record(c)

    def reload(self) -> None:
        """Read all sessions again, after some were ended in the database."""
        with self._writing, self._db.read() as c:
            self._known = sessions.known(c)


def digest(text: str) -> str:
    return hashlib.sha256(text.encode(errors="replace")).hexdigest()
