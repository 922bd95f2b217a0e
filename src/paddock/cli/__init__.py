"""The command line.

Exit codes: 0 done; 1 a task or check failed; 2 wrong usage or input; 3 not found or ambiguous; 4 no server or no
permission; 5 refused by the server, or failed in it; 130 interrupted.
"""

import inspect
import os
import sys
from collections.abc import Callable, Sequence
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from types import CodeType
from typing import Annotated, Any

import typer
from typer.core import TyperCommand, TyperGroup

from paddock.cli import base, quick
from paddock.errors import PaddockError
from paddock.version import __version__

COMPLETING = "_PADDOCK_COMPLETE"  # set by shells
# Name -> module and function. A module is imported when its command is called.
_COMMANDS = {
    "up": "server:up", "tunnel": "in_slurm:tunnel", "down": "in_slurm:down",
    "submit": "submit:submit", "again": "submit:again", "map": "map:map_files", "follow": "follow:follow_job",
    "ls": "show:ls", "show": "show:show", "tasks": "show:tasks", "logs": "results:logs", "metrics": "results:metrics",
    "attach": "attach:attach", "shell": "attach:shell",
    "files": "task_files:files", "get": "task_files:get", "fetch": "task_files:fetch",
    "diff": "task_files:diff",
    "note": "edit:note", "rename": "edit:rename", "tag": "edit:tag", "edit": "edit:edit",
    "best": "search:best", "objective": "search:objective", "importance": "search:importance",
    "extend": "search:extend",
    "stop": "control:stop", "restart": "control:restart", "hold": "control:hold", "release": "control:release",
    "pin": "control:pin", "resize": "control:resize", "queue": "queue:queue", "why": "queue:why",
    "plan": "plan:plan",
    "limits": "control:limits", "rm": "control:rm", "prune": "prune:prune", "export": "results:export",
    "reserve": "reservations:reserve", "free": "reservations:free", "reservations": "reservations:reservations",
    "cancel": "reservations:cancel", "gpus": "reservations:gpus", "run": "run_here:run",
    "usage": "usage:usage",
    "nodes": "server:nodes", "load": "load:load", "inspect": "server:inspect", "environments": "server:environments",
    "notices": "notices:notices",
    "doctor": "doctor.command:doctor",
    "settings": "server:show_settings", "token": "server:token", "key": "key:key", "version": "server:version",
    "login": "login:login", "join": "login:join", "logout": "login:logout", "whoami": "login:whoami",
    "token ls": "tokens:ls", "token add": "tokens:add", "token revoke": "tokens:revoke",
    "team status": "team:status", "team on": "team:on", "team off": "team:off", "team install": "install:install",
    "users ls": "people:users_ls", "users add": "people:users_add", "users edit": "people:users_edit",
    "users disable": "people:users_disable", "users enable": "people:users_enable",
    "groups ls": "people:groups_ls", "groups add": "people:groups_add", "groups edit": "people:groups_edit",
    "groups rm": "people:groups_rm",
    "hosts ls": "hosts:ls", "hosts add": "hosts:add", "hosts lost": "hosts:lost", "hosts forget": "hosts:forget",
    "violations ls": "violations:ls", "violations ask": "violations:ask", "violations end": "violations:end",
    "violations exempt": "violations:exempt", "violations exemptions": "violations:exemptions",
    "rules ls": "rules:ls", "rules add": "rules:add", "rules edit": "rules:edit", "rules rm": "rules:rm",
    "rules try": "rules:try_access",
    "quota ls": "quota:ls", "quota set": "quota:set_quota", "quota rm": "quota:rm",
    "invite": "people:invite", "audit": "people:audit",
}  # fmt: skip
# What `paddock NAME COMMAND` is about. `paddock token` alone does something, too.
_GROUPS = {
    "team": "Turn accounts on or off, and set up what several people need.",
    "users": "List and change the people of the team (for admins).",
    "groups": "List and change groups of people (for admins).",
    "hosts": "List, add and give up the machines that are reached by ssh.",
    "violations": "List processes on GPUs that others have reserved, and do something about them.",
    "rules": "List and change who may use which GPUs when.",
    "quota": "List and change how much may be reserved.",
    "token": "",
}


# How the parser reads some command lines: what comes after the first word of `run` belongs to the program.
_SETTINGS = {
    "map": {"allow_extra_args": True},
    "tag": {"ignore_unknown_options": True},
    "run": {"allow_interspersed_args": False},
}


class _Commands(TyperGroup):
    """All commands. In a list of them, each has a help text and nothing else."""

    def list_commands(self, ctx: Any) -> list[str]:
        return [*self._listed()]

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        if args[0] in _top():
            self.load(args[0])
        else:
            self._listed()  # for suggestions
        return super().resolve_command(ctx, args)

    def load(self, name: str) -> Any:
        """Return a command, or a group of them, that can be called."""
        self.commands[name] = _group(name) if name in _GROUPS else _command(name, _function(name))
        return self.commands[name]

    def _listed(self) -> dict[str, Any]:
        known = self.commands
        self.commands = {
            name: known.get(name) or TyperCommand(name, help=_GROUPS.get(name) or _texts(_docstring(name))[0])
            for name in _top()
        }
        return self.commands


def _top() -> list[str]:
    """Return the first words of all commands."""
    return list(dict.fromkeys(name.partition(" ")[0] for name in _COMMANDS))


def _function(name: str) -> Callable[..., Any]:
    module, _, function = _COMMANDS[name].partition(":")
    found: Callable[..., Any] = getattr(import_module(f"{__name__}.{module}"), function)
    return found


def _command(name: str, function: Callable[..., Any]) -> Any:
    text, epilog = _texts(function.__doc__ or "")
    more = _SETTINGS.get(name)
    alone = typer.Typer(add_completion=False)
    alone.command(name, help=text, epilog=epilog, no_args_is_help=False, context_settings=more)(function)
    return typer.main.get_command(alone)


def _group(name: str) -> Any:
    """Return the commands whose names begin with this word; one that is the word alone is called without others."""
    made = typer.Typer(add_completion=False, help=_GROUPS[name], no_args_is_help=name not in _COMMANDS)
    if name in _COMMANDS:
        text, epilog = _texts(_function(name).__doc__ or "")
        made.callback(invoke_without_command=True, help=text, epilog=epilog)(_function(name))
    for whole in (one for one in _COMMANDS if one.startswith(f"{name} ")):
        function = _function(whole)
        text, epilog = _texts(function.__doc__ or "")
        made.command(whole.partition(" ")[2], help=text, epilog=epilog, no_args_is_help=False)(function)
    return typer.main.get_command(made)


def _texts(docstring: str) -> tuple[str, str]:
    """Return the help text and the examples, which are the last paragraph; Typer joins lines of other paragraphs."""
    *parts, examples = inspect.cleandoc(docstring).split("\n\n")
    text = "\n\n".join(" ".join(part.split()) for part in parts)  # terminals have different widths
    return text, "\n\n".join(line.strip() for line in examples.splitlines())


def _docstring(name: str) -> str:
    """Return the docstring of a command, from the compiled module: importing them all takes a second."""
    place, _, function = _COMMANDS[name].partition(":")
    module = f"{__name__}.{place}"
    spec = find_spec(module)
    code = spec.loader.get_code(module) if spec and spec.loader else None  # type: ignore[attr-defined]
    found = [one for one in (code.co_consts if code else ()) if isinstance(one, CodeType) and one.co_name == function]
    text = found[0].co_consts[0] if found and found[0].co_consts else None
    return text if isinstance(text, str) else ""


app = typer.Typer(
    name="paddock",
    cls=_Commands,
    help="Run, watch and compare trainings: one script, many hyperparameters.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="Exit codes: 0 done, 1 a task failed, 2 wrong input, 3 not found, 4 no server, 5 refused, 130 interrupted.",
)


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


@cache
def built() -> Any:
    """Return what typer makes of the group."""
    return typer.main.get_command(app)


def load_all() -> dict[str, Any]:
    """Import and return all commands."""
    return {name: _command(name, _function(name)) if " " in name else built().load(name) for name in _COMMANDS}


def run(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; return its exit code."""
    try:
        result = _quickly(sys.argv[1:] if arguments is None else arguments)
        if result is None:
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
    except BrokenPipeError:
        # Whoever read our output has seen enough. Python would complain again when it closes standard output.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except Exception as error:
        return _usage(error)
    return result if isinstance(result, int) else 0


def _quickly(arguments: Sequence[str]) -> int | None:
    """Run a quick command; None if Typer has to read the command line."""
    found = None if COMPLETING in os.environ else quick.root(_root, arguments)
    if found is None or not found[1] or found[1][0] not in quick.NAMES:
        return None
    choice, (name, *words) = found
    function = _function(name)
    given = quick.values(function, words)
    return None if given is None else quick.call(function, given, base.ServerChoice(choice["home"], choice["url"]))


def _usage(error: Exception) -> int:
    """Print an error of typer about the arguments in our form; anything else is a bug and keeps its traceback."""
    if type(error).__name__ == "ValidationError":  # pydantic's, which is imported by few commands
        title = getattr(error, "title", "")
        base.note(f"error: The answer is not that of a Paddock server ({title}): check its address and its version.")
        return base.UNREACHABLE
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
