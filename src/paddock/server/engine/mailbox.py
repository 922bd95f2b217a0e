"""Writes into job folders: tasks to run, and orders to stop."""

from collections import defaultdict
from typing import Any

from paddock.errors import PaddockError
from paddock.models import Cause, Method, TaskState
from paddock.program import commands
from paddock.rules.durations import TaskWork
from paddock.rules.lifecycle import Verdict
from paddock.search.tasks import seed_of
from paddock.server.engine.apply import changing
from paddock.server.engine.context import Context, JobFacts
from paddock.server.engine.first_sizes import awaited
from paddock.server.outposts.claims import Identity
from paddock.server.store import attempts, deals, jobs
from paddock.server.store.attempts import TaskAttempt, UnbegunAttempt

PUBLISH_AT_ONCE = 2_000
STOP_AT_ONCE = 500
PUBLISHING = "write its tasks"
STOPPING = "stop its tasks"


def publish(context: Context, now: float) -> bool:
    """Append new attempts to the task files, or let them be dealt (see `dealing`). Returns whether there are more.

    After a crash between the file and the database the same line is written again; the claims make that harmless.
    """
    resting = [job for job in context.boundary.aside if context.boundary.rests(job, PUBLISHING)]
    with context.db.read() as c:
        rows = attempts.unpublished(c, PUBLISH_AT_ONCE, without=resting)
        facts = context.facts(c, [row.job_id for row in rows])
    by_job: dict[str, list[UnbegunAttempt]] = defaultdict(list)
    for row in rows:
        if row.job_id in facts:
            by_job[row.job_id].append(row)
    more = len(rows) == PUBLISH_AT_ONCE
    for job, of_job in by_job.items():
        if any(row.number == 1 for row in of_job) and awaited(context, facts[job], now):
            continue
        with context.boundary.job(job, PUBLISHING):
            _publish_job(context, facts[job], of_job, now, more)
    return more


def _publish_job(context: Context, facts: JobFacts, rows: list[UnbegunAttempt], now: float, more: bool) -> None:
    outpost = context.outposts.of(facts.id)
    # Whatever became of the attempts before these, no runner may take them any more.
    known = outpost.withdraw((row.task_id, row.number - 1) for row in rows if row.number > 1)
    unsure = [row for row in rows if row.number > 1 and (row.task_id, row.number - 1) not in known]
    rows, more = [row for row in rows if row not in unsure], more or bool(unsure)
    if outpost.dealt:
        _make_dealable(context, rows)
        return
    lines, bad = lines_of(context, facts, rows)
    with context.db.read() as c:
        more = more or jobs.is_searching(c, facts.id) or facts.spec.search.method is Method.PBT
    more = more or (facts.spec.reduce is not None and not any(row.reduces for row in rows))
    more = more or facts.spec.resources.most_gpus is not None  # it may be resized
    withdrawn = outpost.withdraw(bad)
    ended = [one for one, gone in withdrawn.items() if gone]
    left = bad.keys() - withdrawn.keys()
    outpost.publish(lines if more else [*lines, {"end": True}])
    with changing(context) as (c, changes):
        attempts.mark_published(c, [row.id for row in rows if (row.task_id, row.number) not in {*ended, *left}])
        failed = list(attempts.lookup(c, ended).values())
        changes.end(
            failed, lambda s: Verdict(TaskState.ERROR, Cause.LAUNCH_FAILED, bad[s.row.id, s.row.attempt_number]), now
        )


def _make_dealable(context: Context, rows: list[UnbegunAttempt]) -> None:
    """Let attempts be dealt to allocations. A resumed one goes to the node that has its checkpoint."""
    with context.db.write() as c:
        nodes = deals.last_nodes(c, [row.task_id for row in rows if row.resumed])
        deals.pin(c, {row.id: nodes[row.task_id] for row in rows if row.resumed and row.task_id in nodes})
        attempts.mark_published(c, [row.id for row in rows])


def lines_of(
    context: Context, facts: JobFacts, rows: list[UnbegunAttempt], node: str | None = None
) -> tuple[list[dict[str, Any]], dict[Identity, str]]:
    """Return the lines of these attempts for runners, and why others have none. `node`: where they will run."""
    lines, bad = [], {}
    seconds = _seconds(context, facts, rows)
    for row in rows:
        try:
            lines.append(_line(context, facts, row, node) | seconds.get(row.id, {}))
        except PaddockError as error:  # checked at submission; an upgrade may judge an old job differently
            bad[row.task_id, row.number] = error.message
    return lines, bad


def _seconds(context: Context, facts: JobFacts, rows: list[UnbegunAttempt]) -> dict[int, dict[str, Any]]:
    """Return for the lines of attempts how long they take, where that is known; of resumed ones it is not."""
    whole = [row for row in rows if not row.resumed and not row.reduces]
    if not whole:
        return {}
    works = [TaskWork(row.params, row.epochs) for row in whole]
    with context.db.read() as c:
        found = context.estimates.at_most(c, facts.id, (facts.owner, facts.program), works)
    return {row.id: {"seconds": round(one, 1)} for row, one in zip(whole, found or (), strict=False)}


def _line(context: Context, facts: JobFacts, row: UnbegunAttempt, node: str | None) -> dict[str, Any]:
    command = task_command(context, facts, row.task_id, row.params, reduces=row.reduces, node=node)
    seed = {"PADDOCK_SEED": str(seed_of(facts.spec, row.task_number))}
    rare: dict[str, Any] = {"from": row.source, "room": row.room, "edits": command.edits}
    rare |= {"python_path": command.python_path, "cwd": command.cwd}
    if facts.spec.resources.most_gpus is not None:  # only a runner with as many GPUs takes it
        rare["size"] = row.size or facts.spec.resources.gpus
    more = {name: value for name, value in rare.items() if value}
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
    context: Context,
    facts: JobFacts,
    task: str,
    params: dict[str, Any],
    *,
    reduces: bool = False,
    node: str | None = None,
) -> commands.Command:
    """Return the exact command of a task, on this node."""
    code = str(context.outposts.of(facts.id).on(node).code)
    if reduces:
        return commands.build_reduce(facts.spec, job=facts.id, task=task, code_dir=code)
    python = facts.interpreter.argv
    return commands.build(facts.spec, facts.script, params, job=facts.id, task=task, code_dir=code, interpreter=python)


def stop(context: Context, now: float) -> bool:
    """Withdraw attempts that have not started, and order others to end. Returns whether there are more.

    The number per job and round is limited: who stops one task does not wait for a job with thousands.
    """
    with context.db.read() as c:
        wanted = [job for job in attempts.jobs_stopping(c) if not context.boundary.rests(job, STOPPING)]
        rows = {job: attempts.stopping(c, job, STOP_AT_ONCE) for job in wanted}
    more = False
    for job, of_job in rows.items():
        with context.boundary.job(job, STOPPING):
            more = (_stop_job(context, job, of_job, now) and len(of_job) == STOP_AT_ONCE) or more
    return more


def _stop_job(context: Context, job: str, rows: list[TaskAttempt], now: float) -> bool:
    """Stop tasks of one job. Returns False if it is not known yet of all of them whether runners have them."""
    outpost = context.outposts.of(job)
    waiting = {(row.id, row.attempt_number): row for row in rows if row.state != TaskState.RUNNING}
    withdrawn = outpost.withdraw(waiting)
    left = [row for one, row in waiting.items() if withdrawn.get(one)]
    begun = [row for one, row in waiting.items() if withdrawn.get(one) is False]
    ordered = [*begun, *(row for row in rows if row.state == TaskState.RUNNING)]
    if outpost.exists:  # otherwise its runners end by themselves
        outpost.order([{"op": "stop", "task": row.id, "attempt": row.attempt_number} for row in ordered])
    with changing(context) as (c, changes):
        attempts.mark_ordered(c, [row.attempt_id for row in ordered])
        changes.end(left, lambda _: Verdict(TaskState.STOPPED), now)
    return len(withdrawn) == len(waiting)
