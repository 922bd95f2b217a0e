"""Fixtures: one real server for all tests of this folder."""

from collections.abc import Iterator

import pytest

from tests.support.server import ServerProcess, running


@pytest.fixture(scope="package")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServerProcess]:
    """One server for all API tests: each test looks at its own jobs."""
    settings = {"local__slots": 2, "runner__grace_seconds": 1, "upload__max_bytes": 200_000, "upload__max_files": 20}
    with running(tmp_path_factory.mktemp("api") / "home", **settings) as server:
        yield server
