"""Fixtures of general use."""

import os
from pathlib import Path
from typing import Any

import hypothesis
import pytest

from paddock import settings as settings_module
from paddock.paths import Home
from paddock.settings import Settings

pytest.register_assert_rewrite("tests.backends.contract", "tests.backends.rig")

# A machine that is busy with other tests is slow, not wrong.
hypothesis.settings.register_profile("paddock", deadline=None, max_examples=50)
hypothesis.settings.register_profile("thorough", deadline=None, max_examples=500)  # --hypothesis-profile=thorough
hypothesis.settings.load_profile("paddock")

# What is in one group runs in one worker: it shares what is costly to start, a Slurm or a process with TensorFlow.
GROUPS = {
    "tests/slurm/test_in_slurm.py": "slurm 1",
    "tests/slurm/test_load.py": "slurm 1",
    "tests/slurm/test_multi_node.py": "slurm 1",
    "tests/slurm/test_recovery.py": "slurm 1",
    "tests/slurm/test_sites.py": "slurm 1",
    "tests/slurm/test_sweep.py": "slurm 1",
    "tests/slurm/test_two_servers.py": "slurm 1",  # with test_users.py: both need the packages for users
    "tests/slurm/test_users.py": "slurm 1",
    "tests/slurm/": "slurm 2",
    "tests/frameworks/": "frameworks",
    "tests/team/test_oidc.py": "single sign-on",
    "tests/team/test_ldap.py": "sign-in",
    "tests/team/test_pam.py": "sign-in",
    "tests/team/test_sign_in.py": "sign-in",
}


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """With `--dist loadgroup`: two workers have a Slurm each, side by side, and one has the frameworks.

    Tests on Slurm wait more than they compute, and leave the processors to others. The largest groups begin first, so
    that nobody waits for them at the end. The mark `xdist_group` would have the same effect, but xdist 3.8 writes it
    where pytest 9.2 does not look.
    """
    if config.getoption("dist") != "loadgroup":
        return None
    from xdist.scheduler import LoadScopeScheduling

    made = LoadScopeScheduling(config, log)
    made._split_scope = _group
    return made


def _group(nodeid: str) -> str:
    return next((group for start, group in GROUPS.items() if nodeid.startswith(start)), nodeid)


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
