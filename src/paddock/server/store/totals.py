"""How many jobs and tasks there are."""

from collections import Counter
from dataclasses import dataclass, field

import sqlalchemy as sa

from paddock.models import TaskState
from paddock.server.store.tables import jobs, tasks


@dataclass(frozen=True)
class Totals:
    """Numbers of jobs and of tasks, by owner and state. A job is `running`, `waiting`, `held` or `ended`."""

    jobs: Counter[tuple[str, str]] = field(default_factory=Counter)
    tasks: Counter[tuple[str, str]] = field(default_factory=Counter)


def count(c: sa.Connection) -> Totals:
    """Count all jobs and their tasks."""
    per_state = sa.select(tasks.c.job_id, tasks.c.state, sa.func.count()).group_by(tasks.c.job_id, tasks.c.state)
    states: dict[str, dict[TaskState, int]] = {}
    for job, state, number in c.execute(per_state):
        states.setdefault(job, {})[state] = number
    found = Totals()
    for row in c.execute(sa.select(jobs.c.id, jobs.c.owner, jobs.c.held, jobs.c.searching).where(~jobs.c.removing)):
        of_job = states.get(row.id, {})
        found.jobs[row.owner, _state(of_job, held=row.held, searching=row.searching)] += 1
        found.tasks.update({(row.owner, state.value): number for state, number in of_job.items()})
    return found


def _state(states: dict[TaskState, int], *, held: bool, searching: bool) -> str:
    if TaskState.RUNNING in states:
        return "running"
    if TaskState.SUBMITTED in states or searching:
        return "held" if held else "waiting"
    return "ended"
