"""Test how many tasks share a GPU, on simulated GPUs for which the right answer is known."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paddock.runner.sharing.packing_controller import Observation, PackingController, Throughput


class GpuInfo:
    """`busy`: the share of the GPU that one task keeps busy. Together they get no more than all of it."""

    def __init__(self, busy: float, fits: int = 99, cores: int = 99, waiting: bool = True) -> None:
        self.busy, self.fits, self.cores, self.waiting = busy, fits, cores, waiting

    def pace(self, tasks: int) -> float:
        return 1 / max(1.0, tasks * self.busy)

    def run(self, auto: PackingController, rounds: int = 200) -> list[int]:
        """The numbers of tasks that there were, one after the other."""
        seen: list[int] = []
        for _ in range(rounds):
            tasks = max(1, min(auto.target, self.fits, self.cores))
            if seen[-1:] != [tasks]:
                seen.append(tasks)
            for task in range(tasks):
                auto.throughput.note(task, tasks, self.pace(tasks))
            load = min(1.0, tasks * self.busy)
            auto.throughput.note_load(tasks, load)
            auto.update(Observation(tasks, True, self.waiting, load, self.fits, self.cores))
        return seen


def test_an_idle_gpu_takes_all_that_fit_at_once() -> None:
    auto = PackingController(4, 48)
    assert GpuInfo(busy=0.02, fits=24).run(auto) == [4, 24]
    assert auto.limit == "memory"
    assert auto.throughput.speedup(24) == pytest.approx(24)


@pytest.mark.parametrize(
    ("fits", "cores", "most", "limit"), [(9, 99, 48, "memory"), (99, 9, 48, "cores"), (99, 99, 9, "asked")]
)
def test_what_limits_it(fits: int, cores: int, most: int, limit: str) -> None:
    auto = PackingController(4, most)
    assert GpuInfo(0.02, fits, cores).run(auto)[-1] == 9
    assert auto.limit == limit


def test_a_gpu_that_one_keeps_busy_gets_one_at_a_time() -> None:
    auto = PackingController(4, 48)
    assert GpuInfo(busy=1.0).run(auto)[-1] == 1
    assert (auto.target, auto.limit) == (1, "gain")
    assert auto.throughput.speedup(1) == 1.0


def test_it_grows_while_it_gains_and_no_further() -> None:
    auto = PackingController(2, 48)
    seen = GpuInfo(busy=0.2).run(auto)
    assert seen[0] == 2
    assert 5 <= seen[-1] <= 13, "five keep it busy"
    assert auto.limit == "gain"


def test_a_jump_too_far_is_taken_back() -> None:
    """It looks idle, but more tasks hold each other up: beyond eight, less gets done."""

    class Crowded(GpuInfo):
        def pace(self, tasks: int) -> float:
            return 1.0 if tasks <= 8 else 4 / tasks

    auto = PackingController(4, 48)
    seen = Crowded(busy=0.01, fits=32).run(auto)
    assert seen[:2] == [4, 32]
    assert 5 <= seen[-1] <= 9
    assert auto.limit == "gain"


def test_without_progress_the_load_decides() -> None:
    auto = PackingController(2, 48)
    tasks = 2
    for _ in range(300):
        tasks = min(auto.target, 99)
        load = min(1.0, 0.3 * tasks)
        auto.throughput.note_load(tasks, load)
        auto.update(Observation(tasks, True, True, load, 99, 99))
    assert 3 <= tasks <= 9


def test_nothing_changes_while_something_is_not_known() -> None:
    auto = PackingController(4, 48)
    auto.update(Observation(4, False, True, 0.1, 99, 99))
    auto.update(Observation(3, True, True, 0.1, 99, 99))
    auto.update(Observation(4, True, False, 0.1, 99, 99))
    assert auto.target == 4


def test_more_on_a_busy_gpu_only_when_they_can_be_compared() -> None:
    auto = PackingController(4, 48)
    auto.update(Observation(4, True, True, 1.0, 99, 99))
    assert auto.target == 4
    for task in range(2):
        auto.throughput.note(task, 4, 0.25)
    auto.update(Observation(4, True, True, 1.0, 99, 99))
    assert auto.target == 6


@pytest.mark.parametrize(("final", "then"), [("gain", 6), ("cores", 6), ("tasks", 20), ("memory", 20)])
def test_what_was_learned_is_where_it_begins(final: str, then: int) -> None:
    auto = PackingController(4, 48, known=6, final=final)
    assert GpuInfo(busy=0.01, fits=20).run(auto)[0] == 6
    assert auto.target == then


@given(st.floats(0.005, 1.2), st.integers(1, 60), st.integers(1, 60), st.integers(1, 48))
def test_never_more_than_allowed_and_never_much_worse_than_the_best(
    busy: float, fits: int, cores: int, most: int
) -> None:
    auto = PackingController(4, most)
    gpu = GpuInfo(busy, fits, cores)
    seen = gpu.run(auto)
    highest = min(fits, cores, most)
    assert max(seen) <= max(1, highest)
    done = seen[-1] * gpu.pace(seen[-1])
    best = max(n * gpu.pace(n) for n in range(1, max(2, highest + 1)))
    assert done >= 0.8 * best


def test_tasks_that_differ_are_compared_with_themselves() -> None:
    throughput = Throughput()
    for task, rate in enumerate((1.0, 100.0)):
        throughput.note(task, 2, rate)
    for task, rate in ((0, 0.5), (1, 50.0), (2, 7.0), (3, 9.0)):
        throughput.note(task, 4, rate)
    assert throughput.gain(2, 4) == pytest.approx(1.0)


def test_the_time_alone_follows_from_two_numbers_of_tasks() -> None:
    throughput = Throughput()
    for tasks in (8, 11, 20):
        for task in range(tasks):
            throughput.note(task, tasks, 1 / (0.9 + 0.1 * tasks))
    assert throughput.speedup(20) == pytest.approx(20 * 1.0 / 2.9, abs=0.1)
    assert throughput.speedup(11) == pytest.approx(11 * 1.0 / 2.0, abs=0.1)
    assert throughput.speedup(4) is None
    throughput = Throughput()
    for tasks in (22, 24):
        for task in range(tasks):
            throughput.note(task, tasks, 1.0)
    assert throughput.speedup(24) is None, "too near to each other to tell"
