"""Shows on a job that tasks with different parameters have the same curve: the script may ignore a parameter."""

from paddock.rules import identical_curves
from paddock.rules.identical_curves import FinishedTask
from paddock.server.engine.context import Context
from paddock.server.store import jobs, metrics, trials
from paddock.server.store.db import Connection

MOST_TASKS = 100  # of a job that are compared
COMPARING = "compare its curves"


class CurveComparison:
    """Compares the first tasks of a job that finish, until there are MOST_TASKS of them."""

    def __init__(self, context: Context) -> None:
        self._context = context

    def run(self) -> None:
        """Compare the curves of all jobs of which tasks have finished since the last round."""
        for job in list(self._context.finished):
            self._context.boundary.try_for(job, COMPARING, self._compare, job)

    def _compare(self, job: str) -> None:
        with self._context.db.read() as c:
            row = jobs.launchable(c, [job]).get(job)
            tasks = _finished(c, job, row.metric) if row is not None and row.metric else []
        text = identical_curves.notice(tasks)
        with self._context.db.write() as c:
            jobs.change_warning(c, job, identical_curves.NOTICE, text)
        if len(tasks) >= MOST_TASKS:
            self._context.compared.add(job)
        self._context.finished.discard(job)


def _finished(c: Connection, job: str, metric: str) -> list[FinishedTask]:
    """Return the first finished tasks of a job with the last points of the objective, which is enough to compare."""
    rows = trials.finished(c, job, MOST_TASKS)
    points = metrics.recent(c, [row.attempt_id for row in rows], [metric])
    curves = {attempt: found[metric] for attempt, found in points.items()}
    return [
        FinishedTask(row.number, row.params, tuple(zip(curve["step"].tolist(), curve["value"].tolist(), strict=True)))
        for row in rows
        if (curve := curves.get(row.attempt_id)) is not None
    ]
