"""The commands queue and why: when jobs and tasks begin and end, and why they wait or have ended."""

from typing import TYPE_CHECKING, Annotated

import typer

from paddock.cli import base, render
from paddock.cli.base import Json
from paddock.models.states import TaskState

if TYPE_CHECKING:
    from paddock import models

NOT_KNOWN = "not known"
LISTED = 20  # waiting tasks of each job


def queue(
    ctx: typer.Context,
    tasks: Annotated[bool, typer.Option("--tasks", help="Also list the next 20 waiting tasks of each job.")] = False,
    as_json: Json = False,
) -> None:
    """List the jobs that run or wait, with why they wait and when they begin and end.

    Example:
        paddock queue --tasks
    """
    page = base.light_client(ctx).queue(LISTED if tasks else 0)
    base.only_json(as_json, page)
    if not page.items:
        base.note("Nothing runs or waits.")
        return
    whose = ("OWNER",) if page.team else ()
    columns = ("ID", *whose, "NAME", "RUN", "WAIT", "NEXT START", "DONE", "WHY")
    made = render.Listing(*columns, flexible=("NAME", "WHY"), right=("RUN", "WAIT"), optional=("WHY",))
    for job in page.items:
        by = (job.owner,) if page.team else ()
        first = render.band(job.expected_start) or (NOT_KNOWN if job.waiting else "")
        last = render.band(job.expected_end) or NOT_KNOWN
        numbers = (f"{job.running:,}", f"{job.waiting:,}")
        made.add_row(job.id, *by, job.name, *numbers, first, last, render.waits(job.waits, starts=False))
        for task in job.tasks:
            times = (render.band(task.expected_start), render.band(task.expected_end))
            made.add_row(f"  {task.id}", *("" for _ in by), "", "", "", *times, "")
    base.screen().print(made)
    for change in page.next:
        when, gpus = "now" if change.begun else "next", "GPU" if change.to == 1 else "GPUs"
        text = f"{when}: {change.task} goes on with {change.to} {gpus} ({change.now} before): {change.why}"
        base.note(render.clean(text))


def why(ctx: typer.Context, task: base.TaskId, as_json: Json = False) -> None:
    """Explain in a sentence or two why a task waits, failed or was ended, and when it begins or ends.

    Example:
        paddock why k3v-2
    """
    found = base.light_client(ctx).task(task)
    base.only_json(as_json, found)
    typer.echo(explained(found))


def explained(task: "models.TaskDetail") -> str:
    """Return why a task is in its state, and what comes next."""
    state = TaskState(task.state)
    if state is TaskState.SUBMITTED:
        return f"{task.id} {_waits(task)}"
    if state is TaskState.RUNNING:
        return f"{task.id} {_runs(task)}"
    took = (task.ended_at - task.started_at).total_seconds() if task.ended_at and task.started_at else None
    after = f" after {render.duration(took)}" if took is not None else ""
    verb = {
        TaskState.FINISHED: "finished",
        TaskState.ERROR: "failed",
        TaskState.STOPPED: "was stopped",
        TaskState.PRUNED: "was stopped early",
    }[state]
    reason = render.outcome(task) if state is not TaskState.FINISHED else ""
    again = f" It was tried {task.attempt} times." if task.attempt > 1 else ""
    at = f" {render.day_and_time(task.ended_at)}" if task.ended_at else ""
    return f"{task.id} {verb}{at}{after}{': ' + reason if reason else ''}.{again}"


def _waits(task: "models.TaskDetail") -> str:
    reason = render.waits(task.waits, starts=False).plain if task.waits else ""
    if task.stopping:
        return "waits, and is being stopped."
    text = f"waits: {reason}." if reason else "waits for its turn."
    if task.expected_start is None:
        return f"{text} When it starts is not known yet."
    text += f" It should start {render.band(task.expected_start)}"
    return f"{text}, and end {render.band(task.expected_end)}." if task.expected_end else f"{text}."


def _sizes(task: "models.TaskDetail") -> str:
    """Return how many GPUs a task has that can change in size, why, and what it is about to have."""
    has = task.attempts[-1].size if task.attempts else None
    if has is None:
        return ""
    text = f" It has {render.several(has, 'GPU')}" + (f": {task.size_why}" if task.size_why else "")
    text = render.clean(f"{text}.")
    return f"{text} It is being resized: {render.resize(task)}." if task.size_wanted else text


def _runs(task: "models.TaskDetail") -> str:
    since = f" since {render.day_and_time(task.started_at)}" if task.started_at else ""
    where = f" on {render.clean(task.node)}" if task.node else ""
    text = f"runs{since}{where}.{_sizes(task)}"
    silent = render.no_word(task) or render.quiet(task)
    if task.stopping:
        return f"{text} It is being stopped."
    if silent:
        return f"{text} {silent[0].upper()}{silent[1:]}."
    if task.expected_end is None:
        why = "no other task has ended" if task.epochs_done is None else "it takes longer than expected"
        return f"{text} When it ends is not known: {why}."
    return f"{text} It should end {render.band(task.expected_end)}."
