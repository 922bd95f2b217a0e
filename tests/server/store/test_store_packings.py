"""Test how tasks share GPUs: per job, and what is stored for a program."""

from typing import Any

import pytest
import sqlalchemy as sa

from paddock.models import Packing
from paddock.runner.sharing import need_model
from paddock.server.store import jobs, packings
from paddock.server.store.db import Database
from paddock.server.store.tables import attempts as attempt_rows
from paddock.server.store.tables import jobs as job_rows
from paddock.server.store.tables import memory_samples
from paddock.server.store.tables import tasks as task_rows
from tests.server.store.given import add_job


def said(**more: Any) -> Packing:
    base = {"at": 2e9, "gpu": "H200", "tasks": 8, "target": 8, "auto": True, "limit": "memory"}
    return Packing.model_validate({**base, "need": 10**9, "total": 10**11, "load": 0.5, "speedup": 4.0, **more})


@pytest.fixture
def job(db: Database) -> str:
    add_job(db, "k3v9x2ab", 1)
    with db.write() as c:
        c.execute(sa.update(job_rows).values(program="p1"))
    return "k3v9x2ab"


def known(db: Database) -> dict[str, dict[str, Any]]:
    with db.read() as c:
        return packings.measured(c, "ann", "p1")


def take(db: Database, job: str, *records: Packing) -> None:
    with db.write() as c:
        packings.take(c, job, list(records))


def test_the_last_word_of_each_kind_of_gpu(db: Database, job: str) -> None:
    take(db, job, said(tasks=4, limit=None), said(tasks=8), said(gpu="V100", tasks=2, speedup=None))
    with db.read() as c:
        found = jobs.detail(c, job, "").packing
    assert [(one.gpu, one.tasks, one.limit) for one in found] == [("H200", 8, "memory"), ("V100", 2, "memory")]
    assert known(db)["H200"] == {"tasks": 8, "need": 10**9, "limit": "memory", "speedup": 4.0}
    with db.read() as c:
        assert (
            packings.measured(c, "ann", "p2")
            == packings.measured(c, "ann", None)
            == packings.measured(c, "bob", "p1")
            == {}
        )


def test_a_speed_up_that_cannot_be_told_any_more_is_kept(db: Database, job: str) -> None:
    take(db, job, said())
    take(db, job, said(speedup=None))
    with db.read() as c:
        assert jobs.detail(c, job, "").packing[0].speedup == 4.0
    assert known(db)["H200"]["speedup"] == 4.0


def test_a_small_sweep_does_not_make_a_large_one_forget(db: Database, job: str) -> None:
    take(db, job, said(tasks=24))
    take(db, job, said(tasks=3, target=3, limit="tasks"))
    assert known(db)["H200"]["tasks"] == 24
    take(db, job, said(tasks=12, limit="gain"))
    assert known(db)["H200"]["tasks"] == 12, "more do not pay any more"


def test_where_tasks_ran_out_it_is_what_was_to_be(db: Database, job: str) -> None:
    take(db, job, said(tasks=10, target=24, limit="tasks"))
    assert known(db)["H200"]["tasks"] == 24


@pytest.mark.parametrize("more", [{"auto": False}, {"need": None}])
def test_what_says_nothing_of_what_pays_is_not_remembered(db: Database, job: str, more: dict[str, Any]) -> None:
    take(db, job, said(**more))
    assert known(db) == {}


def test_a_job_has_no_more_kinds_of_gpu_than_there_are(db: Database, job: str) -> None:
    take(db, job, *(said(gpu=f"kind {n}") for n in range(100)))
    assert len(known(db)) == packings.MOST_KINDS
    with db.read() as c:
        assert len(jobs.detail(c, job, "").packing) == packings.MOST_KINDS


class TestMemorySamples:
    def ended(self, db: Database, job: str, *needs: int, gpu: Any = "H200", **params: Any) -> None:
        """Tasks of the job have needed this many bytes."""
        with db.write() as c:
            ids = []
            for need in needs:
                c.execute(sa.update(task_rows).values(params={"size": need, **params}))
                c.execute(sa.update(attempt_rows).values(seat={"gpu_name": gpu}))
                ids = list(c.scalars(sa.select(attempt_rows.c.id).where(attempt_rows.c.task_id.startswith(job))))
                packings.learn(c, "ann", "p1", {ids[0]: need}, float(need))

    def found(self, db: Database) -> dict[str, dict[str, Any]]:
        with db.read() as c:
            return packings.known(c, "ann", "p1")

    def test_what_tasks_needed_is_known_to_the_next_job(self, db: Database, job: str) -> None:
        take(db, job, said())
        self.ended(db, job, 5, 7, 5)
        assert self.found(db)["H200"] == {**known(db)["H200"], "samples": [[{"size": 7}, 7], [{"size": 5}, 5]]}
        assert need_model.parse(self.found(db)["H200"]["samples"]) == [({"size": 7}, 7), ({"size": 5}, 5)]
        assert "samples" not in known(db)["H200"], "planning reads it in every round"
        with db.read() as c:
            assert packings.known(c, "bob", "p1") == packings.known(c, "ann", None) == {}

    def test_without_a_number_of_tasks_too(self, db: Database, job: str) -> None:
        self.ended(db, job, 5)
        assert self.found(db) == {"H200": {"samples": [[{"size": 5}, 5]]}}

    def test_there_are_never_more_than_the_bound(self, db: Database, job: str) -> None:
        self.ended(
            db, job, *range(1, need_model.MOST_SAMPLES + 30), **{f"p{n}": n for n in range(500)}, long="x" * 10**4
        )
        [*_, last] = samples = self.found(db)["H200"]["samples"]
        assert len(samples) == need_model.MOST_SAMPLES
        assert last[1] == need_model.MOST_SAMPLES + 29
        assert len(last[0]) == need_model.MOST_PARAMS

    @pytest.mark.parametrize("gpu", [None, 7, "", "x" * 201])
    def test_a_gpu_without_a_name_is_none(self, db: Database, job: str, gpu: Any) -> None:
        self.ended(db, job, 5, gpu=gpu)
        assert self.found(db) == {}

    def test_programs_that_were_edited_are_forgotten(
        self, db: Database, job: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(packings, "MOST_PROGRAMS", 3)
        self.ended(db, job, 5)
        with db.write() as c:
            [attempt, *_] = c.scalars(sa.select(attempt_rows.c.id))
            for n in range(10):
                packings.learn(c, "ann", f"edited {n}", {attempt: 5}, 100.0 + n)
            packings.learn(c, "bob", "p1", {attempt: 5}, 1.0)
            left = [tuple(row) for row in c.execute(sa.select(memory_samples.c.owner, memory_samples.c.program))]
        assert sorted(left) == [("ann", "edited 7"), ("ann", "edited 8"), ("ann", "edited 9"), ("bob", "p1")]
