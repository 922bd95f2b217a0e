"""Test metric points: what was appended, in any portions, is what is read."""

import itertools
import math

import pytest
import sqlalchemy as sa
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from paddock.models import Curve
from paddock.server.store import attempts, metrics
from paddock.server.store.db import Database
from paddock.server.store.metrics import CAP, Appender, Point
from paddock.server.store.tables import chunks
from tests.server.store.given import add_job, current, erase

JOB = "k3v9x2ab"
_jobs = (f"job{number}" for number in itertools.count())
_sizes = st.lists(st.sampled_from([1, 2, 3, CAP - 1, CAP, CAP + 1, 2 * CAP, 200]), min_size=1, max_size=6)
_floats = st.floats(allow_nan=False, allow_infinity=False)


@pytest.fixture
def task(db: Database) -> str:
    return add_job(db)[0]


def attempt_id(db: Database, task: str) -> int:
    with db.read() as c:
        found: int = current(c, task).attempt_id
    return found


def append(db: Database, attempt: int, name: str, points: list[Point], appender: Appender | None = None) -> None:
    """With an appender that remembers, or a new one, as after a restart of the server."""
    with db.write() as c:
        (appender or Appender()).append(c, {attempt: {name: points}})


def curve(db: Database, task: str, name: str, points: int | None = None, attempt: int | None = None) -> Curve:
    with db.read() as c:
        [found] = metrics.curves(c, [task], [name], points, attempt)
    return found


def counts(db: Database, attempt: int, name: str) -> list[int]:
    with db.read() as c:
        query = sa.select(chunks.c.seq, chunks.c.count.label("points"), chunks.c.data).where(
            chunks.c.attempt_id == attempt
        )
        rows = c.execute(query.where(chunks.c.name == name).order_by(chunks.c.seq)).all()
    assert [row.seq for row in rows] == list(range(len(rows)))
    assert all(len(row.data) == row.points * metrics.POINT.itemsize for row in rows)
    return [row.points for row in rows]


@settings(max_examples=15, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    portions=st.lists(st.tuples(st.sampled_from(["loss", "ü/acc"]), _sizes), min_size=1, max_size=3),
    forgetful=st.sampled_from(["never", "sometimes", "always"]),
)
def test_any_portions_give_the_whole(db: Database, portions: list[tuple[str, list[int]]], forgetful: str) -> None:
    [task] = add_job(db, next(_jobs))
    attempt = attempt_id(db, task)
    appender = Appender()
    expected: dict[str, list[Point]] = {}
    for name, sizes in portions:
        for size in sizes:
            so_far = expected.setdefault(name, [])
            new = [(float(len(so_far) + i), i / 3, 1e9 + i) for i in range(size)]
            append(db, attempt, name, new, None if forgetful == "always" else appender)
            so_far += new
        if forgetful == "sometimes":
            appender.done(attempt)
    for name, points in expected.items():
        read = curve(db, task, name)
        assert list(zip(read.steps, read.values, read.times, strict=True)) == points
        assert read.total == len(points)
        # Exactly one chunk has room, the last.
        stored = counts(db, attempt, name)
        assert stored[:-1] == [CAP] * (len(stored) - 1)
        assert stored[-1] < CAP


@settings(max_examples=15, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(points=st.lists(st.tuples(_floats, st.floats(), _floats), min_size=1, max_size=20))
def test_any_number_comes_back_exactly_and_what_is_none_as_null(db: Database, points: list[Point]) -> None:
    [task] = add_job(db, next(_jobs))
    append(db, attempt_id(db, task), "x", points)
    read = curve(db, task, "x")
    assert read.steps == [step for step, _, _ in points]
    assert read.times == [time for _, _, time in points]
    assert read.values == [value if math.isfinite(value) else None for _, value, _ in points]
    assert Curve.model_validate_json(read.model_dump_json()) == read


def test_many_series_in_one_go(db: Database) -> None:
    ids = add_job(db, tasks=500)
    with db.write() as c:
        rows = attempts.lookup(c, [(task, 1) for task in ids])
        new = {
            row.attempt_id: {"loss": [(1.0, float(row.number), 0.0)], "sys/cpu": [(0.0, 1.0, 0.0)]}
            for row in rows.values()
        }
        appender = Appender()
        appender.append(c, new)
        appender.append(c, new)
        appender.append(c, {})
        curves = metrics.curves(c, ids, ["loss"], None)
        assert {found.task: found.values for found in curves} == {f"{JOB}-{n}": [n, n] for n in range(1, 501)}
        assert metrics.names_of_job(c, JOB) == ["loss", "sys/cpu"]


def test_names_sorted_with_the_runners_own_last(db: Database, task: str) -> None:
    other = add_job(db, "other")[0]
    append(db, attempt_id(db, other), "elsewhere", [(1, 1, 1)])
    attempt = attempt_id(db, task)
    for name in ("val_loss", "sys/memory", "acc", "zeta", "sys/cpu"):
        append(db, attempt, name, [(1, 1, 1)])
    with db.read() as c:
        expected = ["acc", "val_loss", "zeta", "sys/cpu", "sys/memory"]
        assert metrics.names(c, task) == expected
        assert metrics.names_of_job(c, JOB) == expected
        assert metrics.names(c, other) == ["elsewhere"]
        assert metrics.names(c, "nope") == []


def test_forget_drops_the_named_series_of_one_attempt(db: Database) -> None:
    one, two = add_job(db, tasks=2)
    appender = Appender()
    for task in (one, two):
        for name in ("loss", "acc"):
            append(db, attempt_id(db, task), name, [(i, 1, 1) for i in range(CAP + 1)], appender)
    with db.write() as c:
        appender.forget(c, current(c, one).attempt_id, {"loss", "unknown"})
        appender.forget(c, current(c, one).attempt_id, set())
    with db.read() as c:
        found = {(curve.task, curve.metric) for curve in metrics.curves(c, [one, two], None, None)}
    assert found == {(one, "acc"), (two, "loss"), (two, "acc")}
    for step in (7, 8):
        append(db, attempt_id(db, one), "loss", [(step, 8, 9)], appender)
    assert curve(db, one, "loss").steps == [7, 8]
    assert curve(db, one, "acc").total == CAP + 1


def test_after_a_transaction_that_failed_it_goes_on_from_what_is_stored(db: Database, task: str) -> None:
    attempt, appender = attempt_id(db, task), Appender()
    append(db, attempt, "loss", [(1, 1, 1)], appender)

    def interrupted() -> None:
        with db.write() as c:
            appender.append(c, {attempt: {"loss": [(i, 1, 1) for i in range(CAP + 3)], "new": [(1, 1, 1)]}})
            raise InterruptedError

    with pytest.raises(InterruptedError):
        interrupted()
    appender.clear()
    append(db, attempt, "loss", [(2, 1, 1)], appender)
    append(db, attempt, "new", [(5, 1, 1)], appender)
    assert (curve(db, task, "loss").steps, curve(db, task, "new").steps) == ([1, 2], [5])


def test_a_new_job_has_nothing_to_do_with_one_that_was_deleted(db: Database, task: str) -> None:
    """An attempt's row id is never used again: what is remembered of the old one would be taken for the new one's."""
    appender = Appender()
    append(db, attempt_id(db, task), "loss", [(1, 1, 1)], appender)
    with db.write() as c:
        erase(c, JOB)
    [other] = add_job(db, "other")
    append(db, attempt_id(db, other), "loss", [(2, 1, 1)], appender)
    assert curve(db, other, "loss").steps == [2]


def chain(db: Database, task: str, parts: list[tuple[bool, list[float]]]) -> None:
    """Attempts one after the other: whether it resumes, and the steps that it reports."""
    for number, (resumed, steps) in enumerate(parts, start=1):
        if number > 1:
            with db.write() as c:
                attempts.begin_next(c, JOB, [(task, number - 1)], resumed=resumed)
        append(db, attempt_id(db, task), "loss", [(step, number, 0.0) for step in steps])


def test_a_resumed_curve_goes_on_where_the_checkpoint_was(db: Database, task: str) -> None:
    chain(db, task, [(False, [0, 1, 2, 3]), (True, [2, 3, 4]), (True, [5])])
    whole = curve(db, task, "loss")
    assert list(zip(whole.steps, whole.values, strict=True)) == [(0, 1), (1, 1), (2, 2), (3, 2), (4, 2), (5, 3)]
    assert curve(db, task, "loss", attempt=1).steps == [0, 1, 2, 3]
    assert curve(db, task, "loss", attempt=2).steps == [2, 3, 4]
    with db.read() as c:
        assert metrics.curves(c, [task], None, None, attempt=9) == []


def test_a_plain_start_begins_a_new_curve(db: Database, task: str) -> None:
    chain(db, task, [(False, [0, 1]), (True, [2]), (False, [0]), (True, [1])])
    whole = curve(db, task, "loss")
    assert list(zip(whole.steps, whole.values, strict=True)) == [(0, 3), (1, 4)]


def test_before_is_what_the_attempts_that_were_resumed_reported(db: Database, task: str) -> None:
    chain(db, task, [(False, [0, 1]), (False, [0, 1]), (True, [1, 2]), (True, [3])])
    with db.read() as c:
        assert metrics.before(c, task, 4, "loss")["step"].tolist() == [0, 1, 2]
        assert metrics.before(c, task, 4, "loss")["value"].tolist() == [2, 3, 3]
        assert metrics.before(c, task, 3, "loss")["value"].tolist() == [2, 2]
        assert len(metrics.before(c, task, 1, "loss")) == 0
        assert len(metrics.before(c, task, 4, "other")) == 0


def test_how_far_each_metric_has_come(db: Database, task: str) -> None:
    chain(db, task, [(False, [0, 1, 2, 3, 4, 5]), (False, [0, 1, 2, 3]), (True, [1, 2])])
    append(db, attempt_id(db, task), "accuracy", [(7.0, 0.5, 0.0), (6.0, 0.5, 0.0)])
    with db.read() as c:
        assert metrics.reached(c, [task, "another"]) == {task: {"loss": 2.0, "accuracy": 7.0}}


def test_a_long_curve_is_thinned_but_keeps_its_ends_and_extremes(db: Database, task: str) -> None:
    points = [(float(i), math.sin(i / 50), float(i)) for i in range(1000)]
    points[333] = (333.0, 99.0, 0.0)
    points[666] = (666.0, -99.0, 0.0)
    points[500] = (500.0, math.nan, 0.0)
    append(db, attempt_id(db, task), "loss", points)
    thin = curve(db, task, "loss", points=50)
    assert len(thin.steps) <= 50
    assert thin.total == 1000
    assert (thin.steps[0], thin.steps[-1]) == (0.0, 999.0)
    assert {333.0, 666.0} <= set(thin.steps)
    assert thin.steps == sorted(thin.steps)


def test_only_the_metrics_asked_for(db: Database, task: str) -> None:
    for name in ("a", "b", "%"):
        append(db, attempt_id(db, task), name, [(1, 1, 1)])
    with db.read() as c:
        assert [found.metric for found in metrics.curves(c, [task], ["b", "nope"], None)] == ["b"]
        assert [found.metric for found in metrics.curves(c, [task], [], None)] == []
        assert {found.metric for found in metrics.curves(c, [task], None, None)} == {"a", "b", "%"}
        assert metrics.curves(c, [], None, None) == []


# --- bounds ---------------------------------------------------------------------------------------------------------


def stored(db: Database, attempt: int, name: str) -> int:
    query = sa.select(sa.func.sum(chunks.c.count)).where(chunks.c.attempt_id == attempt, chunks.c.name == name)
    with db.read() as c:
        return int(c.scalar(query) or 0)


def long_series(first: int, count: int) -> list[Point]:
    """A slow wave; one in a thousand stands out."""
    return [(i, 100.0 if i % 1000 == 500 else math.sin(i / 100), float(i)) for i in range(first, first + count)]


@pytest.mark.parametrize("forgetful", [False, True])
def test_a_series_stops_growing_and_keeps_its_ends_and_extremes(db: Database, task: str, forgetful: bool) -> None:
    attempt, appender = attempt_id(db, task), Appender()
    for first in range(0, 200_000, 20_000):
        append(db, attempt, "loss", long_series(first, 20_000), None if forgetful else appender)
        assert stored(db, attempt, "loss") <= 100_000
    whole = curve(db, task, "loss")
    assert whole.steps == sorted(set(whole.steps))
    assert (whole.steps[0], whole.steps[-1]) == (0, 199_999)
    assert sum(value == 100.0 for value in whole.values) == 200
    assert whole.steps[-30_000:] == list(range(170_000, 200_000))  # the newest are whole
    shown = curve(db, task, "loss", 300)
    assert len(shown.steps) <= 300
    assert max(value or 0 for value in shown.values) == 100.0


def test_all_of_a_series_in_one_go_is_bounded_too(db: Database, task: str) -> None:
    attempt = attempt_id(db, task)
    append(db, attempt, "loss", long_series(0, 150_000))
    assert stored(db, attempt, "loss") <= 100_000
    append(db, attempt, "loss", [(150_000, 1, 1)])
    assert curve(db, task, "loss").steps[-1] == 150_000


def test_what_is_measured_is_kept_whole_for_an_hour_and_less_after(db: Database, task: str) -> None:
    attempt, appender = attempt_id(db, task), Appender()
    for first in range(0, 43_200, 300):  # a day, a sample every 2 s
        append(db, attempt, "sys/memory", [(2 * i, float(i), 2 * i) for i in range(first, first + 300)], appender)
    kept = curve(db, task, "sys/memory")
    assert len(kept.steps) <= 3 * 2048 + CAP
    assert kept.steps[-1800:] == [2 * i for i in range(43_200 - 1800, 43_200)]
    assert (kept.steps[0], kept.values[0]) == (0, 0.0)


def test_little_is_kept_of_what_was_measured_when_it_has_ended(db: Database, task: str) -> None:
    attempt, appender = attempt_id(db, task), Appender()
    points: list[Point] = [(2 * i, 7.0 if i == 1000 else 1.0, 2 * i) for i in range(1800)]
    for name in ("sys/memory", "loss"):
        append(db, attempt, name, points, appender)
    with db.write() as c:
        appender.finish(c, attempt)
    assert stored(db, attempt, "sys/memory") <= 4 * CAP
    assert max(value or 0 for value in curve(db, task, "sys/memory").values) == 7.0
    assert stored(db, attempt, "loss") == 1800
    append(db, attempt, "sys/memory", [(3600, 2, 3600)], appender)  # a word that comes late does no harm
    assert curve(db, task, "sys/memory").steps[-1] == 3600


def test_an_attempt_has_so_many_metrics_and_no_more(db: Database, task: str) -> None:
    attempt, appender = attempt_id(db, task), Appender()
    with db.write() as c:
        assert appender.append(c, {attempt: {f"m{n}": [(1, 1, 1)] for n in range(999)}}) == set()
        assert appender.append(c, {attempt: {f"n{n}": [(1, 1, 1)] for n in range(5)}}) == {attempt}
        assert appender.append(c, {attempt: {"m1": [(2, 1, 1)], "sys/cpu": [(1, 1, 1)]}}) == set()
    with db.read() as c:
        assert len(metrics.names(c, task)) == 1001
    assert curve(db, task, "m1").steps == [1, 2]


def test_what_the_appender_remembers_is_bounded(db: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(metrics, "MAX_TAILS", 50)
    tasks = add_job(db, next(_jobs), tasks=10)
    appender = Appender()
    ids = [attempt_id(db, one) for one in tasks]
    for step in range(3):
        for attempt in ids:
            with db.write() as c:
                appender.append(c, {attempt: {f"m{n}": [(step, 1, 1)] for n in range(10)}})
            assert sum(map(len, appender._tails.values())) <= 50
    assert curve(db, tasks[0], "m3").steps == [0, 1, 2]
