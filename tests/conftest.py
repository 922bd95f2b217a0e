"""Fixtures of general use."""

import os
from pathlib import Path

import hypothesis
import pytest

from paddock import settings as settings_module
from paddock.paths import Home
from paddock.settings import Settings

# A machine that is busy with other tests is slow, not wrong.
hypothesis.settings.register_profile("paddock", deadline=None)
hypothesis.settings.load_profile("paddock")


@pytest.fixture
def home(tmp_path: Path) -> Home:
    made = Home(tmp_path / "home")
    made.create()
    return made


@pytest.fixture
def settings(home: Home, monkeypatch: pytest.MonkeyPatch) -> Settings:
    """The defaults, whatever the person who runs the tests has set."""
    for name in [name for name in os.environ if name.startswith("PADDOCK_")]:
        monkeypatch.delenv(name)
    return settings_module.load(home.root)
