"""The command submit: make a job of a script, a folder or a job file."""

import shlex
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Annotated, Any

import typer

from paddock.cli import base, flags, options, render
from paddock.cli.base import Follow, Json
from paddock.cli.options import takes
from paddock.client.client import Client
from paddock.errors import InvalidInput, MissingModules

if TYPE_CHECKING:  # what submits is imported when something is submitted: the help does without
    from paddock.client.bundle import Bundle
    from paddock.models import Check, JobDetail, JobSpec, Preflight, Preview

DryRun = Annotated[
    bool,
    typer.Option(
        "--dry-run",
        help="Show tasks, commands and the batch script, check imports and files, and ask the scheduler if it would "
        "accept them; submit nothing. The exit code is 5 if the job would be refused.",
    ),
]
Include = Annotated[
    list[str] | None,
    typer.Option(
        metavar="PATH", help="File or folder to take along as well, even if ignored. May be given several times."
    ),
]
Force = Annotated[bool, typer.Option("--force", help="Submit even if the environment lacks modules.")]


@takes(options.SUBMIT)
def submit(
    ctx: typer.Context,
    source: Annotated[
        str | None, typer.Argument(metavar="SOURCE", help="Script, notebook, folder, or job file (.yaml, .toml).")
    ] = None,
    *,
    dry_run: DryRun = False,
    include: Include = None,
    force: Force = False,
    watch: Follow = False,
    as_json: Json = False,
    **given: Any,
) -> None:
    """Submit a training script with the hyperparameters to try.

    Options override the job file. If no environment is given, tasks run in the virtual or conda environment that is
    active in the shell, or else with the shell's python3.

    Examples:
        paddock submit train.py -p lr=0.1,0.01 -p batch_size=32..128:32 --follow
        paddock submit sweep.yaml --dry-run
        paddock submit --command 'python3 train.py {lr}' -p lr=1e-4..1e-1:log --trials 20
        paddock submit train.py -p lr=1e-4..1e-1:log -p width=16..256 --search tpe --trials 50 --stop-early asha
        paddock submit train.py -p lr=0.1,0.01 --partition gpu --gpus 1 --memory 16G --time 4h --dry-run
        paddock submit train.py --nodes 2 --gpus 4 --launcher torchrun
    """
    from paddock.client.bundle import bundle

    changes = options.changes(options.SUBMIT, given)
    client = base.client(ctx)
    made = bundle(
        source, None, changes, environment=flags.of_shell(), include=include or (), limits=client.upload_limits()
    )
    _refuse_unused_options(made.spec, given)
    if dry_run:
        only_preview(client, made, as_json, lambda preview: _print_preview(preview, made))
        return
    send(client, made, watch, as_json, force=force)


@takes(options.SUBMIT)
def again(
    ctx: typer.Context,
    job: base.JobId,
    *,
    dry_run: DryRun = False,
    include: Include = None,
    force: Force = False,
    watch: Follow = False,
    as_json: Json = False,
    **given: Any,
) -> None:
    """Submit a job again, with the code as it was then. Options change what they name.

    Examples:
        paddock again k3v
        paddock again k3v -p lr=0.1,0.2 --name 'larger steps' --follow
    """
    from paddock.client.bundle import bundle

    changes = options.changes(options.SUBMIT, given)
    client = base.client(ctx)
    old = client.detail(job)
    made = bundle(None, old.spec, changes, include=include or (), limits=client.upload_limits(), job=old.id)
    _refuse_unused_options(made.spec, given)
    if dry_run:
        only_preview(client, made, as_json, lambda preview: _print_preview(preview, made))
        return
    send(client, made, watch, as_json, force=force)


def _refuse_unused_options(spec: "JobSpec", given: Mapping[str, Any]) -> None:
    """Refuse options of early stopping if there is no early stopping."""
    unused = [f"--{name.replace('_', '-')}" for name in ("min_steps", "max_steps", "eta") if given[name] is not None]
    if unused and spec.stop_early.method == "none":
        message = f"{unused[0]} is about early stopping: also give --stop-early asha, median or hyperband"
        raise InvalidInput.at("stop_early", message)


def only_preview(
    client: Client,
    made: "Bundle",
    as_json: bool,
    show: "Callable[[Preview], None]",
    more: Mapping[str, Any] | None = None,
) -> None:
    """Print what would be submitted, and if the backend would accept it. `more` goes into the JSON beside it."""
    preview = client.preview(made, check=True)
    base.warn([*made.warnings, *preview.warnings])
    if as_json:
        base.emit({**more, "preview": preview} if more else preview)
    else:
        show(preview)
        print_request(preview)
        _print_preflight(preview.preflight)
        base.note("Nothing was submitted.")
    held = preview.preflight and preview.preflight.held
    if held or (preview.check and not preview.check.accepted):
        raise typer.Exit(base.REFUSED)


def _print_preflight(found: "Preflight | None") -> None:
    """Print what the environment has and lacks."""
    if found is None:
        return
    if found.interpreter and not found.missing:
        typer.echo(f"\n{found.interpreter} (Python {found.python}) has all modules that the program imports.")
    if found.unchecked:
        base.warn([f"The modules that the program imports were not looked for: {found.unchecked}"])
    base.warn(f"{found.interpreter} has no {one.name}, which {one.where} imports." for one in found.missing)
    for one in found.better:
        base.note(f"  {one.kind} {one.name} has what is missing: --{one.kind} {one.place}")


def _print_preview(preview: "Preview", made: "Bundle") -> None:
    screen = base.screen()
    files = ", ".join(list(made.code.files)[:8]) + (", ..." if len(made.code.files) > 8 else "")
    taken = render.several(len(made.code.files), "file") + " sent along" + (f": {files}" if files else "")
    count = "as many tasks as the time allows" if preview.count is None else render.several(preview.count, "task")
    screen.print(f"{count}; {render.clean(taken)}")
    shown = preview.columns or list(preview.tasks[0] if preview.tasks else {})
    columns = shown[:8]
    table = render.Listing("TASK", *columns, flexible=columns, right=("TASK",))
    for number, params in enumerate(preview.tasks, start=1):
        table.add_row(str(number), *(render.value_text(params.get(name)) for name in columns))
    screen.print(table)
    screen.print()
    for number, command in enumerate(preview.commands, start=1):
        # Not wrapped: these lines are for copying.
        typer.echo(f"{number}: {render.paragraph(shlex.join(command))}")
    if preview.spec.reduce is not None:
        typer.echo(f"then: {render.paragraph(preview.spec.reduce)}")
    if preview.adaptive:
        method = preview.spec.search.method.value
        base.note(f"These are the first configurations; {method} chooses the others when results arrive.")
    elif preview.count is not None and preview.count > len(preview.tasks):
        repeat = preview.spec.search.repeat
        each = f", each for {repeat} tasks" if repeat > 1 else ""
        base.note(f"{len(preview.tasks)} of {preview.count // repeat} configurations are shown{each}.")


def print_request(preview: "Preview") -> None:
    """Print what the backend would get, and if it would accept it."""
    backend = render.clean(preview.backend)
    if preview.batch_script:
        typer.echo(f"\n{backend} would be asked for {render.several(preview.allocations, 'allocation')}:\n")
        typer.echo(render.paragraph(preview.batch_script))
    if preview.check and (preview.batch_script or not preview.check.accepted):
        typer.echo(f"{backend} {_verdict(preview.check)}")


def _verdict(check: "Check") -> str:
    if not check.accepted:
        return f"would refuse it: {render.clean('; '.join(check.message.split(chr(10)))) or 'it gives no reason'}"
    remark = f" ({render.clean(check.message)})" if check.starts_at is None and check.message else ""
    return f"would accept it{remark}{render.expected(check.starts_at)}"


def send(client: Client, made: "Bundle", watch: bool, as_json: bool, *, force: bool = False) -> None:
    """Submit a bundle, print the result, and follow the job if `watch` is set."""
    base.warn(made.warnings)
    try:
        job = client.submit(made, force=force).detail
    except MissingModules as error:
        raise _with_advice(client, made, error) from None
    base.warn(job.warnings)
    if as_json and watch:
        base.emit_line(job)
    elif as_json:
        base.emit(job)
    else:
        _announce(job, watch)
    if watch:
        from paddock.cli import follow

        raise typer.Exit(follow.follow(client, job, as_json=as_json))


def _with_advice(client: Client, made: "Bundle", error: MissingModules) -> MissingModules:
    """Add which other environment has the modules, and how to insist."""
    better = client.preflight(made).better
    use = f"use --{better[0].kind} {better[0].place}, which has them" if better else "choose another environment"
    listed = "" if better else " (`paddock environments` lists them)"
    return MissingModules(f"{error.message} Install them there, {use}{listed}, or insist with --force.")


def _announce(job: "JobDetail", watch: bool) -> None:
    tasks = f"{render.several(job.counts.total, 'task')} submitted" if job.counts.total else ""
    typer.echo(f"{job.id}  {render.clean(job.name)}: {', '.join(part for part in (tasks, _to_come(job)) if part)}")
    if not watch:
        base.note(
            f"  paddock tasks {job.id}     list its tasks",
            f"  paddock logs {job.id}-1    print the output of its first task",
            *([f"  paddock attach {job.id}-1  open its terminal"] if job.spec.terminal else []),
            *([f"  paddock best {job.id}      show the best tasks so far"] if job.spec.objective.metric else []),
            f"  paddock stop {job.id}      stop all its tasks",
        )


def _to_come(job: "JobDetail") -> str:
    if not job.searching:
        return ""
    if job.to_come is None:
        count = "tasks to come while there is time"
    else:
        more = f"{job.to_come:,} more" if job.counts.total else render.several(job.to_come, "task")
        count = f"{more} to come"
    return f"{count}, chosen by {job.spec.search.method.value}"
