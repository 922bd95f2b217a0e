"""What all commands use: the client, output, errors and exit codes."""

import json
import os
import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Annotated, Any, TypeVar

import typer
from rich.console import Console

from paddock.cli import complete
from paddock.cli.render import clean
from paddock.client.client import Client
from paddock.client.light import LightClient, View
from paddock.errors import InvalidInput, NotAllowed, NotAuthorised, NotFound, PaddockError, ServerUnreachable, TooLarge

Made = TypeVar("Made", bound=Client)
FAILED, WRONG, MISSING, UNREACHABLE, REFUSED, INTERRUPTED = 1, 2, 3, 4, 5, 130
_LOST = (NotAuthorised, ServerUnreachable)  # nothing else can be done either
_CODES = (((InvalidInput, TooLarge), WRONG), ((NotFound,), MISSING), ((*_LOST, NotAllowed), UNREACHABLE))

Json = Annotated[bool, typer.Option("--json", help="Print JSON, and nothing else, on standard output.")]
Follow = Annotated[bool, typer.Option("--follow", "-f", help="Show progress until all tasks have ended.")]
JobId = Annotated[
    str, typer.Argument(metavar="JOB", help="Id of a job, or the beginning of it.", autocompletion=complete.jobs)
]
TaskId = Annotated[
    str,
    typer.Argument(
        metavar="TASK|JOB", help="Id of a task, such as k3v-12, or of a job.", autocompletion=complete.targets
    ),
]
Targets = Annotated[
    list[str],
    typer.Argument(metavar="JOB|TASK", help="Ids of jobs or tasks.", autocompletion=complete.targets),
]


@dataclass(frozen=True)
class ServerChoice:
    """The server that the options choose."""

    home: str | None = None
    url: str | None = None


def place(ctx: typer.Context) -> ServerChoice:
    return ctx.obj if isinstance(ctx.obj, ServerChoice) else ServerChoice()


def client(ctx: typer.Context, timeout: float = 30.0) -> Client:
    return _made(ctx, Client, timeout)


def light_client(ctx: typer.Context) -> LightClient:
    """Return a client for commands that must answer at once; see what its answers lack in client/light.py."""
    return _made(ctx, LightClient, 30.0)


def _made(ctx: typer.Context, kind: type[Made], timeout: float) -> Made:
    at = place(ctx)
    made = kind(url=at.url, home=at.home, timeout=timeout)
    ctx.call_on_close(made.close)
    return made


# --- output ---------------------------------------------------------------------------------------------------------


def screen() -> Console:
    """Return standard output as a console that takes no text for markup or emoji codes."""
    return Console(markup=False, emoji=False, highlight=False, soft_wrap=False)


def note(*lines: str) -> None:
    """Print notes on standard error, so that standard output can be piped on."""
    for line in lines:
        sys.stderr.write(f"{line}\n")
    sys.stderr.flush()


def warn(texts: Iterable[str]) -> None:
    note(*(f"warning: {clean(text)}" for text in texts))


def emit(value: Any, indent: int | None = 2) -> None:
    """Print one JSON document."""
    sys.stdout.write(_json(value, indent) + "\n")
    sys.stdout.flush()


def compact(value: Any) -> str:
    """Return a value as JSON in one line."""
    return _json(value, None)


def _json(value: Any, indent: int | None) -> str:
    try:
        between = (",", ":") if indent is None else (",", ": ")
        return json.dumps(value, indent=indent, ensure_ascii=False, separators=between, default=_plain)
    except TypeError:  # there are models in it
        from pydantic_core import to_json

        return to_json(value, indent=indent).decode()


def _plain(value: Any) -> Any:
    if isinstance(value, View):
        return value.plain
    raise TypeError


def only_json(wanted: bool, value: Any) -> None:
    """Print one JSON document and end the command, if this is `wanted`."""
    if wanted:
        emit(value)
        raise typer.Exit


def emit_line(value: Any) -> None:
    """Print one line of JSON lines."""
    emit(value, None)


# --- errors ---------------------------------------------------------------------------------------------------------


def exit_code(error: PaddockError) -> int:
    return next((code for kinds, code in _CODES if isinstance(error, kinds)), REFUSED)


def report(error: PaddockError) -> int:
    """Print an error with the fields that its message does not mention; return the exit code."""
    mentioned = error.message.lower()
    note(f"error: {clean(error.message)}")
    note(*(f"  {clean(name)}: {clean(text)}" for name, text in error.fields.items() if text.lower() not in mentioned))
    return exit_code(error)


def for_each(targets: list[str], act: Callable[[str], Any]) -> int:
    """Do something to each, also after a failure; return the exit code of the first that failed."""
    code = 0
    for target in dict.fromkeys(targets):
        try:
            act(target)
        except _LOST:
            raise
        except PaddockError as error:
            code = code or report(error)
    return code


def confirm(act: str, done: str, instead: str = "") -> None:
    """Ask the person at the terminal whether to `act`, and end the command unless the answer is yes.

    Without a terminal, raise InvalidInput: nothing was `done`, and which option to add, or what to do `instead`.
    """
    if not sys.stdin.isatty():
        refusal = f"Nothing was {done}, as there is no terminal to confirm it on"
        raise InvalidInput(f"{refusal}: add --yes to {act[0].lower()}{act[1:]}{instead}.")
    if not typer.confirm(f"{act}?", err=True):
        raise typer.Exit(FAILED)


def is_task(text: str) -> bool:
    return "-" in text


def is_terminal() -> bool:
    return sys.stdout.isatty() and os.environ.get("TERM") != "dumb"
