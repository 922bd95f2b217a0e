"""End work of the queue that leaves its GPUs idle while others wait for GPUs, if the settings say so."""

from collections.abc import Collection, Mapping, Sequence

from paddock.models import AllocationState, NoticeKind
from paddock.server.engine.context import Context
from paddock.server.notify import texts
from paddock.server.notify.tell import tell_of_job
from paddock.server.store.allocations import AllocationRow

NOTICE_SECONDS = 60.0  # that a task has between its warning and its end
RECLAIMING = "take back its idle GPUs"


class IdleReclaimer:
    """Orders runners to make way, as for a reservation: tasks are warned, and go on from their checkpoints."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self._ordered: set[str] = set()

    def run(self, rows: Sequence[AllocationRow], idle: Mapping[str, float], now: float) -> None:
        """`idle`: allocations all of whose GPUs are idle, and since when."""
        minutes = self._context.settings.reservations.reclaim_idle_minutes
        self._ordered &= {row.key for row in rows}
        if minutes is None:
            return
        due = [
            row
            for row in rows
            if row.state is AllocationState.RUNNING and row.leaves_at is None and row.key not in self._ordered
            if now - idle.get(row.key, now) >= minutes * 60
        ]
        for row in due:
            if self._somebody_waits(row.backend, {row.job_id}):
                self._order(row, now - idle[row.key], now)

    def _somebody_waits(self, backend: str, but: Collection[str]) -> bool:
        """Return True if another job waits for GPUs of this backend that could become free."""
        context = self._context
        waiting = [job for job, wait in context.waits.items() if job not in but and not wait.never]
        with context.db.read() as c:
            facts = context.facts(c, waiting)
        resources = [one.spec.resources for one in facts.values()]
        return any((one.backend or context.settings.backend) == backend and one.gpus != 0 for one in resources)

    def _order(self, row: AllocationRow, seconds: float, now: float) -> None:
        context = self._context
        with context.boundary.job(row.job_id, RECLAIMING):
            why = texts.reclaimed(seconds)
            order = {"op": "yield", "allocation": row.key, "at": now + NOTICE_SECONDS, "why": why}
            context.outposts.of(row.job_id).order([order])
            self._ordered.add(row.key)
            with context.db.write() as c:
                facts = context.facts(c, [row.job_id])[row.job_id]
                words = texts.attention(facts.spec.name or row.job_id, why)
                kind = NoticeKind.ATTENTION
                tell_of_job(c, context.settings, kind, job=row.job_id, owner=facts.owner, words=words, now=now)
