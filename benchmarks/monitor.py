"""Measure what looking at nodes costs: a scrape of Prometheus, and 48 hours of history.

The scrape: 1,000 jobs of 50 people with 100,000 tasks, 1,000 of them running, on 100 nodes with 8 GPUs each. The
history: 50 nodes with 8 GPUs each, rows as the engine keeps them.
"""

import random
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import cast

from benchmarks.measure import described
from paddock.models import CodeInfo, Device, GpuProcess, Interpreter, JobSpec, Node, TaskState
from paddock.rules.load_history import sample
from paddock.search.tasks import NewTask
from paddock.server.api import load, prometheus
from paddock.server.api.replies import Replier
from paddock.server.api.server import Server
from paddock.server.engine.load import INTERVALS, KEEP_SECONDS
from paddock.server.engine.round_times import RoundTimes
from paddock.server.store import attempts, jobs, loads
from paddock.server.store.db import Database

JOBS, PEOPLE, TASKS, RUNNING = 1_000, 50, 100, 1_000
NODES, GPUS = 100, 8
HISTORY_NODES, HOURS = 50, 48
TIMES = 15
GIB = 2**30


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        db = Database(f"sqlite:///{Path(folder) / 'x.db'}")
        db.migrate()
        _fill(db)
        nodes = [_node(number) for number in range(NODES)]
        engine = SimpleNamespace(
            round_times=RoundTimes(), beat=time.time(), failing_steps=0, set_aside={}, backends={"lab": "ok"},
            nodes_now=lambda: nodes,
        )  # fmt: skip
        at = cast(
            Server,
            SimpleNamespace(
                db=db,
                engine=engine,
                streams=SimpleNamespace(number=0),
                histories=_Nothing(),
                outposts=SimpleNamespace(agents={"lab": 100}),
            ),
        )
        plain = bytes(prometheus.scrape(at, Replier(gzipped=False)).body)
        packed = len(prometheus.scrape(at, Replier(gzipped=True)).body)
        series = sum(not line.startswith(b"#") for line in plain.splitlines())
        print(f"a scrape: {series:,} series, {len(plain) / 1e6:.2f} MB, {packed / 1e3:.0f} kB as sent")
        print(f"  {_taken(lambda: prometheus.scrape(at, Replier(gzipped=True)))}")
        _history(db, at)
        db.close()


class _Nothing:
    """Keeps no answer."""

    def get(self, asked: object, seconds: float, compute: Callable[[], bytes]) -> bytes:
        return compute()


def _fill(db: Database) -> None:
    choice = random.Random(1)
    with db.write() as c:
        for number in range(JOBS):
            new = [NewTask({"n": n}, None, n + 1) for n in range(TASKS)]
            spec = JobSpec(name=f"sweep {number}", command="true")
            jobs.insert(
                c,
                jobs.NewJob(
                    f"{number:08d}", f"user{number % PEOPLE}", spec, None, CodeInfo(), Interpreter(argv=[]), new
                ),
            )
        running = [f"{choice.randrange(JOBS):08d}-{choice.randrange(TASKS) + 1}" for _ in range(RUNNING)]
        rows = list(attempts.lookup(c, [(one, 1) for one in running]).values())
        place = {"state": TaskState.RUNNING, "started_at": time.time() - 600}
        changes = [
            {"id": row.attempt_id, **place, "node": f"gpu{n % NODES}", "device": f"gpu {n // NODES % GPUS}"}
            for n, row in enumerate(rows)
        ]
        attempts.update_attempts(c, changes)
        attempts.update_tasks(c, [{"id": row.id, "state": TaskState.RUNNING} for row in rows])


def _node(number: int) -> Node:
    process = GpuProcess(pid=4711, owner="ann", command="python train.py --lr 0.1", memory=3 * GIB, start=5)
    devices = [
        Device(
            id=str(n), kind="gpu", name="NVIDIA H200", uuid=f"GPU-{number:04d}-{n:04d}-aaaa-bbbb-cccccccccccc",
            memory=141 * GIB, memory_used=3 * GIB, load=0.87, temperature=61, power=412.5, power_limit=700,
            processes=[process],
        )
        for n in range(GPUS)
    ]  # fmt: skip
    known = {"memory": 2048 * GIB, "memory_used": 100 * GIB, "cpus_used": 11.2, "cpus_busy": 11.2, "processes": 900}
    return Node(name=f"gpu{number}", backend="lab", cpus=96, slots=GPUS, cpu_slots=96, devices=devices, **known)


def _history(db: Database, at: Server) -> None:
    samples = {("lab", f"gpu{number}"): sample(_node(number)) or {} for number in range(HISTORY_NODES)}
    now, age = time.time(), 0.0
    with db.write() as c:
        while age < HOURS * 3600:
            loads.insert(c, now - age, samples.items())
            age += next((width for since, width in reversed(INTERVALS) if age > since), KEEP_SECONDS)
    reply = Replier(gzipped=True)
    for what, node, hours in (
        ("one node", "gpu7", HOURS),
        (f"{HISTORY_NODES} nodes", None, 1),
        (f"{HISTORY_NODES} nodes", None, HOURS),
    ):
        ask = partial(load.load_history, at, reply, node, None, 60.0 * hours)
        print(f"{hours} h of {what} with {GPUS} GPUs each: {len(ask().body) / 1e3:.0f} kB as sent")
        print(f"  {_taken(ask, 5)}")


def _taken(ask: Callable[[], object], times: int = TIMES) -> str:
    wall, cpu = [], []
    for _ in range(times):
        began, used = time.perf_counter(), time.process_time()
        ask()
        wall.append(time.perf_counter() - began)
        cpu.append(time.process_time() - used)
    return f"{described(wall)}; CPU {described(cpu)}"


if __name__ == "__main__":
    main()
