"""What is remembered of how fast programs train on several GPUs."""

from typing import Any

import pytest
import sqlalchemy as sa

from paddock.rules.profiles import EpochTime, Timing
from paddock.server.store import profiles
from paddock.server.store.db import Database
from paddock.server.store.tables import attempts
from paddock.server.store.tables import profiles as rows
from tests.server.store.given import add_job

ANN = ("ann", "p1")


def trained(db: Database, task: str, *sizes: tuple[int | None, float | None, float | None]) -> None:
    """Attempts of a task: GPUs, seconds per epoch and samples per second."""
    with db.write() as c:
        first = c.execute(sa.select(attempts).where(attempts.c.task_id == task)).one()
        for number, (size, epoch, samples) in enumerate(sizes, start=1):
            given = {"size": size, "epoch_seconds": epoch, "samples_per_second": samples, "started_at": 1.0}
            if number == 1:
                c.execute(sa.update(attempts).where(attempts.c.id == first.id).values(**given))
            else:
                like = {"task_id": task, "job_id": first.job_id, "state": "stopped", "created_at": 1.0, "warnings": []}
                c.execute(sa.insert(attempts).values(number=number, **like, **given))


def learn(db: Database, task: str, gpu: str = "h200", whose: tuple[str, str] = ANN, at: float = 1.0) -> None:
    with db.write() as c:
        profiles.learn(c, whose, gpu, task, 1, at)


def known(db: Database, gpu: str = "h200", owner: str = "ann", program: str | None = "p1") -> tuple[Timing, ...]:
    with db.read() as c:
        return profiles.known(c, owner, program, gpu)


def test_tasks_of_different_length_add_to_one_profile(db: Database) -> None:
    one, two = add_job(db, tasks=2)
    trained(db, one, (None, 10.0, None), (2, 6.0, None))
    trained(db, two, (2, 600.0, None), (4, 400.0, None))
    learn(db, one)
    assert known(db) == (Timing(1, 1, 1.0, 1.0), Timing(2, 1, 1.0, 1.2))
    learn(db, two)
    assert {(found.gpus, round(found.step, 2)) for found in known(db)} == {(1, 1.0), (2, 1.2), (4, 1.6)}
    assert known(db, gpu="v100") == known(db), "another kind says more than nothing"
    assert known(db, owner="ben") == known(db, program=None) == ()


def test_one_size_says_nothing(db: Database) -> None:
    one, two = add_job(db, tasks=2)
    trained(db, one, (None, 10.0, None), (None, 11.0, None))
    trained(db, two, (None, None, None), (2, 0.0, None))
    learn(db, one)
    learn(db, two)
    learn(db, "nothing-1")
    assert known(db) == ()


def test_samples_per_second_replace_epochs_if_all_have_them(db: Database) -> None:
    one, two = add_job(db, tasks=2)
    trained(db, one, (None, None, 100.0), (2, 7.0, 160.0))
    trained(db, two, (None, 10.0, None), (2, 7.0, 160.0))
    with db.read() as c:
        found = profiles.epoch_times(c, {one: 1, two: 1})
    assert found[one] == [EpochTime(1, 1, 1 / 100), EpochTime(2, 1, 1 / 160)]
    assert found[two] == [EpochTime(1, 1, 10.0), EpochTime(2, 1, 7.0)]


def test_how_much_is_kept_is_bounded(db: Database) -> None:
    [task] = add_job(db)
    trained(db, task, (None, 10.0, None), (2, 6.0, None))
    for number in range(profiles.MOST_KINDS + 3):
        learn(db, task, gpu=f"kind {number}")
    learn(db, task, gpu="x" * 201)
    for number in range(profiles.MOST_PROGRAMS + 5):
        learn(db, task, whose=("ann", f"q{number}"), at=2.0 + number)
    with db.read() as c:
        assert c.scalar(sa.select(sa.func.count()).select_from(rows)) == profiles.MOST_PROGRAMS
        assert profiles.known(c, *ANN, "kind 1") == ()


@pytest.mark.parametrize(
    "stored", [None, {}, [[1, 1, 1.0]], [["1", 1, 1.0, 1]], [[0, 1, 1.0, 1]], [[1, 1, -1.0, 1]], [[5000, 1, 1.0, 1]]]
)
def test_what_is_no_timing_is_left_out(db: Database, stored: Any) -> None:
    with db.write() as c:
        c.execute(sa.insert(rows).values(owner="ann", program="p1", gpu="h200", timings=stored or [], at=1.0))
    assert known(db) == ()
