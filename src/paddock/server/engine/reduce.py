"""Adds the last task of a job, its `reduce`, when all others have finished."""

from paddock.server.engine.announce import Announcement
from paddock.server.engine.context import Context
from paddock.server.store import events, reduces

REDUCE = "begin its reduce"


class Reducer:
    """Checks all jobs after the start of the server, then those with changes."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self._seen: int | None = None
        self._again: set[str] = set()  # those for which it failed

    def run(self) -> None:
        with self._context.db.read() as c:
            newest = events.bounds(c)[1]
            if newest == self._seen and not self._again:
                return
            changed = None if self._seen is None else [*{*events.jobs_after(c, self._seen), *self._again}]
            found = reduces.due(c, changed)
        self._again = set(found)
        for job in found:
            self._context.boundary.try_for(job, REDUCE, self._begin, job)
        self._seen = newest

    def _begin(self, job: str) -> None:
        with self._context.db.write() as c:
            task = reduces.begin(c, job)
            if task is not None:
                announcement = Announcement(c)
                announcement.add(job, task, live=None)
                announcement.write()
        self._again.discard(job)
