"""The commands ls, show and tasks: print jobs and tasks."""

import shlex
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.text import Text

from paddock import models
from paddock.cli import base, map_files, render, sharing
from paddock.cli.base import JobId, Json
from paddock.errors import InvalidInput
from paddock.models.states import TaskState
from paddock.rules.varying import varying

if TYPE_CHECKING:
    from paddock.client.client import Client

MAX_COLUMNS = 5
State = Annotated[
    TaskState | None, typer.Option("--state", help="Only tasks in this state, or jobs that have such tasks.")
]


def ls(
    ctx: typer.Context,
    query: Annotated[
        str | None, typer.Option("-q", "--query", help="Only jobs with this text in their name, description or id.")
    ] = None,
    state: State = None,
    tag: Annotated[str | None, typer.Option(help="Only jobs with this tag.")] = None,
    owner: Annotated[str | None, typer.Option(help="Only jobs of this owner.")] = None,
    mine: Annotated[bool, typer.Option("--mine", help="Only your own jobs.")] = False,
    limit: Annotated[int, typer.Option(min=1, max=500, help="Show at most this many, the newest first.")] = 30,
    as_json: Json = False,
) -> None:
    """List jobs: pinned ones, then the newest first; with why tasks wait or failed.

    Example:
        paddock ls --state running
    """
    page = base.light_client(ctx).jobs(q=query, state=state, tag=tag, owner=owner, mine=mine, limit=limit)
    base.only_json(as_json, page)
    if not page.items:
        base.note("No job matches." if query or state or tag or owner or mine else "There are no jobs.")
        return
    optional = ["WHY"] if any(job.objective.metric for job in page.items) else ["WHY", "BEST"]
    whose = ("OWNER",) if page.team else ()
    columns = ("ID", *whose, "NAME", "TASKS", "BEST", "AGE", "LEFT", "WHY")
    made = render.Listing(*columns, flexible=("NAME", "TASKS", "WHY"), right=("BEST",), optional=optional)
    for job in page.items:
        unsure = "~" if job.expected_end is not None and job.expected_end.unsure else ""
        left = unsure + duration if (duration := render.duration(job.seconds_left)) else ""
        figures = (render.best(job), render.age(job.created_at), left)
        why = render.waits(job.waits) or ("held" if job.held else render.quiet(job) or render.failure(job.failure))
        by = (render.owner(job),) if page.team else ()
        made.add_row(job.id, *by, job.name, render.tasks_text(job), *figures, why)
    base.screen().print(made)
    if page.total > len(page.items):
        base.note(f"{page.total - len(page.items)} more jobs match: raise --limit to see them.")


def show(
    ctx: typer.Context,
    target: base.TaskId,
    spec: Annotated[bool, typer.Option("--spec", help="Print the job as a YAML job file.")] = False,
    as_json: Json = False,
) -> None:
    """Show all details of a job or a task.

    Examples:
        paddock show k3v
        paddock show k3v --spec > sweep.yaml
    """
    if spec:
        from paddock.models import jobfile

        client = base.client(ctx)
        detail = client.detail(target.rpartition("-")[0] if base.is_task(target) else target)
        base.only_json(as_json, detail.spec)
        about = f"# The files are those of job {detail.id}; for others, write their folder after `source:`.\n"
        own = detail.id if detail.code.files else None
        typer.echo((about if own else "") + jobfile.dump(detail.spec, own), nl=False)
        return
    light = base.light_client(ctx)
    if base.is_task(target):
        task = light.task(target)
        base.only_json(as_json, task)
        _show_task(task, map_files.of(task, map_files.parts(light, light.detail(task.job))))
        return
    job = light.detail(target)
    base.only_json(as_json, job)
    report = light.search_report(job.id) if _searches(job.spec) else None
    _show_job(job, report, sum(part.files for part in light.parts(job.id)) if job.mapped else None)


def _objectives(job: "models.JobDetail") -> "list[models.Objective]":
    return [job.objective, *job.spec.other_objectives]


def _searches(spec: "models.JobSpec") -> bool:
    """Return True if the search has more to report than its number of tasks."""
    return spec.search.method != "grid" or spec.stop_early.method != "none" or spec.search.repeat > 1


def _show_job(job: "models.JobDetail", report: "models.SearchReport | None", mapped: int | None) -> None:
    """Print a job; `mapped` is the number of files of a map."""
    screen = base.screen()
    goal = ", ".join(f"{one.metric} ({one.goal})" for one in _objectives(job) if one.metric)
    why = job.objective_choice.why if job.objective_choice.by != "spec" else ""
    best = f"{render.best(job)}  {job.best_task}" if job.best_task else ""
    if job.best_trial is not None:
        best = f"{render.best(job)}  configuration {job.best_trial} of {job.configurations}, such as {job.best_task}"
    if job.spec.other_objectives:
        best = f"see `paddock best {job.id}`: the Pareto front"
    code = job.code
    commit = f", commit {code.git_commit[:12]}{' with changes' if code.git_dirty else ''}" if code.git_commit else ""
    screen.print(
        render.fields(
            [
                ("Job", f"{job.id}  {render.clean(job.name)}"),
                ("About", render.paragraph(job.description.strip())),
                ("Tags", render.clean(", ".join(job.tags))),
                ("Owner", render.owner(job)),
                ("Submitted", f"{job.created_at.astimezone():%Y-%m-%d %H:%M:%S}  ({render.age(job.created_at)} ago)"),
                ("Tasks", render.tasks_text(job)),
                ("Search", render.search(report) if report else ""),
                ("Early stop", _stopping(report) if report else ""),
                ("Moves", _moves(report.moves) if report else ""),
                ("Priority", str(job.priority or "")),
                ("Held", f"starts no further task: `paddock release {job.id}` continues it" if job.held else ""),
                ("Queue", "" if job.held else render.waits(job.waits)),
                ("Makes room", render.clean(f"for {job.giving_way}" if job.giving_way else "")),
                ("Time left", render.left(job)),
                ("Done", render.band(job.expected_end)),
                ("Objective", render.clean(f"{goal}: {why}" if goal and why else goal or why)),
                ("Best", best),
                ("Files", render.several(mapped, "file") if mapped is not None else ""),
                ("Runs", render.paragraph(job.spec.command or job.spec.script or "") if mapped is None else ""),
                ("Then", render.paragraph(job.spec.reduce or "")),
                ("Resources", render.resources(job.spec.resources, kept=bool(job.spec.elastic.keep_size))),
                ("Sharing", "\n".join(sharing.packing(one, ended=job.ended) for one in job.packing)),
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
    if job.spec.params and mapped is None:
        made = render.Listing("PARAMETER", "VALUES", flexible=("VALUES",))
        spaces: dict[str, Any] = {**job.spec.params}
        for name, space in spaces.items():
            made.add_row(name, render.space_text(space))
        screen.print()
        screen.print(made)
    base.warn(job.warnings)
    if report and report.unjudged:
        missing = f"{render.several(len(report.unjudged), 'task')} without {job.objective.metric}"
        base.warn([f"{missing}: early stopping cannot judge them, such as {report.unjudged[0]}"])


def _stopping(report: "models.SearchReport") -> str:
    method = report.stop_early.method
    return "" if method == "none" else f"{method} {render.saved(report)}"


def _moves(moves: "list[models.Move]") -> str:
    """Return the moves of population-based training as text."""
    if not moves:
        return ""
    last = max(moves, key=lambda move: move.at)
    return (
        f"{len(moves):,}; the last: {last.task} went on from {last.source} at {render.count(last.step)} with "
        f"{render.params_text({name: one for name, one in last.after.items() if last.before.get(name) != one})}"
    )


def _show_task(task: "models.TaskDetail", part: "models.MapPart | None") -> None:
    """Print a task; `part` is its part of a map."""
    screen = base.screen()
    waiting = task.state == TaskState.SUBMITTED
    named = map_files.params(part) if part else {}
    done = f"{render.count(task.epoch)} of {render.several(part.files, 'file')}" if part and task.epoch else ""
    params = (
        ""
        if part
        else "none: it runs the reduce command of the job"
        if task.reduces
        else render.params_text(task.params)
    )
    best = f"{render.number(task.best_value)} at {render.count(task.best_epoch)}" if task.best_value is not None else ""
    screen.print(
        render.fields(
            [
                ("Task", task.id),
                ("State", _state(task)),
                ("Reason", render.outcome(task)),
                ("Parameters", params),
                ("Input", render.clean(named.get("input", ""))),
                ("Output", render.clean(named.get("output", ""))),
                ("Done", done),
                ("Epoch", "" if part else render.epoch(task)),
                ("Best", best),
                ("Metrics", render.clean(", ".join(task.metrics))),
                ("Time left", render.left(task)),
                ("Starts", render.band(task.expected_start)),
                ("Done", "" if part else render.band(task.expected_end)),
                ("Ran on", " ".join(part for part in (task.node, task.device) if part)),
                ("Share", sharing.seat(task.seat)),
                ("Resize", render.resize(task)),
                ("GPUs", render.clean(f"{task.attempts[-1].size}: {task.size_why}") if task.size_why else ""),
                ("Waits for", sharing.room(task.attempts[-1].room) if waiting and task.attempts else ""),
                ("Queue", render.waits(task.waits) if task.allocation is None else ""),
                ("Allocation", render.place(task.allocation)),
                ("Memory", render.size(task.peak_memory)),
                ("GPU memory", render.size(task.peak_gpu_memory or None)),
                ("CPU time", render.duration(task.cpu_seconds)),
                ("Log", render.size(task.log_bytes)),
                ("Folder", render.clean(task.folder)),
                ("Command", render.paragraph(shlex.join(task.command))),
            ]
        )
    )
    screen.print()
    screen.print(_attempts(task.attempts))
    base.warn(task.warnings)


def _attempts(attempts: "Sequence[models.Attempt]") -> render.Listing:
    """Return a table of the attempts of a task."""
    moved = any(one.source or one.params for one in attempts)
    sized = any(one.size for one in attempts)
    more = [*(["GPUS", "PAUSE"] if sized else []), *(["FROM", "PARAMETERS"] if moved else [])]
    names = varying([one.params for one in attempts if one.params]) or None
    made = render.Listing("ATTEMPT", "STATE", "STARTED", "TOOK", *more, "REASON", flexible=("REASON",))
    for one in attempts:
        began = f"{one.started_at.astimezone():%m-%d %H:%M:%S}" if one.started_at else ""
        took = (one.ended_at - one.started_at).total_seconds() if one.ended_at and one.started_at else None
        state = Text(str(one.state), render.STYLES[one.state])
        reason = ": ".join(part for part in (one.cause, one.reason) if part)
        source = f"{one.source} at {render.count(one.source_step)}" if one.source else ""
        cells = [str(one.size or ""), render.duration(one.pause_seconds)] if sized else []
        cells += [source, render.params_text(one.params or {}, names)] if moved else []
        made.add_row(str(one.number), state, began, render.duration(took), *cells, render.clean(reason))
    return made


def _state(task: "models.Task") -> Text:
    silent = render.no_word(task)
    return render.state_text(task).append(f", {silent} from its runner" if silent else "", "dim")


SORTS = (
    "number",
    "-number",
    "state",
    "-state",
    "best",
    "-best",
    "mean",
    "-mean",
    "started",
    "-started",
    "ended",
    "-ended",
)


def tasks(
    ctx: typer.Context,
    job: JobId,
    state: State = None,
    sort: Annotated[
        str, typer.Option(help=f"Order: one of {', '.join(SORTS)}.", autocompletion=lambda: list(SORTS))
    ] = "number",
    as_json: Json = False,
) -> None:
    """List the tasks of a job, with the parameters that differ between them.

    Examples:
        paddock tasks k3v --state error
        paddock tasks k3v --sort best
    """
    if sort not in SORTS:
        raise InvalidInput(f"--sort {sort}: there is no such order. Give one of {', '.join(SORTS)}.")
    client = base.light_client(ctx)
    found = client.tasks(job, state=state, sort=sort)
    base.only_json(as_json, found)
    detail = client.detail(job)
    named = map_files.named(found, map_files.parts(client, detail))
    base.screen().print(tasks_table(named, _objectives(detail), _means(client, detail)))
    waiting = sum(task.state == TaskState.SUBMITTED for task in found)
    if waiting and (why := render.waits(detail.waits).plain):
        base.note(f"{render.several(waiting, 'task')} not started yet: {why}")


def _means(client: "Client", job: "models.JobDetail") -> dict[int, str]:
    """Return the mean and the spread of each configuration, where each runs several times for one objective."""
    if job.configurations is None or job.spec.other_objectives:
        return {}
    history = client.search_report(job.id).history
    return {one.trial: render.measured(one.values[0], one.spread[0] if one.spread else None) for one in history}


def tasks_table(
    found: "list[models.Task]", objectives: "Sequence[models.Objective]", means: Mapping[int, str]
) -> render.Listing:
    names = varying([task.params for task in found if not task.reduces])
    shown, more = (names, []) if len(names) <= MAX_COLUMNS else (names[: MAX_COLUMNS - 1], names[MAX_COLUMNS - 1 :])
    columns = [*shown, *(["MORE"] if more else [])]
    judged = [render.clean(one.metric) for one in objectives] if len(objectives) > 1 else ["BEST"]
    last = ["EPOCH", *judged, *(["MEAN"] if means else [])] if objectives[0].metric else ["TOOK"]
    made = render.Listing("ID", *columns, "STATE", *last, "REASON", flexible=(*columns, "REASON"), right=last)
    for task in found:
        values: list[str | Text] = [render.value_text(task.params.get(name)) for name in shown]
        values = ["reduce", *[""] * (len(shown) - 1)] if task.reduces and shown else values
        values += [render.params_text(task.params, more)] if more else []
        figures = [render.epoch(task), *map(render.number, _values(task, len(judged)))]
        figures += ["" if task.reduces else means.get(task.trial, "")] if means else []
        figures = figures if objectives[0].metric else [render.duration(_took(task))]
        reason = render.no_word(task) or render.quiet(task) or render.outcome(task)
        made.add_row(task.id, *values, render.state_text(task), *figures, reason)
    return made


def _took(task: "models.Task") -> float | None:
    """Return how long a task ran, or has run so far."""
    return ((task.ended_at or datetime.now(UTC)) - task.started_at).total_seconds() if task.started_at else None


def _values(task: "models.Task", count: int) -> list[float | None]:
    """Return the value of each objective; None where the task has not reported one."""
    return [task.best_value] if count == 1 else (task.values + [None] * count)[:count]
