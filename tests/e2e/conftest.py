"""Fixtures: one real server for all tests of this folder, without jobs at the start of each test."""

from collections.abc import Iterator

import pytest

from tests.support.server import ServerProcess, running


@pytest.fixture(scope="package")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServerProcess]:
    with running(tmp_path_factory.mktemp("e2e") / "home", local__slots=2, runner__grace_seconds=1) as server:
        yield server


@pytest.fixture
def server(shared: ServerProcess) -> Iterator[ServerProcess]:
    """Without any job."""
    yield shared
    shared.remove_jobs()
