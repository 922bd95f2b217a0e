"""Fixtures that several of these files use."""

from collections.abc import Iterator

import pytest

from paddock.paths import Home
from paddock.settings import Settings, SlurmSettings, TeamSettings
from tests.server.engine.cluster_rig import ClusterRig
from tests.server.engine.engine_rig import Rig, rigged


@pytest.fixture
def rig(home: Home, settings: Settings, monkeypatch: pytest.MonkeyPatch) -> Iterator[Rig]:
    with rigged(Rig, home, settings, monkeypatch) as made:
        yield made


@pytest.fixture
def cluster(
    home: Home, settings: Settings, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> Iterator[ClusterRig]:
    given = {"reservations": "nodes", "run_as": "server"} | getattr(request, "param", {})
    slurm, run_as = SlurmSettings(reservations=given["reservations"]), TeamSettings(run_as=given["run_as"])
    changed = settings.model_copy(update={"backends": {"fake": slurm}, "owner": "alice", "team": run_as})
    with rigged(ClusterRig, home, changed, monkeypatch) as made:
        yield made
