"""Which waiting allocations are given up."""

from collections.abc import Sequence
from contextlib import contextmanager
from types import SimpleNamespace
from typing import Any

import pytest

from paddock.engine import launch
from paddock.models import AllocationState as S
from paddock.store import allocations


def _given_up(monkeypatch: pytest.MonkeyPatch, states: list[S], wanted: int, busy: Sequence[str] = ()) -> list[str]:
    cancelled: list[str] = []
    courier = SimpleNamespace(cancel=lambda ids, waiting_only: cancelled.extend(ids if waiting_only else []))

    @contextmanager
    def write() -> Any:
        yield None

    context: Any = SimpleNamespace(couriers={"local": courier}, db=SimpleNamespace(write=write), cancels={})
    monkeypatch.setattr(allocations, "cancelled", lambda *_: None)
    rows: Any = [
        SimpleNamespace(backend="local", backend_id=f"a{n}", key=f"a{n}", state=state, offsets=[])
        for n, state in enumerate(states)
    ]
    launch._cancel_surplus(context, {"job": rows}, {"job": wanted}, busy)
    return cancelled


def test_the_last_that_wait_and_are_of_no_use(monkeypatch: pytest.MonkeyPatch) -> None:
    assert _given_up(monkeypatch, [S.RUNNING, S.PENDING, S.PENDING], 2) == ["a2"]
    assert _given_up(monkeypatch, [S.RUNNING, S.PENDING], 0) == ["a1"]
    assert _given_up(monkeypatch, [S.RUNNING, S.RUNNING], 0) == []


def test_one_that_has_ended_costs_none_its_place_in_the_queue(monkeypatch: pytest.MonkeyPatch) -> None:
    assert _given_up(monkeypatch, [S.ENDED, S.PENDING, S.PENDING], 2) == []


def test_one_that_waits_again_goes_when_nothing_of_its_first_start_is_open(monkeypatch: pytest.MonkeyPatch) -> None:
    assert _given_up(monkeypatch, [S.PENDING], 0, busy=["a0"]) == []
    assert _given_up(monkeypatch, [S.PENDING], 0) == ["a0"]
