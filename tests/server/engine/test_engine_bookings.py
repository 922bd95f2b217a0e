"""Reservations, maintenance and rules as the queue of the engine sees them, on a backend without a queue of its own."""

import json
from datetime import UTC, datetime
from typing import Any

import pytest
import sqlalchemy as sa

from paddock.models import AllocationState, Device, Node, Role, SignInSource, Traits
from paddock.models.access import AccessRuleRequest
from paddock.server.store import devices, groups, rules, team, users
from paddock.server.store.tables import bookings
from tests.server.engine.engine_rig import JOB, Rig
from tests.support.reservations import add_reservation

HOUR = 3600.0
ONE_GPU = {"backend": "fake", "gpus": 1}


@pytest.fixture
def gpus(rig: Rig) -> list[str]:
    """Two GPUs of a node without a queue; the ids of their devices."""
    made = [Device(id=str(n), kind="gpu", name="H200", uuid=f"GPU-{n}") for n in range(2)]
    node = Node(name="gpu1", backend="fake", cpus=8, slots=2, cpu_slots=8, devices=made)
    rig.backend.traits = Traits()
    rig.backend.nodes = lambda: [node]  # type: ignore[method-assign]
    rig.engine.context.workers["fake"].refresh_nodes()
    rig.step()
    with rig.db.read() as c:
        return [row.id for row in devices.in_use(c)]


def reserve(rig: Rig, device: str, since: float, until: float, owner: str | None = "bob", **more: Any) -> str:
    return add_reservation(rig.db, [device], rig.now() + since * HOUR, rig.now() + until * HOUR, owner=owner, **more)


def cancel(rig: Rig, reservation: str) -> None:
    with rig.db.write() as c:
        c.execute(sa.update(bookings).where(bookings.c.reservation == reservation).values(live=False))


def started(rig: Rig) -> list[tuple[str, list[str]]]:
    return [(batch.key, place.devices) for batch in rig.backend.batches for place in batch.places]


def yields(rig: Rig, job: str = JOB) -> list[tuple[str, float | None]]:
    """What runners were told, in hours from now."""
    told = [line for line in rig.control(job) if line["op"] == "yield"]
    return [(one["allocation"], one["at"] and round((one["at"] - rig.now()) / HOUR, 1)) for one in told]


def reason(rig: Rig, job: str = JOB) -> str:
    return rig.engine.context.waits[job].reason


def test_work_that_makes_way_learns_when(rig: Rig, gpus: list[str]) -> None:
    for device in gpus:
        reserve(rig, device, 2, 4)
    rig.job(tasks=1, resources=ONE_GPU, yields=True)
    rig.step()
    [row] = rig.rows()
    manifest = json.loads((rig.home.job(JOB).allocations / f"{JOB}-a1.manifest.json").read_text())
    assert manifest["yields"]["0"]["at"] == row.leaves_at
    assert " is reserved by bob since " in manifest["yields"]["0"]["why"]
    assert row.leaves_at is not None and abs(row.leaves_at - rig.now() - 2 * HOUR) < 60
    rig.step(4, seconds=60)
    assert yields(rig) == [], "it knows already"


def test_work_that_cannot_make_way_waits_and_says_why(rig: Rig, gpus: list[str]) -> None:
    for device in gpus:
        reserve(rig, device, 2, 4)
    rig.job(tasks=1, resources=ONE_GPU | {"time_limit": 3 * 3600})
    rig.job(tasks=1, job="short", resources=ONE_GPU | {"time_limit": 3600})
    rig.job(tasks=1, job="unknown", resources=ONE_GPU)
    rig.step()
    assert [key for key, _ in started(rig)] == ["short-a1"]
    assert "is free until" in reason(rig) and "this needs 3 h" in reason(rig)
    assert "it is not known how long this takes" in reason(rig, "unknown")


def test_a_reservation_over_running_work_shortens_it_and_a_cancelled_one_lengthens_it(
    rig: Rig, gpus: list[str]
) -> None:
    one, two = rig.job(tasks=2, resources=ONE_GPU)
    rig.step()
    rig.started(f"{JOB}-a1.0", one)
    rig.started(f"{JOB}-a1.1", two)
    made = reserve(rig, gpus[0], 0, 4)
    rig.step()
    assert yields(rig) == [(f"{JOB}-a1.0", 0.2)], "a quarter of an hour from now"
    rig.step(4, seconds=300)
    assert len(yields(rig)) == 1, "the notice does not begin again"
    rig.reopen()
    rig.step()
    assert len(yields(rig)) == 1, "the next server knows it, too"
    cancel(rig, made)
    rig.step()
    assert yields(rig)[1:] == [(f"{JOB}-a1.0", None)]
    assert [row.leaves_at for row in rig.rows()] == [None, None]


def test_a_runner_that_does_not_leave_is_ended_by_its_backend(rig: Rig, gpus: list[str]) -> None:
    [one] = rig.job(resources=ONE_GPU)
    rig.step()
    rig.started(f"{JOB}-a1.0", one)
    reserve(rig, gpus[0], 0, 4)
    rig.step()
    [told] = rig.rows()
    for _ in range(4):
        rig.step(seconds=240)
    assert rig.backend.cancelled == []
    assert rig.rows()[0].leaves_at == told.leaves_at, "also when that time is over"
    rig.step(seconds=60)
    assert rig.backend.cancelled == [f"id-{JOB}-a1.0"]
    assert [row.ending for row in rig.rows()] == [True]


def test_whoever_reserved_a_gpu_gets_it_and_what_they_use_of_it_does_not_count(rig: Rig, gpus: list[str]) -> None:
    reserve(rig, gpus[1], 0, 4, "bob")
    rig.job(tasks=2, resources=ONE_GPU)
    rig.job(tasks=2, job="bobs", resources=ONE_GPU, owner="bob")
    rig.step()
    assert sorted(started(rig)) == [("bobs-a1", ["1"]), (f"{JOB}-a1", ["0"])]
    assert reason(rig).startswith("all 2 GPUs are in use")
    for key in (f"{JOB}-a1.0", "bobs-a1.0"):
        rig.backend.run(f"id-{key}")
    rig.step()
    rig.step(seconds=HOUR)
    rig.step(seconds=HOUR)
    past = rig.engine._launch._gatherer._used["fake"].mean(rig.now())
    assert past["ann"] > 0 and past.get("bob", 0.0) == 0


def test_maintenance_of_all_gpus_is_of_the_cores_too(rig: Rig, gpus: list[str]) -> None:
    end = rig.now() + 4 * HOUR
    add_reservation(rig.db, gpus, rig.now() - 60, end, owner=None)
    rig.job(tasks=1, resources={"backend": "fake", "gpus": 0})
    rig.job(tasks=1, job="withgpu", resources=ONE_GPU)
    rig.step()
    assert started(rig) == []
    assert reason(rig).startswith("gpu1 is under maintenance until ")
    assert reason(rig, "withgpu").startswith("gpu1:0 is under maintenance until ")
    rig.step(seconds=5 * HOUR)
    assert len(started(rig)) == 2


def test_reserved_gpus_leave_the_cores_to_others(rig: Rig, gpus: list[str]) -> None:
    for device in gpus:
        reserve(rig, device, 0, 4)
    rig.job(tasks=1, resources={"backend": "fake", "gpus": 0})
    rig.step()
    assert len(started(rig)) == 1


@pytest.fixture
def people(rig: Rig) -> None:
    """Ann, a user in the group students, and root, an admin."""
    with rig.db.write() as c:
        team.switch(c, True, 1.0)
        users.add(c, "ann", Role.USER, SignInSource.PASSWORD, 1.0)
        users.add(c, "root", Role.ADMIN, SignInSource.PASSWORD, 1.0)
        groups.add(c, "students", 1.0)
        groups.set_members(c, "students", ["ann"])


def rule(rig: Rig, effect: str, **more: Any) -> str:
    given = {"name": "r", "effect": effect, "acts": ["run"], "who": {"groups": ["students"]}} | more
    with rig.db.write() as c:
        return rules.add(c, AccessRuleRequest.model_validate(given), "root", 1.0)


@pytest.mark.usefixtures("people")
def test_work_starts_only_where_rules_allow_it_now(rig: Rig, gpus: list[str]) -> None:
    made = rule(rig, "deny", what={"hosts": ["gpu1"]})
    rig.job(tasks=1, resources={"backend": "fake", "gpus": 0})
    rig.job(tasks=1, job="withgpu", resources=ONE_GPU)
    rig.job(tasks=1, job="admins", resources=ONE_GPU, owner="root")
    rig.step()
    assert [key for key, _ in started(rig)] == ["admins-a1"], "rules do not bind admins"
    assert reason(rig).startswith("gpu1 is closed to ann by the access rules")
    assert "is closed to ann by the access rules" in reason(rig, "withgpu")
    with rig.db.write() as c:
        rules.remove(c, made)
    rig.step()
    assert len(started(rig)) == 3


@pytest.mark.usefixtures("people")
def test_one_gpu_may_be_closed_alone_and_running_work_ends_with_its_hours(rig: Rig, gpus: list[str]) -> None:
    [one, two] = rig.job(tasks=2, resources=ONE_GPU, yields=True)
    rig.step()
    rig.started(f"{JOB}-a1.0", one)
    rig.started(f"{JOB}-a1.1", two)
    begins = rig.now() + 2 * HOUR
    rule(rig, "deny", what={"devices": [gpus[1]]}, since=datetime.fromtimestamp(begins, UTC).isoformat())
    rig.step()
    assert yields(rig) == [(f"{JOB}-a1.1", 2.0)]


def test_guests_may_use_it(rig: Rig, gpus: list[str]) -> None:
    reserve(rig, gpus[0], 0, 4, guests=["ann"])
    reserve(rig, gpus[1], 0, 4)
    rig.job(tasks=2, resources=ONE_GPU)
    rig.step()
    assert started(rig) == [(f"{JOB}-a1", ["0"])]


def test_a_task_that_made_way_goes_on_however_often(rig: Rig, gpus: list[str]) -> None:
    [one] = rig.job(resources=ONE_GPU, retries={"preempted": 0})
    rig.step()
    rig.started(f"{JOB}-a1.0", one)
    reserve(rig, gpus[0], 0, 4)
    rig.step()
    end = {"exit": None, "signal": 15, "by": "shutdown", "cause": "preempted", "reason": "it made way: bob"}
    rig.say(f"{JOB}-a1.0", {"e": "ended", "task": one, "made_way": True, **end}, {"e": "bye"})
    rig.backend.end(f"id-{JOB}-a1.0")
    rig.step(5)
    assert [(attempt.number, attempt.resumed) for attempt in rig.attempts(one)] == [(1, False), (2, True)]
    assert rig.attempts(one)[0].reason == "it made way: bob"
    assert started(rig)[-1] == (f"{JOB}-a2", ["1"]), "elsewhere"
    assert rig.rows()[0].state is AllocationState.ENDED
