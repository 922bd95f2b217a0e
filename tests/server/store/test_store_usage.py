"""What each person has used lately: how it fades, and that it is kept."""

import pytest

from paddock.server.store import usage
from paddock.server.store.db import Database
from paddock.server.store.usage import PastUse


def test_what_is_held_for_long_counts_fully_and_fades_by_half_lives() -> None:
    used = PastUse(100.0).after(10_000.0, {"ann": 4.0})
    assert used.amounts["ann"] == pytest.approx(4.0)
    assert used.mean(10_100.0)["ann"] == pytest.approx(2.0)
    assert used.after(10_200.0, {}).amounts["ann"] == pytest.approx(1.0)


def test_what_has_faded_is_forgotten() -> None:
    assert PastUse(100.0, 0.0, {"ann": 1.0}).after(5_000.0, {}).amounts == {}


def test_many_small_steps_are_one_large_one() -> None:
    once, often = PastUse(100.0, 0.0, {"ann": 1.0}), PastUse(100.0, 0.0, {"ann": 1.0})
    for second in range(10, 101, 10):
        often = often.after(second, {"ann": 3.0})
    assert often.amounts["ann"] == pytest.approx(once.after(100.0, {"ann": 3.0}).amounts["ann"])


def test_a_clock_that_goes_back_changes_nothing() -> None:
    assert PastUse(100.0, 500.0, {"ann": 1.0}).mean(0.0) == {"ann": 1.0}


def test_it_is_kept_by_backend(db: Database) -> None:
    one, two = PastUse(60.0, 1000.0, {"ann": 2.5, "bob": 1.0}), PastUse(60.0, 2000.0, {"ann": 1.0})
    with db.write() as c:
        usage.store(c, "local", PastUse(60.0, 1.0, {"old": 1.0}))
        usage.store(c, "local", one)
        usage.store(c, "slurm", two)
    with db.read() as c:
        assert usage.load(c, "local", 60.0) == one
        assert usage.load(c, "slurm", 60.0) == two
        assert usage.load(c, "other", 60.0) == PastUse(60.0)
