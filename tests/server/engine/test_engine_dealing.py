"""The engine deals attempts to allocations, each on its own host, and takes back what has not begun."""

import json
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from paddock.backends.base import PollPace
from paddock.errors import BackendClosed
from paddock.models import AllocationState, Cause, Device, Node, TaskState, Traits
from paddock.paths import Home, JobFolder
from paddock.server.engine.engine import Engine
from paddock.server.engine.unfit import AVOID_SECONDS
from paddock.server.outposts.claims import Identity
from paddock.server.outposts.here import Here
from paddock.server.outposts.outpost import Outpost
from paddock.server.store import allocations, attempts, deals, hosts, jobs, tasks
from paddock.server.store.attempts import UnbegunAttempt
from paddock.settings import Settings
from tests.server.engine.engine_rig import JOB, Rig, rigged
from tests.server.engine.fake_backend import FakeBackend


class Hosts(FakeBackend):
    """Hosts with one slot each, which may be silent or lost."""

    def __init__(self) -> None:
        super().__init__("lab", PollPace(nodes=0.0), slots=1)
        self.traits = Traits(dealt=True)
        self.names = ["gpu1", "gpu2"]
        self.states: dict[str, str] = {}

    def nodes(self) -> Sequence[Node]:
        self._call("nodes")
        return [
            Node(
                name=name,
                backend=self.name,
                cpus=self.slots,
                slots=self.slots,
                cpu_slots=self.slots,
                devices=[Device(id=str(n), kind="cpu") for n in range(self.slots)],
                state=self.states.get(name, "up"),
                usable=name not in self.states,
            )
            for name in self.names
        ]


class DealtHere(Here):
    """Everything in the server's home, as if the folder of each allocation were on its host."""

    dealt = True

    def __init__(self, home: Home, job: str, rig: "DealingRig") -> None:
        super().__init__(home, job)
        self._rig = rig

    def on(self, node: str | None) -> JobFolder:
        return JobFolder(Path(f"/on/{node}"), self._job) if node else self.folder

    def problem(self, node: str | None = None) -> str | None:
        return f"{node} does not answer" if node in self._rig.unanswering else None

    def reached(self, node: str | None) -> bool:
        return node not in self._rig.unanswering

    def carried(self, node: str | None = None) -> bool:
        return node not in self._rig.not_carried

    def withdraw(self, attempts: Iterable[Identity]) -> Mapping[Identity, bool]:
        known = {}
        for task, number in set(attempts):
            key, state = self._rig.dealt(task, number)
            if key is None or state.ended:
                known[task, number] = True
            elif self._rig.node_of(key) not in self._rig.unanswering:
                claim = self.mirror.allocation(key) / "claims" / f"{task}.{number}"
                claim.parent.mkdir(exist_ok=True)
                if not os.path.lexists(claim):
                    claim.symlink_to("withdrawn")
                known[task, number] = claim.is_symlink()
        return known


class DealingRig(Rig):
    backend: Hosts

    def open(self) -> Engine:
        self.unanswering: set[str] = getattr(self, "unanswering", set())
        self.not_carried: set[str] = getattr(self, "not_carried", set())  # where nothing of a job arrives
        self.backend = self.backend if isinstance(self.backend, Hosts) else Hosts()
        made = super().open()
        made.context.outposts.of = self.outpost  # type: ignore[method-assign]
        return made

    def outpost(self, job: str) -> Outpost:
        return DealtHere(self.home, job, self)

    def job(self, tasks: int = 1, job: str = JOB, **spec: Any) -> list[str]:
        return super().job(tasks, job, **{"resources": {"backend": "lab"}} | spec)

    def dealt(self, task: str, number: int) -> tuple[str | None, TaskState]:
        with self.db.read() as c:
            found = attempts.lookup(c, [(task, number)])[task, number]
        return found.dealt_to, found.attempt_state

    def dealt_to(self, task: str, number: int = 1) -> str | None:
        return self.dealt(task, number)[0]

    def node_of(self, key: str) -> str:
        batch, _, number = key.rpartition(".")
        return next(one for one in self.backend.batches if one.key == batch).places[int(number)].node

    def planned_on(self) -> str:
        """Return the node of the only batch that is planned and not submitted."""
        with self.db.read() as c:
            [(_, _, batch)] = allocations.planned(c)
        return batch.places[0].node

    def hand(self, node: str) -> dict[str, list[str]]:
        """Return what is in the lists of the allocations of a host."""
        found = {}
        for key in self.keys():
            if self.node_of(key) == node:
                path = self.home.job(JOB).allocation(key) / "tasks.jsonl"
                lines = [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []
                found[key] = ["end" if line.get("end") else f"{line['task']}.{line['attempt']}" for line in lines]
        return found

    def key(self, node: str) -> str:
        """Return the last allocation on a host."""
        return list(self.hand(node))[-1]

    def claim(self, key: str, task: str, number: int = 1) -> None:
        folder = self.home.job(JOB).allocation(key) / "claims"
        folder.mkdir(exist_ok=True)
        (folder / f"{task}.{number}").write_text(key)

    def begin(self, key: str, task: str, number: int = 1) -> None:
        """Let the runner of an allocation begin a task."""
        self.claim(key, task, number)
        self.backend.run(f"id-{key}", self.node_of(key))
        self.say(key, {"e": "runner"}, {"e": "started", "task": task, "attempt": number, "node": self.node_of(key)})
        self.step()

    def finish(self, key: str, task: str, number: int = 1, **ended: Any) -> None:
        self.say(key, {"e": "ended", "task": task, "attempt": number, "exit": 0, **ended})
        self.step()

    def lose(self, node: str) -> None:
        """Declare a host lost, as an administrator does."""
        self.backend.states[node] = "lost"
        with self.db.write() as c:
            hosts.lose(c, "lab", node, "root", self.now())

    def leave(self, key: str) -> None:
        self.say(key, {"e": "bye"})
        self.backend.end(f"id-{key}")
        self.step()


@pytest.fixture
def rig(home: Home, settings: Settings, monkeypatch: pytest.MonkeyPatch) -> Iterator[DealingRig]:
    with rigged(DealingRig, home, settings, monkeypatch) as made:
        yield made


def test_each_host_gets_its_own_and_one_ahead(rig: DealingRig) -> None:
    rig.job(5)
    rig.step()
    assert [len(one.places) for one in rig.backend.batches] == [1, 1], "a batch per host"
    manifest = json.loads((rig.home.job(JOB).allocations / f"{JOB}-a1.manifest.json").read_text())
    assert manifest["dealt"] is True
    assert manifest["node"] == rig.node_of(f"{JOB}-a1.0")
    assert manifest["job_dir"] == f"/on/{manifest['node']}"
    hands = rig.hand("gpu1") | rig.hand("gpu2")
    assert sorted(task for some in hands.values() for task in some) == [f"{JOB}-{n}.1" for n in (1, 2, 3, 4)]
    assert {len(some) for some in hands.values()} == {2}
    assert not rig.home.job(JOB).tasks.exists()
    assert rig.detail().counts.submitted == 5


def test_a_host_that_is_silent_before_it_began_gives_back_what_it_was_to_have(rig: DealingRig) -> None:
    """It was chosen when it still answered, and nothing has arrived there."""
    rig.not_carried = {"gpu1", "gpu2"}
    rig.job()
    rig.step()
    node = rig.planned_on()
    rig.backend.states[node] = "silent"
    rig.not_carried = {node}
    rig.step()
    [batch] = rig.backend.batches
    assert batch.places[0].node != node
    assert rig.dealt_to(f"{JOB}-1") == f"{batch.key}.0"


@pytest.mark.parametrize("by", ["an earlier server", "this one"])
def test_what_may_have_begun_on_a_silent_host_is_given_back_when_that_is_lost(rig: DealingRig, by: str) -> None:
    if by == "this one":
        rig.backend.trouble["submit"] = BackendClosed("who knows what it has done")
    else:
        rig.not_carried = {"gpu1", "gpu2"}
    rig.job()
    rig.step()
    node = rig.planned_on()
    if by == "an earlier server":
        rig.reopen()
    rig.backend.states[node] = "silent"
    rig.not_carried = {node}
    rig.step()
    assert rig.backend.batches == [] and rig.planned_on() == node
    rig.backend.trouble.clear()
    rig.lose(node)
    rig.step()
    [batch] = rig.backend.batches
    assert batch.places[0].node != node


def test_what_ends_makes_room_and_the_last_list_ends(rig: DealingRig) -> None:
    rig.job(5)
    rig.step()
    one, other = rig.key("gpu1"), rig.key("gpu2")
    first, second = (task.split(".")[0] for task in rig.hand("gpu1")[one])
    rig.begin(one, first)
    assert rig.hand("gpu1")[one] == [f"{first}.1", f"{second}.1"]
    rig.begin(other, rig.hand("gpu2")[other][0].split(".")[0])
    rig.finish(one, first)
    assert rig.hand("gpu1")[one] == [f"{first}.1", f"{second}.1", f"{JOB}-5.1", "end"]
    assert rig.hand("gpu2")[other][-1] == "end"


def test_an_idle_host_gets_what_another_has_ahead(rig: DealingRig) -> None:
    rig.job(4)
    rig.step()
    one, other = rig.key("gpu1"), rig.key("gpu2")
    [a, b] = (task.split(".")[0] for task in rig.hand("gpu1")[one][:2])
    [x, y] = (task.split(".")[0] for task in rig.hand("gpu2")[other][:2])
    rig.begin(one, a)
    rig.begin(other, x)
    rig.finish(other, x)
    rig.begin(other, y)
    rig.finish(other, y)
    assert rig.dealt_to(b) == other
    assert rig.hand("gpu2")[other][-2:] == [f"{b}.1", "end"]
    assert (rig.home.job(JOB).allocation(one) / "claims" / f"{b}.1").is_symlink(), "withdrawn first"
    # A record of the one that had it before changes nothing.
    rig.say(one, {"e": "started", "task": b, "attempt": 1, "node": "gpu1"})
    rig.step()
    assert rig.task(b).state is TaskState.SUBMITTED
    rig.begin(other, b)
    assert rig.task(b).state is TaskState.RUNNING


def test_one_that_has_begun_cannot_be_taken_back(rig: DealingRig) -> None:
    rig.job(3)
    rig.step()
    one = next(key for node in ("gpu1", "gpu2") for key, some in rig.hand(node).items() if len(some) > 1)
    other = next(key for key in [row.key for row in rig.rows()] if key != one)
    a, b = (task.split(".")[0] for task in rig.hand(rig.node_of(one))[one][:2])
    [x] = (task.split(".")[0] for task in rig.hand(rig.node_of(other))[other][:1])
    rig.begin(one, a)
    rig.claim(one, b)  # its runner had a free seat just now, and has not reported it
    rig.begin(other, x)
    rig.finish(other, x)
    assert rig.dealt_to(b) == one
    rig.step()
    assert rig.dealt_to(b) == one


def test_a_host_that_does_not_answer_keeps_what_it_has(rig: DealingRig) -> None:
    rig.job(5)
    rig.step()
    one, other = rig.key("gpu1"), rig.key("gpu2")
    a, b = (task.split(".")[0] for task in rig.hand("gpu1")[one])
    x, y = (task.split(".")[0] for task in rig.hand("gpu2")[other])
    rig.begin(one, a)
    rig.begin(other, x)
    rig.backend.states["gpu1"] = "silent"
    rig.unanswering.add("gpu1")
    rig.step(seconds=20)
    rig.finish(other, x)
    for task in (y, f"{JOB}-5"):
        rig.begin(other, task)
        rig.finish(other, task)
    assert rig.dealt_to(b) == one
    with rig.db.write() as c:
        attempts.request_stop(c, JOB, [b])
    rig.step()
    assert rig.task(b).state is TaskState.SUBMITTED, "whether its runner has it, only the host knows"
    del rig.backend.states["gpu1"]
    rig.unanswering.clear()
    rig.step(seconds=20)
    assert rig.task(b).state is TaskState.STOPPED


def test_a_new_server_writes_what_was_dealt_again(rig: DealingRig) -> None:
    rig.job(5)
    rig.step()
    before = rig.hand("gpu1")
    queue = rig.home.job(JOB).allocation(rig.key("gpu1")) / "tasks.jsonl"
    queue.unlink()  # the server was killed between the database and the file
    rig.reopen()
    rig.step()
    assert rig.hand("gpu1") == before
    assert all(rig.dealt_to(f"{JOB}-{n}") for n in (1, 2, 3, 4))
    assert rig.dealt_to(f"{JOB}-5") is None


def test_what_a_host_had_not_begun_is_dealt_again_when_its_allocation_ends(rig: DealingRig) -> None:
    rig.job(4)
    rig.step()
    one, other = rig.key("gpu1"), rig.key("gpu2")
    a, b = (task.split(".")[0] for task in rig.hand("gpu1")[one][:2])
    rig.begin(other, rig.hand("gpu2")[other][0].split(".")[0])
    rig.begin(one, a)
    rig.claim(one, b)  # it took the second one, and died before it could report it
    rig.backend.end(f"id-{one}", Cause.LOST)
    rig.step()
    assert [one.state for one in rig.attempts(a)] == [TaskState.ERROR, TaskState.SUBMITTED]
    assert [one.state for one in rig.attempts(b)] == [TaskState.ERROR, TaskState.SUBMITTED]
    rig.step()
    later = rig.key("gpu1")
    assert later != one
    assert f"{a}.2" in rig.hand("gpu1")[later]


def test_a_resumed_attempt_waits_for_the_host_that_has_its_checkpoint(rig: DealingRig) -> None:
    rig.job(1)
    rig.step()
    task = f"{JOB}-1"
    [one] = rig.keys()
    node = rig.node_of(one)
    other = next(name for name in rig.backend.names if name != node)
    rig.begin(one, task)
    rig.finish(one, task, exit=None, by="shutdown", cause="time_limit")
    rig.leave(one)
    assert rig.attempts(task)[-1].node == node
    assert [rig.node_of(row.key) for row in rig.rows()] == [node, node]
    assert not rig.hand(other)
    rig.begin(rig.key(node), task, 2)
    rig.finish(rig.key(node), task, 2, exit=None, by="shutdown", cause="time_limit")
    rig.backend.states[node] = "silent"
    rig.unanswering.add(node)
    rig.leave(rig.key(node))
    rig.step(seconds=20)
    assert not rig.hand(other)
    rig.lose(node)
    rig.step(seconds=20)
    rig.step()
    assert rig.hand(other) == {rig.key(other): [f"{task}.3", "end"]}
    with rig.db.read() as c:
        assert not attempts.lookup(c, [(task, 3)])[task, 3].resumed, "the checkpoint is gone"


def test_what_a_lost_host_had_is_tried_again_elsewhere(rig: DealingRig) -> None:
    rig.job(4)
    rig.step()
    one, other = rig.key("gpu1"), rig.key("gpu2")
    a, b = (task.split(".")[0] for task in rig.hand("gpu1")[one][:2])
    x, y = (task.split(".")[0] for task in rig.hand("gpu2")[other][:2])
    rig.begin(one, a)
    rig.begin(other, x)
    rig.unanswering.add("gpu1")
    rig.lose("gpu1")
    rig.backend.statuses[f"id-{one}"] = rig.backend.statuses[f"id-{one}"].model_copy(
        update={
            "state": AllocationState.ENDED,
            "cause": Cause.NODE_FAILURE,
            "reason": "gpu1 was declared lost",
            "node": "gpu1",
        }
    )
    rig.step(seconds=20)
    for task in (a, b):
        assert [attempt.cause for attempt in rig.attempts(task)] == [Cause.NODE_FAILURE, None]
    for task in (x, y):
        if rig.task(task).state is TaskState.SUBMITTED:
            rig.begin(other, task)
        rig.finish(other, task)
    rig.step()
    dealt = [task for some in rig.hand("gpu2").values() for task in some]
    assert {f"{a}.2", f"{b}.2"} <= set(dealt)


def test_a_held_job_is_dealt_nothing(rig: DealingRig) -> None:
    rig.backend.names = ["gpu1"]
    rig.job(4)
    rig.step()
    key = rig.key("gpu1")
    rig.begin(key, f"{JOB}-1")
    with rig.db.write() as c:
        jobs.hold(c, JOB)
    rig.finish(key, f"{JOB}-1")
    assert rig.control() == [{"op": "hold"}]
    assert rig.hand("gpu1")[key] == [f"{JOB}-1.1", f"{JOB}-2.1"]
    with rig.db.write() as c:
        jobs.hold(c, JOB, held=False)
    rig.step()
    assert rig.hand("gpu1")[key] == [f"{JOB}-1.1", f"{JOB}-2.1", f"{JOB}-3.1"]


def test_what_the_backend_did_not_take_is_dealt_to_others(rig: DealingRig) -> None:
    rig.backend.slots, rig.backend.names, rig.backend.takes = 2, ["gpu1"], 1
    rig.job(3)
    rig.step()
    with rig.db.read() as c:
        assert {one.dealt_to for one in deals.in_hand(c)} <= set(rig.keys())
        assert not [row for row in deals.undealt(c, JOB, [], 10) if isinstance(row, UnbegunAttempt) and row.node]
        assert tasks.get(c, f"{JOB}-1").state is TaskState.SUBMITTED


def test_a_host_where_nothing_can_start_is_left_out(rig: DealingRig) -> None:
    """Somebody's account is missing on one host: the host answers, and the agent does not."""
    rig.unanswering.add("gpu1")
    rig.job(3)
    rig.step()
    rig.step()
    assert [one.places[0].node for one in rig.backend.batches] == ["gpu2"]
    assert [text for text in rig.detail().warnings if "cannot start on gpu1, and run elsewhere: gpu1 does" in text]
    rig.unanswering.clear()
    rig.step(seconds=AVOID_SECONDS + 1)
    rig.step()
    assert sorted(one.places[0].node for one in rig.backend.batches) == ["gpu1", "gpu2"], "tried again"


def test_where_nothing_can_start_on_any_host_the_job_says_so(rig: DealingRig) -> None:
    rig.unanswering |= {"gpu1", "gpu2"}
    rig.job(3)
    for _ in range(3):
        rig.step()
    assert not rig.backend.batches
    assert [text for text in rig.detail().warnings if "does not answer" in text]


def test_runners_that_do_not_start_on_one_host_do_not_end_the_job(rig: DealingRig) -> None:
    rig.job(4)
    rig.step()
    one, other = rig.key("gpu1"), rig.key("gpu2")
    rig.begin(other, rig.hand("gpu2")[other][0].split(".")[0])
    for _ in range(4):
        rig.backend.end(f"id-{one}", Cause.LAUNCH_FAILED, reason="the runner: no space left")
        rig.step(seconds=2)
        rig.step(seconds=2)
        one = rig.key("gpu1")
    assert rig.detail().counts.error == 0
    assert rig.detail().counts.submitted == 3
    assert [text for text in rig.detail().warnings if "cannot start on gpu1" in text]
