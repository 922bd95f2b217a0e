"""Test the engine's monitor: measurements of runners, merged by node and GPU, and what is stored."""

import io
import json
import time
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any, cast

import pytest
from rich.console import Console

from paddock.cli.load import view
from paddock.models import Device, GpuProcess, Node, SignedInPerson, TaskState, Traits
from paddock.models.load import LoadReport
from paddock.paths import Home
from paddock.rules.load_history import Sample
from paddock.server.api import load as api
from paddock.server.api.caller import Caller
from paddock.server.api.replies import Replier
from paddock.server.api.server import Server
from paddock.server.engine.backend_worker import BackendWorker
from paddock.server.engine.load import Monitor
from paddock.server.journal import NodeSeen, parse
from paddock.server.store import attempts, loads, metrics
from paddock.server.store.db import Database
from tests.server.engine.engine_rig import JOB, Rig
from tests.server.store.given import add_job, move

NOW = 1_000_000.0
KEY = ("fake", "n1")
GIB = 2**30


class Nodes:
    """All that a monitor sees of a worker."""

    def __init__(self, *nodes: Node) -> None:
        self.nodes = list(nodes)
        self.fresh = True


def node(name: str = "n1", gpus: int = 2, **fields: Any) -> Node:
    devices = [Device(id=str(n), kind="gpu") for n in range(gpus)]
    return Node(name=name, backend="fake", cpus=8, slots=gpus, cpu_slots=8, devices=devices, **fields)


def said(at: float = NOW, card: int | None = 0, used: int = 5, name: str = "n1", **fields: Any) -> dict[str, Any]:
    cards = [] if card is None else [{"id": f"GPU-{card}", "number": 0, "place": str(card), "used": used, "load": 0.5}]
    known = {"e": "node", "at": at, "node": name, "cores": 8, "busy": 2.0, "load": 3.0, "memory": 100, "free": 60}
    return {**known, "cards": cards, **fields}


def look(*args: Any, **fields: Any) -> NodeSeen:
    [record] = parse(json.dumps(said(*args, **fields)).encode() + b"\n").records
    assert isinstance(record, NodeSeen)
    return record


def monitor(*nodes: Node) -> tuple[Monitor, Nodes]:
    worker = Nodes(*nodes)
    return Monitor({"fake": cast(BackendWorker, worker)}), worker


def used(made: Monitor, now: float = NOW) -> list[int | None]:
    return [device.memory_used for device in made.nodes(now)[0].devices]


class TestLooks:
    def test_runners_on_one_node_are_merged_by_card(self) -> None:
        made, _ = monitor(node())
        made.take([("fake", look(card=0)), ("fake", look(NOW - 5, card=1, used=7, busy=1.0))], NOW)
        assert used(made) == [5, 7]
        assert made.nodes(NOW)[0].cpus_busy == 2.0, "the later one"
        made.take([("fake", look(NOW + 30, card=1, used=8, busy=4.0))], NOW + 30)
        assert used(made, NOW + 30) == [5, 8]
        assert used(made, NOW + 65) == [None, 8], "the first has not been looked at for a minute"
        assert used(made, NOW + 95) == [None, None]
        assert made.nodes(NOW + 95)[0].cpus_busy is None

    def test_what_is_old_or_elsewhere_changes_nothing(self) -> None:
        made, _ = monitor(node())
        news = [look(NOW - 61), look(name="n2")]
        made.take([("fake", one) for one in news] + [("other", look())], NOW)
        assert made.nodes(NOW) == [node()]

    def test_a_clock_that_is_ahead(self) -> None:
        made, _ = monitor(node())
        made.take([("fake", look(NOW + 500))], NOW)
        assert used(made) == [5, None]
        assert used(made, NOW + 61) == [None, None]


@pytest.fixture
def db(home: Home) -> Iterator[Database]:
    db = Database(f"sqlite:///{home.database}")
    db.migrate()
    yield db
    db.close()


def kept(db: Database) -> list[tuple[float, Sample]]:
    with db.read() as c:
        return loads.since(c, 0).get(KEY, [])


class TestHistory:
    def test_a_row_every_quarter_of_a_minute(self, db: Database) -> None:
        made, _ = monitor(node())
        for second in range(31):
            made.take([("fake", look(NOW + second))], NOW + second)
            made.keep(db, NOW + second, 48)
        sample = {"load": 0.25, "memory": 40, "gpus": {"0": [0.5, 5, None, None, 0]}}
        assert kept(db) == [(NOW, sample), (NOW + 15, sample), (NOW + 30, sample)]

    def test_a_node_that_nobody_looks_at_only_when_it_changes(self, db: Database) -> None:
        made, worker = monitor(node(cpus_used=2))
        for second in range(0, 700, 15):
            if second == 300:
                worker.nodes = [node(cpus_used=4)]
            made.keep(db, NOW + second, 48)
        assert [(at - NOW, sample["load"]) for at, sample in kept(db)] == [(0, 0.25), (300, 0.5)]
        made.keep(db, NOW + 901, 48)
        assert len(kept(db)) == 3

    def test_nothing_when_nothing_is_known(self, db: Database) -> None:
        made, worker = monitor(node())
        made.keep(db, NOW, 48)
        worker.nodes, worker.fresh = [node(cpus_used=2)], False
        made.keep(db, NOW + 20, 48)
        assert kept(db) == [], "what the backend said is of another time"

    def test_old_rows_are_thinned_and_then_deleted(self, db: Database) -> None:
        made, _ = monitor(node())
        hour = 3600
        with db.write() as c:
            for at in (NOW - 50 * hour, *(NOW - 2 * hour + n for n in (0, 1, 2)), NOW - 60, NOW - 59):
                loads.insert(c, at, [(KEY, {"load": 0.1, "memory": None})])
        made.keep(db, NOW, 48)
        assert [at - NOW for at, _ in kept(db)] == [-2 * hour, -60, -59]


def test_from_the_journal_to_the_node(rig: Rig) -> None:
    [task] = rig.job()
    rig.step()
    [key] = rig.keys()
    rig.started(key, task)
    at = time.time() + rig.ahead
    rig.say(key, said(at, card=None), {"e": "node", "at": at, "junk": True})
    rig.step(seconds=20)
    [seen] = rig.engine.nodes_now()
    assert (seen.cpus_busy, seen.memory_used) == (2.0, 40)
    with rig.db.read() as c:
        assert loads.since(c, 0)[KEY][-1][1] == {"load": 0.5, "memory": 40}
    assert json.dumps(seen.model_dump(mode="json"))
    assert rig.task(f"{JOB}-1").state == "running", "a look says nothing of tasks"


class TestReport:
    """What the API makes of it."""

    def ask(self, db: Database, nodes: list[Node], by: Caller = Caller("ann")) -> LoadReport:
        engine = SimpleNamespace(nodes_now=lambda: nodes, traits={node.backend: Traits() for node in nodes})
        answer = api.load(cast(Server, SimpleNamespace(db=db, engine=engine)), by, Replier(gzipped=False))
        return LoadReport.model_validate_json(bytes(answer.body))

    def given(self, db: Database, **measured: float) -> str:
        """A task that has run for ten minutes on GPU 0, and what was measured every two seconds."""
        [task] = add_job(db, name="sweep")
        attempt = move(db, task, TaskState.RUNNING)
        now = time.time()
        with db.write() as c:
            place = {"started_at": now - 600, "node": "n1", "device": "gpu 0"}
            attempts.update_attempts(c, [{"id": attempt, **place}])
            steps = [600.0 - 2 * n for n in range(100, 0, -1)]
            series = {f"sys/{name}": [(s, value, now - 600 + s) for s in steps] for name, value in measured.items()}
            metrics.Appender().append(c, {attempt: series})
        return task

    def test_what_runners_measure_of_a_task(self, db: Database) -> None:
        task = self.given(db, cpu=1.5, memory=2 * GIB, gpu_memory=GIB, gpu_load=0.2)
        device = Device(id="0", kind="gpu", memory=139 * GIB, load=0.3, memory_used=2 * GIB)
        report = self.ask(db, [node(gpus=0).model_copy(update={"devices": [device], "cpus": 64})])
        assert [device.tasks for device in report.nodes[0].devices] == [[task]]
        [user], [job] = report.users, report.jobs
        assert (user.user, user.tasks, user.cores, user.memory, user.gpus, user.gpu_memory) == (
            "ann", 1, 1.5, 2 * GIB, 1, GIB,
        )  # fmt: skip
        assert (job.job, job.name, job.gpu_load) == (JOB, "sweep", 0.3)
        [hint] = job.advice
        assert hint.text == "uses 20 % of the GPU and 1 of 139 GiB: could run 4 tasks per GPU (--per-gpu 4 or auto)"

    def test_without_them_what_the_gpus_show(self, db: Database) -> None:
        task = self.given(db, cpu=1.5)
        with db.write() as c:
            for seconds in (60, 45, 30):
                loads.insert(c, time.time() - seconds, [(KEY, {"load": 0.1, "memory": 1, "gpus": {"0": [0.4, GIB]}})])
        processes = [GpuProcess(pid=7, owner="ann", memory=3 * GIB, task=task), GpuProcess(pid=8, task="gone-1")]
        device = Device(id="0", kind="gpu", memory=139 * GIB, memory_used=4 * GIB, processes=processes)
        report = self.ask(db, [node(gpus=0).model_copy(update={"devices": [device], "cpus": 64})])
        assert report.jobs[0].gpu_memory == 3 * GIB
        assert report.jobs[0].gpu_load == pytest.approx(0.4)
        assert [process.task for process in report.nodes[0].devices[0].processes] == [task, None]
        assert [hint.per_gpu for hint in report.jobs[0].advice] == [2]

    def test_nothing_runs(self, db: Database) -> None:
        report = self.ask(db, [node()])
        assert (report.users, report.jobs, len(report.nodes)) == ([], [], 1)

    def test_on_a_terminal_of_80_columns(self, db: Database) -> None:
        task = self.given(db, cpu=1.5, memory=2 * GIB, gpu_memory=GIB, gpu_load=0.2)
        command = "python train.py --lr 0.1 --data /somewhere/very/far/away --epochs 100"
        processes = [GpuProcess(pid=4711, owner="ann", memory=GIB, task=task, command=command), GpuProcess(pid=8)]
        busy = {"memory": 139 * GIB, "load": 0.21, "memory_used": 2 * GIB, "busy": True, "processes": processes}
        busy |= {"temperature": 61.0, "power": 412.5, "power_limit": 700.0}
        devices = [Device(id="0", kind="gpu", name="NVIDIA H200", **busy), Device(id="1", kind="gpu")]
        people = [SignedInPerson(user="zoe"), SignedInPerson(user="bob", terminal="pts/1"), SignedInPerson(user="zoe")]
        seen = node(gpus=0, cpus_used=4, memory=256 * GIB, memory_free=200 * GIB, cpus_busy=1.6, people=people)
        report = self.ask(db, [seen.model_copy(update={"devices": devices, "cpus": 64})])
        screen = Console(width=80, file=io.StringIO(), record=True)
        screen.print(view(report))
        text = screen.export_text()
        assert all(len(line) <= 80 for line in text.splitlines())
        for part in (
            "NODE",
            "BUSY",
            "1 of 2",
            "NVIDIA H200",
            "21 %",
            "61 °C",
            "412 W",
            "bob, zoe (2)",
            "free",
            "4711",
            task,
            "not seen from here",
            "ann",
        ):
            assert part in text
        assert "could run 4 tasks per GPU" in " ".join(text.split())
