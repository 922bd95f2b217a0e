"""The command line.

Exit codes: 0 done; 1 a task or check failed; 2 wrong usage or input; 3 not found or ambiguous; 4 no server or no
permission; 5 refused by the server, or failed in it; 130 interrupted.
"""

import inspect
import os
import sys
from collections.abc import Callable, Sequence
from functools import cache
from typing import Annotated, Any

import typer
from pydantic import ValidationError

from paddock.cli import base, control, follow, in_slurm, load, prune, results, search, server, show
from paddock.cli import map as mapping
from paddock.cli import submit as submitting
from paddock.cli.doctor import command
from paddock.errors import PaddockError
from paddock.version import __version__

app = typer.Typer(
    name="paddock",
    help="Run, watch and compare trainings: one script, many hyperparameters.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="Exit codes: 0 done, 1 a task failed, 2 wrong input, 3 not found, 4 no server, 5 refused, 130 interrupted.",
)

_COMMANDS: dict[str, Callable[..., Any]] = {
    "up": server.up, "tunnel": in_slurm.tunnel, "down": in_slurm.down,
    "submit": submitting.submit, "map": mapping.map_files, "follow": follow.follow_job,
    "ls": show.ls, "show": show.show, "tasks": show.tasks, "logs": results.logs, "metrics": results.metrics,
    "best": search.best, "importance": search.importance, "extend": search.extend,
    "stop": control.stop, "restart": control.restart, "hold": control.hold, "release": control.release,
    "limits": control.limits, "rm": control.rm, "prune": prune.prune, "export": results.export,
    "nodes": server.nodes, "load": load.load, "inspect": server.inspect, "doctor": command.doctor,
    "settings": server.show_settings, "token": server.token, "version": server.version,
}  # fmt: skip


def _register(name: str, function: Callable[..., Any]) -> None:
    """Add a command. The last paragraph of its docstring has the examples; Typer joins lines of other paragraphs."""
    *parts, examples = inspect.cleandoc(function.__doc__ or "").split("\n\n")
    text = "\n\n".join(" ".join(part.split()) for part in parts)  # terminals have different widths
    epilog = "\n\n".join(line.strip() for line in examples.splitlines())
    more = {"allow_extra_args": True} if function is mapping.map_files else None
    app.command(name, help=text, epilog=epilog, no_args_is_help=False, context_settings=more)(function)


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"paddock {__version__}")
        raise typer.Exit


@app.callback()
def _root(
    ctx: typer.Context,
    home: Annotated[
        str | None, typer.Option(help="Paddock's home folder; PADDOCK_HOME or ~/.paddock when not given.")
    ] = None,
    url: Annotated[str | None, typer.Option(help="Address of the server; found in the home when not given.")] = None,
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    ctx.obj = base.ServerChoice(home, url)


for _name, _function in _COMMANDS.items():
    _register(_name, _function)


@cache
def built() -> Callable[..., Any]:
    """Return what typer makes of all commands: making it takes longer than most of them."""
    return typer.main.get_command(app)


def run(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; return its exit code."""
    try:
        result = built()(args=arguments, standalone_mode=False, prog_name="paddock")
        sys.stdout.flush()
    except PaddockError as error:
        return base.report(error)
    except (KeyboardInterrupt, typer.Abort):
        return base.INTERRUPTED
    except PermissionError as error:
        where = f": {error.filename}" if error.filename else ""
        base.note(f"error: Permission denied{where}. If this is the home of another user, choose your own with --home.")
        return base.UNREACHABLE
    except ValidationError as error:
        base.note(
            f"error: The answer is not that of a Paddock server ({error.title}): check its address and its version."
        )
        return base.UNREACHABLE
    except BrokenPipeError:
        # Whoever read our output has seen enough. Python would complain again when it closes standard output.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except Exception as error:
        return _usage(error)
    return result if isinstance(result, int) else 0


def _usage(error: Exception) -> int:
    """Print an error of typer about the arguments in our form; anything else is a bug and keeps its traceback."""
    message = getattr(error, "format_message", None)
    if not callable(message):
        raise error
    context = getattr(error, "ctx", None)
    if type(error).__name__ == "NoArgsIsHelpError":
        return base.WRONG
    base.note(f"error: {message().replace('Value error, ', '')}")
    if context is not None:
        base.note(f"  see `{context.command_path} --help`")
    return base.WRONG


def main() -> None:
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")  # a terminal that cannot show a sign is no reason to fail
    sys.exit(run())
