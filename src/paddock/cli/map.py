"""map: a command for each of many files."""

import re
import shlex
from typing import Annotated, Any

import typer

from paddock.cli import base, flags, render, resources, submit
from paddock.cli.base import Json
from paddock.client.client import Client
from paddock.client.mapping import Distribution, File, Mapped, Wanted, mapped
from paddock.errors import InvalidInput

_FILES, _WHERE = "Files", "Environment, retries"
SHOWN = 3
Panel = typer.Option


def map_files(
    ctx: typer.Context,
    command: Annotated[
        str, typer.Argument(metavar="COMMAND", help="A shell command with {input} and, with --output, {output}.")
    ],
    inputs: Annotated[
        list[str] | None,
        Panel(
            "--input",
            "-i",
            metavar="PATTERN",
            help="Files, such as 'photos/**/*.jpg' in quotes, or a folder. May be given several times.",
            rich_help_panel=_FILES,
        ),
    ] = None,
    listed: Annotated[
        str | None, Panel("--list", metavar="FILE", help="A file that names files, one a line.", rich_help_panel=_FILES)
    ] = None,
    output: Annotated[
        str | None,
        Panel("--output", "-o", metavar="FOLDER", help="Where the tree of outputs begins.", rich_help_panel=_FILES),
    ] = None,
    suffix: Annotated[
        str | None, Panel(metavar=".EXT", help="Ending of outputs; that of the input else.", rich_help_panel=_FILES)
    ] = None,
    per_task: Annotated[
        int | None, Panel(min=1, metavar="N", help="Files a task, at most; 1 by default.", rich_help_panel=_FILES)
    ] = None,
    tasks: Annotated[
        int | None, Panel(min=1, metavar="N", help="So many tasks, in place of --per-task.", rich_help_panel=_FILES)
    ] = None,
    distribution: Annotated[
        Distribution, Panel(help="Consecutive files to a task, or dealt like cards.", rich_help_panel=_FILES)
    ] = Distribution.BLOCK,
    reduce: Annotated[
        str | None,
        Panel(metavar="COMMAND", help="A command to run once, when all files are done.", rich_help_panel=_FILES),
    ] = None,
    fresh: Annotated[
        bool, Panel("--fresh", help="Also do files whose output is there already.", rich_help_panel=_FILES)
    ] = False,
    name: Annotated[str | None, Panel(help="Name of the job.")] = None,
    description: Annotated[str | None, Panel(help="What it is about.")] = None,
    tag: Annotated[list[str] | None, Panel(help="A tag; may be given several times.")] = None,
    parallel: Annotated[
        int | None, Panel(min=1, help="At most so many tasks at once.", rich_help_panel=resources.RESOURCES)
    ] = None,
    backend: resources.Backend = None,
    profile: resources.Profile = None,
    partition: resources.Partition = None,
    gpus: resources.Gpus = None,
    gpu_type: resources.GpuType = None,
    cpus: resources.Cpus = None,
    memory: resources.Memory = None,
    time: resources.Time = None,
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
    python: Annotated[str | None, Panel(help="Interpreter of the task itself.", rich_help_panel=_WHERE)] = None,
    venv: Annotated[str | None, Panel(help="Virtual environment to run in.", rich_help_panel=_WHERE)] = None,
    conda: Annotated[str | None, Panel(help="Conda environment to run in.", rich_help_panel=_WHERE)] = None,
    setup: Annotated[
        list[str] | None, Panel(help="Shell line to run before, such as 'module load cuda'.", rich_help_panel=_WHERE)
    ] = None,
    env: Annotated[
        list[str] | None, Panel(metavar="NAME=VALUE", help="Environment variable.", rich_help_panel=_WHERE)
    ] = None,
    retry: Annotated[
        list[str] | None, Panel(metavar="CAUSE=N", help="Retries by cause.", rich_help_panel=_WHERE)
    ] = None,
    grace: Annotated[
        float | None, Panel(min=0, help="Seconds between SIGTERM and SIGKILL.", rich_help_panel=_WHERE)
    ] = None,
    dry_run: Annotated[
        bool, Panel("--dry-run", help="Show the first tasks and commands, and what the scheduler says; submit nothing.")
    ] = False,
    watch: Annotated[bool, Panel("--follow", "-f", help="Show progress until all tasks have ended.")] = False,
    as_json: Json = False,
) -> None:
    """Run a command for each of many files, then one for all of them.

    Outputs have the tree of the inputs, from where the pattern's first * or ? is. Files whose output is there are
    left out, so the same call again does what is left. Commands run in the current folder.
    """
    if ctx.args:
        raise InvalidInput(
            f"{render.several(len(ctx.args), 'name')} too many, such as {ctx.args[0]}: put the pattern of --input in "
            "quotes, so that your shell leaves it alone."
        )
    gpus = 0 if gpus is None and not (per_gpu or triple or gpu_type or profile) else gpus
    changes = flags.nested(
        {
            "name": name,
            "description": description,
            "tags": tag or [],
            "parallel": parallel,
            "resources.backend": backend,
            "resources.profile": profile,
            "resources.partition": partition,
            "resources.gpus": gpus,
            "resources.gpu_type": gpu_type,
            "resources.cpus": cpus,
            "resources.memory": memory,
            "resources.time_limit": time,
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
            "retries": flags.retries(retry),
            "grace_seconds": grace,
        }
    )
    wanted = Wanted(command, inputs or [], listed, output, suffix, reduce, per_task, tasks, distribution, fresh)
    client = base.client(ctx)
    made = mapped(
        wanted,
        changes,
        environment=flags.of_shell(command=True),
        limits=client.upload_limits(),
        max_tasks=client.max_tasks(),
    )
    if not as_json:
        _say(made)
    if made.bundle is None:
        if as_json:
            base.emit(_summary(made))
    elif dry_run:
        _dry_run(client, made, as_json)
    else:
        submit.send(client, made.bundle, watch, as_json)


def _summary(made: Mapped) -> dict[str, Any]:
    return {"files": made.files, "tasks": len(made.parts), "skipped": made.skipped}


def _say(made: Mapped) -> None:
    if made.skipped and made.parts:
        base.say(
            f"{render.several(made.skipped, 'file')} left out, as their outputs are there: --fresh does them again."
        )
    elif made.skipped:
        rest = "only the reduce command is left" if made.bundle else "nothing is left to do"
        base.say(f"All {render.several(made.skipped, 'output')} are there, {rest}: --fresh does them again.")


def _dry_run(client: Client, made: Mapped, as_json: bool) -> None:
    assert made.bundle is not None  # noqa: S101
    preview = client.preview(made.bundle, check=True)
    base.warn([*made.bundle.warnings, *preview.warnings])
    if as_json:
        first = [[_command(made, file) for file in part[:SHOWN]] for part in made.parts[:SHOWN]]
        base.emit(_summary(made) | {"commands": first, "preview": preview.model_dump(mode="json")})
    else:
        typer.echo(f"{render.several(made.files, 'file')} in {render.several(len(made.parts), 'task')}")
        for number, part in enumerate(made.parts[:SHOWN], start=1):
            typer.echo(f"task {number}: {render.several(len(part), 'file')}")
            for file in part[:SHOWN]:
                typer.echo(f"  {render.paragraph(_command(made, file))}")
        if made.wanted.reduce is not None:
            typer.echo(f"then: {render.paragraph(made.wanted.reduce)}")
        submit.print_request(preview)
        base.say("Nothing was submitted.")
    if preview.check and not preview.check.accepted:
        raise typer.Exit(base.REFUSED)


_FIELD = re.compile(r"\{\{|\}\}|\{input\}|\{output\}")


def _command(made: Mapped, file: File) -> str:
    """As a person would type it."""
    names = {"{{": "{", "}}": "}", "{input}": shlex.quote(str(file.source)), "{output}": shlex.quote(str(file.target))}
    return _FIELD.sub(lambda found: names[found[0]], made.wanted.command)
