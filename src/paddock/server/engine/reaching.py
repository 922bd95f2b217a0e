"""Shows which jobs wait because the folder in their owner's home cannot be reached."""

from paddock.errors import AgentUnavailable
from paddock.server.engine.context import Context
from paddock.server.store.allocations import AllocationRow

REACHING = "reach its folder"
_FULL = "Its runners have reported more than 1 GB, which is too much. They were told to take no more tasks."


def reach(context: Context, rows: list[AllocationRow]) -> None:
    """Set aside the jobs that cannot be reached, until they can."""
    for job in {row.job_id for row in rows} | context.boundary.aside.keys():
        away = context.outposts.away(job)
        if away is None or context.boundary.rests(job, REACHING):
            continue
        with context.boundary.job(job, REACHING):
            if away.full:
                _drain(context, [row for row in rows if row.job_id == job])
                raise AgentUnavailable(_FULL)
            problem = away.problem()
            if problem is not None:
                raise AgentUnavailable(problem)


def _drain(context: Context, rows: list[AllocationRow]) -> None:
    new = [row for row in rows if not context.notes[row.key].too_much]
    for row in new:
        context.outposts.of(row.job_id).order([{"op": "drain", "allocation": row.key}])
        context.notes[row.key].too_much = True
