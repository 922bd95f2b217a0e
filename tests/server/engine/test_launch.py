"""Test which waiting allocations are given up."""

from collections import defaultdict
from contextlib import contextmanager
from types import SimpleNamespace
from typing import Any

import pytest

from paddock.models import AllocationState as S
from paddock.server.engine import launch
from paddock.server.engine.context import AllocationNotes
from paddock.server.store import allocations


def _given_up(monkeypatch: pytest.MonkeyPatch, states: list[S], wanted: int, ending: tuple[int, ...] = ()) -> list[str]:
    cancelled: list[str] = []
    worker = SimpleNamespace(cancel=lambda ids, waiting_only: cancelled.extend(ids if waiting_only else []))

    @contextmanager
    def write() -> Any:
        yield None

    context: Any = SimpleNamespace(
        workers={"local": worker}, db=SimpleNamespace(write=write), notes=defaultdict(AllocationNotes)
    )
    monkeypatch.setattr(allocations, "to_end", lambda *_: None)
    rows: Any = [
        SimpleNamespace(backend="local", backend_id=f"a{n}", key=f"a{n}", state=state, offsets=[], ending=n in ending)
        for n, state in enumerate(states)
    ]
    unused = [row.key for row in rows if row.state is S.PENDING]
    launch._end_surplus(context, {"job": rows}, {"job": wanted}, unused)
    return cancelled


def test_the_last_that_wait_and_are_of_no_use(monkeypatch: pytest.MonkeyPatch) -> None:
    assert _given_up(monkeypatch, [S.RUNNING, S.PENDING, S.PENDING], 2) == ["a2"]
    assert _given_up(monkeypatch, [S.RUNNING, S.PENDING], 0) == ["a1"]
    assert _given_up(monkeypatch, [S.RUNNING, S.RUNNING], 0) == []


def test_one_that_has_ended_costs_none_its_place_in_the_queue(monkeypatch: pytest.MonkeyPatch) -> None:
    assert _given_up(monkeypatch, [S.ENDED, S.PENDING, S.PENDING], 2) == []


def test_those_that_are_to_end_already_come_first(monkeypatch: pytest.MonkeyPatch) -> None:
    """Newer ones were asked for because the others are about to end."""
    assert _given_up(monkeypatch, [S.PENDING, S.PENDING, S.PENDING], 1, ending=(0, 1)) == ["a0", "a1"]
