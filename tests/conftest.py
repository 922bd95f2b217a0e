"""Fixtures of general use."""

import os
from pathlib import Path
from typing import Any

import hypothesis
import pytest

from paddock import settings as settings_module
from paddock.paths import Home
from paddock.settings import Settings

pytest.register_assert_rewrite("tests.backends.contract")

# A machine that is busy with other tests is slow, not wrong.
hypothesis.settings.register_profile("paddock", deadline=None)
hypothesis.settings.load_profile("paddock")

SLURM = "tests/slurm/"


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """With `--dist loadgroup` all tests on Slurm go to one worker.

    They wait more than they compute: so they leave the processors to the other workers, and start each cluster once.
    The largest group is begun first, so that nobody waits for it at the end. The mark `xdist_group` would say the same,
    but xdist 3.8 writes it where pytest 9.2 does not look.
    """
    if config.getoption("dist") != "loadgroup":
        return None
    from xdist.scheduler import LoadScopeScheduling

    made = LoadScopeScheduling(config, log)
    made._split_scope = lambda nodeid: SLURM if nodeid.startswith(SLURM) else nodeid
    return made


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
