"""Test the cores of an allocation: which it has, which task gets which, and what scripts are told."""

import os

import pytest

from paddock.common import cores


@pytest.fixture(autouse=True)
def _machine(monkeypatch: pytest.MonkeyPatch) -> None:
    """The kernel allows us eight."""
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: set(range(8)))


class TestOfAllocation:
    def test_those_that_the_backend_names(self) -> None:
        found = cores.of_allocation({"PADDOCK_CORES": "2-3,6", "SLURM_JOB_ID": "1", "SLURM_CPUS_ON_NODE": "8"})
        assert (found.own, found.count) == ((2, 3, 6), 3)

    def test_without_a_scheduler_all_that_the_kernel_allows(self) -> None:
        found = cores.of_allocation({})
        assert (found.own, found.count) == (tuple(range(8)), 8)

    def test_a_slurm_that_binds(self) -> None:
        found = cores.of_allocation({"SLURM_JOB_ID": "1", "SLURM_CPUS_PER_TASK": "8", "SLURM_CPUS_ON_NODE": "8"})
        assert (found.own, found.count) == (tuple(range(8)), 8)

    def test_with_a_slurm_without_binding_it_is_not_known_which_are_ours(self) -> None:
        found = cores.of_allocation({"SLURM_JOB_ID": "1", "SLURM_CPUS_PER_TASK": "3", "SLURM_CPUS_ON_NODE": "3"})
        assert (found.own, found.count) == ((), 3)

    def test_what_was_given_counts_not_what_was_asked_for(self) -> None:
        """A node for itself (--exclusive), or cores with two threads each: more than was asked for."""
        found = cores.of_allocation({"SLURM_JOB_ID": "1", "SLURM_CPUS_PER_TASK": "3", "SLURM_CPUS_ON_NODE": "8"})
        assert (found.own, found.count) == (tuple(range(8)), 8)


@pytest.mark.parametrize(
    ("seats", "own", "dealt"),
    [
        (2, range(4), [[0, 1], [2, 3]]),
        (3, range(4), [[0], [1], [2, 3]]),
        (3, range(2), [[0, 1]] * 3),
        (2, [], [[], []]),
        (0, range(2), []),
    ],
)
def test_deal(seats: int, own: list[int], dealt: list[list[int]]) -> None:
    assert cores.deal(seats, own) == dealt


@pytest.mark.parametrize(
    ("text", "found"), [("0-3,8", [0, 1, 2, 3, 8]), ("5", [5]), ("", []), ("a-b", []), ("1,0,1", [0, 1])]
)
def test_parse(text: str, found: list[int]) -> None:
    assert cores.parse(text) == found


@pytest.mark.parametrize(
    ("environ", "told"),
    [
        ({}, {}),
        ({"SLURM_CPUS_PER_TASK": "8"}, {"SLURM_CPUS_PER_TASK": "2"}),
        (
            {"SLURM_CPUS_ON_NODE": "8", "SLURM_TRES_PER_TASK": "cpu=8,gres/gpu:1"},
            {"SLURM_CPUS_ON_NODE": "2", "SLURM_TRES_PER_TASK": "cpu=2,gres/gpu:1"},
        ),
        ({"SLURM_TRES_PER_TASK": "cpu:16"}, {"SLURM_TRES_PER_TASK": "cpu:2"}),
    ],
)
def test_what_scripts_see(environ: dict[str, str], told: dict[str, str]) -> None:
    assert cores.slurm_variables(2, environ) == told
