"""Fixtures: a team, on SQLite; what must hold on both databases says so."""

import pytest

from paddock.server.store.db import Database
from paddock.settings import Settings
from tests.server.booking.office import Office


@pytest.fixture
def database_kind() -> str:
    return "sqlite"


@pytest.fixture
def office(db: Database, settings: Settings) -> Office:
    return Office(db, settings)
