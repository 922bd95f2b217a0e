"""The command run: a program on this machine with GPUs that are reserved while it lives."""

import os
import shutil
import signal
import subprocess
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Self

import typer

from paddock.cli import base, render
from paddock.cli.reservations import Desk, in_short
from paddock.client import here
from paddock.common import processes
from paddock.errors import InvalidInput, PaddockError, Refused
from paddock.models import units

if TYPE_CHECKING:
    from paddock.client.lease import GpuLease, WantedGpus
    from paddock.models import ReservableDevice

LOOK_SECONDS = 30.0  # between two looks at the reservation
WAIT_SECONDS = 5.0
WARN_SECONDS = 120.0  # before the end: SIGUSR1, if the program handles it
KILL_SECONDS = 30.0  # from SIGTERM to SIGKILL


def run(
    ctx: typer.Context,
    command: Annotated[list[str], typer.Argument(metavar="COMMAND", help="What to run, after `--`.")],
    gpus: Annotated[int, typer.Option("--gpus", "-g", min=1, help="Number of GPUs of this machine.")] = 1,
    length: Annotated[
        str | None, typer.Option("--for", metavar="DURATION", help="Be sure of them for this long, such as 4h.")
    ] = None,
    model: Annotated[str | None, typer.Option("--model", help="Of this model, such as H200.")] = None,
    title: Annotated[str, typer.Option(help="What it is for; the name of the program when not given.")] = "",
    no_wait: Annotated[bool, typer.Option("--no-wait", help="If they are not free now: fail.")] = False,
    as_json: Annotated[
        bool, typer.Option("--json", help="When it begins, print the reservation as JSON on standard error.")
    ] = False,
) -> None:
    """Run a program here with GPUs that are reserved while it lives; wait until there are some.

    The program sees only these GPUs. The reservation is made longer while it runs, and is released when it ends, also
    after Ctrl-C. If others have reserved the GPUs after you, the program is told (SIGUSR1), and ended (SIGTERM) at that
    time. --for reserves them for so long at once.

    Examples:
        paddock run --gpus 1 -- python train.py --epochs 10
        paddock run --gpus 2 --for 4h -- torchrun --nproc-per-node 2 train.py
    """
    from paddock.client.lease import WantedGpus

    if shutil.which(command[0]) is None:
        raise InvalidInput(f"There is no program {command[0]!r} here: nothing was reserved.")
    try:
        seconds = None if length is None else int(units.seconds(length))
    except ValueError as error:
        raise InvalidInput(f"--for: {error}.") from None
    desk = Desk.of(ctx)
    own = _own(desk, gpus)
    name = title or Path(command[0]).name[:100]
    wanted = WantedGpus(gpus, own[0].host, own[0].backend, name, model, seconds)
    with ExitStack() as stack:
        interrupts = stack.enter_context(_Interrupts())
        lease = _taken(desk, wanted, interrupts, stack, wait=not no_wait)
        _wait(desk, lease)
        code = _run(desk, lease, command, as_json)
    raise typer.Exit(code)


def _own(desk: Desk, gpus: int) -> "list[ReservableDevice]":
    """Return the devices of this machine; raise if there are not enough."""
    known = [one for one in desk.devices if one.retired_at is None]
    own = here.on_this_machine(known)
    if not own:
        hosts = sorted({one.host for one in known})
        where = f"run it on {', '.join(hosts[:5])}" if hosts else "the server has none at all"
        raise InvalidInput(
            f"None of the server's GPUs is on this machine: {where}, or let the server run it with `paddock submit`."
        )
    has = sum(one.gpus for one in own)
    if has < gpus:
        raise InvalidInput(f"This machine has {render.several(has, 'GPU')}: ask for fewer.")
    return own


class _Interrupts:
    """Has a closed terminal and SIGTERM end this as Ctrl-C does, so that everything is given back.

    While they are held, they wait: what the server has done meanwhile, is known here first.
    """

    def __init__(self) -> None:
        self._held, self._came = False, False

    def __enter__(self) -> Self:
        numbers = (signal.SIGINT, signal.SIGHUP, signal.SIGTERM)
        self._before = {number: signal.signal(number, self._interrupt) for number in numbers}
        return self

    def __exit__(self, *_: object) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)

    def _interrupt(self, *_: object) -> None:
        if not self._held:
            raise KeyboardInterrupt
        self._came = True

    @contextmanager
    def held(self) -> Iterator[None]:
        self._held = True
        try:
            yield
        finally:
            self._held = False
            if self._came:
                self._came = False
                raise KeyboardInterrupt


def _taken(desk: Desk, wanted: "WantedGpus", interrupts: _Interrupts, stack: ExitStack, *, wait: bool) -> "GpuLease":
    """Reserve, or take a place in the line; it is given back with the stack.

    Behind programs that hold all GPUs there is no place: wait for one to end.
    """
    from paddock.client.lease import take

    shown = ""
    while True:
        try:
            with interrupts.held():
                lease = take(desk.client.calendar, wanted, wait=wait)
                stack.callback(_give_back, lease, interrupts)
            return lease
        except Refused as refusal:
            if not wait or refusal.booking is None or not refusal.booking.free:
                raise
            if refusal.message != shown:
                shown = refusal.message
                base.note(f"waiting: {render.clean(shown)}")
        time.sleep(WAIT_SECONDS)


def _wait(desk: Desk, lease: "GpuLease") -> None:
    """Wait until the reservation begins, or an earlier one that has become free."""
    shown = ""
    while not lease.begun:
        line = f"waiting: {desk.called(lease.held.devices)} from {desk.shown(lease.held.starts_at)} on"
        if line != shown:
            shown = line
            base.note(render.clean(line))
        left = lease.seconds_before
        time.sleep(max(0.0, min(WAIT_SECONDS, left)))
        if left > WAIT_SECONDS:
            lease.sooner()


def _run(desk: Desk, lease: "GpuLease", command: Sequence[str], as_json: bool) -> int:
    devices = [desk.names[id] for id in lease.held.devices]
    variables = here.environment(devices) | {"PADDOCK_RESERVATION": lease.held.id}
    base.note(
        base.compact(lease.held)
        if as_json
        else f"{lease.held.id}: {render.clean(in_short(devices))} while this runs: {render.clean(' '.join(command))}"
    )
    parent = os.getpid()
    program = subprocess.Popen(
        command,
        env={**os.environ, **variables},
        # Without this process nobody makes the reservation longer.
        preexec_fn=lambda: processes.die_with(parent, signal.SIGTERM),  # noqa: PLW1509
    )
    with _forwarded(program):
        code = _watched(desk, lease, program)
    return 128 - code if code < 0 else code


@contextmanager
def _forwarded(program: "subprocess.Popen[Any]") -> Iterator[None]:
    """Leave Ctrl-C to the program, which gets it too, and pass other requests to end on to it."""

    def pass_on(number: int, _: object) -> None:
        processes.signal_process(program.pid, number)

    handlers: dict[int, Any] = {signal.SIGINT: signal.SIG_IGN, signal.SIGQUIT: signal.SIG_IGN}
    handlers |= dict.fromkeys((signal.SIGTERM, signal.SIGHUP), pass_on)
    before = {number: signal.signal(number, handler) for number, handler in handlers.items()}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _watched(desk: Desk, lease: "GpuLease", program: "subprocess.Popen[Any]") -> int:
    """Keep the reservation until the program ends, or end it with the reservation; return its exit code."""
    told, warned = "", False
    while True:
        left = lease.seconds_left  # below 0 while the server cannot be reached
        code = _ended_within(program, min(LOOK_SECONDS, left + 0.1) if left > 0 else LOOK_SECONDS)
        if code is not None:
            return code
        kept = _quietly(lease.keep)
        if lease.refusal and lease.refusal != told:
            told = lease.refusal
            base.note(f"paddock: {render.clean(told)} The program ends at {desk.shown(lease.held.ends_at)}.")
        if lease.refusal and lease.seconds_left < WARN_SECONDS and not warned:
            warned = processes.catches(program.pid, signal.SIGUSR1)
            if warned:
                processes.signal_process(program.pid, signal.SIGUSR1)
        if not kept:
            return _end(program, "the reservation is over" if lease.refusal else "the reservation was released")


def _quietly(keep: Callable[[], bool]) -> bool:
    """Return what `keep` returns. A server that fails for a while does not end a training."""
    try:
        return keep()
    except PaddockError as error:
        base.note(f"paddock: {render.clean(error.message)}")
        return True


def _end(program: "subprocess.Popen[Any]", why: str) -> int:
    base.note(f"paddock: {why}: the program is ended.")
    program.terminate()
    code = _ended_within(program, KILL_SECONDS)
    if code is not None:
        return code
    program.kill()
    return program.wait()


def _ended_within(program: "subprocess.Popen[Any]", seconds: float) -> int | None:
    try:
        return program.wait(seconds)
    except subprocess.TimeoutExpired:
        return None


def _give_back(lease: "GpuLease", interrupts: _Interrupts) -> None:
    try:
        with interrupts.held():
            lease.give_back()
    except PaddockError as error:
        end = f"{lease.held.ends_at.astimezone():%H:%M}"
        base.note(f"paddock: {lease.held.id} could not be released ({error.message}): it ends by itself at {end}.")
