"""What the engine writes into job folders: tasks to run, and orders to stop."""

from collections import defaultdict
from typing import Any

import sqlalchemy as sa

from paddock import commands
from paddock.engine.apply import Subject, changing
from paddock.engine.context import Context, JobFacts
from paddock.errors import PaddockError
from paddock.lifecycle import Verdict
from paddock.models import Cause, Method, TaskState
from paddock.paths import append_lines
from paddock.runner import layout
from paddock.search.tasks import seed_of
from paddock.store import attempts, jobs

PUBLISH_AT_ONCE = 5_000


def publish(context: Context, now: float) -> bool:
    """Append new attempts to the task files. Returns whether there are more.

    After a crash between the file and the database the same line is written again, which the claims make harmless.
    """
    with context.db.read() as c:
        rows = attempts.unpublished(c, PUBLISH_AT_ONCE)
        facts = context.facts(c, [row.job_id for row in rows])
    by_job: dict[str, list[sa.Row[Any]]] = defaultdict(list)
    for row in rows:
        if row.job_id in facts:
            by_job[row.job_id].append(row)
    more = len(rows) == PUBLISH_AT_ONCE
    for job, of_job in by_job.items():
        _publish_job(context, facts[job], of_job, now, more)
    return more


def _publish_job(context: Context, facts: JobFacts, rows: list[sa.Row[Any]], now: float, more: bool) -> None:
    lines, good, bad = [], [], {}
    for row in rows:
        try:
            lines.append(_line(context, facts, row))
            good.append(row.id)
        except PaddockError as error:  # checked at submission; an upgrade may judge an old job differently
            bad[row.task_id] = error.message
    with context.db.read() as c:
        more = more or jobs.is_searching(c, facts.id) or facts.spec.search.method is Method.PBT
    more = more or (facts.spec.reduce is not None and not any(row.reduces for row in rows))
    append_lines(context.home.job(facts.id).tasks, lines if more else [*lines, {"end": True}])
    with changing(context) as (c, changes):
        attempts.mark_published(c, good)
        failed = attempts.lookup(c, [(row.task_id, row.number) for row in rows if row.task_id in bad])
        changes.end(list(failed.values()), lambda s: Verdict(TaskState.ERROR, Cause.LAUNCH_FAILED, bad[s.row.id]), now)


def _line(context: Context, facts: JobFacts, row: sa.Row[Any]) -> dict[str, Any]:
    command = task_command(context, facts, row.task_id, row.params, reduces=row.reduces)
    seed = {"PADDOCK_SEED": str(seed_of(facts.spec, row.task_number))}
    more = {name: value for name, value in (("from", row.source), ("room", row.room)) if value}
    return {
        "task": row.task_id,
        "attempt": row.number,
        "resume": row.resumed,
        "argv": command.argv,
        "env": facts.interpreter.env | seed | command.env | facts.spec.environment.variables,
        "params": row.params,
        "epochs": row.epochs,
        **more,
    }


def task_command(
    context: Context, facts: JobFacts, task: str, params: dict[str, Any], *, reduces: bool = False
) -> commands.Command:
    """The exact command of a task."""
    code = str(context.home.job(facts.id).code)
    if reduces:
        return commands.build_reduce(facts.spec, job=facts.id, task=task, code_dir=code)
    python = facts.interpreter.argv
    return commands.build(facts.spec, facts.script, params, job=facts.id, task=task, code_dir=code, interpreter=python)


def stop(context: Context, now: float) -> None:
    """Withdraw what has not started, and order what runs to end."""
    with context.db.read() as c:
        rows = attempts.stopping(c)
    if not rows:
        return
    withdrawn = [row for row in rows if _withdraw(context, row)]
    taken = {row.id for row in withdrawn}
    ordered = [row for row in rows if row.id not in taken]
    orders: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for row in ordered:
        orders[row.job_id].append({"op": "stop", "task": row.id, "attempt": row.a_number})
    for job, lines in orders.items():
        append_lines(context.home.job(job).control, lines)
    with changing(context) as (c, changes):
        attempts.mark_ordered(c, [row.a_id for row in ordered])
        changes.end(withdrawn, _stopped, now)


def _stopped(_: Subject) -> Verdict:
    return Verdict(TaskState.STOPPED)


def _withdraw(context: Context, row: sa.Row[Any]) -> bool:
    """Whether it is certain that no runner has this attempt, nor ever will."""
    if row.state == TaskState.RUNNING:
        return False
    if not row.published:
        return True
    claim = context.home.job(row.job_id).claim(row.id, row.a_number)
    try:
        claim.symlink_to(layout.WITHDRAWN)
    except FileExistsError:
        return claim.is_symlink()  # ours, from before a crash; or a runner's
    except FileNotFoundError:
        return True  # the job folder is gone
    return True
