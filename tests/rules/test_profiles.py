"""Profiles: what is fitted to step times, and what follows from it."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from paddock.rules.profiles import (
    MOST_TIMINGS,
    Batch,
    EpochTime,
    Profile,
    Timing,
    compared,
    epoch_speeds,
    fit,
    goodput,
    remember,
    speed_ups,
)

TRUE = Profile(0.02, 0.001, 2.0, (0.05, 0.01), (0.2, 0.002), seen=16)
PLACES = [(1, 1), (2, 1), (4, 1), (8, 2), (16, 4)]


def seen(profile: Profile, places: list[tuple[int, int]], sizes: tuple[float, ...] = (16, 64, 256)) -> list[Timing]:
    return [
        Timing(gpus, nodes, local, float(profile.step(gpus, nodes, np.array(local))))
        for gpus, nodes in places
        for local in sizes
    ]


class TestFit:
    def test_finds_what_the_times_were_made_from(self) -> None:
        found = fit(seen(TRUE, PLACES))
        assert found is not None
        assert found.overlap == TRUE.overlap
        for gpus, nodes in [*PLACES, (32, 8)]:
            for local in (8.0, 100.0, 500.0):
                expected = float(TRUE.step(gpus, nodes, np.array(local)))
                assert float(found.step(gpus, nodes, np.array(local))) == pytest.approx(expected, rel=0.03)

    def test_nothing_is_known_of_nothing(self) -> None:
        assert fit([]) is None
        assert fit([Timing(1, 1, 0, 1.0), Timing(1, 1, 8, math.inf)]) is None

    def test_the_network_between_nodes_is_a_little_slower_until_it_is_seen(self) -> None:
        found = fit(seen(TRUE, [(1, 1), (2, 1), (4, 1)]))
        assert found is not None
        assert found.far[0] == pytest.approx(1.1 * found.near[0])

    def test_half_is_constant_if_only_one_batch_size_was_seen(self) -> None:
        found = fit([Timing(1, 1, 64, 0.2)])
        assert found is not None
        assert (found.fixed, found.each * 64) == pytest.approx((0.1, 0.1))

    @given(
        st.lists(
            st.builds(
                Timing,
                st.integers(1, 64),
                st.integers(1, 8),
                st.floats(0.5, 4096),
                st.floats(1e-4, 100),
            ),
            min_size=1,
            max_size=20,
        )
    )
    def test_any_timings_give_steps_that_can_be_calculated_with(self, timings: list[Timing]) -> None:
        found = fit(timings)
        assert found is not None
        rates = goodput(found, {1: 1, 2: 1, 4: 1, 8: 2, 64: 16}, Batch(32, 512, 64, noise=100))
        assert rates
        assert all(size <= 2 * max(one.gpus for one in timings) for size in rates)
        assert all(0 < rate < math.inf for rate, _ in rates.values())


class TestRemember:
    def test_keeps_the_mean_of_the_same_place_and_the_newest_timings(self) -> None:
        known = remember((), Timing(1, 1, 64, 0.1))
        known = remember(known, Timing(1, 1, 64, 0.3))
        assert [one.count for one in known] == [2]
        assert known[0].step == pytest.approx(0.2)
        for number in range(2 * MOST_TIMINGS):
            known = remember(known, Timing(2, 1, 1.0 + number, 0.1))
        assert len(known) == MOST_TIMINGS
        assert known[-1].local == 2 * MOST_TIMINGS

    def test_follows_a_program_that_became_slower(self) -> None:
        known = remember((), Timing(1, 1, 64, 0.1, count=20))
        for _ in range(60):
            known = remember(known, Timing(1, 1, 64, 0.2))
        assert known[0].step == pytest.approx(0.2, rel=0.05)

    def test_ignores_what_is_no_timing(self) -> None:
        assert remember((), Timing(0, 1, 64, 0.1)) == ()
        assert remember((), Timing(1, 1, 64, math.nan)) == ()


class TestGoodput:
    def test_a_fixed_batch_is_dealt_over_the_gpus(self) -> None:
        rates = goodput(TRUE, {1: 1, 2: 1, 4: 1}, Batch(256, 4096, 512))
        assert {batch for _, batch in rates.values()} == {256}
        assert rates[4][0] == pytest.approx(256 / float(TRUE.step(4, 1, np.array(64.0))))

    def test_with_much_noise_batches_grow_with_the_gpus(self) -> None:
        batch = Batch(64, 4096, 256, noise=1000)
        rates = goodput(TRUE, {1: 1, 4: 1, 16: 4}, batch)
        assert rates[1][1] < rates[4][1] < rates[16][1]

    def test_without_noise_larger_batches_are_not_worth_it(self) -> None:
        rates = goodput(TRUE, {16: 4}, Batch(64, 4096, 256, noise=1e-6))
        assert rates[16][1] == 64

    def test_what_does_not_fit_in_memory_takes_several_passes(self) -> None:
        one = goodput(TRUE, {1: 1}, Batch(256, 256, 256))[1][0]
        two = goodput(TRUE, {1: 1}, Batch(256, 256, 128))[1][0]
        assert two == pytest.approx(256 / (2 * (0.02 + 0.001 * 128)))
        assert two < one

    def test_nothing_is_said_of_more_than_twice_what_was_seen(self) -> None:
        found = fit(seen(TRUE, [(1, 1), (2, 1)]))
        assert found is not None
        assert set(goodput(found, {1: 1, 2: 1, 4: 1, 8: 2}, Batch(64, 64, 64))) == {1, 2, 4}

    def test_speed_ups_are_over_one_gpu(self) -> None:
        assert speed_ups({1: (10.0, 64), 2: (18.0, 64)}) == {1: 1.0, 2: 1.8}
        assert speed_ups({2: (10.0, 64), 4: (18.0, 64)}) == {2: 2.0, 4: 3.6}
        assert speed_ups({}) == {}


class TestEpochs:
    SIZES = {1: 1, 2: 1, 4: 1, 8: 1}  # noqa: RUF012

    def test_without_times_each_gpu_counts_the_same(self) -> None:
        assert epoch_speeds([], self.SIZES) == {1: 1, 2: 2}
        assert epoch_speeds([], self.SIZES, tried=4) == {1: 1, 2: 2, 4: 4, 8: 8}

    def test_tasks_of_different_length_tell_of_the_same_program(self) -> None:
        """Half of an epoch cannot be divided: on 2 GPUs it takes 0.75 of the time, on 4 GPUs 0.625."""
        known: tuple[Timing, ...] = ()
        for scale, sizes in ((3.0, (1, 2)), (700.0, (2, 4))):
            for one in compared(known, [EpochTime(k, 1, scale * (0.5 + 0.5 / k)) for k in sizes]):
                known = remember(known, one)
        found = epoch_speeds(known, self.SIZES)
        assert [found[k] for k in (1, 2, 4)] == pytest.approx([1, 1 / 0.75, 1 / 0.625], rel=0.05)
        assert found[8] < 2, "twice as many as were measured may be looked at"
        assert epoch_speeds(known[:1], {16: 1}) == {}

    def test_one_that_trained_on_many_only(self) -> None:
        assert compared([], [EpochTime(4, 1, 10.0)]) == [Timing(4, 1, 1.0, 1.0)]

    @given(
        st.lists(st.builds(EpochTime, st.integers(-1, 5000), st.integers(0, 3), st.floats()), max_size=6),
        st.lists(st.builds(EpochTime, st.integers(1, 64), st.just(1), st.floats(1e-300, 1e300)), max_size=6),
    )
    def test_whatever_scripts_report_speeds_are_plausible(self, some: list[EpochTime], more: list[EpochTime]) -> None:
        known = compared([], some)
        known += compared(known, more)
        for gpus, speed in epoch_speeds(known, self.SIZES).items():
            assert 0.05 * gpus <= speed <= 1.25 * gpus
