"""The one loop that acts on jobs, tasks and allocations."""

import logging
import threading
import time
from collections import deque
from collections.abc import Callable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from paddock.agents.links import Links
from paddock.backends.base import Backend
from paddock.common import folders
from paddock.errors import BackendError
from paddock.models import AllocationBatch, BackendInfo, Check, HostInfo, JobSpec, Node, Traits
from paddock.paths import Home
from paddock.rules import placement
from paddock.server.engine import journals, launch, limits, mailbox, observe, reaching, remove
from paddock.server.engine.backend_worker import BackendWorker
from paddock.server.engine.context import Context
from paddock.server.engine.dealing import Dealer
from paddock.server.engine.devices import DeviceFinder
from paddock.server.engine.enforcing import Enforcer
from paddock.server.engine.estimating import Forecaster
from paddock.server.engine.executors import Executors, own_thread
from paddock.server.engine.guard import ViolationGuard
from paddock.server.engine.identical_curves import CurveComparison
from paddock.server.engine.idle import IdleReservations
from paddock.server.engine.ingest import Ingest, RoundResult
from paddock.server.engine.keep import Keeper
from paddock.server.engine.load import Monitor
from paddock.server.engine.marked_metrics import MarkedMetrics
from paddock.server.engine.notices import JobNotices
from paddock.server.engine.objectives import ObjectiveChooser
from paddock.server.engine.reclaim import IdleReclaimer
from paddock.server.engine.reduce import Reducer
from paddock.server.engine.reservations import Reserving
from paddock.server.engine.resizing import Resizer
from paddock.server.engine.round_times import RoundTimes
from paddock.server.engine.search import SearchWorker
from paddock.server.engine.silence import Silence
from paddock.server.engine.sizing import Sizer
from paddock.server.engine.use import UseRecorder
from paddock.server.engine.warden_calls import WardenCalls
from paddock.server.notify.hooks import HookRunner
from paddock.server.outposts.registry import Fleet, Outposts
from paddock.server.store import allocations, audit, events, notices, places, violations
from paddock.server.store.allocations import AllocationRow
from paddock.server.store.db import Database
from paddock.server.store.rows import moment
from paddock.settings import Settings

log = logging.getLogger("paddock.engine")
T = TypeVar("T")

FORGET_SECONDS = 60.0
OTHER_STEPS_SECONDS = 1.0
CHECK_SECONDS = 20.0
PAUSE_SHARE = 4.0  # of the CPU time of a round: without requests, the engine takes up to a fifth of a core
LONGEST_PAUSE = 0.5
PUT_AWAY_AT_ONCE = 5  # jobs whose journals are put away in a round


@dataclass(frozen=True)
class BackendRequest:
    """What a job would request from its backend."""

    count: int
    slots: int  # tasks at a time in each, at most
    script: str | None = None
    check: Check | None = None


def pause(used: float, tick: float) -> float:
    """Return how long to wait after a round that took this many seconds of CPU: longer if there is much to do.

    Fewer rounds with more news in each take less than many with little. A request ends the pause.
    """
    return max(tick, min(PAUSE_SHARE * used, LONGEST_PAUSE))


class Engine:
    """Runs rounds in its own thread; `wake` starts the next one at once.

    A step that fails is logged and shown, and the next round tries again: this is the only retry mechanism.
    """

    def __init__(
        self,
        db: Database,
        home: Home,
        settings: Settings,
        backends: list[Backend],
        changed: Callable[[], None],
        links: Links | None = None,
        fleets: Mapping[str, Fleet] | None = None,
        executors: Executors = own_thread,
    ) -> None:
        self._woken = threading.Event()
        self._stop = threading.Event()
        self._changed = changed
        self._workers = {
            one.name: BackendWorker(one, self.wake, db.clock, executors(f"backend-{one.name}")) for one in backends
        }
        outposts = Outposts(home, links, self.wake, fleets, db)
        with db.read() as c:
            outposts.load(places.all_away(c))
        self.context = Context(db, home, settings, self._workers, outposts)
        self.context.recovery.wake = self.wake
        self._ingest = Ingest(db.clock.ticks)
        self._silence = Silence()
        self._monitor = Monitor(self._workers)
        self._search = SearchWorker(self.context, self.wake, executors("search"))
        self._chooser = ObjectiveChooser(self.context)
        self._reducer = Reducer(self.context)
        self._comparison = CurveComparison(self.context)
        self._marked = MarkedMetrics(self.context)
        self._forecaster = Forecaster(self.context)
        self._notices = JobNotices(self.context)
        self._resizer = Resizer(self.context)
        self._sizer = Sizer(self.context, lambda: self._resizer.ordered)
        self._launch = launch.Launch(self.context)
        self._dealer = Dealer(self.context)
        self._devices = DeviceFinder(self.context)
        self._use = UseRecorder(self.context, self._monitor)
        self._idle = IdleReservations(self.context)
        self._reclaimer = IdleReclaimer(self.context)
        self.hooks = HookRunner(home.root)
        self._reserving = Reserving(self.context, self.hooks)
        self._guard = ViolationGuard(self.context, WardenCalls(settings, links, fleets), self.hooks, self.wake)
        self._enforcer = Enforcer(self.context)
        self._thread = threading.Thread(target=self._run, name="engine", daemon=True)
        self._sweeper = ThreadPoolExecutor(1, thread_name_prefix="sweeper")
        self._to_put_away: deque[tuple[str, Future[bool]]] = deque()
        self.keeper = Keeper(db, home, settings.keep, self.put_away, self.sweep, self.wake, outposts)
        self._asked = True
        self._others_at = 0.0
        self._forgotten_at = 0.0
        self._last_event = 0
        self.beat: float | None = None
        self.round_times = RoundTimes()
        self._failing: dict[str, str] = {}  # step -> what is wrong with it

    def start(self) -> None:
        for worker in self._workers.values():
            worker.begin()
        for left in self.context.home.incoming.iterdir():  # uploads and removals that a crash cut off
            self.sweep(left)
        self._thread.start()
        self.keeper.start()

    def close(self) -> None:
        """End after the current round. Runners continue."""
        self._stop.set()
        self.wake()
        if self._thread.is_alive():
            self._thread.join()
        self._put_away_none()
        self.keeper.close()
        for worker in self._workers.values():
            worker.close()
        self._search.close()
        self._ingest.close()
        self.context.recovery.close()
        self.context.outposts.close()
        self._marked.close()
        self._guard.close()
        self.hooks.close()
        self._sweeper.shutdown(wait=True)

    def wake(self) -> None:
        """Start the next round at once. Any thread may call this."""
        self._asked = True
        self._woken.set()

    @property
    def asked(self) -> bool:
        """Return True if something has asked for a round since the last one."""
        return self._asked

    def sweep(self, folder: Path) -> None:
        """Delete an unused folder in the background. If this server ends before, the next one deletes it."""
        with suppress(RuntimeError):  # the engine ends just now
            self._sweeper.submit(self._sweep, folder)

    def _sweep(self, folder: Path) -> None:
        if not folders.delete(folder, self._stop.is_set) and not self._stop.is_set():
            log.warning("%s cannot be deleted completely: check who owns the files in it", folder)

    def put_away(self, job: str) -> Future[bool]:
        """Delete the journals of an ended job. Any thread may call this. False: the job has not ended."""
        answer: Future[bool] = Future()
        self._to_put_away.append((job, answer))
        self.wake()
        if self._stop.is_set():
            self._put_away_none()
        return answer

    def _put_away_none(self) -> None:
        """Answer those who wait with False, as the engine ends."""
        with suppress(IndexError):  # two threads may do this at a time
            while True:
                self._to_put_away.popleft()[1].set_result(False)

    def _put_away_some(self) -> None:
        for _ in range(min(len(self._to_put_away), PUT_AWAY_AT_ONCE)):
            job, answer = self._to_put_away.popleft()
            try:
                folder = journals.put_away(self.context, job)
            except Exception as error:
                answer.set_exception(error)
                continue
            if folder is not None:
                self.sweep(folder)
            answer.set_result(folder is not None)
        if self._to_put_away:
            self.wake()

    def nodes(self, backend: str | None = None) -> list[Node]:
        """Return the nodes as last seen."""
        return [node for name, c in self._workers.items() if backend in (None, name) for node in c.nodes]

    def nodes_now(self) -> list[Node]:
        """Return the nodes with the newest measurements."""
        return self._monitor.nodes(self.context.clock.now())

    def hosts(self) -> list[HostInfo]:
        """Return the hosts of all backends that have some."""
        return [host for worker in self._workers.values() for host in worker.backend.hosts()]

    @property
    def traits(self) -> dict[str, Traits]:
        """Return the traits of each backend."""
        return {name: worker.backend.traits for name, worker in self._workers.items()}

    def backend_infos(self) -> list[BackendInfo]:
        settings = self.context.settings
        every = settings.every_backend
        return [
            BackendInfo(
                name=name,
                kind=every[name].kind,
                default=name == settings.backend,
                state=worker.problem or "ok",
                since=moment(worker.problem_since),
                defaults=settings.defaults_of(name),
                partitions=sorted({partition for node in worker.nodes for partition in node.partitions}),
            )
            for name, worker in self._workers.items()
        ]

    def request(self, spec: JobSpec, tasks: int, *, check: bool, user: str | None = None) -> BackendRequest:
        """Return what a job would request first; with `check` also the backend's answer to it."""
        worker = self._workers[spec.resources.backend or self.context.settings.backend]
        count = launch.allocations_to_request(spec, worker, tasks, {})
        batch = launch.batch_for(self.context, "JOB", spec, worker, "JOB-a1", count)
        batch = batch.model_copy(update={"user": user})
        answer = None
        if check:
            try:
                answer = worker.check(batch, CHECK_SECONDS)
            except BackendError as error:
                answer = Check(accepted=False, message=error.message)
        slots = placement.shape(spec.resources, worker.nodes).slots
        return BackendRequest(count, slots, worker.backend.script(batch), answer)

    def script(self, backend: str, batch: AllocationBatch) -> str | None:
        return self._workers[backend].backend.script(batch)

    @property
    def backends(self) -> dict[str, str]:
        """Return the state of each backend: ok, or what is wrong."""
        return {name: worker.problem or "ok" for name, worker in self._workers.items()}

    @property
    def problem(self) -> str | None:
        """Return the errors of the steps that failed in the last round, if any."""
        return "; ".join(dict.fromkeys(self._failing.copy().values())) or None

    @property
    def failing_steps(self) -> int:
        """Return the number of steps that failed in the last round."""
        return len(self._failing)

    @property
    def set_aside(self) -> dict[str, str]:
        """Return the jobs that the engine cannot continue at the moment, with the reasons."""
        return self.context.boundary.aside

    def _run(self) -> None:
        while not self._stop.is_set():
            self._woken.clear()
            began, began_at = time.thread_time(), time.perf_counter()
            more = self._step("a round", self.round)
            self.round_times.add(time.perf_counter() - began_at)
            self.beat = self.context.clock.now()
            if not more:
                self._woken.wait(pause(time.thread_time() - began, self.context.settings.tick_seconds))

    def _step(self, name: str, step: Callable[[], T]) -> T | None:
        """Carry out one step of a round. If it fails, the other steps are carried out nevertheless."""
        try:
            result = step()
        except Exception as error:
            problem = f"{type(error).__name__}: {error}"
            if problem != self._failing.get(name):  # the same error again is not news
                log.exception("%s of the engine failed; the next rounds try again", name)
            self._failing[name] = problem
            return None
        self._failing.pop(name, None)
        return result

    def round(self) -> bool:
        """Carry out one round. Returns True if there is more to do at once.

        Journals are read in every round; the other steps follow after a request or an event, or else once per second.
        """
        now = self.context.clock.now()
        rows = self._unclosed()
        step, context = self._step, self.context
        context.keep_notes(row.key for row in rows)
        unfinished = step("following", lambda: context.outposts.attend(rows))
        outcome = step("reading journals", lambda: self._ingest.run(context, rows)) or RoundResult()
        read = outcome.read - unfinished if unfinished is not None else set()
        step("listening", lambda: self._silence.listen(context, rows, outcome, now))
        step("taking up samples", lambda: self._monitor.take(outcome.samples, now))
        if outcome.left:
            for worker in self._workers.values():
                worker.hurry()
        if step("closing allocations", lambda: observe.close(context, rows, read, now)):
            rows = self._unclosed()
        step("judging", lambda: self._search.request_judgements(outcome.measured, outcome.ended))
        more = outcome.more
        if self._asked or outcome.urgent or now - self._others_at > OTHER_STEPS_SECONDS:
            self._asked = False
            self._others_at = now
            more = self._other_steps(rows, now) or more
        step("announcing", self._announce)
        return more

    def _other_steps(self, rows: list[AllocationRow], now: float) -> bool:
        """Carry out the other steps. The many `rows` are read again only after changes. Returns as `round` does."""
        step, context = self._step, self.context
        step("mending", context.mend)
        step("reaching", lambda: reaching.reach(context, rows))
        unstopped = step("stopping", lambda: mailbox.stop(context, now))
        step("adjusting", lambda: limits.adjust(context))
        step("putting back", lambda: observe.put_back(context, rows, now))
        step("fencing", lambda: observe.fence(context, rows, now))
        step("choosing objectives", self._chooser.run)
        step("searching", lambda: self._search.run(now))
        step("reducing", self._reducer.run)
        step("comparing curves", self._comparison.run)
        step("marked metrics", self._marked.run)
        # After these two steps, so that the allocations of attempts that they ended are used again.
        unpublished = step("publishing", lambda: mailbox.publish(context, now))
        heard = step("observing", lambda: observe.observe(context, rows, now))
        given_up = step("giving up", lambda: observe.give_up_missing(context, rows, now))
        if heard or given_up:
            rows = self._unclosed()
        step("finding devices", lambda: self._devices.run(now))
        step("enforcing", lambda: self._enforcer.run(now))
        if step("launching", lambda: self._launch.run(rows, now)):
            rows = self._unclosed()
        if step("sizing", lambda: self._sizer.run(now)):
            self.wake()  # what has waited for a choice can begin
        begun = step("resizing", lambda: self._resizer.run(rows, now))  # after the policy, which knows what is free
        step("dealing", lambda: self._dealer.run(rows, now))
        for removed in step("removing", lambda: remove.remove(context, rows)) or []:
            self._sweeper.submit(remove.erase, context, removed.job, self._stop.is_set)
            if removed.folder is not None:
                self.sweep(removed.folder)
        step("guarding", lambda: self._guard.run(now))
        step("reserving", lambda: self._reserving.run(now))
        step("estimating", lambda: self._forecaster.run(now))
        step("telling", lambda: self._notices.run(rows, now))
        step("putting away", self._put_away_some)
        step("keeping loads", lambda: self._monitor.keep(context.db, now, context.settings.load_hours))
        if step("recording use", lambda: self._use.run(rows, now)):
            step("judging use", lambda: self._idle.run(self._use.uses, now))
            step("reclaiming", lambda: self._reclaimer.run(rows, self._use.idle, now))
        step("forgetting events", lambda: self._forget_events(now))
        return bool(unpublished or unstopped or begun)

    def _unclosed(self) -> list[AllocationRow]:
        with self.context.db.read() as c:
            return allocations.unclosed(c)

    def _forget_events(self, now: float) -> None:
        if now - self._forgotten_at > FORGET_SECONDS:
            self._forgotten_at = now
            with self.context.db.write() as c:
                events.forget(c, now - self.context.settings.event_hours * 3600)
                audit.forget(c, now - self.context.settings.team.audit_days * 86_400)
                violations.forget(c, now - self.context.settings.violations.days * 86_400)
                notices.forget(c, now - self.context.settings.notify.days * 86_400)

    def _announce(self) -> None:
        with self.context.db.read() as c:
            newest = events.bounds(c)[1]
        if newest != self._last_event:
            self._last_event = newest
            self._changed()
