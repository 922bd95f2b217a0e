"""Copy the SQLite database so that it can be restored. For PostgreSQL there is pg_dump."""

import logging
import os
import shutil
import sqlite3
import threading
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

from paddock.errors import Conflict, DatabaseDamaged
from paddock.server.store.db import Database

KEPT = 7  # copies of each kind
DAY_SECONDS = 86_400.0
FIRST_SECONDS, POLL_SECONDS = 60.0, 600.0
PAGES, REST_SECONDS = 1000, 0.005  # this many are copied at a time, with a pause for others in between
DAILY, BEFORE = "daily", "before"
log = logging.getLogger("paddock.backups")


class _Over(Exception):
    """The server ends before the copy is complete."""


def listed(folder: Path, kind: str = "") -> list[Path]:
    """Return the copies of a kind, oldest first."""
    found = folder.glob(f"{kind}*.db")
    return sorted((one for one in found if not one.name.startswith(".")), key=lambda one: one.stat().st_mtime)


def make(db: Database, folder: Path, kind: str, *, over: Callable[[], bool] = lambda: False) -> Path:
    """Copy the database while others use it, and delete the oldest copies of this kind.

    Raise OSError or sqlite3.Error if that fails, and DatabaseDamaged if the copy is damaged; the older ones then stay.
    """
    source = db.file
    if source is None:
        raise ValueError("only a SQLite file can be copied")
    folder.mkdir(mode=0o700, exist_ok=True)
    if shutil.disk_usage(folder).free < 1.2 * source.stat().st_size:
        raise OSError(f"there is not enough space for a copy of {source.name} in {folder}")
    whole = folder / f"{kind}-{time.strftime('%Y%m%d-%H%M%S', time.gmtime())}.db"
    part = folder / f".{whole.name}.part"
    part.unlink(missing_ok=True)
    try:
        os.close(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
        _copy(source, part, over)
        part.replace(whole)
    except sqlite3.DatabaseError as error:
        raise db.translated(error) from error
    finally:
        part.unlink(missing_ok=True)
    for old in listed(folder, kind.partition("-")[0])[:-KEPT]:
        old.unlink(missing_ok=True)
    return whole


def _copy(source: Path, target: Path, over: Callable[[], bool]) -> None:
    def go_on(_status: int, _left: int, _all: int) -> None:
        if over():
            raise _Over

    with (
        closing(sqlite3.connect(source, timeout=30, isolation_level=None)) as this,
        closing(sqlite3.connect(target, isolation_level=None)) as other,
    ):
        pages = PAGES
        if this.execute("PRAGMA journal_mode").fetchone()[0] == "wal":
            # One transaction for the whole copy: else every write of others would make it begin again.
            this.execute("BEGIN")
            this.execute("SELECT count(*) FROM sqlite_master").fetchone()
        else:
            pages = -1  # all at once: such a transaction would block writers for as long
        this.backup(other, pages=pages, sleep=REST_SECONDS, progress=go_on)
        other.execute("PRAGMA journal_mode=DELETE")  # one file
        found = other.execute("PRAGMA quick_check(1)").fetchone()[0]
        if found != "ok":
            raise sqlite3.DatabaseError(f"database disk image is malformed: {found}")
    with open(target, "rb") as file:
        os.fsync(file.fileno())


def before_migration(db: Database, folder: Path) -> None:
    """Copy the database if a migration is about to change it; raise Conflict if that fails."""
    now, head = db.revisions()
    if now is None or now == head or db.file is None:
        return
    try:
        made = make(db, folder, f"{BEFORE}-{head}")
    except (OSError, sqlite3.Error) as error:
        raise Conflict(
            f"The database is of an older version, and cannot be copied before it is changed: {error}. Mend that, and "
            "start the server again."
        ) from None
    log.info("the database is migrated from revision %s to %s; a copy of the old one is %s", now, head, made)


class Daily:
    """Makes one copy per day in a thread of its own."""

    def __init__(self, db: Database, folder: Path, first_seconds: float = FIRST_SECONDS) -> None:
        self._db = db
        self._folder = folder
        self._first_seconds = first_seconds
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._run, name="backups", daemon=True)

    def start(self) -> None:
        if self._db.file is not None:
            self._thread.start()

    def close(self) -> None:
        self._over.set()
        if self._thread.is_alive():
            self._thread.join(10)

    def _run(self) -> None:
        pause = self._first_seconds
        while not self._over.wait(pause):
            pause = POLL_SECONDS
            try:
                if self._due():
                    made = make(self._db, self._folder, DAILY, over=self._over.is_set)
                    log.info("the database was copied to %s", made)
            except _Over:
                return
            except (OSError, sqlite3.Error, DatabaseDamaged) as error:
                log.warning("the database could not be copied: %s", error)

    def _due(self) -> bool:
        known = listed(self._folder, DAILY)
        return not known or abs(time.time() - known[-1].stat().st_mtime) >= DAY_SECONDS
