"""Test that results which are kept in memory are those that the database would return."""

import random
from collections.abc import Callable, Iterator
from typing import Any

import pytest
import sqlalchemy as sa

from paddock.models import AllocationBatch, AllocationState, AllocationStatus, Resources, TaskState
from paddock.server.store import allocations, attempts, deals, erasing, events, jobs, kept, tasks, trials
from paddock.server.store.allocations import AllocationRow
from paddock.server.store.attempts import Demand
from paddock.server.store.db import Database
from paddock.server.store.rows import fetch
from paddock.server.store.tables import CURRENT, UNENDED
from paddock.server.store.tables import allocations as allocation_table
from paddock.server.store.tables import attempts as attempt_table
from paddock.server.store.tables import jobs as job_table
from paddock.server.store.tables import tasks as task_table
from tests.server.store.given import add_job, announce, move

S = TaskState
JOB = "k3v9x2ab"
QUIET: dict[str, Callable[[sa.Connection], object]] = {
    "ix_tasks_resizing": attempts.resizing,  # which `demands` reads too
    "ix_attempts_open": attempts.demands,
    "ix_allocations_unclosed": allocations.unclosed,
    "ix_allocations_planned": allocations.planned,
    "ix_tasks_stopping": attempts.jobs_stopping,
    "ix_attempts_unpublished": lambda c: attempts.unpublished(c, 10),
    "ix_attempts_running": lambda c: attempts.running_paces(c, 1.0),
    "ix_attempts_dealt": deals.in_hand,
    "ix_attempts_pinned": deals.pinned,
    "ix_jobs_untold": jobs.not_passed_on,
    "ix_jobs_removing": jobs.removing,
    "ix_jobs_searching": trials.searching,
    "ix_jobs_search_until": lambda c: trials.overdue(c, 1.0),
}


@pytest.fixture
def other(db: Database) -> Iterator[Database]:
    """Another object for the same database, as the API and the engine have."""
    made = Database(db.url.render_as_string(hide_password=False))
    yield made
    made.close()


def allocate(db: Database, job: str = JOB, number: int = 1, count: int = 3) -> list[str]:
    batch = AllocationBatch(
        key=f"{job}-a{number}", count=count, name="n", folder="/f", runner=["true"], resources=Resources()
    )
    with db.write() as c:
        allocations.plan(c, job, "local", batch)
        allocations.submitted(c, batch.key, batch.keys)
    return batch.keys


def unclosed(db: Database) -> list[AllocationRow]:
    with db.read() as c:
        return allocations.unclosed(c)


def statements(db: Database, call: Callable[[sa.Connection], object]) -> list[tuple[str, Any]]:
    """Return what is sent to the database."""
    seen: list[tuple[str, Any]] = []

    def before(_c: Any, _cursor: Any, statement: str, parameters: Any, *_: Any) -> None:
        seen.append((statement, parameters))

    with db.read() as c:
        sa.event.listen(db.engine, "before_cursor_execute", before)
        try:
            call(c)
        finally:
            sa.event.remove(db.engine, "before_cursor_execute", before)
    return [one for one in seen if one[0].startswith("SELECT")]


@pytest.mark.parametrize(
    ("statement", "changed"),
    [
        ("UPDATE tasks SET state = ?, epoch = ? WHERE id = ?", {"tasks.state", "tasks.epoch"}),
        ("UPDATE tasks SET attempt=(tasks.attempt + %(n)s), stopping=%(s)s", {"tasks.attempt", "tasks.stopping"}),
        ("UPDATE tasks SET stopping=? WHERE tasks.state = ?", {"tasks.stopping"}),
        ("UPDATE jobs SET held=(SELECT 1 WHERE 1), told=? WHERE id = ?", {"*"}),
        ('UPDATE packings SET "limit"=?, need=? WHERE tasks = ?', {"packings.limit", "packings.need"}),
        ("INSERT INTO events (at) VALUES (?)", {"events.*"}),
        ("DELETE FROM attempts WHERE id = ?", {"attempts.*", "metric_chunks.*"}),
        (
            "DELETE FROM jobs",
            {f"{name}.*" for name in ("jobs", "tasks", "attempts", "metric_chunks", "batches", "allocations")},
        ),
        ("SELECT state FROM tasks", set()),
        ("WITH x AS (SELECT 1) UPDATE tasks SET state = 'error'", {"*"}),
        ("TRUNCATE tasks", {"*"}),
    ],
)
def test_which_columns_a_statement_changes(statement: str, changed: set[str]) -> None:
    assert kept.changed_by(statement) == changed


def test_a_result_depends_on_all_columns_of_its_query() -> None:
    found = kept.read_by(attempts._DEMANDS)
    assert found >= {"jobs.held", "jobs.removing", "attempts.state", "attempts.published", "attempts.*", "jobs.*", "*"}
    assert not found & {"tasks.epoch", "jobs.name", "attempts.warnings"}
    alias = job_table.alias("another")
    with pytest.raises(TypeError, match="alias"):
        kept.read_by(sa.select(alias.c.id))


def test_nothing_is_read_while_nothing_changes(db: Database) -> None:
    add_job(db)
    allocate(db)
    for call in (attempts.demands, allocations.unclosed, events.bounds, *QUIET.values()):
        statements(db, call)
    with db.write() as c:
        jobs.warn(c, JOB, "this changes a column that none of them reads")
    for name, call in QUIET.items():
        assert name in ("ix_attempts_unpublished", "ix_attempts_running") or not statements(db, call), name
    assert statements(db, events.bounds)


def test_what_another_object_writes_is_seen(db: Database, other: Database) -> None:
    ids = add_job(db, tasks=3)
    with db.write() as c:
        attempts.mark_published(c, [row.id for row in attempts.unpublished(c, 10)])
    with db.read() as c:
        assert attempts.demands(c) == [Demand(JOB, 3, 0)]
    move(other, ids[0], S.RUNNING)
    with db.read() as c:
        assert attempts.demands(c) == [Demand(JOB, 2, 1)]
    with other.write() as c:
        jobs.hold(c, JOB)
        assert attempts.demands(c) == [Demand(JOB, 2, 1, held=True)], "as it is inside the transaction"
    with db.read() as c:
        assert attempts.demands(c) == [Demand(JOB, 2, 1, held=True)]
        assert attempts.demands(c) is not attempts.demands(c), "callers may change their list"


def test_a_transaction_that_fails_changes_nothing(db: Database) -> None:
    add_job(db)
    keys = allocate(db)
    assert len(unclosed(db)) == 3
    with pytest.raises(ZeroDivisionError), db.write() as c:
        allocations.close(c, keys[0])
        assert len(allocations.unclosed(c)) == 2
        1 / 0  # noqa: B018
    assert len(unclosed(db)) == 3


def test_an_old_view_neither_sees_nor_spoils_what_is_kept(db: Database) -> None:
    add_job(db)
    keys = allocate(db)
    with db.read() as old:
        old.execute(sa.select(1)).all()
        assert len(allocations.unclosed(old)) == 3
        with db.write() as c:
            allocations.close(c, keys[0])
        assert len(unclosed(db)) == 2
        assert len(allocations.unclosed(old)) == 3
        assert len(unclosed(db)) == 2


def test_a_commit_before_the_first_statement_of_a_reader_is_not_lost(db: Database) -> None:
    add_job(db)
    keys = allocate(db)
    unclosed(db)
    with db.read() as late:  # its view begins with its first statement
        with db.write() as c:
            allocations.close(c, keys[0])
        allocations.unclosed(late)
    assert [row.key for row in unclosed(db)] == keys[1:]


def test_a_commit_while_some_columns_are_read_is_not_lost(db: Database) -> None:
    add_job(db)
    keys = allocate(db)
    unclosed(db)
    with db.write() as c:
        allocations.read_to(c, {keys[0]: [7]}, 1.0)
    done: list[bool] = []

    def between(*_: Any) -> None:
        """Another thread ends an allocation after it was found out which columns have changed."""
        if not done:
            done.append(True)
            with db.write() as c:
                allocations.to_end(c, [keys[1]])

    with db.read() as c:
        sa.event.listen(c, "before_cursor_execute", between)
        first = allocations.unclosed(c)
    assert done
    assert first[0].offsets == [7]
    assert [row.ending for row in first] == [False, True, False], "its view began after that commit"
    assert first == unclosed(db)


def test_only_columns_that_changed_are_read_and_other_rows_are_the_same_objects(db: Database) -> None:
    add_job(db)
    keys = allocate(db)
    before = unclosed(db)
    with db.write() as c:
        allocations.read_to(c, {keys[1]: [10, 20]}, 5.0)
    [(text, _)] = statements(db, allocations.unclosed)
    assert "offsets" in text
    assert "reason" not in text
    after = unclosed(db)
    assert (after[1].offsets, after[1].heard_at) == ([10, 20], 5.0)
    assert after[0] is before[0]
    assert after[2] is before[2]


def test_what_another_process_writes_is_seen_after_a_while(db: Database) -> None:
    add_job(db)
    keys = allocate(db)
    ahead = 0.0
    db.counts.clock = lambda: ahead
    assert len(unclosed(db)) == 3
    with db.engine.connect() as c, c.begin():  # not by `write`
        c.execute(sa.update(allocation_table).where(allocation_table.c.key == keys[0]).values(closed=True))
    assert len(unclosed(db)) == 3
    ahead = kept.MAX_AGE + 1
    assert len(unclosed(db)) == 2


@pytest.mark.parametrize("database_kind", ["sqlite"], indirect=True)
def test_what_the_engine_looks_for_in_every_round_is_in_an_index_of_few_rows(db: Database) -> None:
    for name, call in QUIET.items():
        [(text, parameters)] = statements(db, call)
        with db.read() as c:
            plan = c.exec_driver_sql(f"EXPLAIN QUERY PLAN {text}", parameters).all()
        assert any(name in row[3] for row in plan), (name, plan)


def _id(changed: jobs.ChangedJob) -> str:
    return changed.id


# --- anything that happens, compared with a scan ---------------------------------------------------------------------


def scanned(c: sa.Connection) -> list[Demand]:
    """Return the demands as counted from the tasks."""
    of_state = [sa.func.count(sa.case((task_table.c.state == state, 1))) for state in UNENDED]
    query = (
        sa.select(task_table.c.job_id, *of_state, job_table.c.held, job_table.c.created_at, job_table.c.priority)
        .join(attempt_table, CURRENT)
        .join(job_table, job_table.c.id == task_table.c.job_id)
        .where(task_table.c.state.in_(UNENDED), attempt_table.c.published.is_(True), job_table.c.removing.is_(False))
        .group_by(task_table.c.job_id, job_table.c.created_at, job_table.c.held, job_table.c.priority)
        .order_by(job_table.c.created_at, task_table.c.job_id)
    )
    return fetch(c, Demand, query)


class Anything:
    """Does at random what the engine and the API do."""

    def __init__(self, given: random.Random, writers: list[Database]) -> None:
        self.given, self.writers = given, writers
        self.jobs: list[str] = []
        self.made = 0

    @property
    def db(self) -> Database:
        return self.given.choice(self.writers)

    def job(self) -> str:
        return self.given.choice(self.jobs)

    def submit(self) -> None:
        self.made += 1
        self.jobs.append(f"job{self.made}")
        add_job(self.db, self.jobs[-1], self.given.randint(1, 4))

    def publish(self) -> None:
        with self.db.write() as c:
            rows = attempts.unpublished(c, self.given.randint(1, 6))
            attempts.mark_published(c, [row.id for row in rows])

    def move(self) -> None:
        with self.writers[0].read() as c:
            rows = [row for row in tasks.page(c, self.job()).items if not row.state.ended]
        if rows:
            move(self.db, self.given.choice(rows).id, self.given.choice([S.RUNNING, S.FINISHED, S.ERROR]))

    def restart(self) -> None:
        with self.db.write() as c:
            tasks.restart(c, self.job(), None, failed=True, resume=self.given.random() < 0.5)

    def retry(self) -> None:
        with self.db.write() as c:
            rows = [row for row in tasks.page(c, self.job()).items if row.state is S.ERROR]
            attempts.begin_next(c, rows[0].job, [(row.id, row.attempt) for row in rows], resumed=True) if rows else None

    def stop(self) -> None:
        with self.db.write() as c:
            tasks.request_stop(c, self.job(), None)

    def hold(self) -> None:
        with self.db.write() as c:
            jobs.hold(c, self.job(), held=self.given.random() < 0.5)

    def remove(self) -> None:
        job = self.jobs.pop(self.given.randrange(len(self.jobs)))
        with self.db.write() as c:
            jobs.mark_removing(c, job)
            if self.given.random() < 0.5:
                erasing.detach(c, job)
                while self.given.random() < 0.9 and erasing.erase_some(c, job):
                    pass

    def allocate(self) -> None:
        self.made += 1
        allocate(self.db, self.job(), self.made, self.given.randint(1, 3))

    def observe(self) -> None:
        with self.db.write() as c:
            keys = [row.key for row in allocations.unclosed(c) if self.given.random() < 0.5]
            for key in keys:
                state = self.given.choice([AllocationState.PENDING, AllocationState.RUNNING, AllocationState.ENDED])
                allocations.seen(c, key, AllocationStatus(state=state, node=self.given.choice([None, "n1", "ä"])))

    def listen(self) -> None:
        with self.db.write() as c:
            keys = [row.key for row in allocations.unclosed(c) if self.given.random() < 0.3]
            allocations.read_to(c, {key: [self.given.randint(0, 9)] for key in keys}, self.given.random())
            allocations.touch(c, keys[:1])
            announce(c, self.job())

    def close(self) -> None:
        with self.db.write() as c:
            for row in allocations.unclosed(c):
                if self.given.random() < 0.3:
                    allocations.close(c, row.key)
                elif self.given.random() < 0.3:
                    allocations.to_end(c, [row.key])


@pytest.mark.parametrize("seed", range(3))
def test_whatever_happens_what_is_kept_is_what_a_scan_finds(db: Database, other: Database, seed: int) -> None:
    given = random.Random(seed)
    does = Anything(given, [db, other])
    ways = [value for name, value in vars(Anything).items() if callable(value) and not name.startswith("_")]
    ways = [way for way in ways if way is not Anything.job]
    seen = 0
    for _ in range(150):
        if len(does.jobs) < 2:
            does.submit()
        given.choice(ways)(does)
        with db.read() as c:
            assert attempts.demands(c) == scanned(c)
            assert allocations.unclosed(c) == fetch(c, AllocationRow, allocations._UNCLOSED)
            seen += len(attempts.demands(c)) + len(allocations.unclosed(c))
        with other.read() as c:
            assert sorted(attempts.jobs_stopping(c)) == sorted(fetch(c, str, attempts._JOBS_STOPPING))
            changed = fetch(c, jobs.ChangedJob, jobs._CHANGED)  # in any order
            assert sorted(jobs.not_passed_on(c), key=_id) == sorted(changed, key=_id)
            assert allocations.to_adjust(c) == fetch(c, allocations.UnadjustedAllocation, allocations._UNADJUSTED)
    assert seen > 300
