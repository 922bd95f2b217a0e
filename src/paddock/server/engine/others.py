"""Keeps in mind what others wait for on clusters: who was seen, and who was promised something."""

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from paddock.models import AllocationState, Node
from paddock.models.choices import Giving
from paddock.rules.giving_way import OTHERS, Look, Others, Room
from paddock.rules.pool import Holding
from paddock.server.engine.backend_worker import BackendWorker
from paddock.server.store.allocations import AllocationRow

BLIND_SECONDS = 30.0  # a server that has just started asks for nothing before its first look, for so long at most
CALL_SECONDS = 60.0  # a job of others that waits for longer, and was given nothing, cannot use what becomes free


@dataclass
class _Memory:
    """What is remembered of one backend. A new server begins without it: promises are in the database."""

    look: Look | None = None
    asked_at: float | None = None  # when it was first asked what others wait for
    answered: bool = False
    seen: dict[str, float] = field(default_factory=dict)  # job of others that waits -> since when
    promised: frozenset[str] = frozenset()
    ended: dict[str, float] = field(default_factory=dict)  # job of others -> when the last promised to it had left
    waited_at: float | None = None
    called_at: float | None = None


class OthersWatch:
    """Asks each backend now and then, while something there can give way."""

    def __init__(self, every: float) -> None:
        self._every = every
        self._memories: dict[str, _Memory] = {}

    def look(
        self,
        worker: BackendWorker,
        rows: Sequence[AllocationRow],
        holdings: Sequence[Holding],
        giving: Mapping[str, tuple[Giving, int]],
        now: float,
    ) -> Look | None:
        """Return what was last seen, with what has happened since."""
        if not worker.backend.traits.queued:
            return None
        memory = self._memories.setdefault(worker.backend.name, _Memory())
        if any(row.state is AllocationState.RUNNING and giving[row.job_id][0] is not Giving.NEVER for row in rows):
            worker.look(self._every, now)
            memory.asked_at = now if memory.asked_at is None else memory.asked_at
        whose = {row.leaving_for for row in rows if row.leaving_for and row.state is not AllocationState.ENDED}
        promised = frozenset(to.removeprefix(OTHERS) for to in whose if to.startswith(OTHERS))
        memory.ended |= dict.fromkeys(memory.promised - promised, now)
        memory.promised = promised
        seen = worker.looked()
        if seen is not None:
            memory.answered = True
            _remember(memory, seen.at, seen.others, seen.nodes, holdings)
        if memory.look is None:
            return None
        served = frozenset(one for one, at in memory.ended.items() if at >= memory.look.at)
        if promised or served:
            memory.called_at = memory.look.at
        memory.ended = {one: at for one, at in memory.ended.items() if one in served}
        memory.look = replace(memory.look, served=served, waited_at=memory.waited_at, called_at=memory.called_at)
        return memory.look

    def blind(self, backend: str, now: float) -> bool:
        """Return True if what others wait for was asked, and nothing was ever answered: they may have been promised
        what would be asked for."""
        memory = self._memories.get(backend, _Memory())
        return memory.asked_at is not None and not memory.answered and now - memory.asked_at < BLIND_SECONDS


def _remember(
    memory: _Memory, at: float, others: Others | None, nodes: Sequence[Node], holdings: Sequence[Holding]
) -> None:
    if others is None:
        memory.look = None
        return
    ids = {one.id for one in others.waiting}
    memory.seen = {one: memory.seen.get(one, at) for one in ids}
    if ids:
        memory.waited_at = at
    if any(at - since < CALL_SECONDS for since in memory.seen.values()):
        memory.called_at = at
    there = Counter(one.job for one in holdings if one.nodes and one.leaving_for is None)
    rooms = tuple(_room(node) for node in nodes if node.usable and others.partitions & set(node.partitions))
    memory.look = Look(at, others, rooms, there)


def _room(node: Node) -> Room:
    gpus = [device for device in node.devices if device.kind == "gpu"]
    return Room(
        name=node.name,
        partitions=frozenset(node.partitions),
        gpus=len(gpus),
        cpus=node.cpus,
        free_gpus=sum(not device.busy for device in gpus),
        free_cpus=max(node.cpus - math.ceil(node.cpus_used or 0), 0),
        kinds=frozenset(device.name.lower() for device in gpus),
    )
