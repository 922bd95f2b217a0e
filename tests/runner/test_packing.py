"""Test which GPU has room for another task."""

from collections.abc import Iterable, Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paddock.common.cores import deal, parse
from paddock.runner.sharing.need_model import NeedModel, Sample
from paddock.runner.sharing.packing import FIRST, GpuMemory, MemoryHistory, TaskMemory, choose, fitting

GB = 10**9
CARD = GpuMemory(140 * GB, 0)


def with_tasks(*needs: int | None, used: int = 0) -> GpuMemory:
    tasks = tuple(TaskMemory(need, need or 0) for need in needs)
    return GpuMemory(140 * GB, used + sum(need or 0 for need in needs), tasks)


def test_round_robin_over_the_gpus() -> None:
    gpus = [CARD, CARD, CARD]
    for turn in range(7):
        place = choose(gpus, GB, False, 3)
        assert place == turn % 3
        gpus[place] = GpuMemory(CARD.total, 0, (*gpus[place].tasks, TaskMemory(GB)))


def test_no_more_than_wanted_on_a_gpu() -> None:
    assert choose([with_tasks(GB, GB)], GB, False, 2) is None
    assert choose([with_tasks(GB, GB), with_tasks(GB)], GB, False, 2) == 1


def test_only_where_it_fits_with_what_the_others_will_need() -> None:
    young = GpuMemory(140 * GB, GB, (TaskMemory(70 * GB, GB),))
    assert choose([young], 70 * GB, False, 9) is None
    assert choose([young], 60 * GB, False, 9) == 0
    assert choose([with_tasks(12 * GB, used=120 * GB)], 12 * GB, False, 9) is None, "somebody else is there"


def test_the_measured_case() -> None:
    """Tasks of 12 GB on a GPU of 150: as many as fit, and not one more."""
    gpu = GpuMemory(150 * GB, 0)
    while choose([gpu], 12 * GB, False, 99) == 0:
        gpu = GpuMemory(150 * GB, gpu.used + 12 * GB, (*gpu.tasks, TaskMemory(12 * GB, 12 * GB)))
    assert len(gpu.tasks) == 12


def test_of_those_that_nothing_is_known_of_only_a_few_and_none_beside_others() -> None:
    assert choose([with_tasks(*[None] * (FIRST - 1))], None, False, 99) == 0
    assert choose([with_tasks(*[None] * FIRST)], None, False, 99) is None
    assert choose([with_tasks(GB)], None, False, 99) is None
    assert choose([with_tasks(None)], GB, False, 99) is None, "it may still grow"


def test_alone_means_alone() -> None:
    assert choose([with_tasks(GB)], GB, True, 99) is None
    assert choose([with_tasks(GB), CARD], GB, True, 99) == 1
    assert choose([GpuMemory(140 * GB, GB, (TaskMemory(GB, GB, alone=True),))], GB, False, 99) is None


def test_an_empty_gpu_takes_anything() -> None:
    assert choose([CARD], 999 * GB, False, 1) == 0


_tenants = st.builds(TaskMemory, st.none() | st.integers(1, 60), st.integers(0, 60), st.booleans())
_gpus = st.builds(GpuMemory, st.integers(50, 200), st.integers(0, 200), st.lists(_tenants, max_size=5).map(tuple))


@given(st.lists(_gpus, max_size=4), st.none() | st.integers(1, 100), st.booleans(), st.integers(1, 6))
def test_no_gpu_is_ever_promised_more_than_it_has(
    gpus: list[GpuMemory], need: int | None, alone: bool, most: int
) -> None:
    place = choose(gpus, need, alone, most)
    if place is None:
        return
    gpu = gpus[place]
    assert len(gpu.tasks) < most
    if gpu.tasks:
        assert not alone
        assert not any(tenant.alone for tenant in gpu.tasks)
        assert (need or 0) <= gpu.free
        others = max(0, gpu.used - sum(tenant.used for tenant in gpu.tasks))
        promised = sum(max(tenant.need or 0, tenant.used) for tenant in gpu.tasks)
        assert others + promised + (need or 0) <= gpu.total


@given(st.lists(st.integers(1, 30), min_size=1, max_size=60), st.integers(1, 4), st.integers(1, 8))
def test_every_task_is_placed_exactly_once_in_the_end(needs: list[int], count: int, most: int) -> None:
    """Tasks of any size: those that do not fit now are placed when others have ended, and never too many at a time."""
    running: list[list[int]] = [[] for _ in range(count)]
    waiting, done = list(needs), 0
    while waiting or any(running):
        gpus = [GpuMemory(40, sum(gpu), tuple(TaskMemory(need, need) for need in gpu)) for gpu in running]
        place = choose(gpus, waiting[0], False, most) if waiting else None
        if place is not None:
            running[place].append(waiting.pop(0))
            assert sum(running[place]) <= 40
            assert len(running[place]) <= most
        else:
            busy = max(running, key=len)
            busy.pop()
            done += 1
    assert done == len(needs)


@given(st.integers(1, 60), st.integers(1, 8), st.integers(1, 12))
def test_equal_parts_are_dealt_fairly(tasks: int, count: int, share: int) -> None:
    """Tasks of a `share`-th of a GPU each: no GPU has two more than another, none is over its budget."""
    part = int(10_000 * 0.97) // share
    gpus = [GpuMemory(10_000, 0) for _ in range(count)]
    placed = 0
    for _ in range(tasks):
        place = choose(gpus, part, False, 99)
        if place is None:
            break
        placed += 1
        gpus[place] = gpus[place]._replace(tasks=(*gpus[place].tasks, TaskMemory(part)))
    sizes = [len(gpu.tasks) for gpu in gpus]
    assert max(sizes) - min(sizes) <= 1
    assert placed == min(tasks, count * share), "as many as there are parts"
    assert all(sum(tenant.need or 0 for tenant in gpu.tasks) <= gpu.total for gpu in gpus)


def test_what_the_next_one_will_need() -> None:
    ledger = MemoryHistory()
    assert ledger.need is None
    ledger.learn(0)
    assert ledger.need == 0, "one that uses no card"
    ledger.learn(10 * GB)
    ledger.learn(5 * GB)
    assert ledger.need == int(10 * GB * 1.02)
    assert MemoryHistory(GB).need == pytest.approx(GB)


class TestWhatParametersPredict:
    """Memory that follows from a parameter: the next one is expected to need what those with the same value needed."""

    def ledger(self, *seen: tuple[Mapping[str, object], float]) -> MemoryHistory:
        made = MemoryHistory()
        for number, (params, peak) in enumerate(seen):
            made.learn(int(peak * GB), number, params)
        return made

    def need(self, ledger: MemoryHistory, **params: object) -> float:
        return round((ledger.need_of(params) or 0) / GB / 1.02, 1)

    def test_by_one_parameter(self) -> None:
        seen = [({"lr": lr, "batch": batch}, batch / 16) for lr in (0.1, 0.2) for batch in (32, 512)]
        ledger = self.ledger(*seen)
        assert self.need(ledger, lr=0.3, batch=32) == 2.0
        assert self.need(ledger, lr=0.1, batch=512) == 32.0
        assert self.need(ledger, lr=0.1, batch=64) == 32.0, "not seen: as the largest"
        assert (ledger.usual or 0) < (ledger.need or 0)

    def test_where_two_predict_the_larger_counts(self) -> None:
        ledger = self.ledger(*[({"lr": lr, "batch": batch}, batch) for lr, batch in ((1, 3), (1, 3), (2, 30), (2, 30))])
        assert self.need(ledger, lr=1, batch=30) == 30.0
        assert self.need(ledger, lr=2, batch=3) == 30.0
        assert self.need(ledger, lr=1, batch=3) == 3.0

    def test_by_two_together(self) -> None:
        seen = [({"w": w, "b": b, "n": n}, w * b) for w in (1, 3) for b in (1, 4) for n in (0, 1)]
        ledger = self.ledger(*seen)
        assert self.need(ledger, w=3, b=1, n=7) == 3.0
        assert self.need(ledger, w=3, b=4, n=0) == 12.0

    def test_nothing_predicts(self) -> None:
        ledger = self.ledger(*[({"n": n}, 1 + n % 3) for n in range(9)])
        assert self.need(ledger, n=0) == 3.0
        assert ledger.usual == ledger.need
        assert MemoryHistory().need_of({"n": 1}) is None
        assert MemoryHistory(GB).need_of({}) == MemoryHistory(GB).need

    def test_by_a_model_where_no_value_comes_twice(self) -> None:
        sizes = [(w, b) for w in (1, 2, 4, 8) for b in (1, 2, 3)]
        seen = [({"w": w, "b": b, "lr": w + b / 7}, 1 + w * b) for w, b in sizes]
        ledger = self.ledger(*seen)
        assert ledger.differ
        assert 2.0 <= self.need(ledger, w=1, b=1, lr=9) < 2.5, "the largest needs 25"
        assert 13.0 <= self.need(ledger, w=6, b=2, lr=9) < 17.5
        assert self.need(ledger, w="x", b=2, lr=9) == 25.0, "unlike all others: as the largest"

    def test_what_earlier_jobs_found(self) -> None:
        samples: list[tuple[dict[str, int], int]] = [({"w": w}, (1 + w) * GB) for w in range(1, 9)]
        ledger = MemoryHistory(9 * GB, samples)
        assert ledger.differ
        assert 2.0 <= self.need(ledger, w=1) < 2.2
        assert MemoryHistory(9 * GB).need_of({"w": 1}) == MemoryHistory(9 * GB).need, "an old server gave no samples"

    def test_a_task_that_needs_more_than_was_predicted_counts_at_once(self) -> None:
        samples: list[tuple[dict[str, int], int]] = [({"w": w, "n": w}, (1 + w) * GB) for w in range(1, 100)]
        ledger = MemoryHistory(100 * GB, samples)
        before = ledger.need_of({"w": 50, "n": 7}) or 0
        assert before < 70 * GB
        ledger.learn(90 * GB, "new", {"w": 50, "n": 7})
        assert (ledger.need_of({"w": 50, "n": 7}) or 0) > 90 * GB

    def test_a_model_is_made_a_few_times_only(self, monkeypatch: pytest.MonkeyPatch) -> None:
        made, make = [], NeedModel.make

        def counted(samples: Iterable[Sample]) -> NeedModel | None:
            made.append(1)
            return make(samples)

        monkeypatch.setattr(NeedModel, "make", counted)
        ledger = MemoryHistory()
        for n in range(1000):
            for _ in range(5):  # polls
                ledger.learn((1 + n % 50) * GB, n, {"w": 1 + n % 50, "n": n})
                assert ledger.need_of({"w": 3, "n": n})
        assert len(made) < 120

    @given(st.lists(st.tuples(st.integers(0, 2), st.integers(0, 2), st.integers(1, 5)), max_size=30), st.integers(0, 2))
    def test_never_less_than_the_smallest_and_of_known_parameters_not_much_more_than_the_largest(
        self, seen: list[tuple[int, int, int]], value: int
    ) -> None:
        ledger = self.ledger(*[({"a": a, "b": b}, peak) for a, b, peak in seen])
        found = ledger.need_of({"a": value, "b": value})
        if not seen:
            assert found is None
            return
        peaks = [peak for _, _, peak in seen]
        assert found is not None
        assert found >= min(peaks) * GB
        if any(a == b == value for a, b, _ in seen):
            assert found <= max(peaks) * GB * 1.03


@pytest.mark.parametrize(("need", "fit"), [(10 * GB, 14), (60 * GB, 3), (200 * GB, 1), (0, 99)])
def test_how_many_fit(need: int, fit: int) -> None:
    assert fitting(with_tasks(GB), need, 99) == fit


def test_one_that_will_need_more_than_it_holds_counts_with_that() -> None:
    assert fitting(GpuMemory(140 * GB, GB, (TaskMemory(100 * GB, GB),)), 10 * GB, 99) == 1 + 3


@given(st.integers(0, 40), st.sets(st.integers(0, 127), max_size=64))
def test_cores_are_dealt_evenly(count: int, cores: set[int]) -> None:
    seats = deal(count, list(cores))
    assert len(seats) == count
    dealt = [core for seat in seats for core in seat]
    if count > len(cores):
        assert all(seat == sorted(cores) for seat in seats), "too few: nobody has one of his own"
    elif count:
        assert sorted(dealt) == sorted(cores)
        assert max(map(len, seats)) - min(map(len, seats)) <= 1


@pytest.mark.parametrize(
    ("text", "cores"), [("", []), ("3", [3]), ("0-2,5", [0, 1, 2, 5]), ("x", []), ("1,", [1]), ("4,2-3", [2, 3, 4])]
)
def test_sets_of_cores(text: str, cores: list[int]) -> None:
    assert parse(text) == cores
