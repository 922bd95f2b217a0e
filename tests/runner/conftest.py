"""Fixtures: the runner's archive, and a job folder."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from paddock.runner.build import build
from tests.runner.folder import Folder

OLDEST = next(iter(sorted(Path.home().glob(".pyenv/versions/3.8*/bin/python"))), None)


@pytest.fixture(scope="session")
def pyz(tmp_path_factory: pytest.TempPathFactory) -> Path:
    target = tmp_path_factory.mktemp("runner") / "runner.pyz"
    build(target)
    return target


@pytest.fixture(params=["this", "oldest"])
def python(request: pytest.FixtureRequest) -> str:
    """Both ends of what the runner supports."""
    if request.param == "this":
        return sys.executable
    if OLDEST is None:
        pytest.skip("no Python 3.8 in ~/.pyenv/versions")
    return str(OLDEST)


@pytest.fixture
def folder(tmp_path: Path, pyz: Path) -> Iterator[Folder]:
    made = Folder(tmp_path / "job folder", pyz)
    yield made
    made.close()
