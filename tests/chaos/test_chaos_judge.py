"""Test that the judge of the kill campaign finds every violation, and no others."""

import os
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from tests.chaos import faults, left
from tests.chaos.judge import (
    CHARGES,
    FALSE_STATE,
    FALSELY_FINISHED,
    LEFT_BEHIND,
    NOT_ENDED,
    TOO_FEW_TRIES,
    TWICE,
    WRONG_CURVE,
    Attempt,
    Case,
    Told,
    judge,
)
from tests.chaos.witness import Line

STEPS = 4


def value(step: int, attempt: int) -> float:
    return 1 / (step + 1) + attempt / 1000


def ran(attempt: int, at: float, first: int = 0, last: int = STEPS, end: bool = True, number: int = 0) -> list[Line]:
    """One process: a step a second."""
    run = f"{attempt}-{at}"
    lines = [Line("start", attempt, run, at, number=number)]
    for step in range(first, last):
        lines.append(Line("step", attempt, run, at + 1 + step - first, step, value(step, attempt)))
    return [*lines, Line("end", attempt, run, lines[-1].at)] if end else lines


def tried(*causes: str | None) -> list[Attempt]:
    """None: it has finished."""
    return [Attempt(n, "error" if cause else "finished", cause) for n, cause in enumerate(causes, start=1)]


def told(*causes: str | None, curve: Sequence[tuple[int, float]] = (), **more: Any) -> Told:
    last = causes[-1]
    return Told("error" if last else "finished", last, tried(*causes), curve, **{"number": 0, **more})


CURVE = [(step, value(step, 1)) for step in range(STEPS)]
LATER = [(step, value(step, 1 if step < 2 else 2)) for step in range(STEPS)]
GOOD = told(None, curve=CURVE)
AGAIN = told("lost", None, curve=LATER)
CANCELLED = Attempt(1, "stopped", cancelled=True)
RESUMED = [*ran(1, 0, last=2, end=False), *ran(2, 10, first=2)]


def guilty(told: Told, lines: Sequence[Line], **more: Any) -> set[str]:
    found = judge(Case(STEPS, 1, {"t": told}, {"t": lines}, **more))
    assert list(found) == list(CHARGES)
    return {charge for charge, who in found.items() if who}


def test_the_innocent() -> None:
    assert guilty(GOOD, ran(1, 0)) == set()
    assert guilty(AGAIN, RESUMED) == set()
    told_again = [*ran(1, 0, last=3, end=False), *ran(2, 10, first=2)]  # died before it saved
    assert guilty(AGAIN, told_again) == set()
    assert guilty(told("lost", "lost", "lost"), ran(1, 0, last=2, end=False)) == set()
    killed_at_its_end = [*ran(1, 0), *ran(2, 10, first=STEPS)]
    assert guilty(told("lost", None, curve=CURVE), killed_at_its_end) == set()
    stopped = [CANCELLED, Attempt(2, "finished")]  # by scancel, and then restarted
    assert guilty(replace(AGAIN, attempts=stopped), RESUMED) == set()


@pytest.mark.parametrize(
    ("told", "lines", "charge"),
    [
        (replace(AGAIN, state="running"), RESUMED, NOT_ENDED),
        (replace(GOOD, state="submitted", curve=[]), [], NOT_ENDED),
        (AGAIN, [*ran(1, 0, last=2, end=False), *ran(2, 1.9, first=2)], TWICE),
        (AGAIN, [*RESUMED, Line("beside", 2, "2-10", 10)], TWICE),  # the kernel says so
        (GOOD, [*ran(1, 0, last=1, end=False), *ran(1, 20)], TWICE),  # the same attempt, one after the other
        (GOOD, [*ran(1, 0), *ran(1, 2)], TWICE),
        (GOOD, ran(1, 0, end=False), FALSELY_FINISHED),
        (told("lost", None, curve=LATER), [*ran(1, 0), *ran(2, 10, first=2, end=False)], FALSELY_FINISHED),
        (replace(GOOD, curve=CURVE[:-1]), ran(1, 0), WRONG_CURVE),
        (replace(GOOD, curve=[CURVE[0], *CURVE[2:]]), ran(1, 0), WRONG_CURVE),
        (replace(GOOD, curve=[CURVE[0], *CURVE]), ran(1, 0), WRONG_CURVE),
        (replace(GOOD, curve=[*CURVE[:-1], (3, 0.7)]), ran(1, 0), WRONG_CURVE),
        (replace(GOOD, curve=[]), ran(1, 0), WRONG_CURVE),
        (replace(AGAIN, curve=CURVE), RESUMED, WRONG_CURVE),  # what it did again counts, not what it did before
        (told("lost", "node_failure", "lost"), [], TOO_FEW_TRIES),
        (told("node_failure"), [], TOO_FEW_TRIES),
        (told("launch_failed"), [], FALSE_STATE),
        (told("user_error"), ran(1, 0), FALSE_STATE),
        (told("user_error", None, curve=LATER), RESUMED, FALSE_STATE),  # that it was tried again does not mend it
        (Told("stopped", None, [CANCELLED], number=0), ran(1, 0, last=1, end=False), FALSE_STATE),
        (replace(AGAIN, attempts=[Attempt(1, "stopped"), Attempt(2, "finished")]), RESUMED, FALSE_STATE),
        (replace(AGAIN, attempts=[Attempt(1, "running"), Attempt(2, "finished")]), RESUMED, FALSE_STATE),
        (replace(AGAIN, attempts=[Attempt(1, "finished"), Attempt(2, "finished")]), RESUMED, FALSE_STATE),
        (replace(GOOD, attempts=tried(None, "lost")), [*ran(1, 0), *ran(2, 10, first=STEPS)], FALSE_STATE),
        (told("lost", "lost", "lost"), ran(4, 0, end=False), FALSE_STATE),  # one that nobody knows of
        (GOOD, ran(1, 0, number=7), FALSE_STATE),  # with the parameters of another
    ],
)
def test_the_guilty(told: Told, lines: list[Line], charge: str) -> None:
    assert guilty(told, lines) == {charge}


def test_a_third_beside_the_first() -> None:
    """The second is over by then, the first is not."""
    lines = [*ran(1, 0, end=False), *ran(2, 1, last=1, end=False), *ran(3, 3)]
    assert TWICE in guilty(told("lost", "lost", None, curve=[(step, value(step, 3)) for step in range(STEPS)]), lines)


def test_nothing_at_all_was_said() -> None:
    assert guilty(GOOD, []) == {FALSELY_FINISHED, WRONG_CURVE}


def test_a_task_that_paddock_has_forgotten() -> None:
    found = judge(Case(STEPS, 1, {}, {"t": ran(1, 0)}))
    assert found[NOT_ENDED] == ["t: Paddock does not know it", "configuration 0: 0 tasks have it"]


def test_a_task_that_was_never_made() -> None:
    """Nobody speaks of it: only who has asked for it knows."""
    found = judge(Case(STEPS, 2, {"t": GOOD}, {"t": ran(1, 0)}))
    assert found[NOT_ENDED] == ["configuration 1: 0 tasks have it"]
    found = judge(Case(STEPS, 1, {"t": GOOD, "u": GOOD}, {"t": ran(1, 0), "u": ran(1, 0)}))
    assert found[TWICE] == ["configuration 0: 2 tasks have it"]


def test_what_is_left_behind() -> None:
    assert guilty(GOOD, ran(1, 0), left=["process 7: python train.py"]) == {LEFT_BEHIND}


@pytest.mark.parametrize(("name", "more"), [("PADDOCK_JOB", ""), ("PADDOCK_RUNNER", "-a1.0 77")])
def test_processes_that_are_left_are_found(name: str, more: str) -> None:
    """By their environment, which they cannot lose."""
    job = f"job{os.getpid()}"  # nobody else's
    code = "import sys; print(flush=True); sys.stdin.read()"
    argv = [sys.executable, "-I", "-S", "-c", code]
    environment = {**os.environ, name: job + more}
    with subprocess.Popen(argv, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        process.stdout.readline()  # it is itself by now
        assert [one for one in left.of_jobs([job]) if str(process.pid) in one]
        assert not left.of_jobs(["other"])
        process.kill()
    assert not left.of_jobs([job])


def test_all_kinds_of_faults_are_planned_alike() -> None:
    plan = faults.plan(7, 100)
    counts = [plan.count(kind) for kind in faults.KINDS]
    assert sum(counts) == 100 and min(counts) >= 9
    assert faults.plan(7, 100) == plan != faults.plan(8, 100)


def test_what_slurm_cancels_by_itself() -> None:
    """As its log had it, when it started an element of an array for the second time."""
    log = """\
[t] sched: Allocate JobId=41_7(41) NodeList=n1 #CPUs=1 Partition=gpu
[t] sched: Allocate JobId=41_1(50) NodeList=n1 #CPUs=1 Partition=gpu
[t] sched: Allocate JobId=60_0(61) NodeList=n1 #CPUs=1 Partition=gpu
[t] sched: Allocate JobId=60_1(60) NodeList=n1 #CPUs=1 Partition=gpu
[t] _slurm_rpc_requeue: Requeue of JobId=41 returned an error: Requested operation is presently disabled
[t] _slurm_rpc_kill_job: REQUEST_KILL_JOB JobId=41 uid 0
[t] _slurm_rpc_requeue: Requeue of JobId=61 returned an error: Requested operation is presently disabled
[t] _slurm_rpc_kill_job: REQUEST_KILL_JOB JobId=61 uid 0
[t] _slurm_rpc_kill_job: REQUEST_KILL_JOB JobId=60_1 uid 0
"""
    assert faults.killed_by_slurm(log) == {"41_7", "41_1", "60_0"}
