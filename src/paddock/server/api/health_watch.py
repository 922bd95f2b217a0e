"""Checks regularly what could keep the server from working, in its own thread: each check may hang."""

import os
import shutil
import threading
import time

from paddock.errors import PaddockError
from paddock.models.units import size_text
from paddock.paths import Home
from paddock.server.store import db as store

CHECK_SECONDS = 5.0
LATE_SECONDS = 60.0
FEW_BYTES = 2 * 1024**3
FEW_SHARE = 0.01


class HealthWatch:
    def __init__(self, db: store.Database, home: Home) -> None:
        self._db = db
        self._home = home
        self._stop = threading.Event()
        self._checked_at = time.monotonic()
        self._found: list[str] = []

    def start(self) -> None:
        threading.Thread(target=self._run, name="watch", daemon=True).start()

    def close(self) -> None:
        self._stop.set()

    @property
    def problems(self) -> list[str]:
        late = time.monotonic() - self._checked_at
        if late > LATE_SECONDS:
            return [f"the database or the disk of {self._home.root} has not answered for {late:.0f} s: is it down?"]
        return self._found

    def _run(self) -> None:
        while not self._stop.is_set():
            self._found = [*self._database(), *self._disk()]
            self._checked_at = time.monotonic()
            self._stop.wait(CHECK_SECONDS)

    def _database(self) -> list[str]:
        try:
            self._db.ping()
        except Exception as error:
            known = store.away(error)
            return [f"the database: {known.message if isinstance(known, PaddockError) else error}"]
        return []

    def _disk(self) -> list[str]:
        root = self._home.root
        try:
            space = shutil.disk_usage(root)
            inodes = os.statvfs(root)
        except OSError as error:
            return [f"{root} cannot be read: {error.strerror}"]
        if space.free < min(FEW_BYTES, space.total * FEW_SHARE):
            return [
                f"the disk of {root} is nearly full: {size_text(space.free)} left, delete old jobs (`paddock prune`)"
            ]
        if inodes.f_files and inodes.f_favail < inodes.f_files * FEW_SHARE:
            return [
                f"the disk of {root} can hold only {inodes.f_favail:,} more files: delete old jobs (`paddock prune`)"
            ]
        return []
