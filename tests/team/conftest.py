"""Fixtures of the tests of a team."""

from pathlib import Path

import pytest

from tests.support.up import Cli


@pytest.fixture
def alone(tmp_path: Path) -> Cli:
    """No server."""
    return Cli(tmp_path / "nobody", tmp_path)
