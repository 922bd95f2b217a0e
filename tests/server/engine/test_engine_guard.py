"""Processes on reserved GPUs are found, told of and ended. The nodes are scripted, and so are the ways to people."""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any

import pytest

from paddock.models import Device, GpuProcess, Node, Role, SignInSource
from paddock.models.violations import ExemptionRequest, Violation
from paddock.paths import Home
from paddock.server.engine.engine import Engine
from paddock.server.engine.warden_calls import ReachOutcome
from paddock.server.store import devices, groups, notices, reservations, team, users, violations
from paddock.server.store.db import Database
from paddock.server.store.rows import moment
from paddock.settings import HookSettings, Settings
from tests.server.engine.engine_rig import Rig, rigged
from tests.server.engine.fake_backend import FakeBackend
from tests.support.reservations import add_reservation
from tests.support.server import wait_for

HOUR = 3600.0


class ScriptedCalls:
    """Records whom the guard would have reached."""

    def __init__(self) -> None:
        self.written: list[tuple[str, str, str]] = []  # host, user, text
        self.signals: list[tuple[str, str, int, int, str]] = []
        self.deaf: set[str] = set()  # hosts without a terminal of anybody
        self.broken: set[str] = set()
        self.open = threading.Event()
        self.open.set()

    def write(self, backend: str, host: str, user: str, text: str) -> ReachOutcome:
        self.open.wait(60)
        if host in self.broken:
            raise RuntimeError("broken")
        if host in self.deaf:
            return ReachOutcome(False, "they have no terminal there")
        self.written.append((host, user, text))
        return ReachOutcome(True, "on 1 terminal")

    def end(self, backend: str, host: str, user: str, pid: int, start: int, signal: str) -> ReachOutcome:
        self.signals.append((host, user, pid, start, signal))
        return ReachOutcome(True, f"SIG{signal}")


class GpuBackend(FakeBackend):
    """Nodes of which each GPU has the processes that the test says."""

    def __init__(self, name: str, hosts: list[str], gpus: int) -> None:
        super().__init__(name)
        self.hosts_there, self.gpus = hosts, gpus
        self.on: dict[tuple[str, int], list[GpuProcess]] = {}
        self.silent: set[str] = set()

    def nodes(self) -> list[Node]:
        return [self._node(host) for host in self.hosts_there]

    def _node(self, host: str) -> Node:
        gpus = []
        for number in range(self.gpus):
            gpu = Device(
                id=str(number), kind="gpu", memory=2**34, used_by=[k for k in [self.users.get(f"{host}:{number}")] if k]
            )
            if host not in self.silent:
                measured = {"uuid": f"GPU-{host}-{number}", "load": 0.0, "processes": self.on.get((host, number), [])}
                gpu = gpu.model_copy(update=measured)
            gpus.append(gpu)
        return Node(name=host, backend=self.name, cpus=8, slots=self.gpus, cpu_slots=8, devices=gpus)


class GuardRig(Rig):
    backend: GpuBackend

    def __init__(self, db: Database, home: Home, settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
        self.db, self.home, self.settings, self.ahead = db, home, settings, 0.0
        self.backend, self.calls = GpuBackend("local", ["gpu1", "gpu2"], 3), ScriptedCalls()
        with db.write() as c:
            for name in ("alice", "bob", "carol"):
                users.add(c, name, Role.USER, SignInSource.PASSWORD, 1.0, unix_name=f"u-{name}", email="")
            users.add(c, "ada", Role.ADMIN, SignInSource.PASSWORD, 1.0, unix_name="u-ada", email="")
            team.switch(c, True, 1.0)
        self.engine = self.open()
        self.look()

    def open(self) -> Engine:
        made = super().open()
        made._guard._calls = self.calls  # type: ignore[assignment]
        return made

    def look(self, seconds: float = 0.0) -> None:
        """Later: the nodes are looked at, and the guard does what is due."""
        self.ahead += seconds
        for worker in self.engine.context.workers.values():
            worker._executor.submit(worker.refresh_nodes).result(60)
        self.engine._devices.run(self.now())
        for _ in range(2):
            self.engine._guard.run(self.now())
            self.settle()
        self.engine._guard.run(self.now())

    def settle(self) -> None:
        if self.calls.open.is_set():
            wait_for(lambda: all(future.done() for future in self.engine._guard._acts._calls.values()))

    def device(self, host: str, number: int) -> str:
        with self.db.read() as c:
            return next(one.id for one in devices.in_use(c) if (one.host, one.number) == (host, number))

    def reserve(self, *on: tuple[str, int], owner: str | None = "alice", **given: Any) -> str:
        ids = [self.device(*one) for one in on]
        return add_reservation(self.db, ids, self.now() - 60, self.now() + 5 * HOUR, owner=owner, **given)

    def intrude(self, host: str, number: int, pid: int = 4711, owner: str | None = "u-bob", **given: Any) -> None:
        about = {"pid": pid, "owner": owner, "command": "python train.py", "start": 99, "memory": 2**32} | given
        self.backend.on.setdefault((host, number), []).append(GpuProcess(**about))

    def leave(self, host: str, number: int) -> None:
        self.backend.on[host, number] = []

    def found(self) -> list[Violation]:
        with self.db.read() as c:
            return violations.page(c).items

    def acts(self, at: int = 0) -> list[tuple[str, bool]]:
        return [(step.act, step.ok) for step in self.found()[at].steps]

    def notices(self, user: str) -> list[str]:
        with self.db.read() as c:
            return [one.text for one in notices.page(c, user).items]


@pytest.fixture
def make(home: Home, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., GuardRig]]:
    with ExitStack() as stack:

        def one(protect: str = "reserved", **given: Any) -> GuardRig:
            about = {"settle_seconds": 0.0} | given
            settings = Settings(home=home.root, owner="somebody", local={"protect": protect}, violations=about)
            made = stack.enter_context(rigged(GuardRig, home, settings, monkeypatch))
            stack.callback(made.calls.open.set)
            return made

        yield one


Make = Callable[..., GuardRig]


def test_an_intruder_is_told_at_once_and_the_owner_too(make: Make) -> None:
    rig = make()
    rig.reserve(("gpu1", 0))
    rig.intrude("gpu1", 0)
    rig.intrude("gpu1", 1)  # nobody has reserved it
    rig.look()
    (one,) = rig.found()
    assert (one.kind, one.device_name, one.pid, one.account, one.owner) == ("reserved", "gpu1:0", 4711, "bob", "alice")
    assert rig.acts() == [("terminal", True), ("page", True)]
    ((host, user, text),) = rig.calls.written
    assert (host, user) == ("gpu1", "u-bob")
    assert "gpu1:0 is reserved by alice until" in text and "4711 (python train.py)" in text
    assert "gpu1:0 is reserved by alice" in rig.notices("bob")[0]
    assert "A process of bob (4711, python train.py) is on gpu1:0" in rig.notices("alice")[0]
    rig.look(61)
    assert [act for act, _ in rig.acts()] == ["terminal", "page", "mail", "admins"]
    assert len(rig.notices("ada")) == 1
    rig.look(10)
    assert len(rig.found()[0].steps) == 4  # nothing is done twice
    rig.leave("gpu1", 0)
    rig.look(1)
    rig.look(6)
    assert rig.found()[0].outcome == "left"


def test_two_gpus_of_one_intruder_are_one_message(make: Make) -> None:
    rig = make()
    rig.reserve(("gpu1", 0), ("gpu1", 1))
    rig.intrude("gpu1", 0)
    rig.intrude("gpu1", 1)
    rig.intrude("gpu1", 1, pid=4712)
    rig.look()
    assert len(rig.found()) == 3
    ((_, _, text),) = rig.calls.written
    assert "gpu1:0 and gpu1:1 are reserved" in text and "4711 and 4712" in text
    assert len(rig.notices("bob")) == len(rig.notices("alice")) == 1
    rig.look(61)
    assert len(rig.notices("ada")) == 1


def test_who_starts_process_after_process_is_not_told_each_time_and_is_ended_all_the_same(make: Make) -> None:
    rig = make(grace_minutes=3.0)
    rig.reserve(("gpu1", 0))
    for turn in range(5):
        rig.leave("gpu1", 0)
        rig.look(7)
        rig.intrude("gpu1", 0, pid=100 + turn)
        rig.look(60)
    assert len(rig.calls.written) == 1 and len(rig.notices("bob")) == 1
    assert rig.calls.signals[0][4] == "TERM"
    assert len(rig.found()) == 5


def test_one_host_without_a_terminal_does_not_keep_the_others_from_being_told(make: Make) -> None:
    rig = make()
    rig.reserve(("gpu1", 0), ("gpu2", 0))
    rig.calls.deaf = {"gpu1"}
    rig.intrude("gpu1", 0)
    rig.intrude("gpu2", 0, pid=5000)
    rig.look()
    assert [host for host, _, _ in rig.calls.written] == ["gpu2"]
    told = {one.host: one.steps[0] for one in rig.found()}
    assert (told["gpu1"].ok, told["gpu1"].detail) == (False, "they have no terminal there")
    assert told["gpu2"].ok


def test_a_handler_that_fails_does_not_stop_the_others(make: Make) -> None:
    rig = make(hooks=[HookSettings(command=["/nonexistent/hook"]), HookSettings(command=["/bin/cat"])])
    rig.reserve(("gpu1", 0), ("gpu2", 0))
    rig.calls.broken = {"gpu1"}
    rig.intrude("gpu1", 0)
    rig.intrude("gpu2", 0, pid=5000)
    rig.look()
    assert [host for host, _, _ in rig.calls.written] == ["gpu2"]
    assert len(rig.notices("bob")) == 2  # one per host

    def hooked() -> bool:
        rig.engine._guard.run(rig.now())
        steps = [step for one in rig.found() for step in one.steps if step.act == "hook"]
        return sorted(step.ok for step in steps) == [False] * 4 + [True] * 4

    wait_for(hooked)
    detail = next(step.detail for one in rig.found() for step in one.steps if step.act == "hook" and step.ok)
    assert '"event": "violation"' in detail


def test_a_way_that_hangs_holds_up_nothing(make: Make) -> None:
    rig = make()
    rig.reserve(("gpu1", 0))
    rig.calls.open.clear()
    rig.intrude("gpu1", 0)
    began = time.monotonic()
    rig.look()
    assert time.monotonic() - began < 30
    assert rig.acts() == [("terminal", False), ("page", True)]
    rig.calls.open.set()
    rig.settle()
    rig.look()
    assert rig.acts()[0] == ("terminal", True)


def test_it_is_ended_after_the_grace_killed_once_and_by_its_identity(make: Make) -> None:
    rig = make(grace_minutes=2.0, kill_seconds=30.0)
    rig.reserve(("gpu1", 0))
    rig.intrude("gpu1", 0)
    rig.look(119)
    rig.look(119)
    assert rig.calls.signals == []
    rig.look(2)
    assert rig.calls.signals == [("gpu1", "u-bob", 4711, 99, "TERM")]
    rig.look(20)
    assert len(rig.calls.signals) == 1
    rig.look(15)
    assert [name for *_, name in rig.calls.signals] == ["TERM", "KILL"]
    rig.look(3600)
    rig.look(3600)
    assert len(rig.calls.signals) == 2
    rig.leave("gpu1", 0)
    rig.look(1)
    rig.look(6)
    assert rig.found()[0].outcome == "ended"


def test_what_a_server_began_before_it_was_killed_is_not_done_again(make: Make) -> None:
    rig = make(grace_minutes=0.0)
    rig.reserve(("gpu1", 0))
    rig.intrude("gpu1", 0)
    rig.look()
    assert len(rig.calls.signals) == len(rig.calls.written) == 1
    rig.reopen()
    rig.look()
    assert len(rig.calls.signals) == len(rig.calls.written) == 1 and len(rig.notices("bob")) == 1


def test_a_reservation_may_ask_for_ending(make: Make) -> None:
    rig = make()
    rig.reserve(("gpu1", 0), end_intruders_minutes=0.0)
    rig.intrude("gpu1", 0)
    rig.look()
    assert [name for *_, name in rig.calls.signals] == ["TERM"]


def test_unknown_owners_are_reported_and_never_ended(make: Make) -> None:
    rig = make(grace_minutes=0.0, protect="strict")
    rig.reserve(("gpu1", 0))
    rig.intrude("gpu1", 0, owner=None, start=None, command=None)
    rig.intrude("gpu1", 1, pid=1, owner="12345")  # a number: no name is known
    rig.intrude("gpu1", 2, pid=77, owner="u-bob", start=None)
    rig.look()
    rig.look(61)
    assert rig.calls.signals == []
    assert len(rig.found()) == 3 and len(rig.notices("ada")) == 1
    with rig.db.write() as c:
        for one in rig.found():
            violations.want(c, one.id, end_by="ada")
    rig.look()
    assert rig.calls.signals == []


def test_what_paddock_runs_there_is_none(make: Make) -> None:
    rig = make(protect="strict")
    rig.backend.users = {"gpu1:0": "k3v9x2ab-a1.0"}
    rig.intrude("gpu1", 0, owner="service", task="k3v9x2ab-1")
    rig.intrude("gpu1", 1, pid=1234, owner="service", task="k3v9x2ab-1")  # not on the GPU that it was given
    rig.look()
    assert [one.device_name for one in rig.found()] == ["gpu1:1"]


def test_guests_groups_and_admins_of_maintenance(make: Make) -> None:
    rig = make()
    with rig.db.write() as c:
        groups.add(c, "vision", 1.0, "")
        groups.set_members(c, "vision", ["carol"])
    rig.reserve(("gpu1", 0), guests=["bob"], guest_groups=["vision"])
    rig.reserve(("gpu1", 1), owner=None)
    rig.intrude("gpu1", 0)
    rig.intrude("gpu1", 0, pid=2, owner="u-carol")
    rig.intrude("gpu1", 1, pid=3, owner="u-ada")
    rig.look()
    assert rig.found() == []
    rig.intrude("gpu1", 1, pid=4)
    rig.look()
    assert [one.pid for one in rig.found()] == [4]


def test_a_silent_node_says_nothing_about_its_processes(make: Make) -> None:
    rig = make()
    rig.reserve(("gpu1", 0))
    rig.intrude("gpu1", 0)
    rig.look()
    rig.backend.silent = {"gpu1"}
    rig.look(60)
    rig.look(60)
    assert rig.found()[0].outcome is None


def test_it_is_over_with_the_reservation_or_exempt(make: Make) -> None:
    rig = make()
    first = rig.reserve(("gpu1", 0))
    rig.reserve(("gpu1", 1))
    rig.intrude("gpu1", 0)
    rig.intrude("gpu1", 1, pid=2)
    rig.look()
    with rig.db.write() as c:
        reservations.release(c, first, rig.now() - 1)
        until = moment(rig.now() + HOUR)
        violations.add_exemption(
            c, ExemptionRequest(account="bob", device=rig.device("gpu1", 1), until=until), "ada", 1.0
        )
    rig.look()
    assert {one.pid: one.outcome for one in rig.found()} == {4711: "over", 2: "exempt"}
    rig.look(2 * HOUR)
    assert {one.pid: one.outcome for one in rig.found() if one.outcome is None} == {2: None}  # the exemption is over


def test_without_protection_nothing_is_judged_and_what_was_open_is_over(make: Make) -> None:
    rig = make()
    rig.reserve(("gpu1", 0))
    rig.intrude("gpu1", 0)
    rig.look()
    rig.engine._guard._protect = {}
    rig.look()
    assert rig.found()[0].outcome == "over"


@pytest.mark.parametrize("text", ["{gpus}", "{gpu.real}", "{0}", "{}", "{gpu!r}", "{pid:>9}", "{gpu"])
def test_a_text_with_an_unknown_field_is_an_error_at_the_start(text: str) -> None:
    with pytest.raises(Exception, match=r"known|brace"):
        Settings(violations={"text_intruder": text})


def test_a_text_of_ones_own(make: Make) -> None:
    rig = make(
        text_intruder="{user}: leave {gpu} on {host} to {owner} until {until}, {{please}}. {pid} {command} {link}"
    )
    rig.reserve(("gpu1", 0))
    rig.intrude("gpu1", 0)
    rig.look()
    assert "bob: leave gpu1:0 on gpu1 to alice until" in rig.calls.written[0][2]
    assert "{please}" in rig.calls.written[0][2]
