from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.server import ServerProcess, running


@pytest.fixture
def server(tmp_path: Path) -> Iterator[ServerProcess]:
    with running(tmp_path / "home", local__slots=2, runner__grace_seconds=1) as server:
        yield server
