"""Fixtures: every database that Paddock runs on, for tests that must hold on all of them."""

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import psycopg
import pytest

from paddock.server.store.db import Database
from paddock.server.store.tables import metadata
from tests.server.store import postgres
from tests.support.database import new_database


@pytest.fixture(scope="session")
def postgres_cluster() -> Iterator[postgres.Cluster]:
    programs = postgres.binaries()
    if programs is None:
        give_up: Callable[[str], None] = pytest.fail if os.environ.get("CI") else pytest.skip
        give_up(postgres.MISSING)
        raise AssertionError
    with postgres.cluster(programs) as cluster:
        yield cluster


@pytest.fixture(scope="session")
def migrated_postgres(postgres_cluster: postgres.Cluster) -> Iterator[str]:
    """URL of a database with the schema. Emptying it for each test is quicker than making another."""
    with postgres_cluster.database() as name:
        _migrate(postgres_cluster.url(name))
        yield postgres_cluster.url(name)


def _emptied(url: str) -> str:
    tables = ", ".join(table.name for table in metadata.sorted_tables)
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("SET session_replication_role = replica")  # else a trigger keeps the audit
        connection.execute(f"TRUNCATE {tables} RESTART IDENTITY".encode())
    return url


def _migrate(url: str) -> None:
    db = Database(url)
    db.migrate()
    db.close()


@pytest.fixture(params=["sqlite", "postgresql"])
def database_kind(request: pytest.FixtureRequest) -> str:
    kind: str = request.param
    return kind


@pytest.fixture
def empty_db(database_kind: str, request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Database]:
    """A database without any table."""
    if database_kind == "sqlite":
        yield from _opened(f"sqlite:///{tmp_path / 'empty.db'}")
    else:
        cluster: postgres.Cluster = request.getfixturevalue("postgres_cluster")
        with cluster.database() as name:
            yield from _opened(cluster.url(name))


@pytest.fixture
def db(database_kind: str, request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Database]:
    """A database with the schema of this version and nothing in it."""
    if database_kind == "sqlite":
        path = tmp_path / "paddock.db"
        new_database(path)
        yield from _opened(f"sqlite:///{path}")
    else:
        yield from _opened(_emptied(request.getfixturevalue("migrated_postgres")))


def _opened(url: str) -> Iterator[Database]:
    db = Database(url)
    try:
        yield db
    finally:
        db.close()
