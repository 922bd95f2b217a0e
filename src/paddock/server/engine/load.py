"""How busy nodes are: the last samples of backends and runners, and what is stored of them."""

import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from paddock.models import Node
from paddock.models.load import MOST_GPUS, GpuSample, NodeSample
from paddock.rules.load import with_measurements
from paddock.rules.load_history import Sample, sample
from paddock.server.engine.backend_worker import BackendWorker
from paddock.server.journal import NodeSeen
from paddock.server.store import loads
from paddock.server.store.db import Connection, Database
from paddock.server.store.loads import Key

PRESENT_SECONDS = 60.0  # older samples are not shown as current
KEEP_SECONDS = 15.0
REST_SECONDS = 600.0  # for a node without a runner and without a change
# What is older than the first is joined to one row per interval of the second, in seconds. Of 48 hours, about as many
# rows are left as are shown.
INTERVALS = ((3600.0, 60.0), (6 * 3600.0, 600.0))
TIDY_SECONDS = 300.0
MOST_TIDIED = 6 * 3600.0  # seconds of history at a time: the first time there may be much


@dataclass
class LastSample:
    """The last sample of a node. Its GPUs may be from different runners."""

    at: float
    sample: NodeSample
    gpus: dict[str, tuple[float, GpuSample]] = field(default_factory=dict)


class Monitor:
    """Keeps the last samples. The engine's thread adds and stores them; any thread may read them."""

    def __init__(self, workers: Mapping[str, BackendWorker]) -> None:
        self._workers = workers
        self._seen: dict[Key, LastSample] = {}
        self._lock = threading.Lock()
        self._kept: dict[Key, tuple[float, Sample]] = {}
        self._kept_at = 0.0
        self._tidied_at = 0.0
        self._thinned_to = dict.fromkeys(INTERVALS, 0.0)

    def take(self, samples: Sequence[tuple[str, NodeSeen]], now: float) -> None:
        """Add samples of runners, each with the name of its backend."""
        for backend, record in samples:
            at = min(record.at, now)
            if now - at > PRESENT_SECONDS:
                continue
            with self._lock:
                seen = self._seen.setdefault((backend, record.node), LastSample(at, record.sample))
                if at >= seen.at:
                    seen.at, seen.sample = at, record.sample
                seen.gpus |= {gpu.id: (at, gpu) for gpu in record.sample.cards}
                newest = sorted(seen.gpus.items(), key=lambda one: one[1][0])[-MOST_GPUS:]
                seen.gpus = dict(newest)

    def nodes(self, now: float) -> list[Node]:
        """Return all nodes as last seen, with the measurements of runners."""
        samples = self._samples(now)
        return [
            with_measurements(node, samples[name, node.name]) if (name, node.name) in samples else node
            for name, worker in self._workers.items()
            for node in worker.nodes
        ]

    def _samples(self, now: float) -> dict[Key, NodeSample]:
        with self._lock:
            self._seen = {key: seen for key, seen in self._seen.items() if now - seen.at <= PRESENT_SECONDS}
            found = {}
            for key, seen in self._seen.items():
                seen.gpus = {one: (at, gpu) for one, (at, gpu) in seen.gpus.items() if now - at <= PRESENT_SECONDS}
                gpus = sorted((gpu for _, gpu in seen.gpus.values()), key=lambda gpu: (gpu.number, gpu.id))
                found[key] = seen.sample.model_copy(update={"cards": gpus})
            return found

    def keep(self, db: Database, now: float, hours: float) -> None:
        """Store how busy nodes are, if that is due."""
        if abs(now - self._kept_at) < KEEP_SECONDS:
            return
        self._kept_at = now
        known = {(node.backend, node.name): node for node in self.nodes(now) if self._workers[node.backend].fresh}
        found = {key: kept for key, node in known.items() if (kept := sample(node)) and self._is_news(node, kept, now)}
        self._kept |= {key: (now, kept) for key, kept in found.items()}
        tidy = abs(now - self._tidied_at) >= TIDY_SECONDS
        if not found and not tidy:
            return
        with db.write() as c:
            loads.insert(c, now, found.items())
            if tidy:
                self._tidied_at = now
                loads.forget(c, now - hours * 3600)
                self._thin(c, now)

    def _thin(self, c: Connection, now: float) -> None:
        oldest = loads.oldest(c)
        for interval, thinned_to in self._thinned_to.items():
            age, width = interval
            begin = max(thinned_to, oldest)
            end = min(now - age, begin + MOST_TIDIED) // width * width  # whole intervals: none is joined in two parts
            loads.thin(c, begin, end, width)
            self._thinned_to[interval] = max(end, thinned_to)

    def _is_news(self, node: Node, kept: Sample, now: float) -> bool:
        """Return True if a sample is to be stored: a cluster may have thousands of nodes that are not measured."""
        at, before = self._kept.get((node.backend, node.name), (0.0, {}))
        return node.cpus_busy is not None or kept != before or now - at >= REST_SECONDS
