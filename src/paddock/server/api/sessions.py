"""Sessions of signed-in browsers. Each has a random key, never the token; the server keeps only its digest."""

import hashlib
import hmac
import secrets
import threading
import time

from paddock.server.store import sessions
from paddock.server.store.db import Database

SECONDS = 30 * 86_400
MOST = 100  # beyond this number, the oldest session ends


class Sessions:
    """Sessions in memory, as every request looks one up; changes are written to the database as well."""

    def __init__(self, db: Database, token: str) -> None:
        self._db = db
        self._token = digest(hmac.new(token.encode(), b"paddock sessions", "sha256").hexdigest())
        self._writing = threading.Lock()
        with db.write() as c:
            sessions.forget(c, self._token, time.time())
            self._known = sessions.known(c)

    def begin(self) -> str:
        """Begin a session; return its key."""
        key = secrets.token_urlsafe(32)
        now = time.time()
        with self._writing:
            alive = [hash for hash, expires in self._known.items() if expires > now]
            with self._db.write() as c:
                sessions.forget(c, self._token, now)
                for hash in alive[: max(0, len(alive) - MOST + 1)]:
                    sessions.end(c, hash)
                sessions.begin(c, digest(key), self._token, now, now + SECONDS)
                self._known = sessions.known(c)
        return key

    def find(self, key: str | None) -> str | None:
        """Return the digest of a key, or None if the key is not valid."""
        found = digest(key) if key else None
        return found if found and self._known.get(found, 0.0) > time.time() else None

    def end(self, key: str) -> None:
        with self._writing:
            self._known.pop(digest(key), None)  # first, in case the database cannot be written
            with self._db.write() as c:
                sessions.end(c, digest(key))


def digest(text: str) -> str:
    return hashlib.sha256(text.encode(errors="replace")).hexdigest()
