from dataclasses import dataclass

import pytest

from paddock.rules.resumption import forgotten, last_chain
from paddock.server.store.tables import tasks


@dataclass(frozen=True)
class Attempt:
    number: int
    resumed: bool


@pytest.mark.parametrize(
    ("resumed", "chain"),
    [([], []), ([0], [1]), ([0, 1, 1], [1, 2, 3]), ([0, 1, 0], [3]), ([0, 0, 1], [2, 3]), ([1], [1])],
)
def test_a_chain_is_the_last_plain_attempt_and_those_that_resumed_it(resumed: list[int], chain: list[int]) -> None:
    given = [Attempt(number, bool(one)) for number, one in enumerate(resumed, 1)]
    assert [attempt.number for attempt in last_chain(given)] == chain


def test_only_a_plain_attempt_forgets_and_only_what_tasks_have() -> None:
    assert forgotten(resumed=True) == ()
    assert "best_value" in forgotten(resumed=False)
    assert set(forgotten(resumed=False)) <= set(tasks.c.keys())
