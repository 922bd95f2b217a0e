"""The runner's loop: it claims attempts, runs them in its slots, and reports."""

from __future__ import annotations

import os
import platform
import sys
import time
from typing import Any, Dict, List, Optional

from ..common import layout, node_stats, processes
from ..common.gpus import GpuDriver, find_driver
from . import scheduler
from .journal import Journal
from .mailbox import Identity, Mailbox, QueuedAttempt
from .manifest import Manifest
from .process.deadline import Deadline
from .process.fence import Fence
from .process.guard import Guard
from .process.launch import LaunchError
from .process.leftovers import Leftovers
from .process.prepare import Preparer
from .process.signals import Signals
from .process.task import Explanation, RunningTask, start
from .process.usage import OomCounter
from .sharing import end_record
from .sharing.admission import Admission
from .sharing.gpu_thread import GpuThread
from .sharing.seats import AssignedSeat

# The search for a free attempt may delay the running tasks by this much.
CLAIM_SECONDS = 0.2
# On a network file system, every look at a file asks its server. So orders are read at every poll only for a while
# after something happened, and then this often: a stop has to reach the process within a second.
ORDER_SECONDS = 0.7
LIVELY_SECONDS = 5.0
# How often it looks for what is rare: tasks that it could not begin now, a second start, a job that was deleted.
RARE_SECONDS = 15.0
# A runner that cannot claim anything (because of a full disk) leaves its GPU to others after this time.
CLAIM_WAIT_SECONDS = 60.0
NO_ROOM: Explanation = ("preempted", "it started early, and there was no room for it on the GPU")
RESIZE = "resize"  # the order to end an attempt whose next one has another number of GPUs
STARTED_AGAIN: Explanation = ("preempted", "its allocation was started a second time")
# The cause of what ends to make room for others.
YIELDED = "yielded"
# The shortest time between two reports of how tasks share the GPUs.
PACKING_SECONDS = 1.0
SHARES = ("load", "processor", "startup")  # fields of a packing that are shares of a whole
MOST_COMPARED = 32  # attempts, where tasks are of different sizes
COMPARE_SECONDS = 1.0  # where none of them fits, they are compared again after this, or when a task has ended
# At its end, it tries for this long to write the journal to a full disk.
FLUSH_SECONDS = 60.0


class Runner:
    def __init__(self, manifest: Manifest, journal: Journal, version: str, driver: Optional[GpuDriver] = None) -> None:
        self._manifest = manifest
        self._journal = journal
        self._version = version
        self._signals = Signals()
        self._deadline = Deadline(
            manifest.time_limit, manifest.warn_seconds, manifest.grace_seconds, os.environ, yields=manifest.yields
        )
        self._fence = Fence(os.path.dirname(journal.path), journal.number)
        processes.adopt_orphans()
        self._guard = Guard(manifest.key)
        self._leftovers = Leftovers()
        self._mailbox = Mailbox(
            manifest.job_dir, manifest.key, journal.number, dealt=manifest.dealt, size=manifest.size
        )
        self._preparer = Preparer(manifest.job_dir, manifest.job, self._terminals() if manifest.terminal else None)
        self._oom = OomCounter()
        self._tasks: Dict[Identity, RunningTask] = {}
        driver = driver or (GpuThread(find_driver) if manifest.task_gpus else GpuDriver())
        self._admission = Admission(manifest, driver, os.environ)
        # On its own node, the server samples itself.
        self._node_stats = node_stats.of_allocation(driver, os.environ) if scheduler.in_slurm() else None
        self._node_stats_at = 0.0
        self._seat: Optional[AssignedSeat] = None  # for the attempt that is being claimed
        self._packing: Optional[Dict[str, Any]] = None  # as last reported
        self._packing_at = 0.0
        self._compare_at = 0.0
        self._node = manifest.node or scheduler.node(os.environ)
        self._device = scheduler.device(os.environ)
        self._closing = False
        self._claimed = 0
        self._job_missing = 0
        self._began = self._worked_at = self._poll_at = time.monotonic()
        self._orders_at = self._tasks_at = self._fence_at = self._job_at = 0.0  # when each of them is looked at next
        self._lively_until = self._poll_at + LIVELY_SECONDS
        self._fenced = False  # the fence was checked for the present claims
        self._usage_at = self._poll_at + manifest.usage_seconds

    def _terminals(self) -> str:
        """Make the folder for the terminals of tasks; it goes with the runner."""
        from . import terminal  # it loads much, and few jobs need it

        folder = terminal.make_folder()
        self._guard.remove(folder)
        return folder

    def run(self) -> int:
        self._report_start()
        try:
            while True:
                self._round()
                self._report_alive()
                self._journal.flush()
                if self._done():
                    break
                self._signals.wait(max(0.0, min(self._poll_at, self._alive_at) - time.monotonic()))
        finally:
            for task in self._tasks.values():
                task.kill()
            self._admission.mps.stop()
        return self._finish()

    def _report_start(self) -> None:
        self._journal.write(
            "runner",
            pid=os.getpid(),
            node=self._node,
            python=platform.python_version(),
            device=self._device,
            version=self._version,
            start=self._journal.number,
            ends_at=self._deadline.ends_at,
            scheduler_id=scheduler.identity(os.environ),
        )
        self._journal.flush()

    def _report_alive(self) -> None:
        """Report that it is alive if it has reported nothing for a while: a silent runner counts as gone."""
        if time.monotonic() >= self._alive_at:
            self._journal.write("here")

    @property
    def _alive_at(self) -> float:
        return self._journal.wrote_at + self._manifest.word_seconds

    def _round(self) -> None:
        # First: what ended by itself was not ended by an order that is read now.
        self._reap()
        self._obey_signals()
        self._obey_time()
        self._read_orders(time.monotonic())
        self._obey_orders()
        self._give_back()
        self._end_settled()
        self._read_tasks(time.monotonic())
        self._claim()
        if time.monotonic() >= self._poll_at:
            self._poll_at = time.monotonic() + self._manifest.poll_seconds
            self._poll()

    def _read_orders(self, now: float) -> None:
        if now >= self._orders_at or now < self._lively_until:
            self._orders_at = now + ORDER_SECONDS
            known = len(self._mailbox.orders)
            self._mailbox.read_orders()
            if len(self._mailbox.orders) > known:
                self._lively_until = now + LIVELY_SECONDS

    def _read_tasks(self, now: float) -> None:
        """Read new tasks: soon if it waits for one, and now and then if it could not begin any."""
        waits = self._may_claim and (self._mailbox.empty or self._mailbox.unfit)
        if now >= self._tasks_at or (waits and now < self._lively_until):
            self._tasks_at = now + (ORDER_SECONDS if waits else RARE_SECONDS)
            self._mailbox.read_tasks()

    def _obey_signals(self) -> None:
        if self._signals.warn:
            self._signals.warn = False
            self._deadline.announced()
        if self._signals.terminate:
            near = self._deadline.warning_due
            self._shut_down(self._manifest.grace_seconds, self._deadline_reached if near else (None, None))

    def _obey_time(self) -> None:
        turn = self._manifest.turn_seconds
        if turn is not None and time.monotonic() - self._began >= turn:
            self._closing = True
        if self._deadline.warning_due:
            self._warn()
        if self._deadline.cut_due:
            self._shut_down(self._deadline.grace, self._deadline_reached)

    def _warn(self) -> None:
        self._closing = True
        for task in self._tasks.values():
            task.warn()

    def _shut_down(self, grace: float, why: Explanation) -> None:
        self._closing = True
        for task in self._tasks.values():
            task.stop("shutdown", grace, why)

    @property
    def _deadline_reached(self) -> Explanation:
        return self._deadline.cause, self._deadline.reason

    def _check_fence(self) -> None:
        self._fence_at = time.monotonic() + RARE_SECONDS
        if self._fence.crossed or self._fence.check():
            self._shut_down(self._manifest.grace_seconds, STARTED_AGAIN)

    def _obey_orders(self) -> None:
        self._closing = self._closing or self._mailbox.drained
        if self._mailbox.dismissed:  # the backend reports why
            self._shut_down(self._manifest.grace_seconds, (None, None))
        if self._mailbox.makes_room:
            for task in self._tasks.values():
                if task.by is None and task.place.has_checkpoint:
                    task.stop("shutdown", self._manifest.grace_seconds, (YIELDED, self._mailbox.makes_room))
        patterns = self._mailbox.patterns
        if patterns is not None and patterns != self._manifest.metric_patterns:
            self._manifest = self._manifest._replace(metric_patterns=patterns)
            for task in self._tasks.values():
                task.watch.mark(patterns)
        if self._mailbox.time_limit is not None:
            self._deadline.limit(self._mailbox.time_limit)
        if self._mailbox.yields is not None:
            self._deadline.yield_at(self._mailbox.yields)
        for identity, task in self._tasks.items():
            order = self._mailbox.orders.get(identity)
            if order is not None:
                task.stop(order, self._manifest.grace_seconds)
                self._closing = self._closing or order == RESIZE  # what it leaves may be what the task goes on with
            task.kill_if_due()

    def _give_back(self) -> None:
        """End tasks that started early and found no room: where there is some, they can start again."""
        for identity in self._admission.without_room(time.monotonic()):
            self._tasks[identity].stop("shutdown", self._manifest.grace_seconds, NO_ROOM)

    def _reap(self) -> None:
        leaders = {task.pid: task for task in self._tasks.values() if task.alive}
        while True:
            pid = processes.ended_child()
            if pid is None:
                return
            if pid in leaders:
                leaders[pid].reap()
            else:
                os.waitpid(pid, 0)
                self._guard.ended(pid)

    def _end_settled(self) -> None:
        """Report the end of the tasks of which no process is left."""
        for identity, task in list(self._tasks.items()):
            if task.alive:
                continue
            leaders = {other.pid for other in self._tasks.values() if other.alive}
            service = self._admission.mps.pid
            others = {other.attempt.task for other in self._tasks.values() if other is not task}
            settled = task.settled(self._leftovers.of(task.pid, task.attempt.task, leaders, others, service))
            if settled and (self._closing or not task.reading):
                del self._tasks[identity]
                self._guard.forget(task.pid)
                self._end(task)

    def _end(self, task: RunningTask) -> None:
        ended = task.ended()
        well = ended["exit"] == 0 and ended["by"] is None
        for record in task.watch.close(well):
            self._report(task.attempt, **record)
        self._compare_at = 0.0
        reserved = ended["cause"] == self._deadline.cause == "preempted"
        if ended["by"] == "shutdown" and (reserved or ended["cause"] == YIELDED):
            ended["made_way"] = True
        occupant = self._admission.remove(task.attempt.identity, well, time.monotonic())
        if occupant is not None:
            ended.update(end_record.fields(occupant, task.place.log, ended, self._admission.mps))
        # Before the report, after which the next attempt may begin; one that the engine has given up may run already.
        if task.gone and not (self._mailbox.dismissed or self._fence.crossed):
            self._preparer.tidy(task.place)
        self._report(task.attempt, "ended", **ended)
        if task.took is not None:
            self._deadline.learn(task.took)
        self._note_work()

    def _note_work(self) -> None:
        self._worked_at = time.monotonic()
        self._lively_until = self._worked_at + LIVELY_SECONDS

    def _claim(self) -> None:
        deadline = time.monotonic() + CLAIM_SECONDS
        self._fenced = False
        while self._may_claim:
            self._seat = None
            differ = self._admission.differ
            attempt = self._claim_largest(deadline) if differ else self._mailbox.claim(deadline, self._fits)
            if attempt is None or self._seat is None:
                return
            self._note_work()
            self._claimed += 1
            self._closing = self._closing or self._claimed == self._manifest.tasks
            self._start(attempt, self._seat)

    @property
    def _may_claim(self) -> bool:
        return not (self._closing or self._mailbox.drained or self._mailbox.held or self._admission.full)

    def _fits(self, attempt: QueuedAttempt) -> Optional[bool]:
        if not self._deadline.fits(attempt.seconds):
            return False
        usual = not attempt.memory_needed.retries
        # A seat that is left over was for an attempt that another runner claimed first.
        if not (usual and self._seat is not None):
            self._seat = self._admission.seat(attempt, time.monotonic())
        if self._seat is None and usual:
            return None  # it has no special demands, so no other will fit either
        if self._seat is not None and self._fenced_off():
            return None
        return self._seat is not None

    def _fenced_off(self) -> bool:
        """Return True if the allocation was started a second time; looked at once before attempts are claimed."""
        if not self._fenced:
            self._fenced = True
            self._check_fence()
        return self._fence.crossed

    def _claim_largest(self, deadline: float) -> Optional[QueuedAttempt]:
        """Claim that of the next attempts that needs most of those that fit; `_seat` is for it.

        Large tasks first: small ones fill what these leave, and the last to end is not a large one that began late.
        """
        if time.monotonic() < self._compare_at:
            return None
        some: List[QueuedAttempt] = []

        def compare(attempt: QueuedAttempt) -> Optional[bool]:
            if self._deadline.fits(attempt.seconds):
                some.append(attempt)
            return None if len(some) >= MOST_COMPARED else False

        self._mailbox.claim(deadline, compare)  # it claims none
        while True:
            chosen, self._seat = self._admission.seat_largest(some, time.monotonic())
            if chosen is None or self._fenced_off():
                self._compare_at = time.monotonic() + COMPARE_SECONDS
                return None
            if self._mailbox.claim_this(chosen):
                return chosen
            some.remove(chosen)  # another runner has it

    def _start(self, attempt: QueuedAttempt, seat: AssignedSeat) -> None:
        mps = self._admission.mps
        if mps.pid is not None:
            self._guard.watch(mps.pid)
        if mps.folder is not None:
            self._guard.remove(mps.folder)
        try:
            task = start(self._manifest, self._preparer, self._oom, attempt, seat.environment, self._deadline.ends_at)
        except LaunchError as error:
            nothing = dict.fromkeys(("exit", "signal", "by", "peak_memory", "cpu_seconds"))
            self._report(attempt, "ended", cause="launch_failed", reason=str(error), **nothing)
            return
        self._guard.watch(task.pid, task.apart.name if task.apart is not None else None)
        self._tasks[attempt.identity] = task
        self._admission.add(attempt, seat, task.pid, time.monotonic())
        device = "gpu " + ",".join(seat.names) if seat.names else self._device
        self._report(attempt, "started", pid=task.pid, node=self._node, device=device, seat=seat.record())

    def _poll(self) -> None:
        now = time.monotonic()
        if now >= self._fence_at:
            self._check_fence()
        for task in self._tasks.values():
            for record in task.watch.poll(long=not task.alive):
                if record["e"] == "metric":
                    self._admission.note_progress(task.attempt.identity, record.get("epoch", record.get("step")), now)
                self._report(task.attempt, **record)
        self._admission.observe(now, not self._mailbox.empty)
        self._report_packing(now)
        if self._node_stats is not None and now >= self._node_stats_at:
            self._node_stats_at = now + node_stats.EVERY_SECONDS
            self._journal.write("node", node=self._node, **self._node_stats.sample())
        if time.monotonic() >= self._usage_at:
            self._usage_at = time.monotonic() + self._manifest.usage_seconds
            for task in self._tasks.values():
                self._sample(task)
        if now >= self._job_at:
            self._check_job()
            # While the file of orders is there, so is the job.
            self._job_at = now + (RARE_SECONDS if self._mailbox.found and not self._job_missing else ORDER_SECONDS)

    def _sample(self, task: RunningTask) -> None:
        if task.saves is not None and task.alive and task.saves.look():
            self._report(task.attempt, "saved")
        usage = task.sampler.sample() if task.alive else None
        if usage is not None:
            more = self._admission.note_usage(task.attempt.identity, usage)
            self._report(task.attempt, "usage", memory=usage.memory, cpu=usage.cpu, **more)

    def _report_packing(self, now: float) -> None:
        """Report how tasks share the GPUs, if that has changed."""
        if now < self._packing_at or not self._tasks:
            return
        record = self._admission.packing_record(not self._mailbox.empty, now)
        if record is not None and _differs(record, self._packing):
            self._packing, self._packing_at = record, now + PACKING_SECONDS
            self._journal.write("packing", **record)

    def _check_job(self) -> None:
        try:
            os.stat(os.path.join(self._manifest.job_dir, layout.JOB))
        except FileNotFoundError:
            self._job_missing += 1
        except OSError:
            # An error of the file system does not mean that the job was deleted.
            return
        else:
            self._job_missing = 0
        if self._job_is_gone:
            self._closing = True
            for task in self._tasks.values():
                task.stop("shutdown", 0.0)
                task.kill()

    @property
    def _job_is_gone(self) -> bool:
        # Twice in a row: a network file system may be wrong once.
        return self._job_missing >= 2

    def _report(self, attempt: QueuedAttempt, e: str, **fields: Any) -> None:
        self._journal.write(e, task=attempt.task, attempt=attempt.number, **fields)

    def _done(self) -> bool:
        if self._tasks:
            return False
        if self._closing:
            return True
        if not self._nothing_to_do():
            return False
        self._mailbox.read_tasks()  # there may be more by now
        return self._nothing_to_do()

    def _nothing_to_do(self) -> bool:
        waited = time.monotonic() - self._worked_at
        idle = 0 < self._manifest.idle_seconds <= waited
        if self._mailbox.empty:
            return self._mailbox.closed or idle
        if self._mailbox.held:
            return idle
        return (self._mailbox.unfit or waited >= CLAIM_WAIT_SECONDS) and not self._admission.waits_for_memory(
            time.monotonic()
        )

    def _finish(self) -> int:
        self._journal.write("bye")
        drained = self._journal.drain(0.0 if self._job_is_gone else FLUSH_SECONDS)
        self._guard.end()
        if drained:
            return 0
        print("The end of the journal could not be written: is the disk full?", file=sys.stderr)
        return 0 if self._job_is_gone else 1


def _differs(record: Dict[str, Any], before: Optional[Dict[str, Any]]) -> bool:
    """Return True if something has changed by more than measurements vary."""
    if before is None or any(
        record[name] != before[name] for name in record if name not in (*SHARES, "speedup", "need")
    ):
        return True
    if any(abs((record[name] or 0.0) - (before[name] or 0.0)) >= 0.25 for name in SHARES):
        return True
    return any(_apart(record[name], before[name]) for name in ("speedup", "need"))


def _apart(one: Optional[float], other: Optional[float]) -> bool:
    if not one or not other:
        return bool(one) != bool(other)
    return abs(one - other) > 0.1 * other
