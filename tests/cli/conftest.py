"""Fixtures: one server for all tests of this folder, and the command line."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.up import Cli, up


@pytest.fixture(scope="package")
def server_home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The home of a server that runs for all tests of this folder."""
    with up(tmp_path_factory.mktemp("cli") / "home") as home:
        yield home


@pytest.fixture
def cli(server_home: Path, tmp_path: Path) -> Cli:
    return Cli(server_home, tmp_path)


@pytest.fixture
def alone(tmp_path: Path) -> Cli:
    """No server."""
    return Cli(tmp_path / "nobody", tmp_path)
