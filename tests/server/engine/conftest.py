"""Fixtures that several of these files use."""

from collections.abc import Iterator

import pytest

from paddock.paths import Home
from paddock.settings import Settings
from tests.server.engine.engine_rig import Rig, rigged


@pytest.fixture
def rig(home: Home, settings: Settings, monkeypatch: pytest.MonkeyPatch) -> Iterator[Rig]:
    with rigged(Rig, home, settings, monkeypatch) as made:
        yield made
