"""What journal records mean for attempts and tasks, gathered for one transaction and written at its end."""

import math
from collections import defaultdict
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import sqlalchemy as sa
from pydantic import ValidationError

from paddock import lifecycle
from paddock.engine.announce import Announcement
from paddock.engine.context import Context, JobFacts
from paddock.estimate import Pace
from paddock.journal import Record
from paddock.lifecycle import Ending, Verdict
from paddock.models import Cause, Room, Seat, TaskState
from paddock.store import attempts, metrics, trials
from paddock.store.metrics import Point

MAX_WARNINGS = 20
SECONDS = "seconds"
_OVERFULL = (
    f"This task has reported more than {metrics.MAX_NAMES:,} metrics: those beyond are not kept. "
    "Use fewer names, and a step for what changes."
)


class Subject:
    """An attempt and its task as they are in the database, and what has changed since."""

    def __init__(self, row: sa.Row[Any], facts: JobFacts) -> None:
        self.row = row
        self.facts = facts
        self.current = row.attempt == row.a_number
        self.attempt: dict[str, Any] = {}
        self.task: dict[str, Any] = {}
        self.points: dict[str, list[Point]] = defaultdict(list)
        self.forgotten: set[str] = set()
        self.verdict: Verdict | None = None
        self.room: dict[str, Any] | None = row.room  # for its next attempt
        self.follows = False  # its next attempt goes on from another's checkpoint

    @property
    def state(self) -> TaskState:
        return TaskState(self.attempt.get("state", self.row.a_state))

    def of_task(self, name: str) -> Any:
        return self.task[name] if name in self.task else getattr(self.row, name)

    def of_attempt(self, name: str) -> Any:
        return self.attempt[name] if name in self.attempt else getattr(self.row, name)

    @property
    def crowded(self) -> bool:
        """Whether others may have been beside it in its allocation."""
        asked = self.facts.spec.resources
        several = (asked.slots or 1) > 1 or asked.per_gpu is not None or asked.triple is not None
        return several and not (self.row.room or {}).get("alone")

    def live(self) -> dict[str, float | None]:
        """What moves while a task runs."""
        names = ("epoch", "last_value", "best_value", "best_epoch")
        pace = Pace(
            self.of_task("epochs"),
            self.of_task("epoch"),
            self.of_task("epoch_at"),
            self.of_task("first_epoch"),
            self.attempt.get("first_epoch", self.row.a_first_epoch),
            self.of_attempt("started_at"),
        )
        moving = {"progress": pace.progress(), "seconds_left": pace.seconds_left(pace.epoch_at or 0)}
        return {name: self.of_task(name) for name in names} | moving


class Changes:
    """Applies records in their order. Records about what is not known, or has ended, change nothing."""

    def __init__(self, c: sa.Connection, context: Context) -> None:
        self._c = c
        self._context = context
        self._subjects: dict[tuple[str, int], Subject | None] = {}
        self._handlers = {
            "started": self._started,
            "metric": self._metric,
            "reset": self._reset,
            "total": self._total,
            "usage": self._usage,
            "warning": self._warning,
            "ended": self._ended,
        }

    def apply(self, news: Mapping[str, list[Record]]) -> None:
        """Records by the allocation whose journals they are from."""
        about = [(key, record) for key, records in news.items() for record in records if record["e"] in self._handlers]
        self._load({(record["task"], record["attempt"]) for _, record in about})
        for allocation, record in about:
            subject = self._subjects[record["task"], record["attempt"]]
            if subject is not None and not subject.state.ended:
                self._handlers[record["e"]](subject, record, allocation)

    def end(self, rows: list[sa.Row[Any]], judge: Any, at: float) -> None:
        """End attempts of which no journal tells the end. `judge` gets a subject and gives its verdict."""
        self._load({(row.id, row.a_number) for row in rows})
        for row in rows:
            subject = self._subjects[row.id, row.a_number]
            if subject is not None and not subject.state.ended:
                self._conclude(subject, judge(subject), at)

    def judging(self, subject: Subject) -> dict[str, Any]:
        """The arguments that lifecycle.judge needs beside the ending."""
        return {
            "stop_wanted": bool(subject.row.stopping and subject.current),
            "limit": lambda cause: self._context.retries(subject.facts, cause),
        }

    def tried(self, subject: Subject, cause: Cause | None) -> int:
        return attempts.ended_with(self._c, subject.row.id, cause.value) if cause else 0

    def _load(self, keys: set[tuple[str, int]]) -> None:
        unknown = keys - set(self._subjects)
        if not unknown:
            return
        rows = attempts.lookup(self._c, unknown)
        facts = self._context.facts(self._c, [row.job_id for row in rows.values()])
        for key in unknown:
            row = rows.get(key)
            self._subjects[key] = Subject(row, facts[row.job_id]) if row is not None and row.job_id in facts else None

    # --- one method a kind of record --------------------------------------------------------------------------------

    def _started(self, subject: Subject, record: Record, allocation: str) -> None:
        if not lifecycle.allowed(subject.state, TaskState.RUNNING):
            return
        subject.attempt |= {
            "state": TaskState.RUNNING.value,
            "allocation": allocation,
            "start": _integer(record.get("start")),
            "started_at": float(record["at"]),
            "node": _text(record.get("node")),
            "device": _text(record.get("device")),
            "pid": _integer(record.get("pid")),
            "seat": _seat(record.get("seat")),
        }
        if subject.current:
            subject.task["state"] = TaskState.RUNNING.value

    def _metric(self, subject: Subject, record: Record, allocation: str) -> None:
        step, values = _number(record.get("step")), record.get("v")
        if step is None or not math.isfinite(step) or not isinstance(values, dict):
            return
        at = float(record["at"])
        for name, given in values.items():
            value = _number(given)
            if value is not None and 0 < len(name) <= 200:
                subject.points[name].append((step, value, at))
        epoch = _number(record.get("epoch"))
        self._reached(subject, step if epoch is None else epoch, at)
        objective = subject.facts.objective
        value = _number(values.get(objective.metric))
        if value is not None and subject.current and not subject.row.reduces:
            subject.task["last_value"] = value if math.isfinite(value) else None
            if objective.better(value, subject.of_task("best_value")):
                best = {"best_value": value, "best_epoch": step if epoch is None else epoch, "best_at": at}
                subject.task |= best
        if subject.facts.spec.other_objectives and subject.current and not subject.row.reduces:
            self._others(subject, values)

    def _others(self, subject: Subject, values: Mapping[str, Any]) -> None:
        """The best of every further objective."""
        wanted = subject.facts.spec.other_objectives
        known = list(subject.of_task("others") or [None] * len(wanted))
        for place, objective in enumerate(wanted):
            value = _number(values.get(objective.metric))
            if value is not None and objective.better(value, known[place]):
                known[place] = value
        subject.task["others"] = known

    def _reached(self, subject: Subject, epoch: float, at: float) -> None:
        if subject.of_attempt("a_first_epoch") is None and "first_epoch" not in subject.attempt:
            subject.attempt["first_epoch"] = epoch
        if subject.current:
            subject.task |= {"epoch": epoch, "epoch_at": at}
            first = subject.of_task("first_epoch")
            subject.task["first_epoch"] = epoch if first is None else min(first, epoch)

    def _reset(self, subject: Subject, record: Record, allocation: str) -> None:
        names = {name for name in record.get("names") or () if isinstance(name, str)}
        subject.forgotten |= names
        for name in names:
            subject.points.pop(name, None)
        if subject.current and subject.of_task("others"):
            others = zip(subject.facts.spec.other_objectives, subject.of_task("others"), strict=False)
            subject.task["others"] = [None if one.metric in names else value for one, value in others]
        if subject.current and subject.facts.objective.metric in names:
            subject.task |= dict.fromkeys(("best_value", "best_epoch", "best_at", "last_value"))
            for point in self._earlier(subject):
                if subject.facts.objective.better(point[1], subject.task["best_value"]):
                    subject.task |= {"best_value": point[1], "best_epoch": point[0], "best_at": point[2]}

    def _earlier(self, subject: Subject) -> list[Point]:
        """The objective as the attempts before reported it, which this one resumed."""
        if not subject.row.resumed:
            return []
        chain = metrics.before(self._c, subject.row.id, subject.row.a_number, subject.facts.objective.metric)
        return [(float(p["step"]), float(p["value"]), float(p["time"])) for p in chain]

    def _total(self, subject: Subject, record: Record, allocation: str) -> None:
        epochs = record.get("epochs")
        if subject.current and isinstance(epochs, int) and 0 < epochs < 2**31:
            subject.task["epochs"] = epochs

    def _usage(self, subject: Subject, record: Record, allocation: str) -> None:
        at = float(record["at"])
        since = at - (subject.of_attempt("started_at") or at)
        for name in ("memory", "cpu", "gpu_memory", "gpu_load"):
            value = _number(record.get(name))
            if value is not None:
                subject.points[metrics.SYSTEM + name].append((since, value, at))
        self._peaks(subject, record.get("memory"), record.get("gpu_memory"))

    def _peaks(self, subject: Subject, memory: Any, gpu_memory: Any) -> None:
        for name, given in (("peak_memory", memory), ("peak_gpu_memory", gpu_memory)):
            value = _number(given)
            if value is not None:
                subject.attempt[name] = max(int(value), subject.of_attempt(name) or 0)

    def _warning(self, subject: Subject, record: Record, allocation: str) -> None:
        text = _text(record.get("text"))
        warnings = subject.of_attempt("warnings")
        if text and text not in warnings and len(warnings) < MAX_WARNINGS:
            subject.attempt["warnings"] = [*warnings, text]

    def _ended(self, subject: Subject, record: Record, allocation: str) -> None:
        exit_code, number = _integer(record.get("exit")), _integer(record.get("signal"))
        subject.attempt |= {
            "allocation": allocation,
            "exit_code": exit_code,
            "signal": number,
            "cpu_seconds": _number(record.get("cpu_seconds")),
        }
        self._peaks(subject, record.get("peak_memory"), record.get("peak_gpu_memory"))
        cause = Cause(record["cause"]) if record.get("cause") in set(Cause) else None
        again = _room(record.get("again"))
        ending = Ending(
            exit_code, number, _text(record.get("by")), cause, _text(record.get("reason")), shared=again is not None
        )
        subject.room = again or subject.room
        if ending.by == "shutdown" and cause is None and not self.judging(subject)["stop_wanted"]:
            # Why its runner was told to end, the backend will say when the allocation has ended.
            subject.attempt["ended_at"] = float(record["at"])
            return
        verdict = lifecycle.judge(ending, tried=self.tried(subject, cause or Cause.USER_ERROR), **self.judging(subject))
        if ending.by == "follow" and verdict.state is TaskState.PRUNED:
            subject.follows = True
            verdict = Verdict(TaskState.PRUNED, reason=_followed(subject.row.successor))
        elif verdict.state is TaskState.PRUNED:
            verdict = Verdict(TaskState.PRUNED, reason=subject.row.reason)  # as it was written with the order
        self._conclude(subject, verdict, float(record["at"]))

    # --- the end ------------------------------------------------------------------------------------------------------

    def _conclude(self, subject: Subject, verdict: Verdict, at: float) -> None:
        subject.verdict = verdict
        self._took(subject, at)
        cause = verdict.cause.value if verdict.cause else None
        ended = subject.of_attempt("ended_at") or at  # as its runner said, where it did
        subject.attempt |= {"state": verdict.state.value, "cause": cause, "reason": verdict.reason, "ended_at": ended}
        if subject.current:
            subject.task |= {"state": verdict.state.value, "stopping": False}

    def _took(self, subject: Subject, at: float) -> None:
        """The training time is an objective like those that a script reports."""
        started = subject.of_attempt("started_at")
        objectives = subject.facts.spec.objectives
        judged = subject.current and not subject.row.reduces
        if started is None or not judged or all(one.metric != SECONDS for one in objectives):
            return
        took = at - started
        if objectives[0].metric == SECONDS and subject.of_task("best_value") is None:
            subject.task["best_value"] = took
        known = subject.of_task("others") or [None] * (len(objectives) - 1)
        if any(one.metric == SECONDS and value is None for one, value in zip(objectives[1:], known, strict=False)):
            self._others(subject, {SECONDS: took})

    def write(self) -> None:
        """All of it, and one event a job."""
        subjects = [subject for subject in self._subjects.values() if subject is not None]
        appender = self._context.appender
        for subject in subjects:
            if subject.forgotten:
                appender.forget(self._c, subject.row.a_id, subject.forgotten)
        overfull = appender.append(self._c, {s.row.a_id: s.points for s in subjects if s.points})
        for subject in subjects:
            if subject.row.a_id in overfull:
                self._warning(subject, {"text": _OVERFULL}, "")
        attempts.update_attempts(self._c, [{"id": s.row.a_id, **s.attempt} for s in subjects if s.attempt])
        attempts.update_tasks(self._c, [{"id": s.row.id, **s.task} for s in subjects if s.task])
        for subject in subjects:
            if subject.verdict:
                appender.finish(self._c, subject.row.a_id)
            if subject.verdict and subject.current and (subject.verdict.retry or subject.follows):
                self._begin_next(subject)
        announcement = Announcement(self._c)
        for subject in subjects:
            if subject.points or subject.attempt or subject.task:
                whole = "state" in subject.attempt or "warnings" in subject.attempt
                announcement.add(
                    subject.row.job_id,
                    subject.row.id,
                    live=None if whole else subject.live(),
                    points=subject.points if subject.current else {},
                    forgotten=subject.forgotten,
                )
        announcement.write()

    def _begin_next(self, subject: Subject) -> None:
        row = subject.row
        if subject.follows and row.successor:
            trials.succeed(self._c, row.job_id, row.id, row.a_number, row.successor)
        else:  # or what it was to follow was lost in a crash: then it goes on as it was
            attempts.begin_next(self._c, row.job_id, [(row.id, row.a_number)], resumed=True, room=subject.room)


@contextmanager
def changing(context: Context) -> Iterator[tuple[sa.Connection, Changes]]:
    """A transaction, and what is to change in it."""
    try:
        with context.db.write() as c:
            changes = Changes(c, context)
            yield c, changes
            changes.write()
    except BaseException:
        context.appender.clear()  # it may remember what the database does not
        raise


def _followed(successor: dict[str, Any] | None) -> str:
    if successor is None:
        return "made room for the others of its population"
    return f"goes on from {successor['source']} at step {successor['step']:g}"


def _seat(value: Any) -> dict[str, Any] | None:
    return _checked(Seat, value)


def _room(value: Any) -> dict[str, Any] | None:
    return _checked(Room, value)


def _checked(kind: type[Seat | Room], value: Any) -> dict[str, Any] | None:
    """What a runner of another version may have written in another way counts as not written."""
    try:
        return kind.model_validate(value).model_dump(mode="json") if value is not None else None
    except ValidationError:
        return None


def _number(value: Any) -> float | None:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return None
    try:
        return float(value)
    except OverflowError:
        return None


def _integer(value: Any) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and abs(value) < 2**31 else None


def _text(value: Any) -> str | None:
    return value.replace("\0", "")[:2000] if isinstance(value, str) else None
