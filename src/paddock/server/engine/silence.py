"""Shows on tasks that their runner reports nothing, until it reports again.

Nothing else follows from it: such a task runs until its runner or its backend reports something else.
"""

from collections import defaultdict

from paddock.models.events import LiveFields
from paddock.server.engine.announce import announce
from paddock.server.engine.context import Context
from paddock.server.engine.ingest import RoundResult
from paddock.server.store import attempts
from paddock.server.store.allocations import AllocationRow
from paddock.server.store.rows import moment


class Silence:
    """Knows what the event stream has reported so far."""

    def __init__(self) -> None:
        self._shown: dict[str, float] = {}

    def listen(self, context: Context, rows: list[AllocationRow], outcome: RoundResult, now: float) -> None:
        context.silent = _silent(context, rows, outcome, now)
        if context.silent != self._shown:
            self._show(context, context.silent)

    def _show(self, context: Context, silent: dict[str, float]) -> None:
        changed = {key for key in silent.keys() | self._shown.keys() if silent.get(key) != self._shown.get(key)}
        with context.db.write() as c:
            live: dict[str, dict[str, LiveFields]] = defaultdict(dict)
            for row in attempts.running_in(c, changed):
                live[row.job_id][row.id] = {"no_word_since": moment(silent.get(row.allocation))}
            for job, of_job in live.items():
                announce(c, job, live=of_job)
        self._shown = silent


def _silent(context: Context, rows: list[AllocationRow], outcome: RoundResult, now: float) -> dict[str, float]:
    """Return silent allocations with their last report. Those whose journals could not be read stay as they were."""
    limit = context.settings.runner.silence_seconds
    found: dict[str, float] = {}
    for row in rows:
        if row.key in outcome.heard or row.heard_at is None:
            continue
        if now - row.heard_at > limit if row.key in outcome.read else row.key in context.silent:
            found[row.key] = row.heard_at
    return found
