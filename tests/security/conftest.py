"""Fixtures that several of these files use."""

from pathlib import Path

import pytest

from tests.server.engine.conftest import rig
from tests.support.up import Cli

__all__ = ["rig"]


@pytest.fixture
def alone(tmp_path: Path) -> Cli:
    """No server."""
    return Cli(tmp_path / "nobody", tmp_path)
