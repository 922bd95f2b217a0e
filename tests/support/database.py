"""A new database, made once per process: to migrate one for each test would take longer than most tests."""

import tempfile
from functools import cache
from pathlib import Path

from paddock.server.store.db import Database


def new_database(path: Path) -> None:
    """Write a database with the schema of this version and nothing in it."""
    path.touch(0o600)
    path.write_bytes(_migrated())


@cache
def _migrated() -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        db = Database(f"sqlite:///{folder}/paddock.db")
        db.migrate()
        db.close()
        return Path(folder, "paddock.db").read_bytes()
