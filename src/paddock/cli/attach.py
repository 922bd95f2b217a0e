"""The commands attach and shell: a person beside a task."""

import os
import shlex
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from paddock.cli import base, flags, options, render
from paddock.cli.options import takes
from paddock.cli.results import the_task
from paddock.client.client import Client
from paddock.errors import InvalidInput, PaddockError
from paddock.models import units
from paddock.models.states import Cause

if TYPE_CHECKING:
    from paddock.client.attach import AttachCommand
    from paddock.models import AttachPoint

POLL_SECONDS = 0.5
END_SECONDS = 3.0  # until the server knows that a shell has ended
HANG_UP_SECONDS = 10  # for what runs in a shell whose time is over
SHELL = (
    options.pick(
        "name backend profile gpus gpu_type cpus memory",
        "Resources",
        gpus="Number of GPUs; 0.25 is a share of one.",
        cpus="CPU cores.",
        memory="Memory, such as 16G.",
    )
    + options.pick("partition account qos constraint nodelist reservation sbatch", "Resources of Slurm")
    + options.pick("host", "Resources of hosts")
    + options.pick(
        "python venv conda setup env", "Environment", setup="Shell line to run first, such as 'module load cuda'."
    )
)


def attach(
    ctx: typer.Context,
    target: base.TaskId,
    command: Annotated[
        list[str] | None,
        typer.Argument(metavar="COMMAND", help="Command to run there in place of a shell, after `--`."),
    ] = None,
    shell: Annotated[bool, typer.Option("--shell", help="Open a shell, even if the task has a terminal.")] = False,
    terminal: Annotated[
        bool, typer.Option("--terminal", help="Connect with the task's terminal, never a shell.")
    ] = False,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print where the task runs, as JSON; attach to nothing.")
    ] = False,
) -> None:
    """Attach to a running task: to its own terminal if it was submitted with --terminal, else with a shell beside it.

    The shell has the working folder, the environment and the GPUs of the task, and ends with it. Ctrl-] leaves a
    terminal, and the task goes on. It works where the task runs, where `srun` is, and for hosts over ssh; always with
    your own rights there.

    Examples:
        paddock attach k3v-12
        paddock attach k3v-12 --shell
        paddock attach k3v-12 -- nvidia-smi
    """
    if terminal and (shell or command):
        raise InvalidInput("A terminal or a shell: give --terminal alone, or leave it out.")
    client = base.client(ctx)
    point = client.where(the_task(client, target))
    base.only_json(as_json, point)
    if terminal and not point.terminal:
        raise InvalidInput(
            f"{point.task} has no terminal, as it was not submitted with --terminal: leave --terminal out for a shell."
        )
    mode: Literal["shell", "terminal"] = "terminal" if point.terminal and not (shell or command) else "shell"
    raise typer.Exit(_attach(client, point, mode, command or ()))


def _attach(client: Client, point: "AttachPoint", mode: Literal["shell", "terminal"], argv: Sequence[str] = ()) -> int:
    """Attach, wait until the person leaves or the task ends, and return the exit code."""
    return _run(client.attach_command(point, mode, argv), point, mode, announced=not argv)


def _run(made: "AttachCommand", point: "AttachPoint", mode: str, *, announced: bool = True) -> int:
    if sys.stdin.isatty() and announced:
        what = "its terminal; Ctrl-] leaves it" if mode == "terminal" else "a shell beside it, which ends with the task"
        base.note(f"{point.task} on {render.clean(point.node)}: {what}")
    with _ignored(signal.SIGINT, signal.SIGQUIT):  # they are for the other side
        return subprocess.run(made.argv, env=made.env, check=False).returncode


@contextmanager
def _ignored(*numbers: signal.Signals) -> Iterator[None]:
    before = [signal.signal(number, signal.SIG_IGN) for number in numbers]
    try:
        yield
    finally:
        for number, handler in zip(numbers, before, strict=True):
            signal.signal(number, handler)


@takes(SHELL)
def shell(
    ctx: typer.Context,
    duration: Annotated[
        str, typer.Option("--for", metavar="DURATION", help="Give everything back after this time, such as 2h.")
    ] = "1h",
    as_json: Annotated[
        bool, typer.Option("--json", help="When it runs, print where, as JSON; `paddock attach` then opens it.")
    ] = False,
    **given: Any,
) -> None:
    """Get GPUs or cores for a while, and a shell there, in the present folder if the node has it.

    It waits until there is room, as any other task; Ctrl-C then gives up. `exit` gives everything back, and so does the
    end of the time. Ctrl-] leaves the shell and keeps it: `paddock attach` comes back.

    Examples:
        paddock shell --gpus 1 --for 2h
        paddock shell --cpus 8 --memory 32G --partition interactive
    """
    from paddock.client.bundle import bundle

    try:
        seconds = int(units.seconds(duration))
    except ValueError as error:
        raise InvalidInput(f"--for: {error}") from None
    if not (as_json or sys.stdin.isatty()):
        raise InvalidInput(
            "There is no terminal for a shell here: add --json to hold one, and `paddock attach` it later."
        )
    changes = options.changes(SHELL, given)
    client = base.client(ctx)
    bundled = bundle(None, None, {**changes, **_held(changes, seconds)}, environment=flags.of_shell())
    job = client.submit(bundled).id
    task = f"{job}-1"
    with _given_back(client, job):
        _wait(client, task)
        point = client.where(task)
        base.only_json(as_json, point)
        made = client.attach_command(point, "terminal")
    code = _run(made, point, "terminal")
    if code == base.UNREACHABLE:
        _give_back(client, job)
        raise typer.Exit(code)
    if not _within(END_SECONDS, lambda: client.task(task).state.ended):
        until = time.strftime("%H:%M", time.localtime(time.time() + seconds))
        base.note(
            f"  paddock attach {task}    comes back, until {until} at most",
            f"  paddock stop {job}        gives it back",
        )
    raise typer.Exit(code)


def _held(changes: dict[str, Any], seconds: int) -> dict[str, Any]:
    """Return the fields of a job that is one shell for a time."""
    folder = shlex.quote(os.getcwd()).replace("{", "{{").replace("}", "}}")  # noqa: PTH109
    # The whole time is for the shell: what the runner needs to end a task comes on top.
    limit = seconds + max(180, seconds // 4)
    text = (
        f'cd {folder} 2>/dev/null; shell=$SHELL; test -x "$shell" || shell=/bin/bash; '
        f'timeout --foreground -s HUP -k {HANG_UP_SECONDS} {seconds} "$shell" -i; '
        "code=$?; test $code -ne 124 || echo; exit 0"
    )
    return {
        "name": changes.get("name", "shell"),
        "tags": ["shell"],
        "command": text,
        "terminal": True,
        "objective": "",
        "metrics": {"stdout": False},
        "resources": {**changes.get("resources", {}), "time_limit": limit},
        "retries": dict.fromkeys(Cause, 0),
    }


@contextmanager
def _given_back(client: Client, job: str) -> Iterator[None]:
    """Remove the job if its shell is not reached: after Ctrl-C, a closed terminal, or an error."""

    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    before = {number: signal.signal(number, interrupt) for number in (signal.SIGHUP, signal.SIGTERM)}
    try:
        yield
    except typer.Exit:
        raise
    except BaseException:
        _give_back(client, job)
        raise
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _give_back(client: Client, job: str) -> None:
    try:
        client.remove(job)
        base.note(f"\n{job} was given back.")
    except PaddockError as error:
        base.note(f"\n{job} could not be given back ({error.message}): run `paddock rm {job}` later.")


def _wait(client: Client, task: str) -> None:
    """Wait until a task runs, and show why it does not yet."""
    shown = ""
    while True:
        found = client.task(task)
        if found.state.ended:
            raise PaddockError(f"{task} ended before its shell began: {found.reason or found.state.value}.")
        if found.state == "running":
            break
        why = render.clean(found.waits.reason) if found.waits else "waits for its start"
        if why != shown:
            shown = why
            base.note(f"{task}: {why}")
        time.sleep(POLL_SECONDS)


def _within(seconds: float, condition: Callable[[], bool]) -> bool:
    deadline = time.monotonic() + seconds
    while not (met := condition()) and time.monotonic() < deadline:
        time.sleep(POLL_SECONDS / 2)
    return met
