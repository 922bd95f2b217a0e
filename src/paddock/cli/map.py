"""The command map: run a command for each of many files."""

import re
import shlex
from typing import Annotated, Any

import typer

from paddock.cli import base, flags, options, render, submit
from paddock.cli.base import Follow, Json
from paddock.cli.options import pick, row, table, takes
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
            "Input files: a pattern in quotes, such as 'photos/**/*.jpg', or a folder.",
            "--input",
            "-i",
            metavar="PATTERN",
        ),
        row("listed", str, "File that lists input files, one per line.", "--list", metavar="FILE"),
        row(
            "output", str, "Folder for the outputs, in the same tree as the inputs.", "--output", "-o", metavar="FOLDER"
        ),
        row("suffix", str, "Suffix of outputs; that of the input when not given.", metavar=".EXT"),
        row("per_task", int, "Up to this many files per task; 1 when not given.", min=1, metavar="N"),
        row("tasks", int, "Number of tasks, in place of --per-task.", min=1, metavar="N"),
        row(
            "distribution",
            Distribution,
            "Which files a task gets: consecutive ones (block), or every n-th one (cyclic).",
            default=Distribution.BLOCK,
            read=Distribution,
        ),
        row("reduce", str, "Shell command to run once when all files are done.", metavar="COMMAND"),
        row("fresh", bool, "Also process files whose output exists already.", "--fresh", default=False),
    ),
    *pick("name description tag private notify"),
    *pick(
        "parallel priority backend profile host partition gpus gpu_type cpus memory time slots per_gpu triple",
        "Resources",
    ),
    *pick("account qos constraint nodelist exclude reservation nice sbatch", "Resources"),
    *pick(
        "python venv conda setup env retry grace",
        "Environment, retries",
        python="Interpreter of the task itself, not of the command.",
    ),
)


@takes(_OPTIONS)
def map_files(
    ctx: typer.Context,
    command: Annotated[
        str, typer.Argument(metavar="COMMAND", help="Shell command with {input} and, with --output, {output}.")
    ],
    *,
    dry_run: Annotated[
        bool,
        typer.Option(
            "--dry-run",
            help="Show the first tasks and commands, and if the scheduler would accept them; submit nothing.",
        ),
    ] = False,
    watch: Follow = False,
    as_json: Json = False,
    **given: Any,
) -> None:
    """Run a command for each of many files, then one command for all of them.

    Outputs are written in the same tree as the inputs, which begins at the first * or ? of the pattern. Files whose
    output exists are left out: run the same command again to process the rest. Commands run in the current folder.

    Examples:
        paddock map 'python shrink.py {input} {output}' --input 'photos/**/*.jpg' --output small/ --follow
        paddock map 'python features.py {input} {output}' -i 'audio/*.wav' -o feats/ --suffix .npy --per-task 50
        paddock map 'gzip -c {input} > {output}' -i logs/ -o packed/ --reduce 'tar cf packed.tar packed/'
        paddock map 'python check.py {input}' --list files.txt --tasks 8 --distribution cyclic --dry-run
    """
    if ctx.args:
        raise InvalidInput(
            f"There are {len(ctx.args):,} more arguments than expected, such as {ctx.args[0]}: put the pattern of "
            "--input in quotes, so that the shell does not expand it."
        )
    changes = options.changes(_OPTIONS, given)
    wanted = Wanted(command, **changes.pop("files"))
    if not any(given[name] for name in ("per_gpu", "triple", "gpu_type", "profile")):
        changes["resources"] = {"gpus": 0, **changes.get("resources", {})}
    client = base.client(ctx)
    made = mapped(
        wanted,
        changes,
        environment=flags.of_shell(),
        limits=client.upload_limits(),
        max_tasks=client.max_tasks(),
    )
    if not as_json:
        _note_skipped(made)
    if made.bundle is None:
        if as_json:
            base.emit(_summary(made))
    elif dry_run:
        first = [[_command(made, file) for file in part[:SHOWN]] for part in made.parts[:SHOWN]]
        more = _summary(made) | {"commands": first}
        submit.only_preview(client, made.bundle, as_json, lambda _: _print_parts(made), more)
    else:
        submit.send(client, made.bundle, watch, as_json)


def _summary(made: Mapped) -> dict[str, Any]:
    return {"files": made.files, "tasks": len(made.parts), "skipped": made.skipped}


def _note_skipped(made: Mapped) -> None:
    if made.skipped and made.parts:
        left_out = render.several(made.skipped, "file")
        base.note(f"{left_out} left out, as their outputs exist: give --fresh to process them again.")
    elif made.skipped:
        rest = "only the reduce command is left" if made.bundle else "nothing is left to do"
        base.note(f"All {render.several(made.skipped, 'output')} exist, {rest}: give --fresh to make them again.")


def _print_parts(made: Mapped) -> None:
    typer.echo(f"{render.several(made.files, 'file')} in {render.several(len(made.parts), 'task')}")
    for number, part in enumerate(made.parts[:SHOWN], start=1):
        typer.echo(f"task {number}: {render.several(len(part), 'file')}")
        for file in part[:SHOWN]:
            typer.echo(f"  {render.paragraph(_command(made, file))}")
    if made.wanted.reduce is not None:
        typer.echo(f"then: {render.paragraph(made.wanted.reduce)}")


_FIELD = re.compile(r"\{\{|\}\}|\{input\}|\{output\}")


def _command(made: Mapped, file: File) -> str:
    """Return the command of one file, as a person would type it."""
    names = {"{{": "{", "}}": "}", "{input}": shlex.quote(str(file.source)), "{output}": shlex.quote(str(file.target))}
    return _FIELD.sub(lambda found: names[found[0]], made.wanted.command)
