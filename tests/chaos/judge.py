"""Compares what the tasks said of themselves with what Paddock says of them. Pure."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from tests.chaos.witness import Line

TRIES = 3
ENDED = {"finished", "error", "stopped", "pruned"}

NOT_ENDED, TWICE, FALSELY_FINISHED = "lost: not ended", "run twice at the same time", "finished falsely"
WRONG_CURVE, TOO_FEW_TRIES, FALSE_STATE = "wrong curve", "ended as lost without three tries", "false state"
LEFT_BEHIND = "left behind"
CHARGES = (NOT_ENDED, TWICE, FALSELY_FINISHED, WRONG_CURVE, TOO_FEW_TRIES, FALSE_STATE, LEFT_BEHIND)


@dataclass(frozen=True)
class Told:
    """What Paddock says of a task."""

    state: str
    cause: str | None = None
    causes: Sequence[str | None] = ()  # of its attempts
    curve: Sequence[tuple[int, float]] = ()


@dataclass(frozen=True)
class Case:
    """All that there is to judge."""

    steps: int
    told: Mapping[str, Told]
    said: Mapping[str, Sequence[Line]]
    left: Sequence[str] = field(default_factory=list)  # processes, allocations in the queue


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
    found[LEFT_BEHIND] += case.left
    return found


def _of_task(told: Told, lines: Sequence[Line], steps: int) -> list[tuple[str, str]]:
    found = [(TWICE, why) for why in overlaps(lines)]
    done = any(line.what == "end" for line in lines)
    if told.state not in ENDED:
        found.append((NOT_ENDED, f"it is {told.state}"))
    elif told.state == "finished":
        if not done:
            found.append((FALSELY_FINISHED, "it never said that it was at its end"))
        wrong = wrong_curve(told.curve, lines, steps)
        if wrong:
            found.append((WRONG_CURVE, wrong))
    elif told.cause == "lost":
        tries = sum(cause == "lost" for cause in told.causes)
        if tries < TRIES:
            found.append((TOO_FEW_TRIES, f"after {tries}: {list(told.causes)}"))
    else:  # nothing that it does itself ends it so, and those who were asked to have restarted it
        found.append((FALSE_STATE, f"{told.state} ({told.cause})" + (", and it had come to its end" if done else "")))
    return found


def overlaps(lines: Sequence[Line]) -> list[str]:
    """Processes of one task that were there at the same time: each from its first word to its last."""
    runs: dict[str, list[Line]] = {}
    for line in lines:
        runs.setdefault(line.run, []).append(line)
    spans = [(min(one.at for one in run), max(one.at for one in run), run[0]) for run in runs.values()]
    spans.sort(key=lambda span: span[:2])
    found, latest = [], None
    for before, after in pairwise(spans):
        latest = before if latest is None or before[1] > latest[1] else latest
        if after[0] < latest[1]:
            together = latest[1] - after[0]
            found.append(f"attempts {latest[2].attempt} and {after[2].attempt} ran {together:.1f} s beside each other")
    return found


def wrong_curve(curve: Sequence[tuple[int, float]], lines: Sequence[Line], steps: int) -> str | None:
    """What is wrong with it: every step once, with the value that the task gave it."""
    numbers = [step for step, _ in curve]
    if numbers != list(range(steps)):
        missing = sorted(set(range(steps)) - set(numbers))
        doubled = sorted({step for step in numbers if numbers.count(step) > 1})
        return f"steps missing: {missing}, doubled: {doubled}, in all: {len(numbers)} of {steps}"
    values = {line.step: line.value for line in lines if line.what == "step"}
    other = [step for step, value in curve if values.get(step) != value]
    return f"other values than the task said at steps {other}" if other else None
