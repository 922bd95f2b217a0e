"""Test the SQLite file: its journal, its copies, and the message when it is damaged."""

import os
import sqlite3
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
import sqlalchemy as sa
from alembic import command

from paddock.errors import Conflict, DatabaseDamaged
from paddock.paths import Home
from paddock.server.store import backups, db
from paddock.server.store.db import Database, journal_mode
from tests.server.store.given import announce
from tests.support.server import wait_for


@pytest.fixture
def database(home: Home) -> Iterator[Database]:
    opened = Database(f"sqlite:///{home.database}")
    opened.migrate()
    yield opened
    opened.close()


def count(path: Path) -> int:
    connection = sqlite3.connect(path)
    try:
        found: int = connection.execute("SELECT count(*) FROM events").fetchone()[0]
        return found
    finally:
        connection.close()


def add_events(database: Database, number: int) -> None:
    with database.write() as c:
        for _ in range(number):
            announce(c, "x" * 1000)


class TestJournal:
    @pytest.mark.parametrize(
        ("kind", "mode"),
        [("ext4", "WAL"), ("xfs", "WAL"), ("tmpfs", "WAL")]
        + [(kind, "TRUNCATE") for kind in ("nfs", "nfs4", "lustre", "cifs", "beegfs", "gpfs", "fuse.sshfs", "9p")],
    )
    def test_follows_from_the_file_system(self, tmp_path: Path, kind: str, mode: str) -> None:
        mounts = tmp_path / "mounts"
        mounts.write_text(f"a / ext4 rw 0 0\nb {tmp_path} {kind} rw 0 0\n")
        assert journal_mode(tmp_path / "paddock.db", mounts) == mode
        assert journal_mode(tmp_path / "paddock.db", tmp_path / "unknown") == "WAL"

    @pytest.mark.parametrize(("mode", "synchronous"), [("WAL", 1), ("TRUNCATE", 2)])
    def test_is_used_also_for_a_file_that_had_another(self, home: Home, mode: str, synchronous: int) -> None:
        first = Database(f"sqlite:///{home.database}", journal="WAL" if mode == "TRUNCATE" else "TRUNCATE")
        first.migrate()
        first.close()
        opened = Database(f"sqlite:///{home.database}", journal=mode)
        with opened.write() as c:
            assert c.exec_driver_sql("PRAGMA journal_mode").scalar() == mode.lower()
            assert c.exec_driver_sql("PRAGMA synchronous").scalar() == synchronous
        opened.close()


class TestBackups:
    @pytest.mark.parametrize("mode", ["WAL", "TRUNCATE"])
    def test_a_copy_is_whole_private_and_one_file(self, home: Home, mode: str) -> None:
        database = Database(f"sqlite:///{home.database}", journal=mode)
        database.migrate()
        add_events(database, 50)
        made = backups.make(database, home.backups, backups.DAILY)
        database.close()
        assert made.stat().st_mode & 0o777 == 0o600
        assert home.backups.stat().st_mode & 0o777 == 0o700
        assert list(home.backups.iterdir()) == [made]
        assert count(made) == 50
        home.refuse_foreign()

    def test_writers_go_on_meanwhile(self, home: Home, database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(backups, "PAGES", 5)
        add_events(database, 1000)
        written = 0

        def over() -> bool:  # called between two steps of the copy
            nonlocal written
            if written < 20:
                add_events(database, 1)
                written += 1
            return False

        made = backups.make(database, home.backups, backups.DAILY, over=over)
        assert written == 20
        assert (count(made), count(home.database)) == (1000, 1020)  # the view with which it began

    def test_seven_are_kept_of_each_kind(self, home: Home, database: Database) -> None:
        backups.make(database, home.backups, "before-0002")
        for number in range(9):
            (home.backups / f"daily-2026010{number}-000000.db").touch(mode=0o600)
        made = backups.make(database, home.backups, backups.DAILY)
        assert len(backups.listed(home.backups, backups.DAILY)) == backups.KEPT
        assert backups.listed(home.backups)[-1] == made
        assert len(backups.listed(home.backups, backups.BEFORE)) == 1

    def test_one_before_a_migration(self, home: Home, database: Database) -> None:
        backups.before_migration(database, home.backups)
        assert backups.listed(home.backups) == []  # nothing is to be changed
        older = Database(f"sqlite:///{home.root / 'older.db'}")
        config = db._alembic()
        with older.write() as c:
            config.attributes["connection"] = c
            command.upgrade(config, "0003")
        backups.before_migration(older, home.backups)
        older.close()
        [made] = backups.listed(home.backups, backups.BEFORE)
        old = Database(f"sqlite:///{made}")
        assert old.revisions()[0] == "0003"
        old.close()

    def test_no_migration_without_one(self, home: Home, database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(database, "revisions", lambda: ("0001", "0002"))
        home.backups.write_text("a file")
        with pytest.raises(Conflict, match="cannot be copied before it is changed"):
            backups.before_migration(database, home.backups)

    def test_one_a_day(self, home: Home, database: Database) -> None:
        daily = backups.Daily(database, home.backups, first_seconds=0)
        daily.start()
        wait_for(lambda: backups.listed(home.backups), 120)
        daily.close()
        [made] = backups.listed(home.backups)
        again = backups.Daily(database, home.backups)
        assert not again._due()
        yesterday = time.time() - backups.DAY_SECONDS - 1
        os.utime(made, (yesterday, yesterday))
        assert again._due()

    def test_what_was_restored_is_as_it_was(self, home: Home, database: Database) -> None:
        add_events(database, 3)
        made = backups.make(database, home.backups, backups.DAILY)
        add_events(database, 4)
        database.close()
        for name in ("", "-wal", "-shm"):
            Path(f"{home.database}{name}").unlink(missing_ok=True)
        made.rename(home.database)
        opened = Database(f"sqlite:///{home.database}")
        opened.migrate()
        assert count(home.database) == 3
        add_events(opened, 1)
        opened.close()


class TestDamage:
    def test_a_file_that_is_no_database(self, home: Home) -> None:
        home.database.write_bytes(b"not a database at all" * 1000)
        opened = Database(f"sqlite:///{home.database}")
        with pytest.raises(DatabaseDamaged, match=f"{home.database} is damaged .*newest file of {home.backups}"):
            opened.migrate()

    def test_while_it_is_used_and_no_copy_is_made_of_it(self, home: Home, database: Database) -> None:
        add_events(database, 500)
        good = backups.make(database, home.backups, backups.DAILY)
        database.close()  # so that all of it is in the file
        with open(home.database, "r+b") as file:
            file.seek(4096)
            file.write(b"\xaa" * (home.database.stat().st_size - 3 * 4096))
        with pytest.raises(DatabaseDamaged, match="is damaged"), database.write() as c:
            list(c.execute(sa.text("SELECT * FROM events")))
        with pytest.raises(DatabaseDamaged, match="is damaged"):
            backups.make(database, home.backups, backups.DAILY)
        assert list(home.backups.iterdir()) == [good]


def test_who_uses_up_one_pool_does_not_hold_up_another(home: Home, database: Database) -> None:
    requests = Database(f"sqlite:///{home.database}", connections=6)
    holding = [requests.engine.connect() for _ in range(6)]
    engine = threading.Thread(target=add_events, args=(database, 1), daemon=True)
    engine.start()
    engine.join(120)
    assert not engine.is_alive()
    for connection in holding:
        connection.close()
    requests.close()
