"""What several files of these tests are given."""

from pathlib import Path

import pytest

from tests.support.up import Cli
from tests.unit.conftest import rig

__all__ = ["rig"]


@pytest.fixture
def alone(tmp_path: Path) -> Cli:
    """No server."""
    return Cli(tmp_path / "nobody", tmp_path)
