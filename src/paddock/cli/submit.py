"""submit: from a script, a folder or a job file to a job."""

from typing import Annotated

import typer

from paddock.cli import base, complete, flags, follow, render, resources, search_options
from paddock.cli.base import Json
from paddock.client.bundle import Bundle, bundle
from paddock.client.client import Client
from paddock.models import Check, Convention, JobDetail, Preview

Panel = typer.Option
_WHAT, _WHERE = "What to run", "Environment, metrics, retries"


def submit(
    ctx: typer.Context,
    source: Annotated[
        str | None, typer.Argument(metavar="SOURCE", help="A script, a folder, or a job file (.yaml, .toml).")
    ] = None,
    param: Annotated[
        list[str] | None,
        typer.Option(
            "--param",
            "-p",
            metavar="NAME=VALUES",
            help="A value, a list (0.1,0.01) or a range (1e-4..1e-1:log, 32..256:32). May be given several times.",
            autocompletion=complete.params,
            rich_help_panel=_WHAT,
        ),
    ] = None,
    name: Annotated[str | None, Panel(help="Name of the job.", rich_help_panel=_WHAT)] = None,
    description: Annotated[str | None, Panel(help="What it is about.", rich_help_panel=_WHAT)] = None,
    tag: Annotated[list[str] | None, Panel(help="A tag; may be given several times.", rich_help_panel=_WHAT)] = None,
    script: Annotated[str | None, Panel(help="The script in the folder SOURCE.", rich_help_panel=_WHAT)] = None,
    command: Annotated[
        str | None,
        Panel(help="A shell command with {parameter} fields, in place of a script.", rich_help_panel=_WHAT),
    ] = None,
    reduce: Annotated[
        str | None,
        Panel(
            metavar="COMMAND",
            help="A shell command to run when all tasks have finished; {results} is the folder of theirs.",
            rich_help_panel=_WHAT,
        ),
    ] = None,
    convention: Annotated[
        Convention | None, Panel(help="How the script takes parameters.", rich_help_panel=_WHAT)
    ] = None,
    objective: search_options.Objectives = None,
    search: search_options.How = None,
    trials: search_options.Trials = None,
    time_budget: search_options.TimeBudget = None,
    parallel: search_options.Parallel = None,
    seed: search_options.Seed = None,
    repeat: search_options.Repeat = None,
    warm_start: search_options.WarmStart = None,
    interval: search_options.Interval = None,
    stop_early: search_options.StopEarly = None,
    min_steps: search_options.MinSteps = None,
    max_steps: search_options.MaxSteps = None,
    eta: search_options.Eta = None,
    backend: resources.Backend = None,
    profile: resources.Profile = None,
    partition: resources.Partition = None,
    gpus: resources.Gpus = None,
    gpu_type: resources.GpuType = None,
    cpus: resources.Cpus = None,
    memory: resources.Memory = None,
    time: resources.Time = None,
    nodes: resources.Nodes = None,
    launcher: resources.How = None,
    slots: resources.Slots = None,
    per_gpu: resources.PerGpu = None,
    triple: resources.Triples = None,
    account: resources.Account = None,
    qos: resources.Qos = None,
    constraint: resources.Constraint = None,
    nodelist: resources.Nodelist = None,
    exclude: resources.Exclude = None,
    reservation: resources.Reservation = None,
    nice: resources.Nice = None,
    sbatch: resources.Sbatch = None,
    python: Annotated[str | None, Panel(help="Interpreter to run with.", rich_help_panel=_WHERE)] = None,
    venv: Annotated[str | None, Panel(help="Virtual environment to run in.", rich_help_panel=_WHERE)] = None,
    conda: Annotated[str | None, Panel(help="Conda environment to run in.", rich_help_panel=_WHERE)] = None,
    setup: Annotated[
        list[str] | None, Panel(help="Shell line to run before, such as 'module load cuda'.", rich_help_panel=_WHERE)
    ] = None,
    env: Annotated[
        list[str] | None, Panel(metavar="NAME=VALUE", help="Environment variable.", rich_help_panel=_WHERE)
    ] = None,
    metrics_file: Annotated[
        list[str] | None, Panel(help="Pattern of metric files to read.", rich_help_panel=_WHERE)
    ] = None,
    no_stdout_metrics: Annotated[
        bool, Panel("--no-stdout-metrics", help="Do not read metrics from the output.", rich_help_panel=_WHERE)
    ] = False,
    retry: Annotated[
        list[str] | None, Panel(metavar="CAUSE=N", help="Retries by cause.", rich_help_panel=_WHERE)
    ] = None,
    grace: Annotated[
        float | None, Panel(min=0, help="Seconds between SIGTERM and SIGKILL.", rich_help_panel=_WHERE)
    ] = None,
    dry_run: Annotated[
        bool,
        typer.Option(
            "--dry-run",
            help="Show tasks, commands and the batch script, and ask the scheduler about it; submit nothing. "
            "The exit code is 5 when the scheduler would refuse it.",
        ),
    ] = False,
    watch: Annotated[bool, typer.Option("--follow", "-f", help="Show progress until all tasks have ended.")] = False,
    as_json: Json = False,
) -> None:
    """Submit a training script with the hyperparameters to try.

    Flags win over a job file. Without an environment, tasks run in the active virtual or conda environment of the
    shell, or else with its python3.
    """
    changes = flags.nested(
        {
            "name": name,
            "description": description,
            "tags": tag or [],
            "script": script,
            "command": command,
            "reduce": reduce,
            "convention": convention.value if convention else None,
            "params": flags.params(param),
            "objective": objective or [],
            "search.method": search.value if search else None,
            "search.trials": trials,
            "search.time_budget": time_budget,
            "search.seed": seed,
            "search.repeat": repeat,
            "search.warm_start": warm_start or [],
            "search.interval": interval,
            "stop_early.method": stop_early.value if stop_early else None,
            "stop_early.min_steps": min_steps,
            "stop_early.max_steps": max_steps,
            "stop_early.eta": eta,
            "parallel": parallel,
            "resources.backend": backend,
            "resources.profile": profile,
            "resources.partition": partition,
            "resources.gpus": gpus,
            "resources.gpu_type": gpu_type,
            "resources.cpus": cpus,
            "resources.memory": memory,
            "resources.time_limit": time,
            "resources.nodes": nodes,
            "resources.launcher": launcher.value if launcher else None,
            "resources.slots": slots,
            "resources.per_gpu": per_gpu,
            "resources.triple": triple,
            "resources.account": account,
            "resources.qos": qos,
            "resources.constraint": constraint,
            "resources.nodelist": nodelist,
            "resources.exclude": exclude,
            "resources.reservation": reservation,
            "resources.nice": nice,
            "resources.options": sbatch or [],
            **flags.environment(python, venv, conda),
            "environment.setup": setup or [],
            "environment.variables": flags.variables(env),
            "metrics.files": metrics_file or [],
            "metrics.stdout": False if no_stdout_metrics else None,
            "retries": flags.retries(retry),
            "grace_seconds": grace,
        }
    )
    client = base.client(ctx)
    shell = flags.of_shell(command=command is not None)
    made = bundle(source, None, changes, environment=shell, limits=client.upload_limits())
    search_options.refuse_loose_knobs(made.spec, min_steps=min_steps, max_steps=max_steps, eta=eta)
    if dry_run:
        _dry_run(client, made, as_json)
        return
    send(client, made, watch, as_json)


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
