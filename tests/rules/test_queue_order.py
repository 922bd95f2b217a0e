"""In which order a scheduler is to start what jobs wait for."""

import math
from dataclasses import replace

from benchmarks.policy.simulator import SLURM

from paddock.models.choices import JobOrder
from paddock.rules.policy import Order, plan
from paddock.rules.pool import Holding, JobDemand, Pool
from paddock.rules.queue_order import places, with_median
from tests.rules.test_policy import ONE, demand, holding, need

FULL = tuple(holding("p", number, "zoe") for number in range(4))


def queued(*jobs: str) -> tuple[Holding, ...]:
    return tuple(Holding(f"{job}-0", job, "anna", need()) for job in jobs)


def order(*jobs: JobDemand, **pool: object) -> list[Order]:
    there = FULL + queued(*(one.job for one in jobs))
    made = Pool(ONE, (demand("p", "zoe", paused=True), *jobs), there, traits=SLURM, **pool)  # type: ignore[arg-type]
    return [one for one in plan(made, 0) if isinstance(one, Order)]


def test_jobs_of_one_priority_are_left_to_the_scheduler() -> None:
    assert order(demand("a"), demand("b"), demand("c", "bob", priority=3)) == []


def test_a_higher_priority_of_the_same_owner_goes_first() -> None:
    jobs = demand("a"), demand("b", priority=5), demand("c", priority=5), demand("d", priority=-1), demand("e", "bob")
    assert order(*jobs) == [Order("a", 1), Order("d", 2)]


def test_the_shortest_goes_first_whoever_owns_it() -> None:
    jobs = demand("a", left=300.0), demand("b", "bob", left=200.0), demand("c", left=100.0)
    assert order(*jobs, order=JobOrder.SHORT) == [Order("b", 1), Order("a", 2)]


def test_of_whom_nothing_is_known_is_in_the_middle() -> None:
    no = math.inf
    assert with_median([None, 10.0, 50.0, None, 90.0], [no] * 5) == [50.0, 10.0, 50.0, 50.0, 90.0]
    assert with_median([None, None], [no, no]) == [0.0, 0.0], "the oldest goes first then"
    assert with_median([], []) == []


def test_a_time_limit_bounds_what_is_supposed() -> None:
    assert with_median([None, 50.0, None], [20.0, 1.0, 900.0]) == [20.0, 50.0, 50.0]
    assert with_median([None, None], [20.0, 900.0]) == [20.0, 460.0]


def test_the_oldest_goes_first() -> None:
    jobs = demand("a", created=3.0), demand("b", "bob", created=1.0)
    assert order(*jobs, order=JobOrder.FIRST) == [Order("a", 1)]


def test_only_what_waits_counts() -> None:
    """A job with nothing in the queue has no place there, nor has one that is held."""
    jobs = [demand("a", priority=2), demand("b", priority=1), demand("c")]
    assert places(JobOrder.FAIR, jobs, {"b", "c"}) == {"b": 0, "c": 1}
    held = order(replace(jobs[0], paused=True), jobs[1], jobs[2])
    assert held == [Order("c", 1)]


def test_sizes_of_one_job_share_its_place() -> None:
    jobs = [demand("a", created=1.0), demand("a@2", created=1.0), demand("b", created=2.0)]
    assert places(JobOrder.FIRST, jobs, {"a", "a@2", "b"}) == {"a": 0, "b": 1}


def test_what_is_about_to_be_requested_has_a_place() -> None:
    pool = Pool(ONE, (demand("a", created=1.0), demand("b", "bob")), FULL, traits=SLURM, order=JobOrder.FIRST)
    assert [one for one in plan(pool, 0) if isinstance(one, Order)] == [Order("a", 1)]
