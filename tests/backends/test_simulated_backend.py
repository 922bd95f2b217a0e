"""Test the pretended cluster: the contract of every backend (its allocations run real commands), and its runners."""

import json
import math
import os
import signal
import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from paddock.backends import processes
from paddock.backends.base import Backend
from paddock.backends.simulated import QUEUED, SimulatedAllocation, SimulatedBackend, SimulatedCluster
from paddock.backends.simulated_runners import Course
from paddock.common import layout
from paddock.common.clock import Clock
from paddock.models import AllocationBatch, AllocationChange, Device, Node, Place, Resources, Traits
from paddock.runner.mailbox import QueuedAttempt
from tests.backends.contract import BackendContract, BareContract, BatchContract, QueuedContract, RestartContract
from tests.backends.rig import ENDED, PENDING, RUNNING, Rig, states

MEMORY = 64 * 1024**3


class ProcessRunner:
    """A real command in place of a pretended runner."""

    def __init__(self, one: SimulatedAllocation) -> None:
        self.left, self._key = False, one.key
        gpus = [gpu for has in one.places.values() for gpu in has.gpus]
        with Path(one.folder, "out.log").open("a") as log:
            self._child = subprocess.Popen(
                one.command,
                cwd=one.folder,
                env={**os.environ, processes.MARK: one.key, "CUDA_VISIBLE_DEVICES": ",".join(gpus)},
                stdout=log,
                stderr=log,
                start_new_session=True,
            )

    def next_at(self) -> float:
        return math.inf

    def step(self, at: float) -> bool:
        if self._child.poll() is not None:
            processes.kill_marked(self._key)
            self.left = not processes.marked(self._key)
        return self.left

    def shut_down(self, at: float) -> None:
        os.killpg(self._child.pid, signal.SIGTERM)


def node(name: str, slots: int, gpus: Sequence[str] = ()) -> Node:
    devices = [Device(id=one, kind="gpu", name="h200") for one in gpus]
    cpus = [Device(id=str(one), kind="cpu", name="CPU slot") for one in range(slots)]
    return Node(
        name=name,
        backend="",
        cpus=slots,
        memory=MEMORY,
        slots=len(gpus) or slots,
        cpu_slots=slots,
        devices=[*devices, *cpus],
    )


class SimulatedRig(Rig):
    """All backends that are opened are about the same cluster, as those of a restarted server."""

    traits = QUEUED

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self._clusters: dict[tuple[int, tuple[str, ...]], SimulatedCluster] = {}

    def make(self, slots: int, gpus: list[str]) -> Backend:
        size = slots, tuple(gpus)
        if size not in self._clusters:
            nodes = [node("here", slots, gpus)]
            self._clusters[size] = SimulatedCluster(
                nodes, Clock(), lambda *_: Course(0.0), self.traits, runners=ProcessRunner
            )
        return SimulatedBackend(self._clusters[size])

    def node_names(self) -> set[str]:
        return {"here"}


class BareRig(SimulatedRig):
    traits = Traits()

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self._chosen: dict[str, list[Place]] = {}

    def open(self, slots: int = 3, gpus: Sequence[str] = ()) -> Backend:
        return super().open(slots, gpus)

    def submit(self, backend: Backend, batch: AllocationBatch) -> list[str]:
        """Submit to free devices, as the engine would, unless the test has chosen others; the same ones each time."""
        if batch.key not in self._chosen:
            kind, each = ("gpu", batch.resources.gpus) if batch.resources.gpus else ("cpu", batch.resources.cpus or 1)
            free = [d.id for one in backend.nodes() for d in one.devices if d.kind == kind and not d.used_by]
            parts = [free[n * each : (n + 1) * each] for n in range(min(batch.count, len(free) // each))]
            self._chosen[batch.key] = [Place(node="here", devices=one) for one in parts]
        if "places" not in batch.model_fields_set:
            batch = batch.model_copy(update={"places": self._chosen[batch.key]})
        return super().submit(backend, batch)


class TestQueuedCluster(BackendContract, BatchContract, QueuedContract, RestartContract):
    @pytest.fixture
    def rig(self, tmp_path: Path) -> Iterator[Rig]:
        rig = SimulatedRig(tmp_path)
        yield rig
        rig.close()


class TestBareCluster(BackendContract, BatchContract, BareContract, RestartContract):
    @pytest.fixture
    def rig(self, tmp_path: Path) -> Iterator[Rig]:
        rig = BareRig(tmp_path)
        yield rig
        rig.close()


# --- pretended runners ------------------------------------------------------------------------------------------------


class SetClock(Clock):
    at = 1_800_000_000.0

    def now(self) -> float:
        return self.at

    def ticks(self) -> float:
        return self.at


class Made:
    """A cluster of two nodes with two GPUs each, and a job folder on it."""

    def __init__(self, root: Path, start_seconds: float = 0.0) -> None:
        self.root, self.clock = root, SetClock()
        self.began = self.clock.at
        for name in (layout.CLAIMS, layout.ALLOCATIONS):
            (root / name).mkdir(parents=True)
        (root / layout.CONTROL).touch()
        self.courses = {"j-1": Course(10.0, [5.0] * 4), "j-2": Course(1.0, [2.0, 3.0])}
        self.sizes: list[int] = []
        nodes = [node("n1", 8, ["0", "1"]), node("n2", 8, ["0", "1"])]
        self.cluster = SimulatedCluster(nodes, self.clock, self._course, start_seconds=start_seconds)

    def _course(self, job: str, attempt: QueuedAttempt, gpus: int) -> Course:
        assert job == "j"
        self.sizes.append(gpus)
        course = self.courses[attempt.task]
        return Course(course.start, [seconds / max(gpus, 1) for seconds in course.epochs])

    def publish(self, *lines: dict[str, Any]) -> None:
        with (self.root / layout.TASKS).open("a") as file:
            file.writelines(json.dumps({"attempt": 1, **line}) + "\n" for line in lines)

    def order(self, **order: Any) -> None:
        with (self.root / layout.CONTROL).open("a") as file:
            file.write(json.dumps(order) + "\n")

    def submit(
        self, key: str = "j-a1", count: int = 1, *, gpus: int = 1, limit: float | None = None, **more: Any
    ) -> None:
        manifest = {"job": "j", "job_dir": str(self.root), "idle_seconds": 5.0, "gpus": {"task": gpus}, **more}
        folder = layout.allocation(str(self.root), key)
        Path(f"{folder}.manifest.json").write_text(json.dumps(manifest))
        for number in range(count):
            Path(f"{folder}.{number}").mkdir()
        nodes = (more.get("members") or {}).get("nodes")
        resources = Resources(gpus=gpus, cpus=1, nodes=nodes, time_limit=limit)
        self.cluster.submit(
            AllocationBatch(key=key, count=count, name=key, folder=folder, runner=[], resources=resources)
        )

    def after(self, seconds: float) -> None:
        """Go on to so many seconds after the beginning, with nothing in between."""
        self.clock.at = self.began + seconds
        self.cluster.advance()

    def state(self, key: str = "j-a1.0") -> Any:
        return self.cluster.states([key])[key].state

    def lines(self, key: str) -> list[dict[str, Any]]:
        journal = layout.journal(layout.allocation(str(self.root), key), 1)
        return [json.loads(line) for line in Path(journal).read_text().splitlines()]

    def records(self, key: str = "j-a1.0") -> list[tuple[float, str, Any]]:
        """What the journal contains: when, what, and what is special about it."""
        lines = self.lines(key)
        about = {"metric": "step", "ended": "by", "started": "task", "total": "epochs"}
        return [(round(one["at"] - self.began, 3), one["e"], one.get(about.get(one["e"], ""))) for one in lines]

    def claims(self) -> dict[str, str]:
        return {path.name: path.read_text().strip() for path in (self.root / layout.CLAIMS).iterdir()}


@pytest.fixture
def made(tmp_path: Path) -> Made:
    return Made(tmp_path / "j")


def test_a_runner_takes_task_after_task_each_at_its_own_time(made: Made) -> None:
    made.publish({"task": "j-1"}, {"task": "j-2"}, {"end": True})
    made.submit()
    assert made.claims() == {"j-1.1": "j-a1.0"}
    made.after(1000)  # the clock jumps, and what happened on the way has its own times
    kinds = [one for one in made.records() if one[1] != "here"]
    assert kinds == [
        (0, "runner", None),
        (0, "started", "j-1"),
        (0, "total", 4),
        *[(10 + 5 * epoch, "metric", epoch) for epoch in (1, 2, 3, 4)],
        (30, "ended", None),
        (30, "started", "j-2"),
        (30, "total", 2),
        (33, "metric", 1),
        (36, "metric", 2),
        (36, "ended", None),
        (36, "bye", None),
    ]
    assert made.state() is ENDED
    assert made.claims() == {"j-1.1": "j-a1.0", "j-2.1": "j-a1.0"}


def test_what_does_not_fit_waits_and_begins_when_it_does(made: Made) -> None:
    made.publish({"task": "j-1"}, {"task": "j-2"}, {"end": True})
    made.submit("j-a1", gpus=2, count=2)
    made.submit("j-a2")
    assert [made.state(key) for key in ("j-a1.0", "j-a1.1", "j-a2.0")] == [RUNNING, RUNNING, PENDING]
    made.after(1 + 5 / 2)  # j-2 took 1 s to start, and 5 s on one GPU
    assert made.cluster.allocations["j-a2.0"].started_at == made.began + 3.5
    assert made.sizes == [2, 2]


def test_a_scheduler_takes_its_time_after_a_request_and_after_an_end(tmp_path: Path) -> None:
    made = Made(tmp_path / "j", start_seconds=2.0)
    made.publish({"task": "j-1"}, {"task": "j-2"}, {"end": True})
    made.submit("j-a1", gpus=2, count=2)
    made.submit("j-a2")
    made.after(1.5)
    assert {made.state(key) for key in ("j-a1.0", "j-a1.1", "j-a2.0")} == {PENDING}
    made.after(100)
    began = {key: one.started_at - made.began for key, one in made.cluster.allocations.items()}
    assert began == {"j-a1.0": 2.0, "j-a1.1": 2.0, "j-a2.0": 2 + 3.5 + 2}  # j-2 takes 1 s to start, and 5 s on one GPU


def test_an_idle_runner_leaves(made: Made) -> None:
    made.submit()
    made.after(4.9)
    assert made.state() is RUNNING
    made.after(5.0)
    assert made.state() is ENDED


@pytest.mark.parametrize("order", ["stop", "prune", "follow", "resize"])
def test_orders_about_an_attempt(made: Made, order: str) -> None:
    made.publish({"task": "j-1"}, {"task": "j-2"})
    made.submit()
    made.after(16)
    made.order(op=order, task="j-1", attempt=1)
    made.after(17)
    assert (17, "ended", order) in made.records()
    assert ((17, "started", "j-2") in made.records()) == (order != "resize")  # that leaves its GPUs for the next size


def test_a_resumed_attempt_goes_on_after_the_last_epoch_that_ended(made: Made) -> None:
    made.publish({"task": "j-1", "size": 1})
    made.submit()
    made.order(op="resize", task="j-1", attempt=1)
    made.after(10 + 2 * 5 + 4)  # in its third epoch
    assert made.state() is ENDED
    assert [at for at, kind, _ in made.records() if kind == "saved"] == [15]
    made.publish({"task": "j-1", "attempt": 2, "resume": True, "size": 2}, {"end": True})
    made.submit("j-a2", gpus=1)
    made.submit("j-a3", gpus=2)
    assert made.claims()["j-1.2"] == "j-a3.0"
    made.after(100)
    ends = [one for one in made.records("j-a3.0") if one[1] in ("metric", "ended")]
    assert ends == [(36.5, "metric", 3), (39, "metric", 4), (39, "ended", None)]


def test_draining_and_making_room(made: Made) -> None:
    made.publish({"task": "j-1"}, {"task": "j-1", "attempt": 2}, {"task": "j-2"})
    made.submit(count=2)
    made.order(op="drain", allocation="j-a1.0")
    made.order(op="drain", allocation="j-a1.1", saved=True, why="made room for bob's job 38")
    made.after(1)
    assert made.state("j-a1.1") is RUNNING  # it has saved nothing yet
    made.after(100)
    assert (30, "ended", None) in made.records("j-a1.0")
    assert (15, "ended", "shutdown") in made.records("j-a1.1")
    assert "j-2.1" not in made.claims()
    last = made.lines("j-a1.1")[-2]
    assert (last["cause"], last["reason"], last["made_way"]) == ("yielded", "made room for bob's job 38", True)


def test_a_time_limit_ends_what_runs_and_nothing_begins_shortly_before_it(made: Made) -> None:
    made.publish({"task": "j-1"}, {"task": "j-2"}, {"end": True})
    made.submit(time_limit=25.0, grace_seconds=1.0)
    made.after(100)
    assert [(at, kind) for at, kind, by in made.records() if by == "shutdown"] == [(21.25, "ended")]
    assert "j-2.1" not in made.claims()


def test_a_cancelled_one_ends_its_task_and_leaves(made: Made) -> None:
    made.publish({"task": "j-1"})
    made.submit(count=2)
    made.after(16)
    made.cluster.cancel(["j-a1.0"], waiting_only=True)
    assert made.state() is RUNNING
    made.cluster.cancel(["j-a1.0"], waiting_only=False)
    assert [one[1:] for one in made.records()[-2:]] == [("ended", "shutdown"), ("bye", None)]


def test_hold_and_release_of_what_waits(made: Made) -> None:
    made.publish({"task": "j-1"})
    made.submit("j-a1", count=2, gpus=2)
    made.submit("j-a2")
    made.cluster.change(["j-a2.0"], AllocationChange(held=True))
    made.submit("j-a3")
    made.after(50)
    assert (made.state("j-a2.0"), made.state("j-a3.0")) == (PENDING, ENDED)


def test_what_comes_later_overtakes_only_where_time_limits_show_that_it_delays_nobody(made: Made) -> None:
    made.publish(*({"task": "j-1", "attempt": number} for number in (1, 2, 3, 4)))
    made.submit("j-a1", count=1, gpus=2, limit=100.0)
    made.submit("j-a2", count=1, gpus=2, limit=60.0, members={"nodes": 2, "processes": 2, "launcher": "torchrun"})
    made.submit("j-a3", gpus=1, limit=200.0)
    made.submit("j-a4", gpus=1, limit=90.0)
    made.submit("j-a5", gpus=1)
    expected = {"j-a1": RUNNING, "j-a2": PENDING, "j-a3": PENDING, "j-a4": RUNNING, "j-a5": PENDING}
    assert {key: made.state(f"{key}.0") for key in expected} == expected


def test_a_folder_without_a_manifest_is_a_failed_launch(made: Made) -> None:
    resources = Resources(gpus=1)
    batch = AllocationBatch(key="j-a9", name="x", folder=str(made.root / "nowhere"), runner=[], resources=resources)
    made.cluster.submit(batch)
    status = SimulatedBackend(made.cluster).poll(["j-a9.0"])["j-a9.0"]
    assert (status.state, status.cause) == (ENDED, "launch_failed")
    assert states(SimulatedBackend(made.cluster), "unknown") == [None]
