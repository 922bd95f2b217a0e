"""The command follow, and `submit --follow`: show a job as it runs, on a terminal or line by line."""

import time
from collections.abc import Iterator
from contextlib import suppress

import typer
from rich.console import Group, RenderableType
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from paddock.cli import base, map_files, render
from paddock.client.client import Client
from paddock.client.events import polled
from paddock.errors import InvalidInput, NotFound, PaddockError
from paddock.models import Job, JobDetail, NoWord, Task, TaskState
from paddock.rules.varying import varying

POLL_SECONDS = 0.5
SUMMARY_SECONDS = 30.0
_ORDER = sorted(render.STYLES, key=lambda state: state is not TaskState.RUNNING)


def follow_job(ctx: typer.Context, job: base.JobId, as_json: base.Json = False) -> None:
    """Show the progress of a job until all its tasks have ended.

    Ctrl-C ends this command, not the job. With --json, print one line per change of a task's state, then the job.

    Example:
        paddock follow k3v
    """
    client = base.client(ctx)
    if base.is_task(job):
        raise InvalidInput(f"{job} is a task: use `paddock logs -f {job}` to follow its output.")
    raise typer.Exit(follow(client, client.detail(job), as_json=as_json))


def follow(client: Client, job: JobDetail, *, as_json: bool = False) -> int:
    """Show a job until all tasks have ended and none is to come; return the exit code. Ctrl-C does not end the job."""
    try:
        if as_json:
            last = _as_json(client, job)
        elif base.is_terminal():
            last = _on_screen(client, job)
        else:
            last = _as_lines(client, job)
    except KeyboardInterrupt:
        base.note(f"\nThe job goes on: `paddock tasks {job.id}` shows it, `paddock stop {job.id}` stops it.")
        return base.INTERRUPTED
    except NotFound:
        base.note(f"The job {job.id} was removed.")
        return base.MISSING
    if not as_json:
        with suppress(PaddockError):  # the job has ended well, whatever becomes of the server now
            _conclude(client, job, last)
    return base.FAILED if last.counts.error else 0


def _conclude(client: Client, job: JobDetail, last: Job) -> None:
    """Print what early stopping saved, and how to continue a job whose reduce command has not run."""
    if job.spec.stop_early.method != "none":
        base.note(f"Early stopping {render.saved(client.search_report(job.id))}.")
    flags = (" --failed" if last.counts.error else "") + (" --stopped" if last.counts.stopped else "")
    if job.spec.reduce is not None and flags and not any(task.reduces for task in client.tasks(job.id)):
        again = f"`paddock restart {job.id}{flags} --resume`"
        base.note(f"The reduce command has not run, as not all tasks have finished: {again} continues them.")


def _states(client: Client, job: str) -> Iterator[tuple[JobDetail, list[Task]]]:
    """Return the job and its tasks from time to time, and once more at its end."""
    for detail, tasks in polled(lambda: _state(client, job)):
        yield detail, tasks
        if detail.ended:
            return
        time.sleep(POLL_SECONDS * (1 + len(tasks) / 500))  # large jobs are looked at less often


def _state(client: Client, job: str) -> tuple[JobDetail, list[Task]]:
    # The job first: when it has ended, so have the tasks that are read after it.
    detail, tasks = client.detail(job), client.tasks(job)
    if not detail.objective.metric and any(task.best_value is not None for task in tasks):
        # The objective was chosen in between.
        detail = detail.model_copy(update={"objective": client.detail(job).objective})
    return detail, tasks


# --- line by line ---------------------------------------------------------------------------------------------------


def _changes(client: Client, job: JobDetail) -> Iterator[tuple[Job, list[Task], list[Task]]]:
    before: dict[str, tuple[TaskState, int]] = {}
    for detail, tasks in _states(client, job.id):
        now = {task.id: (task.state, task.attempt) for task in tasks}
        first = TaskState.SUBMITTED
        yield detail, tasks, [task for task in tasks if before.get(task.id, (first, task.attempt)) != now[task.id]]
        before = now


def _as_json(client: Client, job: JobDetail) -> Job:
    """Print JSON lines: each task whenever its state changes, and the job at its end."""
    last: Job = job
    for seen, _, changed in _changes(client, job):
        last = seen
        for task in changed:
            base.emit_line(task)
    base.emit_line(last)
    return last


def _as_lines(client: Client, job: JobDetail) -> Job:
    last: Job = job
    printed = time.monotonic()
    why: tuple[str | None, NoWord | None] = (None, None)
    screen = base.screen()
    parts = map_files.parts(client, job)
    for last, tasks, changed in _changes(client, job):
        names = varying([task.params for task in map_files.named(tasks, parts) if not task.reduces])
        for task in map_files.named(changed, parts):
            screen.print(_line(task, names, last.objective.metric), soft_wrap=True)
        now = (last.waits.reason if last.waits else None, last.no_word)
        if time.monotonic() - printed > SUMMARY_SECONDS or last.ended or (any(now) and now != why):
            printed, why = time.monotonic(), now
            screen.print(_summary(last), soft_wrap=True)
    return last


def _line(task: Task, names: list[str], metric: str) -> str:
    found = [task.id, "stopping" if task.stopping else task.state.value]
    if task.state is TaskState.RUNNING:
        found.append(_about(task, names))
    if task.state.ended and task.best_value is not None:
        found.append(f"{render.clean(metric)}={render.number(task.best_value)} at {render.count(task.best_epoch)}")
    if task.state.ended:
        found.append(render.outcome(task))
    return "  ".join(part for part in found if part)


def _about(task: Task, names: list[str]) -> str:
    return "reduce" if task.reduces else render.params_text(task.params, names)


def _summary(job: Job) -> Text:
    parts = [Text(job.id), render.tasks_text(job)]
    if job.best_task:
        which = job.best_task if job.best_trial is None else f"configuration {job.best_trial}"
        best = f"best {render.clean(job.objective.metric)} {render.best(job)} ({which})"
        parts.append(Text(best))
    if quiet := render.quiet(job):
        parts.append(Text(quiet))
    elif job.seconds_left is not None and not job.ended:
        parts.append(Text(f"{render.duration(job.seconds_left)} left"))
    if job.waits:
        parts.append(render.waits(job.waits))
    return Text("  ").join(parts)


# --- on a terminal --------------------------------------------------------------------------------------------------


def _on_screen(client: Client, job: JobDetail) -> Job:
    last: Job = job
    screen = base.screen()
    parts = map_files.parts(client, job)
    with Live(console=screen, auto_refresh=False, transient=False) as live:
        for last, tasks in _states(client, job.id):
            live.update(view(last, map_files.named(tasks, parts), screen.height), refresh=True)
    return last


def view(job: JobDetail, tasks: list[Task], height: int) -> RenderableType:
    """Return one line per task, as many as fit; running tasks come first."""
    room = max(height - 4, 1)
    ordered = sorted(tasks, key=lambda task: (_ORDER.index(task.state), task.number))
    shown, others = (ordered, []) if len(ordered) <= room else (ordered[: room - 1], ordered[room - 1 :])
    names = varying([task.params for task in tasks if not task.reduces])
    step = "file" if job.mapped else "epoch" if job.objective.metric else "step"
    grid = Table.grid(padding=(0, 2, 0, 0))
    grid.add_column(no_wrap=True)
    grid.add_column(width=16)
    for _ in range(3):
        grid.add_column(no_wrap=True, justify="right")
    grid.add_column(no_wrap=True, overflow="ellipsis")
    for task in shown:
        grid.add_row(*_cells(task, names, step))
    parts: list[RenderableType] = [grid]
    if others:
        left = {state: sum(task.state is state for task in others) for state in _ORDER}
        listed = ", ".join(f"{count} {state.value}" for state, count in left.items() if count)
        parts.append(Text(f"and {len(others)} more: {listed}", "dim"))
    return Group(*parts, _summary(job))


def _cells(task: Task, names: list[str], step: str) -> list[RenderableType]:
    bar: RenderableType = render.state_text(task)
    if task.state is TaskState.RUNNING and task.progress is not None:
        bar = ProgressBar(total=1.0, completed=task.progress, width=16)
    epoch = f"{step} {render.epoch(task)}" if task.epoch is not None else ""
    left = "" if render.quiet(task) else render.duration(task.seconds_left)
    about = render.outcome(task) if task.state is TaskState.ERROR else _about(task, names)
    about = "  ".join(part for part in (render.no_word(task) or render.quiet(task), about) if part)
    return [task.id, bar, epoch, render.number(task.best_value), f"{left} left" if left else "", about]
