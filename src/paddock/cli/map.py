"""map: a command for each of many files."""

import re
import shlex
from typing import Annotated, Any

import typer

from paddock.cli import base, flags, options, render, submit
from paddock.cli.base import Follow, Json
from paddock.cli.options import pick, row, table, takes
from paddock.client.client import Client
from paddock.client.mapping import Distribution, File, Mapped, Wanted, mapped
from paddock.errors import InvalidInput

SHOWN = 3
_OPTIONS = (
    *table(
        "Files",
        "files.",
        row(
            "inputs",
            list[str],
            "Files, such as 'photos/**/*.jpg' in quotes, or a folder. May be given several times.",
            "--input",
            "-i",
            metavar="PATTERN",
        ),
        row("listed", str, "A file that names files, one a line.", "--list", metavar="FILE"),
        row("output", str, "Where the tree of outputs begins.", "--output", "-o", metavar="FOLDER"),
        row("suffix", str, "Ending of outputs; that of the input else.", metavar=".EXT"),
        row("per_task", int, "Files a task, at most; 1 by default.", min=1, metavar="N"),
        row("tasks", int, "So many tasks, in place of --per-task.", min=1, metavar="N"),
        row(
            "distribution",
            Distribution,
            "Consecutive files to a task, or dealt like cards.",
            default=Distribution.BLOCK,
            read=Distribution,
        ),
        row("reduce", str, "A command to run once, when all files are done.", metavar="COMMAND"),
        row("fresh", bool, "Also do files whose output is there already.", "--fresh", default=False),
    ),
    *pick("name description tag"),
    *pick("parallel backend profile partition gpus gpu_type cpus memory time slots per_gpu triple", "Resources"),
    *pick("account qos constraint nodelist exclude reservation nice sbatch", "Resources"),
    *pick("python venv conda setup env retry grace", "Environment, retries", python="Interpreter of the task itself."),
)


@takes(_OPTIONS)
def map_files(
    ctx: typer.Context,
    command: Annotated[
        str, typer.Argument(metavar="COMMAND", help="A shell command with {input} and, with --output, {output}.")
    ],
    *,
    dry_run: Annotated[
        bool,
        typer.Option(
            "--dry-run", help="Show the first tasks and commands, and what the scheduler says; submit nothing."
        ),
    ] = False,
    watch: Follow = False,
    as_json: Json = False,
    **given: Any,
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
    changes = options.changes(_OPTIONS, given)
    wanted = Wanted(command, **changes.pop("files"))
    if not any(given[name] for name in ("per_gpu", "triple", "gpu_type", "profile")):
        changes["resources"] = {"gpus": 0, **changes.get("resources", {})}
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
