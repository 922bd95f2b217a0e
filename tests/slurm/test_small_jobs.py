"""What `python -m benchmarks.elastic --slurm` compares: small jobs on a real Slurm, and the same ones simulated."""

import pytest
from benchmarks.elastic.on_slurm import NAMES, NODES, SLOTS, Policy, really
from benchmarks.elastic.same_simulated import nodes, simulated
from benchmarks.elastic.small_jobs import JOBS, SmallJob, sweeps, trainings

from paddock.settings import ElasticSettings
from tests.slurm.test_multi_node import train_python  # noqa: F401  (a fixture)

FEW = [SmallJob("sweep", 0.0, 2, 3, 0.2), SmallJob("pair", 0.2, 1, 3, 0.2, 2), SmallJob("grows", 0.4, 1, 10, 0.4, 1, 4)]
STARTS = {gpus: [2.0] for gpus in range(1, SLOTS + 1)}


def test_the_simulation_adds_up_what_it_is_told() -> None:
    fixed = ElasticSettings(sizes=False)
    seconds = simulated(FEW, fixed, nodes(2, SLOTS, 8), STARTS, 0.5)
    assert seconds["sweep"] == pytest.approx(0.5 + 2.0 + 3 * 0.2, abs=1.5)
    assert seconds["grows"] == pytest.approx(0.5 + 2.0 + 10 * 0.4, abs=1.5)
    slow = simulated(FEW[:1], fixed, nodes(1, 1, 8), STARTS, 5.0)
    assert slow["sweep"] >= 5.0 + 2 * (2.0 + 3 * 0.2), "one after the other, on one GPU"


def test_a_training_that_may_grow_is_done_sooner_in_the_simulation() -> None:
    long = [SmallJob("grows", 0.0, 1, 60, 1.0, 1, most) for most in (1, 4)]
    alone, grown = (
        simulated([one], ElasticSettings(sizes_seconds=5.0), nodes(2, SLOTS, 8), STARTS, 0.5) for one in long
    )
    assert grown["grows"] < alone["grows"] - 10


def test_both_sets_have_thirty_jobs_and_their_policies_have_names() -> None:
    assert len(sweeps(0)) == len(trainings(0, 4)) == JOBS
    assert sweeps(0) == sweeps(0) != sweeps(1)
    assert len(set(NAMES)) == len(NAMES)


@pytest.mark.frameworks
def test_they_really_run(train_python: str) -> None:  # noqa: F811
    took = really(FEW, Policy("few", most=4), train_python, probes=2)
    assert took.seconds.keys() == {one.name for one in FEW}
    for one in FEW:
        done = sum(each.epochs for each in took.attempts if each.job == one.name)
        assert done >= one.tasks * one.epochs
    assert sum(each.finished for each in took.attempts) == sum(one.tasks for one in FEW)
    assert all(each > 0 for some in took.starts(FEW).values() for each in some)
    assert len(took.gaps) == NODES * SLOTS and min(took.gaps) > 0
