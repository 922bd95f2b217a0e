"""Applies journal records to attempts and tasks. The changes are collected, and written at the end of a transaction."""

import math
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from paddock.models import Cause, ObjectiveChoice, TaskState
from paddock.models.events import LiveFields
from paddock.rules import lifecycle
from paddock.rules.estimate import Pace
from paddock.rules.lifecycle import Ending, Verdict
from paddock.rules.objective import SECONDS, choose, is_final
from paddock.runner.sharing import oom_retry
from paddock.server.engine.announce import announce
from paddock.server.engine.context import Context, JobFacts
from paddock.server.journal import AboutAttempt, Ended, Metric, Record, Reset, Saved, Started, Total, Usage, Warned
from paddock.server.store import allocations, attempts, metrics, objectives, packings, profiles, trials
from paddock.server.store.attempts import TaskAttempt
from paddock.server.store.db import Connection
from paddock.server.store.metrics import Point
from paddock.server.store.rows import moment

MAX_WARNINGS = 20
SAMPLES_PER_SECOND = "elastic/samples_per_second"  # as `paddock.elastic` reports it
_OVERFULL = (
    f"This task has reported more than {metrics.MAX_NAMES:,} metrics: no more are kept. "
    "Use fewer names, and report what changes as steps of one metric."
)


class AttemptEdit:
    """An attempt and its task as they are in the database, and the changes so far."""

    def __init__(self, row: TaskAttempt, facts: JobFacts) -> None:
        self.row = row
        self.facts = facts
        self.current = row.attempt == row.attempt_number
        self.state = row.attempt_state
        self.holder = row.allocation
        self.start = row.start  # of that allocation
        self.attempt: dict[str, Any] = {}
        self.task: dict[str, Any] = {}
        self.points: dict[str, list[Point]] = defaultdict(list)
        self.forgotten: set[str] = set()
        self.verdict: Verdict | None = None
        self.room = row.room  # for its next attempt
        self.follows = False  # its next attempt continues from another task's checkpoint
        self.gpu_need: int | None = None  # bytes per GPU, if its runner has found out

    def of_task(self, name: str) -> Any:
        return self.task[name] if name in self.task else getattr(self.row, name)

    def of_attempt(self, name: str) -> Any:
        return self.attempt[name] if name in self.attempt else getattr(self.row, name)

    @property
    def crowded(self) -> bool:
        """Return True if other tasks may have run beside it in its allocation."""
        asked = self.facts.spec.resources
        several = (asked.slots or 1) > 1 or asked.per_gpu is not None or asked.triple is not None
        return several and not (self.row.room or {}).get("alone")

    @property
    def pace(self) -> Pace:
        return Pace(
            self.of_task("epochs"),
            self.of_task("epoch"),
            self.of_task("epoch_at"),
            self.of_task("first_epoch"),
            self.attempt.get("first_epoch", self.row.attempt_first_epoch),
            self.of_attempt("started_at"),
            self.of_attempt("first_epoch_at"),
        )

    def live(self) -> LiveFields:
        """Return what changes while a task runs."""
        pace = self.pace
        found: LiveFields = {
            "epoch": self.of_task("epoch"),
            "last_value": self.of_task("last_value"),
            "best_value": self.of_task("best_value"),
            "best_epoch": self.of_task("best_epoch"),
            "epochs": pace.epochs,
            "epochs_done": pace.epochs_done,
            "progress": pace.progress(),
            "reported_at": moment(pace.reported_at),
            "quiet_after": moment(pace.quiet_after),
        }
        if pace.steps:  # before that, other tasks are the better measure: see `store/estimates.py`
            found["seconds_left"] = pace.seconds_left(pace.epoch_at or 0)
        return found


class Changes:
    """Applies records in their order. Records about unknown or ended attempts change nothing."""

    def __init__(self, c: Connection, context: Context) -> None:
        self._c = c
        self._context = context
        self._edits: dict[tuple[str, int], AttemptEdit | None] = {}
        self._handlers: dict[type[AboutAttempt], Callable[[AttemptEdit, Any], None]] = {
            Started: self._started,
            Metric: self._metric,
            Reset: self._reset,
            Total: self._total,
            Usage: self._usage,
            Saved: lambda edit, record: edit.attempt.update(saved_at=record.at),
            Warned: lambda edit, record: _warn(edit, record.text),
            Ended: self._ended,
        }

    def apply(self, news: Mapping[str, list[Record]], jobs: Mapping[str, str] | None = None) -> None:
        """Apply records, given by the allocation that reported them. `jobs` are those of the allocations, if known."""
        about = [(key, one) for key, records in news.items() for one in records if isinstance(one, AboutAttempt)]
        self._load({(record.task, record.attempt) for _, record in about})
        jobs = allocations.jobs_of(self._c, {key for key, _ in about}) if jobs is None else jobs
        self._choose_first(about, jobs)
        for allocation, record in about:
            edit = self._edits[record.task, record.attempt]
            if edit is not None and not edit.state.ended and _given(edit, record, allocation, jobs):
                edit.holder = allocation
                self._handlers[type(record)](edit, record)

    def _choose_first(self, about: Sequence[tuple[str, AboutAttempt]], jobs: Mapping[str, str]) -> None:
        """Choose the objective of jobs that have none yet, before the first values are applied: see `objectives`."""
        edits = [edit for edit in self._edits.values() if edit is not None]
        unchosen = {e.row.job_id: e.facts for e in edits if not e.facts.choice.final and not e.facts.objective.metric}
        names: dict[str, set[str]] = defaultdict(set)
        for allocation, record in about if unchosen else ():
            edit = self._edits[record.task, record.attempt]
            if isinstance(record, Metric) and edit is not None and edit.row.job_id == jobs.get(allocation):
                names[edit.row.job_id].update(record.values)
        for job in names.keys() & unchosen:
            found = choose(names[job])
            if found is None:
                continue
            choice = ObjectiveChoice(by="auto", why=found.why, final=is_final(found))
            objectives.change(self._c, job, [found.objective], choice, compute=False)
            spec = unchosen[job].spec.with_objectives([found.objective])
            facts = replace(unchosen[job], spec=spec, objective=found.objective, choice=choice)
            for edit in edits:
                edit.facts = facts if edit.row.job_id == job else edit.facts
            self._context.forget(job)

    def end(self, rows: list[TaskAttempt], judge: Callable[[AttemptEdit], Verdict], at: float) -> None:
        """End attempts whose end no journal reports. `judge` returns the verdict on one of them."""
        self._load({(row.id, row.attempt_number) for row in rows})
        for row in rows:
            edit = self._edits[row.id, row.attempt_number]
            if edit is not None and not edit.state.ended:
                self._conclude(edit, judge(edit), at)

    def judging(self, edit: AttemptEdit) -> dict[str, Any]:
        """Return the arguments that lifecycle.judge needs besides the ending."""
        return {
            "stop_wanted": bool(edit.row.stopping and edit.current),
            "limit": lambda cause: self._context.retries(edit.facts, cause),
        }

    def tried(self, edit: AttemptEdit, cause: Cause | None) -> int:
        """Return how many attempts before this one ended with this cause."""
        return attempts.ended_with(self._c, edit.row.id, cause) if cause and edit.row.attempt_number > 1 else 0

    def _load(self, keys: set[tuple[str, int]]) -> None:
        unknown = keys - set(self._edits)
        if not unknown:
            return
        rows = attempts.lookup(self._c, unknown)
        facts = self._context.newest_facts(self._c, [row.job_id for row in rows.values()])
        for key in unknown:
            row = rows.get(key)
            self._edits[key] = AttemptEdit(row, facts[row.job_id]) if row is not None and row.job_id in facts else None

    # --- one method per kind of record --------------------------------------------------------------------------------

    def _started(self, edit: AttemptEdit, record: Started) -> None:
        if not lifecycle.allowed(edit.state, TaskState.RUNNING):
            return
        edit.state, edit.start = TaskState.RUNNING, record.start
        edit.attempt |= {
            "state": TaskState.RUNNING.value,
            "allocation": edit.holder,
            "start": record.start,
            "started_at": record.at,
            "node": record.node,
            "device": record.device,
            "pid": record.pid,
            "seat": record.seat.model_dump(mode="json") if record.seat else None,
        }
        if edit.current:
            edit.task["state"] = TaskState.RUNNING.value

    def _metric(self, edit: AttemptEdit, record: Metric) -> None:
        for name, point in record.values.items():
            edit.points[name].append((record.step, point, record.at))
        if record.epoch is not None:  # where scripts count both, graphs may show either
            edit.points[metrics.EPOCH].append((record.step, record.epoch, record.at))
        speed = record.values.get(SAMPLES_PER_SECOND, 0.0)
        if 0 < speed < math.inf:
            edit.attempt["samples_per_second"] = speed
        epoch = record.step if record.epoch is None else record.epoch
        self._reached(edit, epoch, record.at)
        if not edit.current or edit.row.reduces:
            return
        objective = edit.facts.objective
        value = record.values.get(objective.metric)
        if value is not None:
            edit.task["last_value"] = value if math.isfinite(value) else None
            if objective.better(value, edit.of_task("best_value")):
                edit.task |= {"best_value": value, "best_epoch": epoch, "best_at": record.at}
        if edit.facts.spec.other_objectives:
            self._others(edit, record.values)

    def _others(self, edit: AttemptEdit, values: Mapping[str, float]) -> None:
        """Update the best value of every further objective."""
        wanted = edit.facts.spec.other_objectives
        known = list(edit.of_task("others") or [None] * len(wanted))
        for place, objective in enumerate(wanted):
            value = values.get(objective.metric)
            if value is not None and objective.better(value, known[place]):
                known[place] = value
        edit.task["others"] = known

    def _reached(self, edit: AttemptEdit, epoch: float, at: float) -> None:
        if "first_epoch" not in edit.attempt and edit.row.attempt_first_epoch is None:
            edit.attempt |= {"first_epoch": epoch, "first_epoch_at": at}
        if edit.current:
            edit.task |= {"epoch": epoch, "epoch_at": at}
            first = edit.of_task("first_epoch")
            edit.task["first_epoch"] = epoch if first is None else min(first, epoch)

    def _reset(self, edit: AttemptEdit, record: Reset) -> None:
        names = record.names
        edit.forgotten |= names
        for name in names:
            edit.points.pop(name, None)
        if edit.current and edit.of_task("others"):
            others = zip(edit.facts.spec.other_objectives, edit.of_task("others"), strict=False)
            edit.task["others"] = [None if one.metric in names else value for one, value in others]
        if edit.current and edit.facts.objective.metric in names:
            edit.task |= dict.fromkeys(("best_value", "best_epoch", "best_at", "last_value"))
            for point in self._earlier(edit):
                if edit.facts.objective.better(point[1], edit.task["best_value"]):
                    edit.task |= {"best_value": point[1], "best_epoch": point[0], "best_at": point[2]}

    def _earlier(self, edit: AttemptEdit) -> list[Point]:
        """Return the points of the objective from the attempts that this one resumed."""
        if not edit.row.resumed:
            return []
        chain = metrics.before(self._c, edit.row.id, edit.row.attempt_number, edit.facts.objective.metric)
        return [(float(p["step"]), float(p["value"]), float(p["time"])) for p in chain]

    def _total(self, edit: AttemptEdit, record: Total) -> None:
        if edit.current:
            edit.task["epochs"] = record.epochs

    def _usage(self, edit: AttemptEdit, record: Usage) -> None:
        since = record.at - (edit.of_attempt("started_at") or record.at)
        for name in ("memory", "cpu", "gpu_memory", "gpu_load"):
            if (value := getattr(record, name)) is not None:
                edit.points[metrics.SYSTEM + name].append((since, float(value), record.at))
        self._peaks(edit, record.memory, record.gpu_memory)

    def _peaks(self, edit: AttemptEdit, memory: int | None, gpu_memory: int | None) -> None:
        for name, value in (("peak_memory", memory), ("peak_gpu_memory", gpu_memory)):
            if value is not None:
                edit.attempt[name] = max(value, edit.of_attempt(name) or 0)

    def _ended(self, edit: AttemptEdit, record: Ended) -> None:
        edit.attempt |= {
            "allocation": edit.holder,
            "exit_code": record.exit,
            "signal": record.signal,
            "cpu_seconds": record.cpu_seconds,
        }
        self._peaks(edit, record.peak_memory, record.peak_gpu_memory)
        edit.gpu_need = record.gpu_need
        cause, again = record.cause, record.again.model_dump(mode="json") if record.again else None
        shared = oom_retry.is_further(oom_retry.parse(edit.room), oom_retry.parse(again))
        made_way = record.made_way and record.by == "shutdown"
        ending = Ending(record.exit, record.signal, record.by, cause, record.reason, shared=shared or made_way)
        edit.room = again if shared else edit.room
        if ending.by == "shutdown" and cause is None and not self.judging(edit)["stop_wanted"]:
            # The backend will report why its runner was told to end, when the allocation has ended.
            edit.attempt["ended_at"] = record.at
            return
        verdict = lifecycle.judge(ending, tried=self.tried(edit, cause or Cause.USER_ERROR), **self.judging(edit))
        if ending.by == "follow" and verdict.state is TaskState.PRUNED:
            edit.follows = True
            verdict = Verdict(TaskState.PRUNED, reason=_followed(edit.row.successor))
        elif verdict.state is TaskState.PRUNED:
            verdict = Verdict(TaskState.PRUNED, reason=edit.row.reason)  # stored with the order
        elif verdict.cause is Cause.RESIZED:
            verdict = replace(verdict, reason=resized(edit.row, edit.facts))
        self._conclude(edit, verdict, record.at)

    # --- the end ------------------------------------------------------------------------------------------------------

    def _conclude(self, edit: AttemptEdit, verdict: Verdict, at: float) -> None:
        edit.verdict = verdict
        edit.state = verdict.state
        self._took(edit, at)
        cause = verdict.cause.value if verdict.cause else None
        ended = edit.of_attempt("ended_at") or at  # as its runner reported it, if it did
        edit.attempt |= {"state": verdict.state.value, "cause": cause, "reason": verdict.reason, "ended_at": ended}
        if edit.current:
            edit.attempt["epoch_seconds"] = edit.pace.epoch_seconds
            edit.task |= {"state": verdict.state.value, "stopping": False, "resize_by": None, "resize_why": None}

    def _took(self, edit: AttemptEdit, at: float) -> None:
        """Record the training time, which can be an objective like those that a script reports."""
        started = edit.of_attempt("started_at")
        wanted = edit.facts.spec.objectives
        judged = edit.current and not edit.row.reduces
        if started is None or not judged or all(one.metric != SECONDS for one in wanted):
            return
        took = at - started
        if wanted[0].metric == SECONDS and edit.of_task("best_value") is None:
            edit.task["best_value"] = took
        known = edit.of_task("others") or [None] * (len(wanted) - 1)
        if any(one.metric == SECONDS and value is None for one, value in zip(wanted[1:], known, strict=False)):
            self._others(edit, {SECONDS: took})

    def write(self) -> None:
        """Write all changes, and one event per job."""
        edits = [edit for edit in self._edits.values() if edit is not None]
        appender = self._context.appender
        for edit in edits:
            if edit.forgotten:
                appender.forget(self._c, edit.row.attempt_id, edit.forgotten)
        overfull = appender.append(self._c, {s.row.attempt_id: s.points for s in edits if s.points})
        for edit in edits:
            if edit.row.attempt_id in overfull:
                _warn(edit, _OVERFULL)
        attempts.update_attempts(self._c, [{"id": s.row.attempt_id, **s.attempt} for s in edits if s.attempt])
        attempts.update_tasks(self._c, [{"id": s.row.id, **s.task} for s in edits if s.task])
        for edit in edits:
            if edit.verdict:
                appender.finish(self._c, edit.row.attempt_id)
            if edit.verdict and edit.state is TaskState.FINISHED and edit.row.job_id not in self._context.compared:
                self._context.finished.add(edit.row.job_id)
            if edit.verdict and edit.current and (edit.verdict.retry or edit.follows):
                self._begin_next(edit)
        self._learn(edits)
        self._choose_later(edits)
        by_job: dict[str, list[AttemptEdit]] = defaultdict(list)
        for edit in edits:
            if edit.points or edit.attempt or edit.task:
                by_job[edit.row.job_id].append(edit)
        for job, some in by_job.items():
            whole = {edit.row.id for edit in some if edit.attempt.keys() & {"state", "warnings"}}
            announce(
                self._c,
                job,
                whole=sorted(whole),
                live={edit.row.id: edit.live() for edit in some if edit.row.id not in whole},
                points={edit.row.id: edit.points for edit in some if edit.points and edit.current},
                reset={edit.row.id: sorted(edit.forgotten) for edit in some if edit.forgotten},
            )

    def _choose_later(self, edits: list[AttemptEdit]) -> None:
        """Note jobs whose objective can be chosen, or appears at last: see `objectives`."""
        for edit in edits:
            choice, job = edit.facts.choice, edit.row.job_id
            value = edit.of_task("best_value")
            ended = edit.verdict is not None and edit.state is TaskState.FINISHED
            if (value is None and ended) or (value is not None and edit.row.best_value is None):
                self._context.unsure.add(job)
            if not choice.final and (edit.points or edit.verdict):
                self._context.reported.setdefault(job, set()).update(edit.points)
                self._context.to_choose.add(job)
            elif choice.notice and edit.task.get("best_value") is not None:
                self._context.to_choose.add(job)

    def _learn(self, edits: list[AttemptEdit]) -> None:
        """Store what tasks needed for the next job with the same program."""
        needs: dict[tuple[str, str], dict[int, int]] = defaultdict(dict)
        for edit in edits:
            if edit.gpu_need and edit.facts.program and not edit.row.reduces:
                needs[edit.facts.owner, edit.facts.program][edit.row.attempt_id] = edit.gpu_need
        for (owner, program), found in needs.items():
            packings.learn(self._c, owner, program, found, self._context.clock.now())
        for edit in edits:
            own, name = edit.facts.spec.resources, edit.facts.program
            if edit.verdict is None or name is None or own.most_gpus is None or not own.gpus:
                continue
            gpu = self._context.kind_of(edit.facts, edit.of_attempt("node"))
            if gpu is not None:
                mine, now = (edit.facts.owner, name), self._context.clock.now()
                profiles.learn(self._c, mine, gpu, edit.row.id, own.gpus, now, self._context.whole_nodes(edit.facts))

    def _begin_next(self, edit: AttemptEdit) -> None:
        row = edit.row
        if edit.follows and row.successor:
            trials.succeed(self._c, row.job_id, row.id, row.attempt_number, row.successor)
        else:  # the task that it was to follow was lost in a crash: it continues as before
            attempts.begin_next(self._c, row.job_id, [(row.id, row.attempt_number)], resumed=True, room=edit.room)


@contextmanager
def changing(context: Context) -> Iterator[tuple[Connection, Changes]]:
    """Open a transaction, and write the collected changes at its end."""
    try:
        with context.db.write() as c:
            changes = Changes(c, context)
            yield c, changes
            changes.write()
    except BaseException:
        context.appender.clear()  # it may contain points that the database does not
        raise


def _given(edit: AttemptEdit, record: AboutAttempt, allocation: str, jobs: Mapping[str, str]) -> bool:
    """Return True if the allocation that reported the record has the attempt: no runner reports for another.

    An attempt that no allocation has is given to the one that reports its start. It need not be marked as published:
    after a crash a runner may have it before the database does.
    """
    if edit.row.job_id != jobs.get(allocation):
        return False
    mine = edit.row.dealt_to in (None, allocation)
    if isinstance(record, Started):
        return mine and edit.holder in (None, allocation)
    if edit.holder is None:
        return mine and isinstance(record, Ended) and record.exit is None and record.cause is Cause.LAUNCH_FAILED
    return edit.holder == allocation and edit.start in (None, record.start)


def resized(row: TaskAttempt, facts: JobFacts) -> str:
    """Return why an attempt ended for one with another number of GPUs."""
    least = facts.spec.resources.gpus
    by = f"{row.resize_by or facts.owner}{f': {row.resize_why}' if row.resize_why else ''}"
    return f"resized from {row.size or least} to {row.size_wanted or least} GPUs by {by}"


def _followed(successor: dict[str, Any] | None) -> str:
    if successor is None:
        return "made room for the others of its population"
    return f"continues from {successor['source']} at step {successor['step']:g}"


def _warn(edit: AttemptEdit, text: str) -> None:
    warnings = edit.of_attempt("warnings")
    if text not in warnings and len(warnings) < MAX_WARNINGS:
        edit.attempt["warnings"] = [*warnings, text]
