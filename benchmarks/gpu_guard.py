"""Guard a reserved GPU on a real machine: two Unix users, one of them where they ought not to be.

Needs root, to become these users, and no package: `PYTHONPATH=src python3 -m benchmarks.gpu_guard`. The monitor is the
agent of a third, ordinary user, with a look every 2 s as on a protected host; what is done is decided by
rules/guarding.py once per second, as in the server's rounds, and done by the warden. Prints how long each thing took;
the exit code is 1 if something of it is wrong.
"""

import json
import os
import subprocess
import sys
import time
import tty
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from typing import Any

from benchmarks import gpu_watch
from benchmarks.gpu_watch import PYTHON, Person
from paddock.agents import warden
from paddock.common import processes
from paddock.rules.guarding import GuardedBooking, GuardTimes, OpenCase, StepTaken, WatchedProcess, due, judge

LOOK_SECONDS = 2.0
ROUND_SECONDS = 1.0
GRACE, KILL = 3.0, 2.0
TURNS = 5
PATIENCE = 60.0
BAR = 5.0
MIB = 512


@dataclass
class Turn:
    """How long one intruder took to be dealt with, in seconds from when the process is on the GPU."""

    shown: float = 0.0  # the violation is known
    terminal: float = 0.0  # the message can be read there
    ended: float = 0.0  # after the grace
    killed: bool = False
    steps: list[StepTaken] = field(default_factory=list)


class GpuGuard:
    """What the server does once per round, with the newest look of a monitor."""

    def __init__(self, owner: Person, intruder: Person, number: int) -> None:
        self._owner, self._intruder, self._number = owner, intruder, number
        self.report: Mapping[str, Any] = {}
        now = time.time()
        self._bookings = [GuardedBooking("r1", "gpu", "owner", frozenset({"owner"}), now - 60, now + 3600)]
        self._times = GuardTimes(terminal=0, repeat=600, page=None, mail=None, admins=None, grace=GRACE, kill=KILL)

    def hear(self, report: Mapping[str, Any]) -> None:
        self.report = report

    def found(self) -> list[WatchedProcess]:
        """Return the processes that are violations by the newest look."""
        accounts = {self._owner.name: "owner", self._intruder.name: "intruder"}
        on = [one for gpu in self.report.get("cards", []) if gpu["number"] == self._number for one in gpu["processes"]]
        seen = [
            WatchedProcess(
                "local", "here", "gpu", one["pid"], one["start"], one["owner"], accounts.get(one["owner"] or ""),
                one["command"], "reserved", one["memory"],
            )
            for one in on
        ]  # fmt: skip
        return [one.process for one in judge(seen, self._bookings, lambda _: True, [], time.time()).intrusions]

    def act(self, one: WatchedProcess, turn: Turn, first_seen: float) -> None:
        """Do what is due about a process."""
        now = time.time()
        told = {step.act: step.at for step in turn.steps}
        case = OpenCase(first_seen, first_seen, own=turn.steps, told=told)
        for act in due(case, self._times, now):
            request: dict[str, Any] = {"op": "end", "name": one.unix_name, "pid": one.pid, "start": one.start}
            if act == "terminal":
                request = {"op": "write", "name": one.unix_name, "text": f"This GPU is reserved. Please end {one.pid}."}
            elif act in ("term", "kill"):
                request["signal"] = act.upper()
            answer = ask(request)
            turn.steps.append(StepTaken(now, act, bool(answer.get("written") or answer.get("sent"))))
            turn.killed = turn.killed or act == "kill"


def ask(request: Mapping[str, Any]) -> dict[str, Any]:
    """Ask the warden, in a process of its own as always."""
    line = json.dumps(request).encode() + b"\n"
    done = subprocess.run([PYTHON, "-IS", str(warden.__file__)], input=line, capture_output=True, check=True)
    answer: dict[str, Any] = json.loads(done.stdout)
    return answer


@contextmanager
def terminal(person: Person) -> Iterator[int]:
    """Yield what shows a terminal of a person."""
    shown, inside = os.openpty()
    try:
        tty.setraw(inside)
        os.fchown(inside, person.uid, -1)
        os.fchmod(inside, 0o620)
        os.set_blocking(shown, False)
        yield shown
    finally:
        os.close(inside)
        os.close(shown)


def read(shown: int) -> bytes:
    with suppress(BlockingIOError):
        return os.read(shown, 65_536)
    return b""


def one_turn(guard: GpuGuard, intruder: Person, shown: int) -> Turn:
    """Let a person use the GPU until it is ended."""
    process = gpu_watch.start(intruder, MIB)
    began, first_seen, turn = time.monotonic(), 0.0, Turn()
    try:
        next_round = time.monotonic()
        while process.poll() is None:
            now = time.monotonic()
            if now - began > PATIENCE:
                raise SystemExit(f"the intruder was not ended within {PATIENCE:.0f} s: {turn}")
            if not turn.terminal and b"reserved" in read(shown):
                turn.terminal = time.monotonic() - began
            if now >= next_round:
                next_round = now + ROUND_SECONDS
                for one in guard.found():
                    if one.pid != process.pid:
                        raise SystemExit(f"process {one.pid} of {one.unix_name} is none of the intruder's")
                    turn.shown = turn.shown or now - began
                    first_seen = first_seen or time.time()
                    guard.act(one, turn, first_seen)
            time.sleep(0.02)
        turn.ended = time.monotonic() - began - GRACE
    finally:
        process.kill()
        process.wait()
    until = time.monotonic() + PATIENCE
    while guard.found() and time.monotonic() < until:  # the monitor has noticed that it left
        time.sleep(0.1)
    return turn


def refusals(owner: Person, intruder: Person) -> list[str]:
    """Return what the warden did although it must not."""
    process = gpu_watch.start(intruder, MIB)
    start = processes.started(process.pid) or 0
    try:
        wrong = {
            "another owner": {"name": owner.name, "pid": process.pid, "start": start},
            "another process that has its number": {"name": intruder.name, "pid": process.pid, "start": start - 1},
            "pid 1": {"name": intruder.name, "pid": 1, "start": processes.started(1) or 0},
            "a process of root": {"name": "root", "pid": os.getpid(), "start": processes.started(os.getpid()) or 0},
        }
        sent = [what for what, request in wrong.items() if ask({"op": "end", "signal": "KILL", **request}).get("sent")]
        return [f"the warden ended {what}" for what in sent] + (["the process is gone"] if process.poll() else [])
    finally:
        process.kill()
        process.wait()


def main() -> None:
    if os.geteuid() != 0:
        raise SystemExit("only root can become other users: please run this as root")
    with ExitStack() as stack:
        watcher, owner, intruder = stack.enter_context(gpu_watch.people())
        if intruder.name.isdigit():
            raise SystemExit("this machine has no useradd: the warden acts on accounts only")
        link, looks = stack.enter_context(gpu_watch.agent(watcher))
        first = looks.wait(lambda report: bool(report.get("cards")), "a GPU")
        gpu = first["cards"][0]
        guard = GpuGuard(owner, intruder, gpu["number"])
        link.machine(LOOK_SECONDS, guard.hear)
        own = gpu_watch.start(owner, MIB)
        stack.callback(own.wait)
        stack.callback(own.kill)
        shown = stack.enter_context(terminal(intruder))
        owners = stack.enter_context(terminal(owner))
        turns = [one_turn(guard, intruder, shown) for _ in range(TURNS)]
        wrong = problems(turns, refusals(owner, intruder), own.poll(), read(owners))
    print(f"{gpu['name']}: {TURNS} intruders, a look every {LOOK_SECONDS:g} s, grace {GRACE:g} s")
    for name, values in (
        ("on the GPU -> known", [one.shown for one in turns]),
        ("on the GPU -> on their terminal", [one.terminal for one in turns]),
        ("ended after the grace", [one.ended for one in turns]),
    ):
        print(f"  {name}: {', '.join(f'{value:.2f}' for value in sorted(values))} s (bar: {BAR:g} s)")
    print("\n".join(wrong) or "everything is as expected")
    sys.exit(bool(wrong))


def problems(turns: list[Turn], wrong: list[str], owners_end: int | None, owners_terminal: bytes) -> list[str]:
    """Return what is not as it should be."""
    found = list(wrong)
    for one in turns:
        if not 0 < one.shown < BAR or not 0 < one.terminal < BAR or one.ended > BAR:
            found.append(f"too late: {one}")
        if [step.act for step in one.steps if step.ok] != ["terminal", "term"]:
            found.append(f"other steps than expected: {one.steps}")
    if owners_end is not None:
        found.append("the process of the owner was ended")
    if owners_terminal:
        found.append("the owner was told to leave")
    return found


if __name__ == "__main__":
    main()
