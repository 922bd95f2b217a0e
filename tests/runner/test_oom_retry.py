"""Test the steps after an out-of-memory error: they end, and no demand is ever lowered."""

from hypothesis import given
from hypothesis import strategies as st

from paddock.runner.sharing.oom_retry import (
    FAULT,
    GPU,
    HOST,
    MAX_RETRIES,
    MemoryNeeded,
    is_further,
    next_memory_needed,
    parse,
)

GB = 10**9
FAILURES = st.tuples(
    st.sampled_from([GPU, HOST, FAULT]),
    st.one_of(st.just(0), st.integers(1, 200 * GB)),
    st.sampled_from([0, GB, 24 * GB, 140 * GB]),
)


@given(st.lists(FAILURES, min_size=MAX_RETRIES + 1, max_size=12))
def test_it_ends_and_room_only_grows(failures: list[tuple[str, int, int]]) -> None:
    """Whatever a task fails of, again and again, with others beside it each time."""
    room = MemoryNeeded()
    retries = 0
    for failed_of, need, total in failures:
        following = next_memory_needed(room, failed_of, True, need, total)
        if following is None:
            continue
        retries += 1
        assert is_further(room, following)
        assert (following.gpu or 0) >= (room.gpu or 0)
        assert (following.host or 0) >= (room.host or 0)
        assert following.alone >= room.alone
        assert parse(following._asdict()) == following, "as it is written and read"
        room = following
    assert 1 <= retries <= MAX_RETRIES


@given(FAILURES)
def test_the_first_failure_beside_others_is_always_retried(failure: tuple[str, int, int]) -> None:
    failed_of, need, total = failure
    assert next_memory_needed(MemoryNeeded(), failed_of, True, need, total)


@given(FAILURES)
def test_nobody_beside_it_is_an_error_at_once(failure: tuple[str, int, int]) -> None:
    failed_of, need, total = failure
    assert next_memory_needed(MemoryNeeded(), failed_of, False, need, total) is None


def test_more_room_then_alone_then_an_error() -> None:
    first = next_memory_needed(MemoryNeeded(), GPU, True, 5 * GB, 24 * GB)
    assert first == MemoryNeeded(gpu=5 * GB)
    second = next_memory_needed(first, GPU, True, 4 * GB, 24 * GB)
    assert second == MemoryNeeded(gpu=5 * GB, alone=True)
    assert next_memory_needed(second, GPU, True, 6 * GB, 24 * GB) is None


def test_node_memory_after_gpu_memory_keeps_both() -> None:
    """Before, the second demand took the place of the first, and a task could go from one to the other for ever."""
    room = next_memory_needed(MemoryNeeded(gpu=5 * GB), HOST, True, 8 * GB, 100 * GB)
    assert room == MemoryNeeded(gpu=5 * GB, host=8 * GB)
    assert next_memory_needed(room, GPU, True, 6 * GB, 24 * GB) == MemoryNeeded(gpu=6 * GB, host=8 * GB, alone=True)


def test_alone_on_its_gpu_and_then_in_its_allocation() -> None:
    room = next_memory_needed(MemoryNeeded(gpu=5 * GB, alone=True), HOST, True, 8 * GB, 100 * GB)
    assert room == MemoryNeeded(gpu=5 * GB, host=8 * GB, alone=True)


def test_what_cannot_share_is_alone_at_once() -> None:
    assert next_memory_needed(MemoryNeeded(), GPU, True, 23 * GB, 24 * GB) == MemoryNeeded(
        gpu=int(21.6 * GB), alone=True
    )
    assert next_memory_needed(MemoryNeeded(), HOST, True, 8 * GB) == MemoryNeeded(host=8 * GB, alone=True), (
        "total not known"
    )
    assert next_memory_needed(MemoryNeeded(), GPU, True, 0, 24 * GB) == MemoryNeeded(alone=True), "need not known"
    assert next_memory_needed(MemoryNeeded(), FAULT, True) == MemoryNeeded(alone=True)


def test_what_is_no_demand() -> None:
    assert parse({"gpu": -1, "host": "8", "alone": 1}) == parse(None) == parse([]) == MemoryNeeded()
