"""Passes the order of jobs on to a scheduler, as Nice of what waits in its queue.

It is 0 for the first job and a step more for each further one, beside what its owner asked for.
An ordinary user of Slurm can raise Nice, and lower it again to 0. It is sent when the order of jobs changes, never
because something starts or ends. What was sent is stored with the batch, so a new server knows it.
"""

import logging
import math
from collections import defaultdict
from collections.abc import Sequence

from paddock.models import AllocationChange, AllocationState, Resources
from paddock.rules.policy import Decision, Order
from paddock.rules.pool import Pool, job_of
from paddock.server.engine.backend_worker import Change
from paddock.server.engine.context import Context
from paddock.server.store import allocations
from paddock.server.store.allocations import AllocationRow

log = logging.getLogger("paddock.engine")

MARK = "nice"  # in the tags of such changes
MOST = 2_147_483_645  # that Slurm takes
AGAIN_SECONDS = 15.0  # before the order of a job changes once more: two that have nearly as much left may change often


def nice(context: Context, backend: str, job: str, resources: Resources) -> int | None:
    """Return the Nice of what a job requests: what its owner asked for, and what its place adds."""
    cluster, own = context.settings.clusters.get(backend), resources.slurm.nice
    added = context.places.get(job, 0) * cluster.nice_step if cluster else 0
    return min((own or 0) + added, MOST) if added else own


def in_place(context: Context, backend: str, job: str, resources: Resources) -> Resources:
    """Return what is requested for a job, with the Nice of its place."""
    update = {"nice": nice(context, backend, job, resources)}
    return resources.model_copy(update={"slurm": resources.slurm.model_copy(update=update)})


def sent(context: Context, change: Change) -> bool:
    """Note what was sent; return False if that is another kind of change. A refused one is not repeated."""
    job, *rest = change.tag.split()
    if rest[0] != MARK:
        return False
    if change.refused:
        log.warning("the order of %s cannot be passed on: %s", job, change.refused)
    with context.db.write() as c:
        keys = {row.key for row in allocations.unclosed(c) if row.job_id == job and row.backend_id in set(change.ids)}
        if not change.refused:
            allocations.has_nice(c, keys, int(rest[1]))
    context.nices |= dict.fromkeys(keys, int(rest[1]))
    return True


class QueueOrder:
    def __init__(self, context: Context) -> None:
        self._context = context
        self._places: dict[str, dict[str, int]] = {}  # by backend
        self._ready: dict[str, set[str]] = {}  # backend -> jobs that have a place; others keep what they have
        self._sent_at: dict[str, float] = {}

    def learn(self, backend: str, pool: Pool, decisions: Sequence[Decision]) -> None:
        """Take up the order that the policy has decided."""
        self._ready[backend] = {job_of(one.job) for one in pool.demands if not one.paused}
        self._places[backend] = {job_of(one.job): one.place for one in decisions if isinstance(one, Order)}
        self._context.places = {job: place for places in self._places.values() for job, place in places.items()}

    def send(self, rows: Sequence[AllocationRow], now: float) -> None:
        """Send Nice for the allocations that wait and have another."""
        context = self._context
        clusters = {name for name, one in context.settings.clusters.items() if one.nice_step}
        waiting = [
            row
            for row in rows
            if row.backend in clusters and row.state == AllocationState.PENDING and row.backend_id and not row.ending
        ]
        context.nices = {row.key: context.nices[row.key] for row in rows if row.key in context.nices}
        self._sent_at = {row.job_id: self._sent_at[row.job_id] for row in waiting if row.job_id in self._sent_at}
        if not waiting:
            return
        with context.db.read() as c:
            facts = context.facts(c, [row.job_id for row in waiting])
            known = allocations.batches_by_key(c, {row.batch for row in waiting if row.key not in context.nices})
        for row in waiting:
            if row.key not in context.nices and row.batch in known:
                context.nices[row.key] = known[row.batch].resources.slurm.nice or 0
        groups: dict[tuple[str, str, int], list[AllocationRow]] = defaultdict(list)
        for row in waiting:
            if row.job_id in facts and row.job_id in self._ready.get(row.backend, ()):
                wanted = nice(context, row.backend, row.job_id, facts[row.job_id].spec.resources) or 0
                if context.nices.get(row.key) != wanted:
                    groups[row.backend, row.job_id, wanted].append(row)
        for (backend, job, wanted), some in groups.items():
            if now - self._sent_at.get(job, -math.inf) > AGAIN_SECONDS:
                self._sent_at[job] = now
                ids = [row.backend_id for row in some if row.backend_id]
                context.workers[backend].change(f"{job} {MARK} {wanted}", ids, AllocationChange(nice=wanted))
