"""Test states and allowed moves, exhaustively where possible."""

from itertools import product
from typing import ClassVar

import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from paddock.models import Cause, TaskState
from paddock.rules.lifecycle import MOVES, Ending, Verdict, allowed, judge, judge_gone

S = TaskState
EXITS = [(0, None), (1, None), (None, 9), (None, None)]
BYS = [None, "stop", "prune", "resize", "shutdown", "something newer"]
CAUSES = [None, *Cause]
ENDINGS = [Ending(code, signal, by, cause) for (code, signal), by, cause in product(EXITS, BYS, CAUSES)]


def verdict(ending: Ending, *, stop_wanted: bool = False, tried: int = 0, limit: int = 0) -> Verdict:
    return judge(ending, stop_wanted=stop_wanted, tried=tried, limit=lambda _: limit)


def test_the_moves_are_those_of_the_drawing() -> None:
    assert set(MOVES) == set(TaskState)
    for old, new in product(TaskState, TaskState):
        if old.ended:
            assert allowed(old, new) == (new is S.SUBMITTED)
    assert not allowed(S.SUBMITTED, S.FINISHED)
    assert not allowed(S.SUBMITTED, S.SUBMITTED)
    assert all(allowed(S.RUNNING, new) for new in TaskState if new is not S.RUNNING)


@pytest.mark.parametrize("stop_wanted", [False, True])
@pytest.mark.parametrize("ending", ENDINGS, ids=str)
def test_every_ending(ending: Ending, stop_wanted: bool) -> None:
    found = verdict(ending, stop_wanted=stop_wanted, limit=5)
    finished = ending.exit_code == 0 and ending.by is None and ending.cause is None
    assert (found.state is S.FINISHED) == finished
    assert allowed(S.RUNNING, found.state)
    if stop_wanted and not finished and ending.by != "prune":
        assert found.state is S.STOPPED
    if found.state is S.ERROR:
        assert found.cause is not None
        assert found.reason
        assert found.retry
        assert found.cause is (ending.cause or (Cause.PREEMPTED if ending.by == "shutdown" else Cause.USER_ERROR))
    elif found.cause is Cause.RESIZED:
        assert (ending.by, found.state, found.retry, stop_wanted) == ("resize", S.STOPPED, True, False)
    else:
        assert (found.cause, found.reason, found.retry) == (None, None, False)


@pytest.mark.parametrize(
    ("ending", "expected"),
    [
        (Ending(exit_code=0), Verdict(S.FINISHED)),
        (Ending(exit_code=0, by="stop"), Verdict(S.STOPPED)),
        (Ending(exit_code=143, by="stop"), Verdict(S.STOPPED)),
        (Ending(signal=15, by="prune"), Verdict(S.PRUNED)),
        (Ending(exit_code=2), Verdict(S.ERROR, Cause.USER_ERROR, "exit code 2")),
        (Ending(signal=11), Verdict(S.ERROR, Cause.USER_ERROR, "killed by signal 11")),
        (Ending(cause=Cause.GPU_OOM), Verdict(S.ERROR, Cause.GPU_OOM, "gpu oom")),
        (
            Ending(1, cause=Cause.USER_ERROR, reason="ValueError: x"),
            Verdict(S.ERROR, Cause.USER_ERROR, "ValueError: x"),
        ),
        (Ending(signal=15, by="shutdown"), Verdict(S.ERROR, Cause.PREEMPTED, "its runner was told to end")),
        (
            Ending(by="shutdown", cause=Cause.TIME_LIMIT),
            Verdict(S.ERROR, Cause.TIME_LIMIT, "its runner was told to end"),
        ),
    ],
)
def test_what_an_ending_means(ending: Ending, expected: Verdict) -> None:
    assert verdict(ending) == expected


@given(st.sampled_from(ENDINGS), st.booleans(), st.integers(0, 200), st.integers(0, 100))
def test_retries_never_exceed_the_limit(ending: Ending, stop_wanted: bool, tried: int, limit: int) -> None:
    found = verdict(ending, stop_wanted=stop_wanted, tried=tried, limit=limit)
    assert found.retry == (found.cause is Cause.RESIZED or (found.state is S.ERROR and tried < limit))


def test_the_limit_is_that_of_the_cause() -> None:
    asked: list[Cause] = []

    def limit(cause: Cause) -> int:
        asked.append(cause)
        return 1 if cause is Cause.PREEMPTED else 0

    assert judge(Ending(by="shutdown"), stop_wanted=False, tried=0, limit=limit).retry
    assert not judge(Ending(exit_code=1), stop_wanted=False, tried=0, limit=limit).retry
    assert asked == [Cause.PREEMPTED, Cause.USER_ERROR]


@pytest.mark.parametrize("cause", CAUSES)
@pytest.mark.parametrize("stop_wanted", [False, True])
def test_what_is_gone_never_finished(cause: Cause | None, stop_wanted: bool) -> None:
    found = judge_gone(cause, None, stop_wanted=stop_wanted, tried=0, limit=lambda _: 1)
    if stop_wanted:
        assert found == Verdict(S.STOPPED)
    else:
        assert (found.state, found.cause, found.retry) == (S.ERROR, cause or Cause.LOST, True)
        assert "stopped reporting" in (found.reason or "")


class ATask(RuleBasedStateMachine):
    """A task as runner, engine and people move it about."""

    LIMITS: ClassVar[dict[Cause, int]] = {cause: number for number, cause in enumerate(Cause)}

    @initialize()
    def submit(self) -> None:
        self.state = S.SUBMITTED
        self.stop_wanted = False
        self.ended_with: list[Cause] = []  # since the last plain start
        self.retries = dict.fromkeys(Cause, 0)

    def move(self, new: TaskState) -> None:
        assert allowed(self.state, new), f"{self.state} -> {new}"
        self.state = new

    def take(self, found: Verdict) -> None:
        if found.cause:
            self.ended_with.append(found.cause)
        if found.retry:
            assert found.cause
            self.retries[found.cause] += 1
            self.move(S.SUBMITTED if self.state is S.RUNNING else found.state)
        else:
            self.move(found.state)
        self.stop_wanted = False

    @precondition(lambda self: self.state is S.SUBMITTED)
    @rule()
    def start(self) -> None:
        self.move(S.RUNNING)

    @precondition(lambda self: not self.state.ended)
    @rule()
    def want_stop(self) -> None:
        self.stop_wanted = True

    @precondition(lambda self: self.state is S.RUNNING)
    @rule(ending=st.sampled_from(ENDINGS))
    def end(self, ending: Ending) -> None:
        cause = ending.cause or (Cause.PREEMPTED if ending.by == "shutdown" else Cause.USER_ERROR)
        tried = self.ended_with.count(cause)
        self.take(judge(ending, stop_wanted=self.stop_wanted, tried=tried, limit=self.LIMITS.__getitem__))

    @precondition(lambda self: self.state is S.RUNNING)
    @rule(cause=st.sampled_from(CAUSES))
    def vanish(self, cause: Cause | None) -> None:
        tried = self.ended_with.count(cause or Cause.LOST)
        found = judge_gone(cause, None, stop_wanted=self.stop_wanted, tried=tried, limit=self.LIMITS.__getitem__)
        assert found.state is not S.FINISHED
        self.take(found)

    @precondition(lambda self: self.state is S.SUBMITTED)
    @rule()
    def withdraw(self) -> None:
        self.take(Verdict(S.STOPPED))

    @precondition(lambda self: self.state.ended)
    @rule()
    def restart(self) -> None:
        self.move(S.SUBMITTED)
        self.ended_with = []
        self.retries = dict.fromkeys(Cause, 0)

    @invariant()
    def within_the_limits(self) -> None:
        if hasattr(self, "retries"):
            assert all(self.retries[cause] <= self.LIMITS[cause] for cause in Cause)


TestATask = ATask.TestCase
