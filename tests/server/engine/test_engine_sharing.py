"""Test the engine with tasks that share GPUs: memory, seats, and how many there are."""

import json
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

from paddock.common import layout
from paddock.models import (
    AllocationState,
    AllocationStatus,
    Cause,
    TaskState,
)
from paddock.server.store import tasks
from paddock.server.store.tables import jobs as rows
from paddock.server.store.tables import tasks as task_rows
from tests.server.engine.engine_rig import JOB, Rig

S = TaskState


class TestSharing:
    def test_out_of_memory_beside_others_is_tried_again_with_more_room(self, rig: Rig) -> None:
        [task] = rig.job()
        rig.step()
        [key] = rig.keys()
        rig.started(key, task)
        room = {"gpu": 9_000_000_000, "host": None, "alone": False}
        rig.say(key, {"e": "ended", "task": task, "exit": 1, "cause": "gpu_oom", "reason": "no memory", "again": room})
        rig.step()
        first, second = rig.attempts(task)
        assert (first.cause, first.reason, second.resumed) == (Cause.GPU_OOM, "no memory", True)
        assert second.room is not None
        assert (second.room.gpu, second.room.alone) == (9_000_000_000, False)
        assert rig.published()[-1]["room"] == room
        rig.say(key, {"e": "started", "task": task, "attempt": 2, "pid": 8})
        rig.say(key, {"e": "ended", "task": task, "attempt": 2, "exit": 1, "cause": "gpu_oom", "reason": "alone"})
        rig.step()
        assert rig.task(task).state is S.ERROR, "it had been alone: nothing else is to be tried"

    def test_a_runner_that_asks_for_the_same_room_again_is_not_obeyed(self, rig: Rig) -> None:
        """Each retry beside others has to demand more than the one before it: so they end."""
        [task] = rig.job()
        rig.step()
        [key] = rig.keys()
        room = {"gpu": 9_000_000_000, "host": None, "alone": False}
        for number in (1, 2):
            rig.say(key, {"e": "started", "task": task, "attempt": number, "pid": 7})
            ended = {"e": "ended", "task": task, "attempt": number, "exit": 1, "cause": "gpu_oom", "again": room}
            rig.say(key, ended)
            rig.step()
        assert [one.number for one in rig.attempts(task)] == [1, 2]
        assert rig.task(task).state is S.ERROR

    def test_a_stop_is_a_stop_however_it_ended(self, rig: Rig) -> None:
        [task] = rig.job()
        rig.step()
        [key] = rig.keys()
        rig.started(key, task)
        with rig.db.write() as c:
            tasks.request_stop(c, JOB, None)
        rig.step()
        rig.say(key, {"e": "ended", "task": task, "exit": 1, "cause": "gpu_oom", "again": {"alone": True}})
        rig.step()
        assert rig.task(task).state is S.STOPPED

    def test_a_whole_allocation_out_of_memory_is_the_fault_of_all_its_tasks(self, rig: Rig) -> None:
        first, second = rig.job(2, resources={"backend": "fake", "slots": 2})
        rig.step()
        [key] = rig.keys()
        rig.started(key, first)
        rig.started(key, second)
        rig.say(key, {"e": "usage", "task": first, "memory": 7_000, "cpu": 1.0})
        rig.say(key, {"e": "usage", "task": second, "memory": 5_000, "cpu": 1.0})
        ended = AllocationStatus(state=AllocationState.ENDED, cause=Cause.HOST_OOM, reason="too much")
        rig.backend.statuses[f"id-{key}"] = ended
        rig.step(6)
        for task, held in ((first, 7_000), (second, 5_000)):
            before, after = rig.attempts(task)
            assert before.cause is Cause.HOST_OOM
            assert after.room is not None
            assert (after.room.host, after.room.alone) == (held, True)

    def test_where_a_task_sits_and_how_many_share(self, rig: Rig) -> None:
        [task] = rig.job()
        rig.step()
        [key] = rig.keys()
        rig.backend.run(f"id-{key}")
        seat = {
            "gpus": ["GPU-1"],
            "gpu_name": "H200",
            "cores": [0, 1],
            "threads": 2,
            "sharing": "turns",
            "why": "no MPS",
        }
        said = {
            "gpu": "H200",
            "tasks": 4,
            "auto": True,
            "limit": "cores",
            "need": 10**9,
            "speedup": 3.5,
            "known": False,
        }
        rig.say(key, {"e": "started", "task": task, "pid": 7, "seat": seat}, {"e": "packing", **said})
        rig.say(key, {"e": "usage", "task": task, "memory": 5, "cpu": 1.0, "gpu_memory": 7, "gpu_load": 0.5})
        rig.step()
        shown = rig.task(task)
        assert shown.seat is not None
        assert shown.seat.model_dump() == seat
        assert (shown.peak_memory, shown.peak_gpu_memory) == (5, 7)
        [packing] = rig.detail().packing
        assert (packing.tasks, packing.limit, packing.speedup) == (4, "cores", 3.5)

    @pytest.mark.parametrize("seat", [[], "x", {"gpus": 3}, {"strange": 1}])
    def test_a_seat_that_cannot_be_read_is_none(self, rig: Rig, seat: Any) -> None:
        [task] = rig.job()
        rig.step()
        [key] = rig.keys()
        rig.backend.run(f"id-{key}")
        rig.say(key, {"e": "started", "task": task, "pid": 7, "seat": seat}, {"e": "packing", "gpu": 7})
        rig.step()
        assert (rig.task(task).state, rig.task(task).seat, rig.detail().packing) == (S.RUNNING, None, [])


class TestMemoryOfTasks:
    """What tasks with which parameters needed is given to the runners of the next job of the same program."""

    def manifest(self, rig: Rig, job: str) -> Any:
        [key, *_] = rig.keys(job)
        return json.loads(Path(layout.manifest(str(rig.home.job(job).allocation(key)))).read_text())

    def test_from_the_end_of_a_task_to_the_manifest_of_the_next_job(self, rig: Rig) -> None:
        asked = {"backend": "fake", "per_gpu": "auto", "gpus": 1}
        first, second = rig.job(2, resources=asked)
        with rig.db.write() as c:
            c.execute(sa.update(rows).values(program="p1"))
        rig.step()
        [key, *_] = rig.keys()
        rig.backend.run(f"id-{key}")
        seat = {"gpus": ["GPU-1"], "gpu_name": "H200", "cores": [], "threads": 1, "sharing": "mps", "why": None}
        for task in (first, second):
            rig.say(key, {"e": "started", "task": task, "pid": 7, "seat": seat})
        rig.say(key, {"e": "ended", "task": first, "exit": 0, "gpu_need": 5 * 10**9})
        rig.say(key, {"e": "ended", "task": second, "exit": 0})
        rig.step()
        rig.job(2, job="z9y8x7w6", resources=asked)
        with rig.db.write() as c:
            c.execute(sa.update(rows).values(program="p1"))
        rig.step()
        known = self.manifest(rig, "z9y8x7w6")["gpus"]["known"]
        with rig.db.read() as c:
            [params] = c.scalars(sa.select(task_rows.c.params).where(task_rows.c.id == first))
        assert known == {"H200": {"samples": [[params, 5 * 10**9]]}}
