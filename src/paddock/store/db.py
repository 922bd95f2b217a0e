"""The database: SQLite by default, PostgreSQL by URL. Only the modules of this package speak SQL."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from alembic import command
from alembic.config import Config
from sqlalchemy.engine import make_url

from paddock.errors import InvalidInput

MIGRATIONS = Path(__file__).parent / "migrations"
_WRITER = 7223622275  # the lock that writers of one PostgreSQL database share; any number that stays the same


Connection = sa.Connection


class Database:
    """Connections for reading and for writing, and the schema brought up to date."""

    def __init__(self, url: str) -> None:
        try:
            parsed = make_url(url)
        except sa.exc.ArgumentError:
            raise InvalidInput(f"The setting `database` is not a database URL: {url!r}.") from None
        if parsed.get_backend_name() not in ("sqlite", "postgresql"):
            raise InvalidInput("The setting `database` must be a sqlite or postgresql URL.")
        if parsed.drivername == "postgresql":
            parsed = parsed.set(drivername="postgresql+psycopg")
        self.url = parsed
        self.sqlite = parsed.get_backend_name() == "sqlite"
        self.engine = self._engine()

    def _engine(self) -> sa.Engine:
        if not self.sqlite:
            try:
                return sa.create_engine(self.url, pool_pre_ping=True)
            except ModuleNotFoundError:
                raise InvalidInput("PostgreSQL needs its driver: pip install 'paddock[postgres]'.") from None
        engine = sa.create_engine(self.url, connect_args={"timeout": 30, "check_same_thread": False})
        sa.event.listen(engine, "connect", _configure_sqlite)
        sa.event.listen(engine, "begin", _begin_sqlite)
        return engine

    @contextmanager
    def read(self) -> Iterator[sa.Connection]:
        """One consistent view; waits for no writer."""
        options = {} if self.sqlite else {"isolation_level": "REPEATABLE READ"}
        with self.engine.connect().execution_options(**options) as connection:
            yield connection

    @contextmanager
    def write(self) -> Iterator[sa.Connection]:
        """One transaction: all of it or nothing. No process or network call belongs inside.

        Writers come one after the other, in every database: what is read inside is not changed by others before it
        is written, and events appear in the order of their ids.
        """
        with self.engine.connect().execution_options(paddock_write=True) as connection, connection.begin():
            if not self.sqlite:
                connection.execute(sa.select(sa.func.pg_advisory_xact_lock(_WRITER)))
            yield connection

    def migrate(self) -> None:
        """Bring the schema up to this version."""
        config = Config()
        config.set_main_option("script_location", str(MIGRATIONS).replace("%", "%%"))
        with self.write() as connection:
            config.attributes["connection"] = connection
            command.upgrade(config, "head")

    def close(self) -> None:
        self.engine.dispose()


def _configure_sqlite(connection: Any, _record: Any) -> None:
    connection.isolation_level = None  # transactions are begun below, not by the driver
    # SQLite's own knows ASCII only: a search for `über` would not find `Über`.
    connection.create_function("lower", 1, lambda text: text and text.lower(), deterministic=True)
    cursor = connection.cursor()
    for pragma in ("journal_mode=WAL", "foreign_keys=ON", "synchronous=NORMAL", "busy_timeout=30000"):
        cursor.execute(f"PRAGMA {pragma}")
    cursor.close()


def _begin_sqlite(connection: sa.Connection) -> None:
    # A transaction that starts by reading and then writes fails when another has written between: so a writer
    # says at its beginning that it is one.
    writes = connection.get_execution_options().get("paddock_write")
    connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")
