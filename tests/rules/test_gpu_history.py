"""How many GPUs a job has had over time."""

from hypothesis import given
from hypothesis import strategies as st

from paddock.rules.gpu_history import GpuUse, gpus_over_time


def test_a_task_that_is_resized() -> None:
    uses = [
        GpuUse("a1.0", 1, 100.0, 200.0, "k-1 began", "k-1 resized from 1 to 2 GPUs by ann"),
        GpuUse("a2.0", 2, 200.5, 300.0, "k-1 went on", "k-1 ended"),
    ]
    found = [(one.at, one.gpus, one.why) for one in gpus_over_time(uses, 100)]
    assert found == [
        (100.0, 1, "k-1 began"),
        (200.0, 0, "k-1 resized from 1 to 2 GPUs by ann"),
        (200.5, 2, "k-1 went on"),
        (300.0, 0, "k-1 ended"),
    ]


def test_tasks_side_by_side_share_what_their_allocation_has() -> None:
    uses = [GpuUse("a1.0", 2, 0.0, 50.0), GpuUse("a1.0", 2, 10.0, 90.0), GpuUse("a1.1", 2, 20.0, None)]
    assert [(one.at, one.gpus) for one in gpus_over_time(uses, 100)] == [(0.0, 2), (20.0, 4), (90.0, 2)]


TIMES = st.floats(0, 10_000)
USES = st.builds(
    lambda number, gpus, began, took: GpuUse(f"a{number}", gpus, began, None if took is None else began + took),
    st.integers(0, 5),
    st.just(2),
    TIMES,
    st.none() | TIMES,
)


@given(st.lists(USES, max_size=40), st.integers(1, 20))
def test_it_is_bounded_and_ends_with_what_is_in_use(uses: list[GpuUse], most: int) -> None:
    found = gpus_over_time(uses, most)
    assert len(found) <= most
    assert [one.at for one in found] == sorted(one.at for one in found)
    assert all(one.gpus >= 0 for one in found)
    still = {one.allocation: one.gpus for one in uses if one.ended is None}
    assert (found[-1].gpus if found else 0) == sum(still.values())
