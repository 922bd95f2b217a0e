"""Test the rules of `paddock.elastic`, and that it loads wherever a task runs. Trainings: tests/frameworks."""

import math
import random
import subprocess
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import paddock
from paddock.runner import elastic
from paddock.runner.elastic import GradientNoise, StepCost, best_batch, rate_factor, shards, step_cost
from paddock.server.intake.submission import _lay_down_report

SMALL = st.integers(1, 40)


@given(st.integers(0, 300), SMALL, st.lists(SMALL, min_size=1, max_size=6))
def test_the_order_of_samples_is_the_same_however_often_the_number_of_ranks_changes(
    length: int, batch: int, worlds: list[int]
) -> None:
    at, taken = 0, []
    for world in [*worlds, *[1] * 300]:  # a step with each
        ranks = [next(shards(length, at, batch, world, rank), None) for rank in range(world)]
        if ranks[0] is None:
            break
        count = ranks[0][0]
        assert [step and step[0] for step in ranks] == [count] * world
        places = sorted(place for rank, step in enumerate(ranks) if step and rank < count for place in step[1])
        assert all(step and len(step[1]) for step in ranks), "every rank has something to compute"
        assert places == list(range(at, at + count))
        taken += places
        at += count
    assert taken == list(range(length))


def test_noise_is_found_from_the_norms_of_small_and_large_batches() -> None:
    draw = random.Random(1)
    noise = GradientNoise()
    square, spread, width = 1.0, 400.0, 50  # of the gradient, of a sample's around it, in 50 dimensions
    for _ in range(2000):
        assert noise.count >= 20 or noise.scale is None
        ranks = [
            [draw.gauss(math.sqrt(square / width), math.sqrt(spread / width / 32)) for _ in range(width)]
            for _ in range(4)
        ]
        mean = [sum(values) / 4 for values in zip(*ranks, strict=True)]
        own = sum(value**2 for rank in ranks for value in rank) / 4
        noise.add(32, own, 128, sum(value**2 for value in mean))
    assert noise.scale == pytest.approx(spread / square, rel=0.2)
    before = (noise.signal, noise.spread, noise.count)
    noise.add(32, math.nan, 128, 1.0)
    noise.add(32, math.inf, 128, 1.0)
    noise.add(128, 1.0, 128, 1.0)
    noise.add(0, 1.0, 128, 1.0)
    assert (noise.signal, noise.spread, noise.count) == before


@given(*[st.floats(0, 0.1), st.floats(0, 0.1), st.floats(1e-6, 1e-3)], st.integers(4, 512), st.integers(1, 3))
def test_the_cost_of_a_step_is_found_from_times(
    step: float, part: float, sample: float, samples: int, parts: int
) -> None:
    cost = StepCost(step, part, sample)
    computed = {n: [n * part + samples * sample + late for late in (0.0, 0.5)] for n in (parts, 2 * parts)}
    whole = cost.seconds(samples, math.ceil(samples / parts)) if samples % parts == 0 else None
    if whole is not None:
        found = step_cost(samples, computed, [whole] * 5)
        assert found is not None
        assert found == pytest.approx(cost, abs=1e-8)
    assert step_cost(samples, {1: [1.0]}, [2.0] * 5) is None
    assert step_cost(samples, computed, [2.0] * 2) is None


@given(
    first=st.integers(8, 512), now=st.integers(1, 8), most=st.integers(1, 16), world=st.integers(1, 8),
    noise=st.floats(1, 1e6), cost=st.builds(StepCost, st.floats(0, 1), st.floats(0, 1), st.floats(1e-6, 0.1)),
    high=st.integers(1, 1024),
)  # fmt: skip
def test_a_chosen_batch_is_within_all_limits_and_better(
    first: int, now: int, most: int, world: int, noise: float, cost: StepCost, high: int
) -> None:
    size, limit = first * now, first * max(now, most)
    chosen = best_batch(size, first, limit, world, noise, cost, (1, high))
    assert first <= chosen <= min(2 * size, limit)
    assert chosen in (size, first) or chosen % world == 0
    assert chosen == size or noise + first >= elastic.LEAST * (noise + chosen) * (1 - 1e-9)

    def gain(batch: int) -> float:
        return batch / cost.seconds(math.ceil(batch / world), high) / (noise + batch)

    enough = noise + first >= elastic.LEAST * (noise + size)  # else it is to shrink in any case
    assert chosen in (size, first) or not enough or gain(chosen) > elastic.WORTH * gain(size)


def test_a_batch_grows_where_steps_cost_more_than_samples_and_noise_is_large() -> None:
    dear, cheap = StepCost(0.1, 0.01, 1e-5), StepCost(0.0, 0.0, 1e-3)
    assert best_batch(256, 256, 4096, 2, 1e5, dear, (1, 4096)) == 512
    assert best_batch(256, 256, 300, 2, 1e5, dear, (1, 4096)) == 300
    assert best_batch(256, 256, 4096, 2, 1e5, cheap, (1, 4096)) == 256, "nothing is gained"
    assert best_batch(256, 256, 4096, 2, 10, dear, (1, 4096)) == 256, "larger batches learn nothing more"
    assert best_batch(1024, 256, 4096, 2, 10, StepCost(0.1, 0.01, 1e-3), (1, 4096)) == 256, (
        "and what has grown may shrink"
    )
    assert best_batch(256, 256, 4096, 2, 1e5, dear, (300, 4096)) == 256, "GPUs would have too little"


def test_rates() -> None:
    assert [rate_factor(rule, 512, 128, None) for rule in ("linear", "sqrt", "adascale", "none")] == [4, 2, 1, 1]
    assert {rate_factor(rule, 128, 128, 1e3) for rule in elastic.RULES} == {1}
    gains = [rate_factor("adascale", 512, 128, noise) for noise in (1, 100, 1e4, 1e9)]
    assert all(small < large for small, large in pairwise(gains))
    assert 1 < gains[0] < 1.01
    assert gains[-1] == pytest.approx(4)


@pytest.mark.parametrize("alone", [True, False], ids=["the file alone", "beside report in a job"])
def test_it_loads_without_pytorch_and_paddock(tmp_path: Path, python: str, alone: bool) -> None:
    if alone:
        (tmp_path / "elastic.py").write_bytes(Path(elastic.__file__).read_bytes())
        code = "import elastic; elastic.report(epoch=1, loss=2)"
    else:
        _lay_down_report(tmp_path, None)
        code = "import paddock; from paddock import elastic; assert elastic.report is not None; paddock.report(loss=2)"
    code = f"import sys; sys.path.insert(0, {str(tmp_path if alone else tmp_path / 'lib')!r}); {code}; elastic.Training"
    subprocess.run([python, "-I", "-S", "-c", code], check=True, cwd=tmp_path)


def test_where_paddock_is_installed_it_is_found_too() -> None:
    assert paddock.elastic is elastic
