"""Test plans: what the engine would do with jobs, in a process that has nothing of the server."""

import tempfile
from pathlib import Path
from typing import Any

import pytest

from paddock.backends.simulated import QUEUED
from paddock.errors import Busy, InvalidInput
from paddock.models import JobSpec, Node, Traits
from paddock.server.intake import submission
from paddock.server.simulation import planner
from paddock.server.simulation.drive import ClusterSize
from paddock.server.simulation.planner import PlannedWork, PlanWork, clean, made_nodes
from paddock.settings import Settings

BEGAN = 1_800_000_000.0


def work(tmp_path: Path, *jobs: dict[str, Any], traits: Traits = QUEUED, size: tuple[int, int] = (1, 2)) -> PlanWork:
    settings = Settings(home=tmp_path / "nowhere", database="postgresql://nobody@nowhere/nothing", backend="made")
    nodes = made_nodes(*size)
    works = []
    for job in jobs:
        seconds, after, owner = job.pop("seconds"), job.pop("after", 0.0), job.pop("owner", "ada")
        spec = JobSpec.model_validate({"name": "one", "command": "train {lr}", **job})
        made = submission.plan(spec, {}, settings, nodes, traits)
        each = [seconds] * (made.count or 1)
        works.append(PlannedWork(made, owner, each, 0, after))
    return PlanWork(works, {"made": ClusterSize(nodes, traits)}, settings, BEGAN)


def folders() -> set[Path]:
    return set(Path(tempfile.gettempdir()).glob("paddock-plan-*"))


def test_when_jobs_begin_and_end_and_how_full_the_cluster_is(tmp_path: Path) -> None:
    sweep = {"name": "sweep", "params": {"lr": [1, 2, 3, 4]}, "resources": {"gpus": 1}, "seconds": 3600.0}
    large = {"name": "large", "params": {"lr": [1]}, "resources": {"gpus": 2}, "seconds": 1800.0, "after": 600.0}
    before = folders()
    found = planner.plan(work(tmp_path, sweep, large))
    assert found.complete
    first, second = found.jobs
    assert (first.name, first.tasks, first.ended, first.most_slots, first.waits) == ("sweep", 4, 4, 2, None)
    assert (second.tasks, second.most_slots) == (1, 2)
    assert first.starts_at is not None
    assert first.starts_at.timestamp() == pytest.approx(BEGAN, abs=10)
    assert first.slot_hours == pytest.approx(4, abs=0.1)
    assert second.slot_hours == pytest.approx(1, abs=0.05)
    assert found.ends_at.timestamp() - BEGAN == pytest.approx(2.5 * 3600, rel=0.02)
    assert (found.nodes, found.kind, found.slots) == (1, "gpu", 2)
    assert found.full > 0.95
    assert max(one.slots for one in found.use) == 2
    assert folders() == before
    assert not (tmp_path / "nowhere").exists()  # the server's home, and its database


@pytest.mark.parametrize("traits", [QUEUED, Traits()], ids=["queued", "bare"])
def test_a_search_that_adapts_runs_all_its_tasks(tmp_path: Path, traits: Traits) -> None:
    search = {
        "params": {"lr": {"low": 0.1, "high": 1.0}},
        "search": {"method": "random", "trials": 6, "repeat": 2},
        "resources": {"gpus": 1},
        "stop_early": {"method": "asha"},
        "objective": {"metric": "loss"},
        "seconds": 100.0,
    }
    found = planner.planned(at_home(work(tmp_path, search, traits=traits), tmp_path))
    assert (found.jobs[0].tasks, found.jobs[0].ended) == (12, 12)


def at_home(given: PlanWork, tmp_path: Path) -> PlanWork:
    """The same in this process."""
    jobs = [PlannedWork(planner.stripped(one), one.owner, one.seconds, one.known, one.after) for one in given.jobs]
    return PlanWork(jobs, given.clusters, given.settings, given.at, tmp_path / "made")


def test_a_training_with_a_range_grows_if_it_goes_on_from_where_it_was(tmp_path: Path) -> None:
    training = {"resources": {"gpus": "1..2"}, "command": "train", "seconds": 20_000.0}
    fixed = planner.planned(at_home(work(tmp_path, dict(training)), tmp_path / "fixed"))
    grows = planner.planned(at_home(work(tmp_path, {**training, "yields": True}), tmp_path / "grows"))
    assert (fixed.jobs[0].most_slots, grows.jobs[0].most_slots) == (1, 2)
    assert grows.complete
    assert grows.ends_at.timestamp() < fixed.ends_at.timestamp() - 3600


def test_what_takes_too_long_is_not_planned_to_its_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(planner, "ENOUGH_SECONDS", 0.0)
    found = planner.planned(at_home(work(tmp_path, {"seconds": 60.0, "command": "train"}), tmp_path))
    assert (found.complete, found.jobs) == (False, [])


def test_too_much_memory_and_time_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    one = {"seconds": 60.0, "command": "train"}
    monkeypatch.setattr(planner, "SECONDS", 0.05)
    before = folders()
    with pytest.raises(InvalidInput, match="plan fewer jobs"):
        planner.plan(work(tmp_path, one))
    assert folders() == before


def test_one_plan_at_a_time(tmp_path: Path) -> None:
    with planner._place, pytest.raises(Busy, match="another plan"):
        planner.plan(work(tmp_path, {"seconds": 60.0, "command": "train"}))


def test_a_node_without_what_runs_there() -> None:
    used = made_nodes(2, 4)[0].model_copy(
        update={"tasks": ["k3v-1"], "partitions": ["gpu"], "usable": False, "reason": "it is down", "slots_used": 3}
    )
    assert clean(used) == Node(
        name="node1",
        backend="",
        cpus=32,
        slots=4,
        cpu_slots=32,
        devices=used.devices,
        partitions=["gpu"],
        usable=False,
    )
