"""The database: SQLite by default, PostgreSQL by URL. Only the modules of this package use SQL."""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from alembic import command
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy.engine import make_url

from paddock.common import filesystems
from paddock.common.clock import Clock
from paddock.errors import DatabaseDamaged, DatabaseUnavailable, InvalidInput
from paddock.server.store import guards, kept
from paddock.server.store.rows import CLOCK

MIGRATIONS = Path(__file__).parent / "migrations"
WAIT_SECONDS = 30  # up to this long for another writer, or for a free connection
_WRITER = 7223622275  # the lock that all writers of a PostgreSQL database take; an arbitrary, fixed number
_DAMAGED = (11, 26)  # SQLITE_CORRUPT, SQLITE_NOTADB


Connection = sa.Connection
FAULTS = (sa.exc.DBAPIError, sa.exc.TimeoutError)  # errors that may be due to the database itself
_SQLITE_AWAY = ("locked", "busy", "unable to open", "disk i/o", "full", "readonly")


def away(error: Exception) -> DatabaseUnavailable | None:
    """Return the error for users if the database does not answer at the moment; None if it is something else."""
    if isinstance(error, sa.exc.TimeoutError):
        return DatabaseUnavailable("All connections to the database are in use: try again in a moment.")
    if not isinstance(error, sa.exc.DBAPIError):
        return None
    message = (str(error.orig).splitlines() or [""])[0]
    sqlite = type(error.orig).__module__.startswith("sqlite3")
    passing = isinstance(error, (sa.exc.OperationalError, sa.exc.InterfaceError)) and (
        not sqlite or any(word in message.lower() for word in _SQLITE_AWAY)
    )
    if not passing and not error.connection_invalidated:
        return None
    return DatabaseUnavailable(f"The database does not answer ({message}): try again in a moment.")


def database_failed(error: Exception) -> bool:
    """Return True if an error concerns all jobs: the database cannot be reached, is locked, full or damaged."""
    return isinstance(error, (sa.exc.OperationalError, sa.exc.InterfaceError, sa.exc.TimeoutError)) or (
        isinstance(error, sa.exc.DBAPIError) and error.connection_invalidated
    )


def journal_mode(path: Path, mounts: Path = filesystems.MOUNTS) -> str:
    """Return the journal mode for a SQLite file: a write-ahead log needs memory that all processes share, which a
    network file system does not have."""
    return "TRUNCATE" if filesystems.on_network(path, mounts) else "WAL"


class Database:
    """Connections for reading and for writing, and the migration of the schema.

    Each object has connections of its own: whoever uses up those of one does not block the users of another.
    `journal` is the journal mode of SQLite; without it, the mode follows from the file system. `clock` is what all that
    is written goes by, and the engine that uses this database.
    """

    def __init__(
        self, url: str, *, connections: int = 10, journal: str | None = None, clock: Clock | None = None
    ) -> None:
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
        self.file = Path(parsed.database) if self.sqlite and parsed.database else None
        self._journal = journal or (journal_mode(self.file) if self.file else "WAL")
        self.clock = clock or Clock()
        self.counts = kept.counts_of(str(parsed)) if self.file or not self.sqlite else kept.ChangeCounts()
        self.engine = self._engine(connections)
        guards.install(self.engine)
        kept.install(self.engine)

    def _engine(self, connections: int) -> sa.Engine:
        options: dict[str, Any] = {"json_serializer": guards.dumps, "json_deserializer": guards.loads}
        options["execution_options"] = {kept.COUNTS: self.counts, CLOCK: self.clock}
        if not self.sqlite or self.file:  # in memory: one connection, and no pool
            options |= {"pool_size": 5, "max_overflow": max(connections - 5, 0), "pool_timeout": WAIT_SECONDS}
        if self.sqlite:
            own = {"timeout": WAIT_SECONDS, "check_same_thread": False}
            engine = sa.create_engine(self.url, connect_args=own, **options)
            sa.event.listen(engine, "connect", self._configure_sqlite)
            sa.event.listen(engine, "begin", _begin_sqlite)
            return engine
        own = {} if "connect_timeout" in self.url.query else {"connect_timeout": 10}
        try:
            engine = sa.create_engine(self.url, connect_args=own, pool_pre_ping=True, **options)
        except ModuleNotFoundError:
            raise InvalidInput("PostgreSQL needs its driver: pip install 'paddock[postgres]'.") from None
        sa.event.listen(engine, "connect", _configure_postgres)
        return engine

    @contextmanager
    def read(self) -> Iterator[sa.Connection]:
        """Open a connection with one consistent view of the data, which waits for no writer."""
        options: dict[str, Any] = {kept.AS_OF: self.counts.number}  # before it begins: see `kept`
        options |= {} if self.sqlite else {"isolation_level": "REPEATABLE READ"}
        with self._translating(), self.engine.connect().execution_options(**options) as connection:
            yield connection

    @contextmanager
    def write(self) -> Iterator[sa.Connection]:
        """Open a transaction. Start no process and call no network inside.

        In every database, writers come one after the other: what is read inside is not changed by others before it
        is written, and events appear in the order of their ids.
        """
        changed: set[str] = set()
        try:
            with (
                self._translating(),
                self.engine.connect().execution_options(**{kept.WRITES: changed}) as connection,
                connection.begin(),
            ):
                if not self.sqlite:
                    connection.execute(sa.select(sa.func.pg_advisory_xact_lock(_WRITER)))
                yield connection
                self.counts.add(changed)
        finally:  # also after an error: it is not always known whether a commit succeeded
            self.counts.add(changed)

    @contextmanager
    def _translating(self) -> Iterator[None]:
        try:
            yield
        except (sa.exc.DatabaseError, sqlite3.DatabaseError) as error:
            raise self.translated(error) from error

    def translated(self, error: Exception) -> Exception:
        """Return DatabaseDamaged if an error means that; else return the same error."""
        cause = getattr(error, "orig", error)
        code = getattr(cause, "sqlite_errorcode", None)
        damaged = code & 0xFF in _DAMAGED if code is not None else "malformed" in str(cause)
        if not (self.file and damaged):
            return error
        return DatabaseDamaged(
            f"The database {self.file} is damaged ({cause}): stop the server, put the newest file of "
            f"{self.file.parent / 'backups'} in its place, remove {self.file.name}-wal and {self.file.name}-shm, "
            "and start the server again."
        )

    def revisions(self) -> tuple[str | None, str | None]:
        """Return the revision of the schema, and the one that this version of Paddock needs."""
        head = ScriptDirectory.from_config(_alembic()).get_current_head()
        with self.read() as connection:
            return MigrationContext.configure(connection).get_current_revision(), head

    def ping(self) -> None:
        """Raise an error if the database does not answer."""
        with self.read() as connection:
            connection.execute(sa.select(1))

    def migrate(self) -> None:
        """Migrate the schema to this version of Paddock."""
        config = _alembic()
        with self.write() as connection:
            config.attributes["connection"] = connection
            command.upgrade(config, "head")

    def close(self) -> None:
        self.engine.dispose()

    def _configure_sqlite(self, connection: Any, _record: Any) -> None:
        connection.isolation_level = None  # transactions begin in _begin_sqlite, not in the driver
        # That of SQLite knows ASCII only: a search for `über` would not find `Über`.
        connection.create_function("lower", 1, lambda text: text and text.lower(), deterministic=True)
        synchronous = "NORMAL" if self._journal == "WAL" else "FULL"
        waits, journal = f"busy_timeout={WAIT_SECONDS * 1000}", f"journal_mode={self._journal}"
        for pragma in (waits, journal, "foreign_keys=ON", f"synchronous={synchronous}"):
            connection.execute(f"PRAGMA {pragma}")


def _alembic() -> Config:
    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS).replace("%", "%%"))
    return config


def _configure_postgres(connection: Any, _record: Any) -> None:
    with connection.cursor() as cursor:
        cursor.execute(f"SET lock_timeout = '{WAIT_SECONDS}s'")
    connection.commit()


def _begin_sqlite(connection: sa.Connection) -> None:
    # A transaction that reads first and then writes fails if another has written in between, so a writer takes the
    # lock when it begins.
    writes = kept.WRITES in connection.get_execution_options()
    connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")
