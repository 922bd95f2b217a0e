"""Test that a database of an older version is brought up to this one with all its contents."""

import json
from typing import Any

import pytest
import sqlalchemy as sa
from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.runtime.migration import MigrationContext

from paddock.models import TaskState
from paddock.server.store import allocations, attempts, jobs, metrics, packings, tasks
from paddock.server.store.db import MIGRATIONS, Database
from paddock.server.store.tables import metadata

SPEC = {"name": "old", "command": "true", "resources": {"backend": None, "gpus": None, "cpus": 2}}
STATES = {"a1": "ended", "a2": "ended", "a3": "running", "a4": "pending", "a5": "planned"}


def revise(db: Database, revision: str) -> None:
    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS))
    with db.write() as c:
        config.attributes["connection"] = c
        command.upgrade(config, revision)


def insert(c: sa.Connection, table: str, **values: Any) -> None:
    plain = {name: json.dumps(one) if isinstance(one, (dict, list)) else one for name, one in values.items()}
    names = ", ".join(plain)
    marks = ", ".join(f":{name}" for name in plain)
    c.execute(sa.text(f"INSERT INTO {table} ({names}) VALUES ({marks})"), plain)


def old_allocation(key: str) -> dict[str, Any]:
    """As the version before asked for them."""
    return {"key": f"old-{key}", "name": f"paddock-old-{key}", "folder": f"/f/{key}", "runner": ["run"]} | {
        "gpus": 0,
        "cpus": 2,
    }


@pytest.fixture
def old_db(empty_db: Database) -> Database:
    """With revision 0001 and rows in every table."""
    revise(empty_db, "0001")
    with empty_db.write() as c:
        of_job: dict[str, Any] = {"owner": "ann", "name": "old", "description": "ä", "tags": ["t"], "spec": SPEC}
        of_job |= {"code": {"files": 1}, "interpreter": {"argv": ["python"]}, "metric": "loss", "goal": "min"}
        insert(c, "jobs", id="old", **of_job, warnings=["mind"], created_at=1.5)
        insert(c, "jobs", id="going", **of_job, warnings=[], created_at=2.5, removing=True)
        for number, state in enumerate(("finished", "running", "submitted"), start=1):
            task = f"old-{number}"
            about = {"job_id": "old", "state": state, "created_at": 2.0}
            insert(c, "tasks", id=task, number=number, params={"lr": number}, attempt=1, best_value=0.5, **about)
            key = f"old-a{2 * number - 1}" if number < 3 else None
            insert(c, "attempts", task_id=task, number=1, published=True, allocation=key, warnings=["w"], **about)
        insert(c, "attempts", task_id="old-3", job_id="old", number=9, state="error", created_at=1.0, warnings=[])
        for number, (key, state) in enumerate(STATES.items()):
            known = None if state == "planned" else f"old-{key}"
            ended = {"closed": key == "a1", "ended_at": 9.5, "cause": "lost"} if state == "ended" else {}
            about = {"backend": "local", "backend_id": known, "state": state, "spec": old_allocation(key)} | ended
            insert(
                c, "allocations", key=f"old-{key}", job_id="old", offsets=[number], created_at=float(number), **about
            )
        insert(c, "events", at=3.0, job_id="old", kind="job", data={"change": "submitted"})
        row = attempts_of(c)[0]
        insert(c, "metric_chunks", attempt_id=row, name="loss", seq=0, count=0, data=b"")
    return empty_db


def attempts_of(c: sa.Connection) -> list[int]:
    return list(c.scalars(sa.text("SELECT id FROM attempts ORDER BY id")))


def counts(db: Database) -> dict[str, int]:
    with db.read() as c:
        names = sa.inspect(c).get_table_names()
        return {name: c.execute(sa.text(f"SELECT count(*) FROM {name}")).scalar_one() for name in names}


def test_nothing_is_lost(old_db: Database) -> None:
    before = counts(old_db)
    old_db.migrate()
    after = counts(old_db)
    assert {name: after[name] for name in before} == before
    assert (after["batches"], before["allocations"]) == (5, 5)
    with old_db.read() as c:
        job = jobs.detail(c, "old", "")
        assert (job.description, job.warnings, job.held, job.waits) == ("ä", ["mind"], False, None)
        assert (job.spec.resources.cpus, job.counts.running, job.counts.submitted) == (2, 1, 1)
        assert jobs.removing(c) == ["going"]
        assert jobs.not_passed_on(c) == []
        task = tasks.get(c, "old-1")
        assert (task.state, task.params, task.best_value, task.warnings) == (TaskState.FINISHED, {"lr": 1}, 0.5, ["w"])
        assert metrics.names(c, "old-1") == ["loss"]
        rows = allocations.last(c, "old", 10)
        assert [(row.key, row.offsets) for row in reversed(rows)] == [(f"old-a{n + 1}", [n]) for n in range(5)]


def test_allocations_go_on_as_they_were(old_db: Database) -> None:
    old_db.migrate()
    with old_db.read() as c:
        rows = {row.key.removeprefix("old-"): row for row in allocations.last(c, "old", 10)}
        # One that was planned may have reached the local backend, which knows it by its key.
        assert {key: row.state for key, row in rows.items()} == STATES | {"a5": "pending"}
        assert {row.backend_id for row in rows.values()} == {f"old-{key}" for key in STATES}
        assert {row.batch for row in rows.values()} == {f"old-{key}" for key in STATES}
        assert [row.key for row in allocations.unclosed(c)] == ["old-a2", "old-a3", "old-a4", "old-a5"]
        assert allocations.planned(c) == []
        assert allocations.to_adjust(c) == []
        assert allocations.next_number(c, "old") == 6
        assert allocations.batch_of(c, "old-a3") is None  # of an older form: its script is not shown
        shown = allocations.of_task(c, "old", "old-a3")
        assert shown is not None
        assert (shown.state, shown.backend_id) == ("running", "old-a3")
        assert [row.id for row in attempts.open_in(c, "old-a3")] == ["old-2"]
        assert attempts.open_in(c, "old-a3")[0].start is None


def test_the_schema_is_that_of_a_new_database(old_db: Database) -> None:
    old_db.migrate()
    with old_db.read() as c:
        context = MigrationContext.configure(c, opts={"compare_type": True})
        assert compare_metadata(context, metadata) == []
        inspector = sa.inspect(c)
        assert {one["name"] for one in inspector.get_indexes("allocations")} == {
            "ix_allocations_batch",
            "ix_allocations_job_id",
            "ix_allocations_planned",
            "ix_allocations_unclosed",
        }
        [key] = inspector.get_foreign_keys("allocations")
        assert (key["referred_table"], key["options"].get("ondelete")) == ("jobs", "CASCADE")
        assert not next(one["default"] for one in inspector.get_columns("allocations") if one["name"] == "batch")
    with old_db.write() as c:
        c.execute(sa.text("DELETE FROM jobs WHERE id = 'old'"))
        assert allocations.unclosed(c) == []
        assert c.execute(sa.text("SELECT count(*) FROM batches")).scalar_one() == 0


def test_what_was_learned_belongs_to_those_whose_program_it_is(old_db: Database) -> None:
    revise(old_db, "0005")
    learned = {"gpu": "H200", "tasks": 4, "need": 5, "speedup": 2.5, "at": 7.0}
    with old_db.write() as c:
        insert(c, "packings", program="p1", **learned)
        insert(c, "packings", program="nobody's", **learned)
        c.execute(sa.text("UPDATE jobs SET program = 'p1'"))
    revise(old_db, "0007")
    with old_db.read() as c:
        assert packings.measured(c, "ann", "p1") == {"H200": {"tasks": 4, "need": 5, "limit": None, "speedup": 2.5}}
        assert packings.measured(c, "bob", "p1") == packings.measured(c, "ann", "nobody's") == {}
