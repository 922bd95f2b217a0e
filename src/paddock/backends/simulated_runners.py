"""Runners of a pretended cluster: they claim, obey and report as real ones do, and start no processes."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from pathlib import Path
from typing import Any, NamedTuple

from paddock.common import layout
from paddock.runner import manifest as manifests
from paddock.runner.journal import Journal
from paddock.runner.mailbox import Identity, Mailbox, QueuedAttempt
from paddock.runner.process.deadline import Deadline

POLL_SECONDS = 0.7  # between two looks of a runner at its files, unless something happens
CHECKPOINT = "epochs"
PROGRESS = ("metric", "total", "here")


@dataclass(frozen=True)
class Course:
    """How a task goes: seconds from the start of a process until it trains, and the seconds of each of its epochs.

    A task saves its state at the end of each epoch. One without epochs only takes the time to start.
    """

    start: float
    epochs: Sequence[float] = ()


Courses = Callable[[str, QueuedAttempt, int], Course]
"""Return how the task of a job goes, on this number of GPUs."""


class Devices(NamedTuple):
    """What an allocation has of one node."""

    gpus: tuple[str, ...] = ()
    slots: tuple[str, ...] = ()
    memory: int = 0


@dataclass
class SimulatedTask:
    """An attempt that runs. `marks`: when it begins to train, and when each of its epochs ends."""

    attempt: QueuedAttempt
    done: int  # epochs before it
    marks: list[float]
    told: int = 0  # epochs of it that are reported

    @property
    def ends_at(self) -> float:
        return self.marks[-1]

    @property
    def epoch(self) -> int:
        return self.done + self.told


class SimulatedRunner:
    """A runner without processes, on the files of a real one."""

    def __init__(self, folder: str, places: Mapping[str, Devices], courses: Courses, at: float) -> None:
        manifest = manifests.load(folder)
        self.left = False
        self._manifest = manifest
        self._courses = courses
        self._at = at
        self._journal = Journal.create(folder, self._now)
        self._mailbox = Mailbox(
            manifest.job_dir,
            manifest.key,
            self._journal.number,
            self._now,
            dealt=manifest.dealt,
            size=manifest.size,
        )
        self._deadline = Deadline(
            manifest.time_limit,
            manifest.warn_seconds,
            manifest.grace_seconds,
            {},
            self._now,
            self._now,
            manifest.yields,
        )
        self._node = next(iter(places))
        gpus = [gpu for has in places.values() for gpu in has.gpus]
        slots = [slot for has in places.values() for slot in has.slots]
        self._device = "gpu " + ",".join(gpus) if gpus else "cpu " + ",".join(slots)
        self._places = self._tasks_at_once(len(gpus))
        self._gpus = manifest.task_gpus * (manifest.members.nodes if manifest.members else 1)
        self._tasks: dict[Identity, SimulatedTask] = {}
        self._closing = False
        self._claimed = self._moves = 0
        self._began = self._worked_at = self._wrote_at = at
        self._looked_at = -math.inf
        self._write(
            "runner",
            pid=1,
            node=self._node,
            device=self._device,
            version="",
            start=self._journal.number,
            ends_at=self._deadline.ends_at,
        )

    def _now(self) -> float:
        return self._at

    def _tasks_at_once(self, gpus: int) -> int:
        """Return how many tasks run at a time. How many could share a GPU is not known here: one, if it is open."""
        given = self._manifest
        if not gpus or not given.task_gpus or given.members:
            return given.slots
        return max(min(given.slots, gpus // given.task_gpus * (given.per_gpu or 1)), 1)

    def next_at(self) -> float:
        ends = [task.ends_at for task in self._tasks.values()]
        if self._mailbox.makes_room:
            ends += [task.marks[1] for task in self._tasks.values() if task.epoch == 0 and len(task.marks) > 1]
        if self._tasks:
            cut = self._deadline.cut_at
            return min([*ends, *([] if cut is None else [max(cut, self._at)])])
        leaves = self._worked_at + (self._manifest.idle_seconds or math.inf)
        return leaves if leaves > self._looked_at else math.inf

    def step(self, at: float) -> bool:
        moves, due = self._moves, at >= self.next_at()
        self._at = at
        for task in list(self._tasks.values()):
            self._report_epochs(task)
            if task.ends_at <= at:
                self._end(task, exit=0)
        if due or at >= self._looked_at + POLL_SECONDS:
            self._look()
        if at - self._wrote_at >= self._manifest.word_seconds:
            self._write("here")
        self._journal.flush()
        return self._moves > moves

    def shut_down(self, at: float) -> None:
        self._at = at
        for task in list(self._tasks.values()):
            self._report_epochs(task)
        self._shut_down()
        self._leave()
        self._journal.flush()

    def _look(self) -> None:
        self._looked_at = self._at
        self._mailbox.read_orders()
        self._obey()
        self._mailbox.read_tasks()
        self._claim()
        idle = 0 < self._manifest.idle_seconds <= self._at - self._worked_at
        unfit = self._mailbox.unfit and not self._mailbox.held
        waits = not self._mailbox.closed if self._mailbox.empty else not unfit
        if not self._tasks and (self._closing or not waits or (idle and (self._mailbox.empty or self._mailbox.held))):
            self._leave()

    def _obey(self) -> None:
        box = self._mailbox
        self._closing = self._closing or box.drained
        if box.time_limit is not None:
            self._deadline.limit(box.time_limit)
        if box.yields is not None:
            self._deadline.yield_at(box.yields)
        turn = self._manifest.turn_seconds
        took_turn = turn is not None and self._at - self._began >= turn
        self._closing = self._closing or self._deadline.warning_due or took_turn
        if self._deadline.cut_due:
            made_way = self._deadline.cause == "preempted"
            self._shut_down(self._deadline.cause, self._deadline.reason, made_way=made_way)
        if box.dismissed:
            self._shut_down()
        for identity, task in list(self._tasks.items()):
            order = box.orders.get(identity)
            if order is not None:
                self._closing = self._closing or order == "resize"
                self._end(task, by=order)
            elif box.makes_room and task.epoch:
                self._end(task, by="shutdown", cause="yielded", reason=box.makes_room, made_way=True)

    def _claim(self) -> None:
        while len(self._tasks) < self._places and not (self._closing or self._mailbox.drained or self._mailbox.held):
            attempt = self._mailbox.claim(math.inf, lambda one: self._deadline.fits(one.seconds))
            if attempt is None:
                return
            self._claimed += 1
            self._closing = self._closing or self._claimed == self._manifest.tasks
            self._begin(attempt)

    def _begin(self, attempt: QueuedAttempt) -> None:
        course = self._courses(self._manifest.job, attempt, self._gpus)
        done = min(self._saved(attempt), len(course.epochs))
        marks = list(accumulate(course.epochs[done:], initial=self._at + course.start))
        task = self._tasks[attempt.identity] = SimulatedTask(attempt, done, marks)
        self._worked_at = self._at
        self._report(task, "started", pid=1, node=self._node, device=self._device)
        if course.epochs:
            self._report(task, "total", epochs=len(course.epochs))

    def _report_epochs(self, task: SimulatedTask) -> None:
        now = self._at
        while task.told + 1 < len(task.marks) and task.marks[task.told + 1] <= now:
            task.told += 1
            self._at = task.marks[task.told]
            value = {self._manifest.objective or "loss": 1.0 / (1 + task.epoch)}
            self._report(task, "metric", step=float(task.epoch), epoch=float(task.epoch), v=value)
            if task.told == 1 and task.attempt.size is not None:
                self._report(task, "saved")
        self._at = now

    def _shut_down(self, cause: str | None = None, reason: str | None = None, *, made_way: bool = False) -> None:
        self._closing = True
        for task in list(self._tasks.values()):
            self._end(task, by="shutdown", cause=cause, reason=reason, **({"made_way": True} if made_way else {}))

    def _end(self, task: SimulatedTask, exit: int | None = None, by: str | None = None, **more: Any) -> None:
        del self._tasks[task.attempt.identity]
        if exit is None:
            self._save(task)
        else:
            self._deadline.learn(task.ends_at - task.marks[0])
        self._worked_at = self._at
        self._report(task, "ended", exit=exit, signal=None if exit == 0 else 15, by=by, **more)

    def _leave(self) -> None:
        if not self.left:
            self.left = True
            self._write("bye")

    def _checkpoint(self, task: str) -> Path:
        folder = layout.task(self._manifest.job_dir, self._manifest.job, task)
        return Path(layout.checkpoint(folder), CHECKPOINT)

    def _save(self, task: SimulatedTask) -> None:
        if task.epoch:
            path = self._checkpoint(task.attempt.task)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(str(task.epoch))

    def _saved(self, attempt: QueuedAttempt) -> int:
        """Return how many epochs a resumed attempt need not repeat."""
        if not attempt.resume and attempt.source is None:
            return 0
        try:
            return int(self._checkpoint(attempt.source or attempt.task).read_text())
        except (OSError, ValueError):
            return 0

    def _report(self, task: SimulatedTask, kind: str, **fields: Any) -> None:
        self._write(kind, task=task.attempt.task, attempt=task.attempt.number, **fields)

    def _write(self, kind: str, **fields: Any) -> None:
        self._wrote_at = self._at
        self._moves += kind not in PROGRESS
        self._journal.write(kind, **fields)
