"""The simulation that the policy of sizes is measured in."""

from pathlib import Path

import numpy as np
import pytest
from benchmarks.elastic.policies import ON_ONE_NODE, POLICIES, GoodputPolicy
from benchmarks.elastic.simulator import CLUSTER, Running, run
from benchmarks.elastic.tables import LOCALS, SIZES, made, read
from benchmarks.elastic.workload import JobPlan, workload

KINDS = made()


def plan(name: str, seconds: float, arrives: float = 0.0, elastic: bool = True, gpus: int = 1) -> JobPlan:
    kind = KINDS[0]
    rate = kind.goodput(1, kind.first, kind.noise_at(0.5))
    return JobPlan(name, kind, arrives, seconds * rate, 1.0, elastic, gpus, kind.first)


def test_workloads_are_made_from_their_seed() -> None:
    first, again = workload(KINDS, 3), workload(KINDS, 3)
    assert first == again
    assert len(first) == 160
    assert len(workload(KINDS, 3, 2.0)) == 320
    assert first != workload(KINDS, 4)
    assert [one.arrives for one in first] == sorted(one.arrives for one in first)


@pytest.mark.parametrize("name", POLICIES)
def test_every_job_ends_and_is_not_faster_than_it_can_be(name: str) -> None:
    plans = workload(KINDS, 1, 0.1)
    ended = run(plans, POLICIES[name], 1)
    assert sorted(one.plan.id for one in ended) == sorted(one.id for one in plans)
    for one in ended:
        assert one.ends is not None
        kind, job = one.plan.kind, one.plan
        most = [64] if job.elastic else [1]
        fastest = max(kind.goodput(gpus, job.batch, kind.noise[-1]) for gpus in [*SIZES] if gpus <= most[0])
        assert one.ends - job.arrives >= kind.restart + job.work / (fastest * 64)
        assert one.service >= job.work / kind.goodput(1, kind.first, kind.noise[-1]) * 0.1


def test_a_restart_takes_time() -> None:
    alone = run([plan("a", 600.0)], POLICIES["first come"], 0)[0]
    assert alone.ends is not None
    expected = KINDS[0].restart + alone.plan.work / KINDS[0].goodput(1, alone.batch, KINDS[0].noise_at(0.5))
    assert alone.ends == pytest.approx(expected, rel=0.1)


def test_the_one_that_keeps_the_size_asked_for_starts_what_fits_before() -> None:
    jobs = [plan("a", 3600.0, gpus=64), plan("b", 7200.0, arrives=1.0, gpus=64), plan("c", 60.0, arrives=2.0, gpus=1)]
    jobs[0] = plan("a", 3600.0, gpus=32)
    ended = {one.plan.id: one for one in run(jobs, POLICIES["first come"], 0)}
    assert ended["a"].ends and ended["b"].ends and ended["c"].ends
    assert ended["c"].ends < ended["a"].ends < ended["b"].ends


def test_the_best_mean_deals_equal_jobs_the_same() -> None:
    jobs = [Running(plan(f"j{number}", 3600.0)) for number in range(4)]
    for one in jobs:
        one.rates = {size: (size**0.8, 128.0) for size in SIZES}
    places = GoodputPolicy()(jobs, 0.0)
    assert [sum(gpus for _, gpus in place) for place in places.values()] == [16] * 4


def test_tables_of_a_folder(tmp_path: Path) -> None:
    for name, step in (("fast", 0.1), ("slow", 10.0)):
        folder = tmp_path / name
        folder.mkdir()
        rows = [
            f"{nodes},{gpus},{local},{step * (1 + local / 64)},0.01"
            for nodes, gpus in ((1, 1), (2, 8))
            for local in (32, 64)
        ]
        (folder / "scalability.csv").write_text(
            "\n".join(["num_nodes,num_replicas,local_bsz,step_time,sync_time", *rows])
        )
        (folder / "placements.csv").write_text(f"placement,local_bsz,step_time,sync_time\n4,64,{step * 2.5},0.01\n")
        (folder / "validation-64.csv").write_text("epoch,grad_sqr,grad_var\n0,2,4\n1,1,6\n")
        (folder / "validation-512.csv").write_text("epoch,grad_sqr,grad_var\n0,1,1\n")
    fast, slow = read(tmp_path)
    assert (fast.first, fast.most, fast.on_gpu) == (64, 512, 64)
    assert list(fast.noise) == [128, 384]
    assert fast.steps[1][list(LOCALS).index(64)] == pytest.approx(0.2)
    assert fast.step(4, 64, 1.0) == pytest.approx(0.25)
    assert np.all(np.diff(fast.steps[1]) >= 0)
    assert fast.common[0] > slow.common[0] and fast.common[3] < slow.common[3]
    assert len(run(workload([fast, slow], 0, 0.05), POLICIES["ours"], 0)) == 8


def test_a_folder_without_tables_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SystemExit):
        read(tmp_path)
    (tmp_path / "one").mkdir()
    with pytest.raises(SystemExit, match="no step times"):
        read(tmp_path)


def test_with_the_limits_of_the_engine_what_was_not_saved_is_trained_again() -> None:
    """All GPUs are used by twenty of four; one more comes, for which somebody has to give some back."""
    early = [plan(f"j{number:02}", 90_000.0) for number in range(20)]
    ended = {one.plan.id: one for one in run([*early, plan("late", 900.0, arrives=7000.0)], ON_ONE_NODE, 1)}
    assert max(len(one.place) for one in ended.values()) == 1, "nobody is on two nodes"
    assert max(one.size for one in ended.values()) <= max(CLUSTER.values())
    changed = [one for one in ended.values() if one.restarts]
    assert changed, "sizes change"
    epochs = [one.began_with / one.epoch for one in changed]
    assert epochs == pytest.approx([round(one) for one in epochs]), "each goes on from a whole epoch"
