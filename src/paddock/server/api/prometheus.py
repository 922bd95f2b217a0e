"""What Prometheus collects: the server, its engine, jobs and tasks, nodes and GPUs.

The number of series is bounded: nodes and people beyond a limit are only counted, and no series has the id of a job.
"""

import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

from fastapi import APIRouter
from starlette.responses import Response

from paddock.models import Device, Node
from paddock.rules import load as monitoring
from paddock.rules.running import place
from paddock.server.api.replies import Reply
from paddock.server.api.server import At, Server
from paddock.server.engine.round_times import BOUNDS
from paddock.server.store import loads, totals
from paddock.server.store.totals import Totals
from paddock.version import __version__

if TYPE_CHECKING:  # takes a while to import, and most servers are not asked
    from prometheus_client import Metric

router = APIRouter(tags=["server"])

MOST_NODES = 1000
MOST_USERS = 200
OTHERS = "(others)"
Value = Callable[[Node], float | None]
GpuValue = Callable[[Device], float | None]

OF_NODES: dict[str, tuple[str, Value]] = {
    "up": ("1: it takes new work", lambda node: node.usable),
    "cores": ("number of cores", lambda node: node.cpus),
    "cores_used": ("busy cores; on Slurm: allocated cores", lambda node: node.cpus_used),
    "cores_busy": ("busy cores, where they were measured on the node", lambda node: node.cpus_busy),
    "load1": ("processes that run or wait for a core, over the last minute", lambda node: node.load),
    "memory_bytes": ("memory", lambda node: node.memory),
    "memory_used_bytes": ("memory in use", monitoring.memory_used),
    "slots": ("tasks that run at a time when each needs one device", lambda node: node.slots),
    "slots_used": ("slots in use", lambda node: node.slots_used),
    "tasks": ("tasks of this server that run on it", lambda node: len(node.tasks)),
    "processes": ("number of processes", lambda node: node.processes),
    "people": ("number of people who are logged in", lambda node: len({one.user for one in node.people})),
}
OF_GPUS: dict[str, tuple[str, GpuValue]] = {
    "load_ratio": ("share of the time in which it is busy, 0 to 1", lambda gpu: gpu.load),
    "memory_bytes": ("memory", lambda gpu: gpu.memory),
    "memory_used_bytes": ("memory in use by all processes", lambda gpu: gpu.memory_used),
    "temperature_celsius": ("temperature", lambda gpu: gpu.temperature),
    "power_watts": ("power", lambda gpu: gpu.power),
    "power_limit_watts": ("the most power that it may take", lambda gpu: gpu.power_limit),
    "processes": ("number of processes on it that the server can see", lambda gpu: len(gpu.processes)),
    "tasks": ("tasks of this server that run on it", lambda gpu: len(gpu.tasks)),
}


@router.get("/metrics", response_class=Response, responses={200: {"content": {"text/plain": {}}}})
def scrape(at: At, reply: Reply) -> Response:
    """Return figures of the server, its nodes and its jobs as Prometheus reads them. `/metrics` is the same."""
    from prometheus_client import CONTENT_TYPE_LATEST, generate_latest

    return reply(generate_latest(_Collected(at)), media_type=CONTENT_TYPE_LATEST)


class _Collected:
    """All that is collected, in the form of a collector of prometheus_client."""

    def __init__(self, at: Server) -> None:
        self._at = at

    def collect(self) -> Iterator["Metric"]:
        from prometheus_client import ProcessCollector

        with self._at.db.read() as c:
            running = loads.running(c, time.time())
            found = totals.count(c)
        yield from _server(self._at)
        yield from _work(found)
        yield from _nodes(place(self._at.engine.nodes_now(), list(running.values())))
        yield from ProcessCollector(registry=None).collect()


def _gauge(name: str, text: str, labels: Sequence[str], rows: Iterator[tuple[Sequence[str], float | None]]) -> "Metric":
    from prometheus_client.core import GaugeMetricFamily

    made = GaugeMetricFamily(f"paddock_{name}", text, labels=labels)
    for values, value in rows:
        if value is not None:
            made.add_metric(values, float(value))
    return made


def _server(at: Server) -> Iterator["Metric"]:
    from prometheus_client.core import HistogramMetricFamily

    engine = at.engine
    yield _gauge("info", "version of the server", ["version"], iter([([__version__], 1)]))
    rounds, seconds = engine.round_times.read()
    buckets = [*zip(map(str, BOUNDS), rounds[:-1], strict=True), ("+Inf", rounds[-1])]
    yield HistogramMetricFamily("paddock_engine_round_seconds", "duration of the engine's rounds", buckets, seconds)
    of_engine = {
        "engine_last_round_timestamp_seconds": ("when the engine's last round ended", engine.beat),
        "engine_failing_steps": ("steps that failed in the engine's last round", engine.failing_steps),
        "jobs_set_aside": ("jobs that the engine cannot process now", len(engine.set_aside)),
        "event_streams": ("open event streams", at.streams.number),
    }
    for name, (text, value) in of_engine.items():
        yield _gauge(name, text, [], iter([([], value)]))
    states = (([name], state == "ok") for name, state in engine.backends.items())
    yield _gauge("backend_up", "1: the backend answers", ["backend"], states)
    agents = (([name], number) for name, number in at.outposts.agents.items())
    yield _gauge("agents", "agents that run; without a backend: of people on the server's machine", ["backend"], agents)


def _work(found: Totals) -> Iterator["Metric"]:
    open_ones: Counter[str] = Counter()
    for (owner, state), number in found.tasks.items():
        open_ones[owner] += number if state in ("submitted", "running") else 0
    known = {owner for owner, _ in open_ones.most_common(MOST_USERS)}
    for name, text, counts in (("jobs", "number of jobs", found.jobs), ("tasks", "number of tasks", found.tasks)):
        shown: Counter[tuple[str, str]] = Counter()
        for (owner, state), number in counts.items():
            shown[owner if owner in known else OTHERS, state] += number
        yield _gauge(name, text, ["user", "state"], iter(sorted(shown.items())))


def _nodes(nodes: Sequence[Node]) -> Iterator["Metric"]:
    states = Counter((node.backend, node.state) for node in nodes)
    yield _gauge("nodes", "number of nodes", ["backend", "state"], iter(sorted(states.items())))
    shown = nodes[:MOST_NODES]
    yield _gauge("nodes_left_out", "nodes of which nothing else is shown", [], iter([([], len(nodes) - len(shown))]))
    for name, (text, value) in OF_NODES.items():
        rows = (([node.backend, node.name], value(node)) for node in shown)
        yield _gauge(f"node_{name}", text, ["backend", "node"], rows)
    gpus = [(node, one) for node in shown for one in node.devices if one.kind == "gpu"]
    about = (([node.backend, node.name, gpu.id, gpu.uuid or "", gpu.name], 1) for node, gpu in gpus)
    yield _gauge("gpu_info", "kind of a GPU", ["backend", "node", "gpu", "uuid", "name"], about)
    for name, (text, of_gpu) in OF_GPUS.items():
        values = (([node.backend, node.name, gpu.id], of_gpu(gpu)) for node, gpu in gpus)
        yield _gauge(f"gpu_{name}", text, ["backend", "node", "gpu"], values)
