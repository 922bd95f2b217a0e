"""ls, show, tasks: what there is."""

from typing import Annotated

import typer
from rich.text import Text

from paddock import jobfile
from paddock.cli import base, render
from paddock.cli.base import JobId, Json
from paddock.cli.render import Rows
from paddock.models import Job, JobDetail, Task, TaskDetail, TaskState
from paddock.search import varying
from paddock.space import text_of

MAX_COLUMNS = 5
State = Annotated[TaskState | None, typer.Option("--state", help="Only with (tasks in) this state.")]


def ls(
    ctx: typer.Context,
    query: Annotated[str | None, typer.Option("-q", "--query", help="Part of name, description or id.")] = None,
    state: State = None,
    tag: Annotated[str | None, typer.Option(help="Only with this tag.")] = None,
    owner: Annotated[str | None, typer.Option(help="Only of this owner.")] = None,
    limit: Annotated[int, typer.Option(min=1, max=500, help="At most so many, the newest first.")] = 30,
    as_json: Json = False,
) -> None:
    """List jobs, the newest first."""
    page = base.client(ctx).jobs(q=query, state=state, tag=tag, owner=owner, limit=limit)
    if as_json:
        base.emit(page)
        return
    if not page.items:
        base.say("There are no jobs." if page.total == 0 and not (query or state or tag or owner) else "No job fits.")
        return
    columns = ["ID", "NAME", "TASKS", "BEST", "AGE", "LEFT"]
    columns += ["WAITS"] if any(job.waits or job.held for job in page.items) else []
    made = render.table(*columns, flexible=("NAME", "TASKS", "WAITS"), right=("BEST",))
    for job in page.items:
        made.add_row(*_row(job)[: len(columns)])
    base.screen().print(made)
    if page.total > len(page.items):
        base.say(f"{page.total - len(page.items)} more: raise --limit.")


def _row(job: Job) -> list[str | Text]:
    return [
        job.id,
        render.clean(job.name),
        render.counts_text(job.counts),
        render.number(job.best_value),
        render.age(job.created_at),
        render.duration(job.seconds_left),
        render.waits(job.waits) or Text("held" if job.held else ""),
    ]


def show(
    ctx: typer.Context,
    target: base.TaskId,
    spec: Annotated[bool, typer.Option("--spec", help="Print the job as a job file in YAML.")] = False,
    as_json: Json = False,
) -> None:
    """Show a job or a task in full."""
    client = base.client(ctx)
    if spec:
        detail = client.detail(target.rpartition("-")[0] if base.is_task(target) else target)
        if as_json:
            base.emit(detail.spec)
        else:
            typer.echo(jobfile.dump(detail.spec), nl=False)
        return
    found = client.task(target) if base.is_task(target) else client.detail(target)
    if as_json:
        base.emit(found)
    elif isinstance(found, TaskDetail):
        _show_task(found)
    else:
        _show_job(found)


def _show_job(job: JobDetail) -> None:
    screen = base.screen()
    goal = f"{job.objective.metric} ({job.objective.goal.value})"
    best = f"{render.number(job.best_value)}  {job.best_task}" if job.best_task else ""
    code = job.code
    commit = f", commit {code.git_commit[:12]}{' with changes' if code.git_dirty else ''}" if code.git_commit else ""
    screen.print(
        render.fields(
            [
                ("Job", f"{job.id}  {render.clean(job.name)}"),
                ("About", render.paragraph(job.description.strip())),
                ("Tags", render.clean(", ".join(job.tags))),
                ("Owner", render.clean(job.owner)),
                ("Submitted", f"{job.created_at.astimezone():%Y-%m-%d %H:%M:%S}  ({render.age(job.created_at)} ago)"),
                ("Tasks", render.counts_text(job.counts)),
                ("Held", f"begins no further task: `paddock release {job.id}` lets it go on" if job.held else ""),
                ("Queue", "" if job.held else render.waits(job.waits)),
                ("Time left", render.duration(job.seconds_left)),
                ("Objective", render.clean(goal)),
                ("Best", best),
                ("Runs", render.paragraph(job.spec.command or job.spec.script or "")),
                ("Resources", render.resources(job.spec.resources)),
                (
                    "Code",
                    f"{render.several(code.files, 'file')} from {render.clean(code.source)}{commit}"
                    if code.source
                    else "",
                ),
                ("Folder", render.clean(job.folder)),
            ]
        )
    )
    if job.spec.params:
        made = render.table("PARAMETER", "VALUES", flexible=("VALUES",))
        for name, space in job.spec.params.items():
            made.add_row(name, render.clean(text_of(space)))
        screen.print()
        screen.print(made)
    base.warn(job.warnings)


def _show_task(task: TaskDetail) -> None:
    from paddock.commands import display

    screen = base.screen()
    best = f"{render.number(task.best_value)} at {render.count(task.best_epoch)}" if task.best_value is not None else ""
    screen.print(
        render.fields(
            [
                ("Task", task.id),
                ("State", render.state_text(task)),
                ("Reason", render.outcome(task)),
                ("Parameters", render.params_text(task.params)),
                ("Epoch", render.count(task.epoch)),
                ("Best", best),
                ("Metrics", render.clean(", ".join(task.metrics))),
                ("Time left", render.duration(task.seconds_left)),
                ("Ran on", " ".join(part for part in (task.node, task.device) if part)),
                ("Allocation", render.place(task.allocation)),
                ("Memory", render.size(task.peak_memory)),
                ("CPU time", render.duration(task.cpu_seconds)),
                ("Log", render.size(task.log_bytes)),
                ("Folder", render.clean(task.folder)),
                ("Command", render.paragraph(display(task.command))),
            ]
        )
    )
    made = render.table("ATTEMPT", "STATE", "STARTED", "TOOK", "REASON", flexible=("REASON",))
    for one in task.attempts:
        began = f"{one.started_at.astimezone():%m-%d %H:%M:%S}" if one.started_at else ""
        took = (one.ended_at - one.started_at).total_seconds() if one.ended_at and one.started_at else None
        state = Text(one.state.value, render.STYLES[one.state])
        reason = ": ".join(part for part in (one.cause, one.reason) if part)
        made.add_row(str(one.number), state, began, render.duration(took), render.clean(reason))
    screen.print()
    screen.print(made)
    base.warn(task.warnings)


SORTS = ("number", "-number", "state", "-state", "best", "-best", "started", "-started", "ended", "-ended")


def tasks(
    ctx: typer.Context,
    job: JobId,
    state: State = None,
    sort: Annotated[
        str, typer.Option(help=f"One of {', '.join(SORTS)}.", autocompletion=lambda: list(SORTS))
    ] = "number",
    as_json: Json = False,
) -> None:
    """List the tasks of a job with the parameters that differ."""
    if sort not in SORTS:
        raise typer.BadParameter(f"{sort!r} is none of {', '.join(SORTS)}.", param_hint="--sort")
    client = base.client(ctx)
    found = client.tasks(job, state=state, sort=sort)
    if as_json:
        base.emit(found)
        return
    base.screen().print(tasks_table(found))
    waiting = sum(task.state is TaskState.SUBMITTED for task in found)
    if waiting and (why := render.waits(client.detail(job).waits).plain):
        base.say(f"{render.several(waiting, 'task')} not started yet: {why}")


def tasks_table(found: list[Task]) -> Rows:
    names = varying([task.params for task in found])
    shown, more = (names, []) if len(names) <= MAX_COLUMNS else (names[: MAX_COLUMNS - 1], names[MAX_COLUMNS - 1 :])
    columns = [*shown, *(["MORE"] if more else [])]
    last = ["STATE", "EPOCH", "BEST"]
    made = render.table("ID", *columns, *last, "REASON", flexible=(*columns, "REASON"), right=("EPOCH", "BEST"))
    for task in found:
        values: list[str | Text] = [render.value_text(task.params.get(name)) for name in shown]
        values += [render.params_text(task.params, more)] if more else []
        made.add_row(
            task.id,
            *values,
            render.state_text(task),
            render.count(task.epoch),
            render.number(task.best_value),
            render.outcome(task),
        )
    return made
