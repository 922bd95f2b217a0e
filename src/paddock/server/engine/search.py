"""Searches: which configurations come next, which tasks are not worth going on with, which follow another.

Searchers and stoppers take their time: a thread asks them, with what the database tells, and their advice is carried
out by the engine's rounds. Whatever is lost in a crash is asked for again, and the same history gives the same advice.
"""

import logging
import math
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import partial

from paddock.errors import PaddockError
from paddock.models import Method, Params, TaskState
from paddock.paths import append_lines
from paddock.rules import placement
from paddock.search import abreast, history, searcher, stopping
from paddock.search.base import Outcome, Searcher, Trial
from paddock.search.dimensions import dims, nest
from paddock.search.history import Judged, knobs_of
from paddock.search.pbt import perturb
from paddock.search.tasks import new_tasks
from paddock.server.engine import launch
from paddock.server.engine.announce import Announcement
from paddock.server.engine.context import Context, JobFacts
from paddock.server.store import jobs, metrics, trials
from paddock.server.store.db import Connection
from paddock.server.store.trials import NextAttempt, Open

log = logging.getLogger("paddock.engine")

BATCH_SECONDS = 0.5  # so long configurations are gathered before the first of them are begun
FAILURES = 10  # so many at the beginning, and none that went well: the search ends
BLIND = 3  # so many that finished without the metric: somebody should be told
INTERVAL_SHARE = 10  # pbt: where no interval is given, so many changes in a training, by its epochs
INTERVAL = 5.0
ADVISED, SUGGEST, END = "do what its search advises", "go on with its search", "end its search"


@dataclass(frozen=True)
class Advice:
    """What should be done in a job."""

    job: str
    configurations: list[Params] = field(default_factory=list)
    first_trial: int = 0
    over: str | None = None  # why no further configurations come
    warning: str | None = None
    prune: dict[str, tuple[Judged, str]] = field(default_factory=dict)  # with the reason
    follow: dict[str, tuple[Judged, NextAttempt | None]] = field(default_factory=dict)


class SearchWorker:
    """Asks searchers and stoppers beside the tick."""

    def __init__(self, context: Context, wake: Callable[[], None]) -> None:
        self._context = context
        self._wake = wake
        self._executor = ThreadPoolExecutor(1, thread_name_prefix="search")
        self._asked: dict[tuple[str, str], Future[Advice]] = {}
        self._measured: set[str] = set()  # jobs with new points since their tasks were judged
        self._unjudged = True  # after a start all are looked at once
        self._searchers: dict[str, tuple[JobFacts, Searcher]] = {}
        self._curves: dict[str, Curves] = {}

    def close(self) -> None:
        self._executor.shutdown(wait=True, cancel_futures=True)

    # --- in the engine's thread ---------------------------------------------------------------------------------------

    def look(self, measured: set[str]) -> None:
        """Have those judged that have new points."""
        self._measured |= measured
        if self._unjudged:
            self._unjudged = False
            with self._context.db.read() as c:
                self._measured |= set(jobs.running(c))
        rests = self._context.boundary.rests
        due = sorted(job for job in self._measured if ("judge", job) not in self._asked and not rests(job, ADVISED))
        if not due:
            return
        self._measured -= set(due)
        with self._context.db.read() as c:
            facts = self._context.facts(c, due)
        for one in facts.values():
            if _judges(one):
                self._ask("judge", one, partial(self._judge, one))

    def run(self, now: float) -> None:
        """Carry out advice, end what is over, and ask for more."""
        at = self._context.boundary
        for advice in self._advice():
            done = False
            with at.job(advice.job, ADVISED):
                self._carry_out(advice)
                done = True
            if not done:
                self._measured.add(advice.job)  # it is judged again
        self._end_overdue(now)
        with self._context.db.read() as c:
            open_searches = trials.searching(c)
            facts = self._context.facts(c, [one.job for one in open_searches])
        self._context.searching = {one.job for one in open_searches}
        for one in open_searches:
            if one.job in facts and not at.rests(one.job, ADVISED) and not at.rests(one.job, SUGGEST):
                with at.job(one.job, SUGGEST):
                    self._suggest_for(one, facts[one.job])

    def _ask(self, kind: str, facts: JobFacts, call: Callable[[], Advice]) -> None:
        future = self._executor.submit(call)
        self._asked[kind, facts.id] = future
        future.add_done_callback(lambda _: self._wake())

    def _advice(self) -> list[Advice]:
        done = {key: future for key, future in self._asked.items() if future.done()}
        found = []
        for (kind, job), future in done.items():
            del self._asked[kind, job]
            error = future.exception()
            if error is None:
                found.append(future.result())
            elif kind == "suggest":
                found.append(Advice(job, over=_failure(error)))
            else:
                log.error("judging the tasks of %s failed", job, exc_info=error)
        return found

    def _suggest_for(self, one: Open, facts: JobFacts) -> None:
        if one.held or ("suggest", one.job) in self._asked:
            return
        planned = facts.spec.search.trials
        if planned is not None and one.trials >= planned:
            self._end(one.job, None)
            return
        worker = self._context.worker(facts)
        if worker is None or not worker.nodes:
            return
        repeat = facts.spec.search.repeat
        side_by_side = launch.abreast(facts.spec, worker.nodes, launch.known(self._context, facts))
        width = max(placement.width(facts.spec.resources, worker.nodes), 1) * side_by_side
        room = min(abreast(facts.spec), math.ceil(width / repeat)) - math.ceil(one.unended / repeat)
        room = room if planned is None else min(room, planned - one.trials)
        most = self._context.settings.max_tasks // repeat - one.trials
        if most <= 0:
            self._end(one.job, f"it has as many tasks as the setting max_tasks allows ({most + one.trials})")
        elif room > 0:
            self._ask("suggest", facts, partial(self._suggest, facts, min(room, most)))

    def _carry_out(self, advice: Advice) -> None:
        if advice.prune or advice.follow:
            self._order(advice)
        if advice.configurations:
            self._add(advice)
        if advice.warning is not None:
            with self._context.db.write() as c:
                jobs.warn(c, advice.job, advice.warning)
        if advice.over is not None:
            self._end(advice.job, advice.over)

    def _add(self, advice: Advice) -> None:
        """New tasks, unless others have come meanwhile: then it is asked again."""
        with self._context.db.write() as c:
            facts = self._context.facts(c, [advice.job]).get(advice.job)
            if facts is None or trials.last_trial(c, advice.job) + 1 != advice.first_trial:
                return
            new = new_tasks(facts.spec, facts.script, advice.configurations, advice.first_trial)
            ids = trials.add(c, advice.job, new)
            announcement = Announcement(c)
            for task in ids:
                announcement.add(advice.job, task, live=None)
            announcement.write()

    def _order(self, advice: Advice) -> None:
        """First into the file: an order that stands there twice is one order."""
        lines = [{"op": "prune", "task": one.task, "attempt": one.attempt} for one, _ in advice.prune.values()]
        lines += [{"op": "follow", "task": one.task, "attempt": one.attempt} for one, _ in advice.follow.values()]
        append_lines(self._context.home.job(advice.job).control, lines)
        with self._context.db.write() as c:
            reasons: dict[int, str | None] = {one.attempt_id: reason for one, reason in advice.prune.values()}
            reasons |= {one.attempt_id: None for one, _ in advice.follow.values()}
            trials.order(c, reasons, [one for _, one in advice.follow.values() if one is not None])

    def _end(self, job: str, note: str | None) -> None:
        with self._context.db.write() as c:
            if not trials.end(c, job, note, as_known=True):
                return  # or it was extended a moment ago: the next round knows
            if note is not None:
                jobs.warn(c, job, f"The search has ended: {note}")
        append_lines(self._context.home.job(job).tasks, [{"end": True}], mode=0o600)
        self._searchers.pop(job, None)

    def _end_overdue(self, now: float) -> None:
        with self._context.db.read() as c:
            late = trials.overdue(c, now)
        for job in late:
            if not self._context.boundary.rests(job, END):
                with self._context.boundary.job(job, END):
                    self._end_at_last(job)

    def _end_at_last(self, job: str) -> None:
        with self._context.db.write() as c:
            stopped = trials.end_waiting(c, job)
            if stopped:
                jobs.warn(c, job, f"The time budget is over: {len(stopped)} tasks were not begun.")
        self._end(job, "its time budget is over")

    # --- in the thread ------------------------------------------------------------------------------------------------

    def _suggest(self, facts: JobFacts, room: int) -> Advice:
        spec = facts.spec
        with self._context.db.read() as c:
            runs = trials.runs(c, facts.id)
            last = trials.last_trial(c, facts.id)
            past = [trials.runs(c, job) for job in spec.search.warm_start]
        over = _hopeless(runs)
        if over:
            return Advice(facts.id, over=over)
        count = len(spec.objectives)
        known: list[Trial] = []
        for of_job in past:
            known += history.warm(of_job, spec.params, count, len(known))
        known += history.trials(runs, spec.params, count)
        ask = self._searcher(facts)
        found: list[Params] = []
        until = math.inf
        while len(found) < room and time.monotonic() < until:
            flat = ask.suggest(known)
            until = min(until, time.monotonic() + BATCH_SECONDS)  # the first one may take long: much is loaded
            if flat is None:
                return Advice(facts.id, found, last + 1, "every configuration has been tried", _blind(runs, facts))
            known.append(Trial(last + len(found), flat, Outcome.RUNNING))
            found.append(nest(flat, spec.params))
        return Advice(facts.id, found, last + 1, warning=_blind(runs, facts))

    def _searcher(self, facts: JobFacts) -> Searcher:
        made = self._searchers.get(facts.id)
        if made is None or made[0] is not facts:  # new facts: its space may be another
            goals = [objective.goal for objective in facts.spec.objectives]
            made = self._searchers[facts.id] = facts, searcher(facts.spec.params, facts.spec.search, goals)
        return made[1]

    def _judge(self, facts: JobFacts) -> Advice:
        with self._context.db.read() as c:
            found = trials.judged(c, facts.id)
            curves = self._curves.setdefault(facts.id, Curves())
            points = curves.read(c, facts, found)
        if all(one.state.ended for one in found):
            self._curves.pop(facts.id, None)  # read again, should a task be restarted
        known = history.curve_trials(found, points, facts.spec.params)
        if facts.spec.search.method is Method.PBT:
            return Advice(facts.id, follow=_followers(facts, found, known))
        stopper = stopping.stopper(
            facts.spec.stop_early.method, facts.objective.goal, knobs_of(facts.spec, [one.epochs for one in found])
        )
        out = stopper.stopped(known)
        chosen = [one for one in found if one.number - 1 in out and _open(one) and not one.spared]
        text = f"stopped early: too far behind at step %g ({facts.spec.stop_early.method})"
        return Advice(facts.id, prune={one.task: (one, text % out[one.number - 1]) for one in chosen})


class Curves:
    """The objective of every task of a job; of those that have ended it is read once."""

    def __init__(self) -> None:
        self._ended: dict[str, tuple[int, metrics.Points]] = {}

    def read(self, c: Connection, facts: JobFacts, found: Sequence[Judged]) -> dict[str, metrics.Points]:
        known = {
            one.task: self._ended[one.task][1]
            for one in found
            if one.state.ended and self._ended.get(one.task, (0,))[0] == one.attempt
        }
        begun = [one for one in found if one.state is not TaskState.SUBMITTED or one.attempt > 1]
        wanted = [one for one in begun if one.task not in known]
        read = metrics.series(c, [one.task for one in wanted], facts.objective.metric)
        for one in wanted:
            if one.state.ended:
                self._ended[one.task] = (one.attempt, read.get(one.task, metrics.NOTHING))
        return known | read


def _judges(facts: JobFacts) -> bool:
    return facts.spec.stop_early.method != "none" or facts.spec.search.method is Method.PBT


def _open(one: Judged) -> bool:
    return one.state is TaskState.RUNNING and not one.ordered


def _followers(
    facts: JobFacts, found: Sequence[Judged], known: Sequence[Trial]
) -> dict[str, tuple[Judged, NextAttempt | None]]:
    """Who goes on from another's checkpoint, or makes room for a while for those that wait: then from its own."""
    spec = facts.spec
    order = dims(spec.params)
    epochs = max((one.epochs for one in found if one.epochs), default=None)
    interval = spec.search.interval or (max(1.0, epochs // INTERVAL_SHARE) if epochs else INTERVAL)
    by_number = {one.number - 1: one for one in found}
    crowded = any(one.state is TaskState.SUBMITTED for one in found)
    decided: dict[str, tuple[Judged, NextAttempt | None]] = {}
    for one, trial in zip(found, known, strict=True):
        if not _open(one):
            continue
        move = perturb(trial, known, order, facts.objective.goal, spec.search.seed, interval, since=one.since)
        if move is not None:
            params = one.params | nest(move.params, spec.params)
            successor = NextAttempt(one.attempt_id, by_number[move.source].task, move.step, params, one.params)
            decided[one.task] = (one, successor)
        elif crowded and _had_its_turn(one, trial, interval):
            decided[one.task] = (one, None)
    return decided


def _had_its_turn(one: Judged, trial: Trial, interval: float) -> bool:
    """It has come to another interval in this attempt, and there is more to do."""
    if one.began is None or not trial.curve:
        return False
    done = stopping.steps_done(trial)
    before = one.began - min(max(0.0, trial.curve[0][0]), 1.0)  # scripts count from 0 or from 1
    return math.floor(done / interval) > math.floor(before / interval) and (one.epochs is None or done < one.epochs)


def _hopeless(runs: Sequence[history.Run]) -> str | None:
    """The first ones have all failed: it is the script, not the parameters."""
    ended = [run for run in runs if run.state.ended]
    if len(ended) >= FAILURES and all(run.state is TaskState.ERROR for run in ended):
        return f"its first {len(ended)} tasks have all failed; when that is mended, `paddock extend` goes on"
    return None


def _blind(runs: Sequence[history.Run], facts: JobFacts) -> str | None:
    """Nothing can be learnt from tasks that do not report what the search is about."""
    finished = [run for run in runs if run.state is TaskState.FINISHED]
    if len(finished) < BLIND or any(run.values[0] is not None for run in finished):
        return None
    return f"No task has reported {facts.objective.metric}: the search cannot learn. Give --objective a metric that is."


def _failure(error: BaseException) -> str:
    if isinstance(error, PaddockError):
        return error.message
    log.error("a searcher failed", exc_info=error)
    return f"its searcher failed: {type(error).__name__}: {error}"
