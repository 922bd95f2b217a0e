"""States and allowed moves of a task, and what follows from what is seen. Pure: no I/O, no clock.

submitted ──> running ──> finished | error | stopped | pruned
    │            └──────> submitted       (tried again by policy: a new attempt)
    └───────────────────> stopped | error (withdrawn before it ran; could not be launched)
finished | error | stopped | pruned ──> submitted   (restart: a new attempt)
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from paddock.models import Cause, TaskState

S = TaskState

MOVES: Mapping[TaskState, frozenset[TaskState]] = {
    S.SUBMITTED: frozenset({S.RUNNING, S.STOPPED, S.ERROR}),
    S.RUNNING: frozenset({S.FINISHED, S.ERROR, S.STOPPED, S.PRUNED, S.SUBMITTED}),
    S.FINISHED: frozenset({S.SUBMITTED}),
    S.ERROR: frozenset({S.SUBMITTED}),
    S.STOPPED: frozenset({S.SUBMITTED}),
    S.PRUNED: frozenset({S.SUBMITTED}),
}


def allowed(old: TaskState, new: TaskState) -> bool:
    return new in MOVES[old]


@dataclass(frozen=True)
class Ending:
    """How an attempt ended, from the journal's `ended` record or because its allocation is gone."""

    exit_code: int | None = None
    signal: int | None = None
    by: str | None = None  # stop, prune, follow, resize, shutdown: the runner ended it
    cause: Cause | None = None
    reason: str | None = None
    shared: bool = False  # it ended because of other tasks beside it, or for a reservation


@dataclass(frozen=True)
class Verdict:
    """What becomes of the attempt, and whether the engine begins another one."""

    state: TaskState
    cause: Cause | None = None
    reason: str | None = None
    retry: bool = False


def judge(ending: Ending, *, stop_wanted: bool, tried: int, limit: Callable[[Cause], int]) -> Verdict:
    """Decide what an ended attempt means.

    `tried` is how many attempts of the task have already ended with the same cause; `limit` returns how many retries
    a cause allows. A requested stop counts as a stop however the process ended, unless the process had finished before
    the signal reached it. What was the fault of other tasks is tried again in any case.
    """
    if ending.exit_code == 0 and ending.cause is None and ending.by is None:
        return Verdict(S.FINISHED)
    if ending.by == "prune" or (ending.by == "follow" and not stop_wanted):
        return Verdict(S.PRUNED)
    if ending.by == "stop" or stop_wanted:
        return Verdict(S.STOPPED)
    if ending.by == "resize":
        return Verdict(S.STOPPED, Cause.RESIZED, ending.reason, retry=True)
    cause, reason = _explain(ending)
    return Verdict(S.ERROR, cause, reason, retry=ending.shared or tried < limit(cause))


def _explain(ending: Ending) -> tuple[Cause, str]:
    if ending.by == "shutdown":
        return ending.cause or Cause.PREEMPTED, ending.reason or "its runner was told to end"
    if ending.cause is not None:
        return ending.cause, ending.reason or ending.cause.value.replace("_", " ")
    if ending.signal is not None:
        return Cause.USER_ERROR, ending.reason or f"killed by signal {ending.signal}"
    return Cause.USER_ERROR, ending.reason or f"exit code {ending.exit_code}"


GONE = "its runner stopped reporting (it was killed, or its node went down)"


def judge_gone(
    cause: Cause | None,
    reason: str | None,
    *,
    stop_wanted: bool,
    tried: int,
    limit: Callable[[Cause], int],
    shared: bool = False,
) -> Verdict:
    """Decide what becomes of an attempt without an end whose allocation is gone: it never counts as finished."""
    ending = Ending(cause=cause or Cause.LOST, reason=reason or GONE, shared=shared)
    return judge(ending, stop_wanted=stop_wanted, tried=tried, limit=limit)
