"""submit: from a script, a folder or a job file to a job."""

from collections.abc import Mapping
from typing import Annotated, Any

import typer

from paddock.cli import base, flags, follow, options, render
from paddock.cli.base import Follow, Json
from paddock.cli.options import takes
from paddock.client.bundle import Bundle, bundle
from paddock.client.client import Client
from paddock.errors import InvalidInput
from paddock.models import Check, JobDetail, JobSpec, Preview


@takes(options.SUBMIT)
def submit(
    ctx: typer.Context,
    source: Annotated[
        str | None, typer.Argument(metavar="SOURCE", help="A script, a folder, or a job file (.yaml, .toml).")
    ] = None,
    *,
    dry_run: Annotated[
        bool,
        typer.Option(
            "--dry-run",
            help="Show tasks, commands and the batch script, and ask the scheduler about it; submit nothing. "
            "The exit code is 5 when the scheduler would refuse it.",
        ),
    ] = False,
    watch: Follow = False,
    as_json: Json = False,
    **given: Any,
) -> None:
    """Submit a training script with the hyperparameters to try.

    Flags win over a job file. Without an environment, tasks run in the active virtual or conda environment of the
    shell, or else with its python3.
    """
    changes = options.changes(options.SUBMIT, given)
    client = base.client(ctx)
    shell = flags.of_shell(command="command" in changes)
    made = bundle(source, None, changes, environment=shell, limits=client.upload_limits())
    _refuse_loose_knobs(made.spec, given)
    if dry_run:
        _dry_run(client, made, as_json)
        return
    send(client, made, watch, as_json)


def _refuse_loose_knobs(spec: JobSpec, given: Mapping[str, Any]) -> None:
    """Knobs of early stopping where there is none."""
    loose = [f"--{name.replace('_', '-')}" for name in ("min_steps", "max_steps", "eta") if given[name] is not None]
    if loose and spec.stop_early.method == "none":
        message = f"{loose[0]} is about early stopping: give --stop-early asha, median or hyperband too"
        raise InvalidInput.at("stop_early", message)


def _dry_run(client: Client, made: Bundle, as_json: bool) -> None:
    preview = client.preview(made, check=True)
    base.warn([*made.warnings, *preview.warnings])
    if as_json:
        base.emit(preview)
    else:
        _print_preview(preview, made)
        print_request(preview)
        base.say("Nothing was submitted.")
    if preview.check and not preview.check.accepted:
        raise typer.Exit(base.REFUSED)


def _print_preview(preview: Preview, made: Bundle) -> None:
    from paddock.program.commands import display

    screen = base.screen()
    files = ", ".join(list(made.code.files)[:8]) + (", ..." if len(made.code.files) > 8 else "")
    taken = render.several(len(made.code.files), "file") + " taken along" + (f": {files}" if files else "")
    count = "as many tasks as there is time for" if preview.count is None else render.several(preview.count, "task")
    screen.print(f"{count}; {render.clean(taken)}")
    shown = preview.columns or list(preview.tasks[0] if preview.tasks else {})
    columns = shown[:8]
    table = render.table("TASK", *columns, flexible=columns, right=("TASK",))
    for number, params in enumerate(preview.tasks, start=1):
        table.add_row(str(number), *(render.value_text(params.get(name)) for name in columns))
    screen.print(table)
    screen.print()
    for number, command in enumerate(preview.commands, start=1):
        # Not wrapped: these lines are for copying.
        typer.echo(f"{number}: {render.paragraph(display(command))}")
    if preview.spec.reduce is not None:
        typer.echo(f"then: {render.paragraph(preview.spec.reduce)}")
    if preview.adaptive:
        method = preview.spec.search.method.value
        base.say(f"These are the first configurations; {method} chooses the others as results come in.")
    elif preview.count is not None and preview.count > len(preview.tasks):
        repeat = preview.spec.search.repeat
        each = f", each of them for {repeat} tasks" if repeat > 1 else ""
        base.say(f"{len(preview.tasks)} of {preview.count // repeat} configurations are shown{each}.")


def print_request(preview: Preview) -> None:
    """What the backend would get, and what it says about it."""
    backend = render.clean(preview.backend)
    if preview.batch_script:
        typer.echo(f"\n{backend} would be asked for {render.several(preview.allocations, 'allocation')}:\n")
        typer.echo(render.paragraph(preview.batch_script))
    if preview.check and (preview.batch_script or not preview.check.accepted):
        typer.echo(f"{backend} {_said(preview.check)}")


def _said(check: Check) -> str:
    if not check.accepted:
        return f"would refuse it: {render.clean('; '.join(check.message.split(chr(10)))) or 'it does not say why'}"
    told = f" ({render.clean(check.message)})" if check.starts_at is None and check.message else ""
    return f"would accept it{told}{render.expected(check.starts_at)}"


def send(client: Client, made: Bundle, watch: bool, as_json: bool) -> None:
    """Submit it, say so, and follow it if that is wanted."""
    job = client.submit(made).detail
    base.warn([*made.warnings, *job.warnings])
    if as_json and watch:
        base.emit_line(job)
    elif as_json:
        base.emit(job)
    else:
        _announce(job, watch)
    if watch:
        raise typer.Exit(follow.follow(client, job, as_json=as_json))


def _announce(job: JobDetail, watch: bool) -> None:
    tasks = f"{render.several(job.counts.total, 'task')} submitted" if job.counts.total else ""
    typer.echo(f"{job.id}  {render.clean(job.name)}: {', '.join(part for part in (tasks, _to_come(job)) if part)}")
    if not watch:
        base.say(
            f"  paddock tasks {job.id}     what they do",
            f"  paddock logs {job.id}-1    what the first one prints",
            *([f"  paddock best {job.id}      the best so far"] if job.objective.metric else []),
            f"  paddock stop {job.id}      stop them all",
        )


def _to_come(job: JobDetail) -> str:
    if not job.searching:
        return ""
    if job.to_come is None:
        count = "tasks to come as long as there is time"
    else:
        more = f"{job.to_come:,} more" if job.counts.total else render.several(job.to_come, "task")
        count = f"{more} to come"
    return f"{count}, chosen by {job.spec.search.method.value}"
