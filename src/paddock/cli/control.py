"""The commands stop, restart, resize, hold, release, limits and rm: change jobs and tasks."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from paddock.cli import base, complete, render
from paddock.cli.base import Json, Targets
from paddock.cli.options import pick, takes
from paddock.client.light import LightClient
from paddock.errors import AmbiguousId, InvalidInput, NotFound
from paddock.models.states import TaskState

if TYPE_CHECKING:
    from paddock.models import JobDetail

Jobs = Annotated[list[str], typer.Argument(metavar="JOB", help="Ids of jobs.", autocompletion=complete.jobs)]


def stop(ctx: typer.Context, targets: Targets, as_json: Json = False) -> None:
    """Stop tasks: SIGTERM first, SIGKILL after the grace time. Tasks that have ended stay as they are.

    Examples:
        paddock stop k3v
        paddock stop k3v-1 k3v-2
    """
    client = base.light_client(ctx)
    _change(targets, client.stop, "stopped", as_json)


def restart(
    ctx: typer.Context,
    targets: Targets,
    failed: Annotated[bool, typer.Option("--failed", help="Only tasks that ended with an error.")] = False,
    stopped: Annotated[
        bool, typer.Option("--stopped", help="Only tasks that were stopped; with --failed, both kinds.")
    ] = False,
    resume: Annotated[bool, typer.Option("--resume", help="Keep the checkpoint and continue from it.")] = False,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Run finished tasks again without asking.")] = False,
    as_json: Json = False,
) -> None:
    """Run tasks that have ended again; earlier attempts stay readable.

    For a whole job, finished tasks are run again only after you confirm it, or with --yes.

    Examples:
        paddock restart k3v --failed --resume
        paddock restart k3v --stopped
        paddock restart k3v-12
    """
    client = base.light_client(ctx)

    def one(target: str) -> list[str]:
        if not stopped:
            if not (failed or yes or base.is_task(target)):
                _confirm_restart(client.detail(target))
            return client.restart(target, failed=failed, resume=resume)
        job, named = (target.rpartition("-")[0], target) if base.is_task(target) else (target, None)
        wanted = {TaskState.STOPPED, TaskState.ERROR} if failed else {TaskState.STOPPED}
        found = [client.task(named)] if named else client.tasks(job)
        ids = [task.id for task in found if task.state in wanted]
        return client.restart(job, ids, resume=resume) if ids else []

    _change(targets, one, "restarted", as_json)


def resize(
    ctx: typer.Context,
    targets: Targets,
    gpus: Annotated[
        str,
        typer.Option("--gpus", help="GPUs to go on with, within the range of the job; auto: Paddock chooses them."),
    ],
    as_json: Json = False,
) -> None:
    """Let tasks go on with another number of GPUs, if their job was submitted with a range, such as --gpus 1..4.

    A task gets SIGTERM and ends; its next attempt continues from its checkpoint. Where as many GPUs are free, they are
    taken first, and the task trains until they are there. A job stands for all of its tasks that run. They keep the
    number that you chose, until you say auto.

    Examples:
        paddock resize k3v-1 --gpus 2
        paddock resize k3v --gpus auto
    """
    wanted: int | Literal["auto"] = "auto" if gpus == "auto" else int(gpus) if gpus.isdecimal() else 0
    if wanted == 0:
        raise InvalidInput(f"--gpus {gpus}: give a number from 1 on, or auto.")
    client = base.light_client(ctx)

    def one(target: str) -> tuple[list[str], str]:
        found = client.resize(target, wanted)
        if wanted == "auto":
            return found, f"{target}: Paddock chooses how many GPUs" + (" already" if not found else "")
        count = render.several(wanted, "GPU")
        if base.is_task(target):
            return found, f"{found[0]}: goes on with {count}" if found else f"{target} has {count}, or is about to"
        goes = "goes" if len(found) == 1 else "go"
        return found, f"{target}: {render.several(len(found), 'task')} {goes} on with {count}"

    raise typer.Exit(_each(targets, one, as_json, "tasks"))


def _confirm_restart(job: "JobDetail") -> None:
    """Ask before tasks that have finished are run again."""
    done = job.counts.finished + job.counts.pruned
    if not done:
        return
    rest = job.counts.error + job.counts.stopped
    what = render.several(done, "finished task") + (f" and {rest} that did not finish" if rest else "")
    known = (("--failed", job.counts.error), ("--stopped", job.counts.stopped))
    narrower = " or ".join(f"`{option}`" for option, count in known if count)
    hint = f", or {narrower} for those that did not finish" if narrower else ""
    base.confirm(f"Run {what} of {job.id} ({render.clean(job.name)}) again", "restarted", hint)


def _change(targets: list[str], act: Callable[[str], list[str]], done: str, as_json: bool) -> None:
    raise typer.Exit(_each(targets, lambda target: _summary(target, act(target), done), as_json, "tasks"))


def _each(targets: list[str], act: Callable[[str], tuple[list[Any], str]], as_json: bool, key: str | None) -> int:
    """Do something to each; print a line for each, or what was changed as one JSON document. Return the exit code."""
    changed: list[Any] = []

    def one(target: str) -> None:
        found, line = act(target)
        changed.extend(found)
        if not as_json:
            typer.echo(line)

    code = base.for_each(targets, one)
    if as_json:
        base.emit({key: changed} if key else changed)
    return code


def _summary(target: str, found: list[str], done: str) -> tuple[list[str], str]:
    """Return the tasks and a line about them."""
    listed = ", ".join(found[:5]) + (", ..." if len(found) > 5 else "")
    being = "being stopped" if done == "stopped" else done
    several = f"{len(found)} tasks {being}: {listed}" if found else f"{target}: no task could be {done}"
    return found, f"{listed}: {being}" if len(found) == 1 else several


def hold(ctx: typer.Context, jobs: Jobs, as_json: Json = False) -> None:
    """Start no further task of these jobs, including tasks in the queue. Running tasks go on.

    This also pauses a search: no further configurations are chosen until `paddock release`.

    Example:
        paddock hold k3v
    """
    client = base.light_client(ctx)
    _adjust(jobs, client.hold, "held: `paddock release {id}` continues it", as_json)


def pin(
    ctx: typer.Context,
    jobs: Jobs,
    off: Annotated[bool, typer.Option("--off", help="No longer pin them.")] = False,
    as_json: Json = False,
) -> None:
    """Pin jobs: `paddock ls` and the page list them before all others.

    Examples:
        paddock pin k3v
        paddock pin k3v --off
    """
    client = base.light_client(ctx)
    done = "no longer pinned" if off else "pinned"
    _adjust(jobs, lambda job: client.edit(job, pinned=not off), done, as_json)


def release(
    ctx: typer.Context,
    targets: Annotated[
        list[str],
        typer.Argument(
            metavar="JOB|RESERVATION", help="Ids of held jobs, or of reservations.", autocompletion=complete.released
        ),
    ],
    as_json: Json = False,
) -> None:
    """Continue jobs and searches that were held with `paddock hold`; or end reservations that run.

    The rest of the time of a released reservation becomes free. One that has not begun is cancelled: `paddock cancel`.

    Examples:
        paddock release k3v
        paddock release 3f9c21aa
    """
    client = base.light_client(ctx)

    def one(target: str) -> tuple[list[Any], str]:
        _refuse_task(target)
        if not _is_reservation(client, target):
            held = client.release(target)
            return [held], f"{held.id} released"
        over = client.calendar.release(target)
        return [over], f"{over.id} released: the rest of its time is free"

    if code := _each(targets, one, as_json, None):
        raise typer.Exit(code)


def _is_reservation(client: LightClient, target: str) -> bool:
    """Return True if a reservation has this id, and False if a job has it. Raise if both, or neither."""
    found: list[str | None] = []
    for look in (client.detail, client.calendar.reservation):
        try:
            found.append(look(target).id)
        except AmbiguousId:
            raise
        except NotFound:
            found.append(None)
    job, reservation = found
    if job and reservation and target not in (job, reservation):
        raise AmbiguousId(f"{target} is the beginning of a job ({job}) and of a reservation ({reservation}).")
    if not job and not reservation:
        raise NotFound(
            f"There is no job and no reservation {target!r}: `paddock ls` and `paddock reservations` list them."
        )
    return job is None or target == reservation


@takes(pick("time nice priority", time="Time limit of their allocations, such as 4h or 1-12:00:00."))
def limits(
    ctx: typer.Context,
    jobs: Jobs,
    time: str | None = None,
    nice: int | None = None,
    priority: int | None = None,
    as_json: Json = False,
) -> None:
    """Change the priority of jobs that wait or run, or the limits of their present and future allocations.

    The scheduler may refuse this for present allocations: with most, only administrators can give more time to what
    runs. The job then has a warning that reports it.

    Examples:
        paddock limits k3v --time 4h
        paddock limits k3v --nice 100
        paddock limits k3v --priority 10
    """
    given = {"time limit": time, "nice": nice, "priority": priority}
    if all(value is None for value in given.values()):
        raise InvalidInput("There is nothing to change: give --time, --nice or --priority.")
    client = base.light_client(ctx)
    new = ", ".join(f"{name} {value}" for name, value in given.items() if value is not None)
    _adjust(jobs, lambda job: client.limits(job, time_limit=time, nice=nice, priority=priority), new, as_json)
    if time is None and nice is None:
        return
    base.note("If the scheduler refuses this, `paddock show JOB` reports it.")


def _adjust(jobs: list[str], act: Callable[[str], "JobDetail"], done: str, as_json: bool) -> None:
    def one(job: str) -> tuple[list["JobDetail"], str]:
        _refuse_task(job)
        detail = act(job)
        return [detail], f"{detail.id} {done.format(id=detail.id)}"

    if code := _each(jobs, one, as_json, None):
        raise typer.Exit(code)


def _refuse_task(job: str) -> None:
    if base.is_task(job):
        raise InvalidInput(f"{job} is a task: give a whole job, such as {job.rpartition('-')[0] or 'k3v'}.")


def rm(
    ctx: typer.Context,
    jobs: Jobs,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Delete without asking.")] = False,
    as_json: Json = False,
) -> None:
    """Delete jobs with their results, logs and checkpoints. Tasks that run are stopped.

    Example:
        paddock rm k3v --yes
    """
    client = base.light_client(ctx)

    def one(job: str) -> tuple[list[str], str]:
        _refuse_task(job)
        detail = client.detail(job)
        if not yes:
            base.confirm(f"Remove {detail.id} ({render.clean(detail.name)}): {_lost(detail)}", "removed")
        client.remove(detail.id)
        return [detail.id], f"{detail.id} removed: {_lost(detail)}"

    raise typer.Exit(_each(jobs, one, as_json, "removed"))


def _lost(job: "JobDetail") -> str:
    running = f", {job.counts.running} of them running" if job.counts.running else ""
    return f"{render.several(render.total(job.counts), 'task')}{running}, with all results, logs and checkpoints"
