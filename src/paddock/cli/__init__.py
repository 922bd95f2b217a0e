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

# name, function, examples
_COMMANDS: list[tuple[str, Callable[..., Any], tuple[str, ...]]] = [
    (
        "up",
        server.up,
        ("paddock up", "paddock up --port 0 --json", "paddock up --in-slurm --partition cpu --time 7-0"),
    ),
    ("tunnel", in_slurm.tunnel, ("paddock tunnel", "paddock tunnel --port 8080")),
    ("down", in_slurm.down, ("paddock down",)),
    (
        "submit",
        submitting.submit,
        (
            "paddock submit train.py -p lr=0.1,0.01 -p batch_size=32..128:32 --follow",
            "paddock submit sweep.yaml --dry-run",
            "paddock submit --command 'python3 train.py {lr}' -p lr=1e-4..1e-1:log --trials 20",
            "paddock submit train.py -p lr=1e-4..1e-1:log -p width=16..256 --search tpe --trials 50 --stop-early asha",
            "paddock submit train.py -p lr=0.1,0.01 --partition gpu --gpus 1 --memory 16G --time 4h --dry-run",
            "paddock submit train.py --nodes 2 --gpus 4 --launcher torchrun",
        ),
    ),
    (
        "map",
        mapping.map_files,
        (
            "paddock map 'python shrink.py {input} {output}' --input 'photos/**/*.jpg' --output small/ --follow",
            "paddock map 'python features.py {input} {output}' -i 'audio/*.wav' -o feats/ --suffix .npy --per-task 50",
            "paddock map 'gzip -c {input} > {output}' -i logs/ -o packed/ --reduce 'tar cf packed.tar packed/'",
            "paddock map 'python check.py {input}' --list files.txt --tasks 8 --distribution cyclic --dry-run",
        ),
    ),
    ("follow", follow.follow_job, ("paddock follow k3v",)),
    ("ls", show.ls, ("paddock ls --state running",)),
    ("show", show.show, ("paddock show k3v", "paddock show k3v --spec > sweep.yaml")),
    ("tasks", show.tasks, ("paddock tasks k3v --state error", "paddock tasks k3v --sort best")),
    ("logs", results.logs, ("paddock logs k3v-12 -f --tail 20",)),
    ("metrics", results.metrics, ("paddock metrics k3v-12 -m val_loss",)),
    ("best", search.best, ("paddock best k3v -n 3",)),
    ("importance", search.importance, ("paddock importance k3v",)),
    (
        "extend",
        search.extend,
        ("paddock extend k3v --trials 50", "paddock extend k3v --trials 20 --time-budget 1h -p lr=1e-3..1e-2:log"),
    ),
    ("stop", control.stop, ("paddock stop k3v", "paddock stop k3v-1 k3v-2")),
    (
        "restart",
        control.restart,
        ("paddock restart k3v --failed --resume", "paddock restart k3v --stopped", "paddock restart k3v-12"),
    ),
    ("hold", control.hold, ("paddock hold k3v",)),
    ("release", control.release, ("paddock release k3v",)),
    ("limits", control.limits, ("paddock limits k3v --time 4h", "paddock limits k3v --nice 100")),
    ("rm", control.rm, ("paddock rm k3v --yes",)),
    (
        "prune",
        prune.prune,
        (
            "paddock prune --dry-run",
            "paddock prune --jobs-older-than 90d",
            "paddock prune --attempts-older-than 2w --yes",
        ),
    ),
    ("export", results.export, ("paddock export k3v -o results.csv", "paddock export k3v --optuna study.db")),
    ("nodes", server.nodes, ("paddock nodes",)),
    ("load", load.load, ("paddock load", "paddock load --watch", "paddock load --node n1", "paddock load --csv")),
    ("inspect", server.inspect, ("paddock inspect train.py",)),
    ("doctor", command.doctor, ("paddock doctor",)),
    ("settings", server.show_settings, ("paddock settings --json",)),
    ("token", server.token, ("paddock token",)),
    ("version", server.version, ("paddock version",)),
]


def _register() -> None:
    for name, function, examples in _COMMANDS:
        # Typer joins lines that are not separated by an empty one.
        epilog = "\n\n".join(["Examples:" if len(examples) > 1 else "Example:", *examples])
        more = {"allow_extra_args": True} if function is mapping.map_files else None
        app.command(name, help=_joined(function), epilog=epilog, no_args_is_help=False, context_settings=more)(function)


def _joined(function: Callable[..., Any]) -> str:
    """Return the docstring of a command with one line per paragraph: terminals have different widths."""
    return "\n\n".join(" ".join(part.split()) for part in inspect.cleandoc(function.__doc__ or "").split("\n\n"))


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


_register()


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
        return _not_yours(error)
    except ValidationError as error:
        base.say(
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


def _not_yours(error: PermissionError) -> int:
    where = f": {error.filename}" if error.filename else ""
    base.say(f"error: Permission denied{where}. If this is the home of another user, choose your own with --home.")
    return base.UNREACHABLE


def _usage(error: Exception) -> int:
    """Print an error of typer about the arguments in our form; anything else is a bug and keeps its traceback."""
    message = getattr(error, "format_message", None)
    if not callable(message):
        raise error
    context = getattr(error, "ctx", None)
    if type(error).__name__ == "NoArgsIsHelpError":
        return base.WRONG
    base.say(f"error: {message().replace('Value error, ', '')}")
    if context is not None:
        base.say(f"  see `{context.command_path} --help`")
    return base.WRONG


def main() -> None:
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")  # a terminal that cannot show a sign is no reason to fail
    sys.exit(run())
