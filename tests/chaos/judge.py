"""Compare what the tasks wrote about themselves with what Paddock reports. Pure."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from tests.chaos.witness import Line

TRIES = 3
ENDED = {"finished", "error", "stopped", "pruned"}
NOT_ITS_OWN = {"lost", "node_failure", "preempted"}  # what the faults do to a task: all else it would have done itself

NOT_ENDED, TWICE, FALSELY_FINISHED = "lost: not ended", "run twice", "finished falsely"
WRONG_CURVE, TOO_FEW_TRIES, FALSE_STATE = "wrong curve", "given up without three tries", "false state"
LEFT_BEHIND = "left behind"
CHARGES = (NOT_ENDED, TWICE, FALSELY_FINISHED, WRONG_CURVE, TOO_FEW_TRIES, FALSE_STATE, LEFT_BEHIND)


@dataclass(frozen=True)
class Attempt:
    """What Paddock says of an attempt."""

    number: int
    state: str
    cause: str | None = None
    cancelled: bool = False  # its allocation was ended by hand, or by Slurm as if it were by hand


@dataclass(frozen=True)
class Told:
    """What Paddock says of a task."""

    state: str
    cause: str | None = None
    attempts: Sequence[Attempt] = ()
    curve: Sequence[tuple[float, float]] = ()
    number: int | None = None  # its configuration


@dataclass(frozen=True)
class Case:
    """All that there is to judge. The configurations that were asked for are 0, 1, ... `tasks` - 1."""

    steps: int
    tasks: int
    told: Mapping[str, Told]
    said: Mapping[str, Sequence[Line]]
    left: Sequence[str] = field(default_factory=list)  # processes, allocations in the queue, files


def judge(case: Case) -> dict[str, list[str]]:
    """Charge -> who is guilty of it, and of what exactly. Every charge is there."""
    found: dict[str, list[str]] = {charge: [] for charge in CHARGES}
    for task in sorted(case.told.keys() | case.said.keys()):
        lines = case.said.get(task, ())
        if task not in case.told:
            found[NOT_ENDED].append(f"{task}: Paddock does not know it")
            continue
        for charge, why in _of_task(case.told[task], lines, case.steps):
            found[charge].append(f"{task}: {why}")
    there = Counter(told.number for told in case.told.values())
    for number in range(case.tasks):
        if there[number] != 1:
            charge = TWICE if there[number] else NOT_ENDED
            found[charge].append(f"configuration {number}: {there[number]} tasks have it")
    found[LEFT_BEHIND] += case.left
    return found


def _of_task(told: Told, lines: Sequence[Line], steps: int) -> list[tuple[str, str]]:
    found = [(TWICE, why) for why in twice(lines)]
    found += [(FALSE_STATE, why) for why in false_attempts(told, lines)]
    done = any(line.what == "end" for line in lines)
    if told.state not in ENDED:
        found.append((NOT_ENDED, f"it is {told.state}"))
    elif told.state == "finished":
        last = told.attempts[-1].number if told.attempts else None
        if not any(line.what == "end" and line.attempt == last for line in lines):
            found.append((FALSELY_FINISHED, f"attempt {last} never said that it was at its end"))
        wrong = wrong_curve(told.curve, lines, steps)
        if wrong:
            found.append((WRONG_CURVE, wrong))
    elif told.cause in NOT_ITS_OWN:
        tries = sum(one.cause == told.cause for one in told.attempts)
        if tries < TRIES:
            found.append((TOO_FEW_TRIES, f"{told.cause} after {tries}: {[one.cause for one in told.attempts]}"))
    else:  # nothing that it does itself ends it so, and those who were asked to have restarted it
        found.append((FALSE_STATE, f"{told.state} ({told.cause})" + (", and it had come to its end" if done else "")))
    return found


def false_attempts(told: Told, lines: Sequence[Line]) -> list[str]:
    """What Paddock says of single attempts, and cannot be."""
    known = [one.number for one in told.attempts]
    found = [f"attempt {line.attempt} ran, and is not known" for line in lines if line.attempt not in known]
    numbers = {line.number for line in lines if line.what == "start"}
    if numbers - {told.number}:
        found.append(f"it ran configuration {sorted(map(str, numbers))}, and is told to be {told.number}")
    if told.state not in ENDED:
        return found
    if told.attempts and told.attempts[-1].state != told.state:
        found.append(f"it is {told.state}, and its last attempt {told.attempts[-1].state}")
    for one in told.attempts:
        if one.state not in ENDED or (one.state == "finished" and one.number != known[-1]):
            found.append(f"attempt {one.number} of {len(known)} is {one.state}")
        elif one.state == "stopped" and not one.cancelled:
            found.append(f"attempt {one.number} is stopped, and nobody has asked for that")
        elif one.state == "error" and one.cause not in NOT_ITS_OWN:
            found.append(f"attempt {one.number} ended as {one.cause}")
    return list(dict.fromkeys(found))


def twice(lines: Sequence[Line]) -> list[str]:
    """One attempt started twice; processes of one task that were there at the same time."""
    runs: dict[str, list[Line]] = {}
    for line in lines:
        runs.setdefault(line.run, []).append(line)
    spans = [(min(one.at for one in run), max(one.at for one in run), run[0]) for run in runs.values()]
    spans.sort(key=lambda span: span[:2])
    starts = Counter(span[2].attempt for span in spans)
    found = [f"attempt {attempt} was started {count} times" for attempt, count in starts.items() if count > 1]
    found += [f"attempt {line.attempt} found another one alive" for line in lines if line.what == "beside"]
    latest = None
    for before, after in pairwise(spans):
        latest = before if latest is None or before[1] > latest[1] else latest
        if after[0] < latest[1]:
            together = latest[1] - after[0]
            found.append(f"attempts {latest[2].attempt} and {after[2].attempt} ran {together:.1f} s beside each other")
    return found


def wrong_curve(curve: Sequence[tuple[float, float]], lines: Sequence[Line], steps: int) -> str | None:
    """What is wrong with it: every step once, with the value that the task gave it last."""
    numbers = [step for step, _ in curve]
    if numbers != list(range(steps)):
        missing = sorted(set(range(steps)) - set(numbers))
        doubled = sorted({step for step in numbers if numbers.count(step) > 1})
        return f"steps missing: {missing}, doubled: {doubled}, in all: {len(numbers)} of {steps}"
    values = {line.step: line.value for line in lines if line.what == "step"}
    other = [step for step, value in curve if values.get(int(step)) != value]
    return f"other values than the task said at steps {other}" if other else None
