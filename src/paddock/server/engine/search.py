"""Runs searches: which configurations come next, which tasks to stop early, which to continue from another.

Searchers and stoppers can take long: a thread asks them, with the history from the database, and the engine's rounds
carry out their advice. What is lost in a crash is asked for again; the same history gives the same advice.
"""

import logging
import math
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, field, replace

from paddock.errors import PaddockError
from paddock.models import Method, Objective, Params, TaskState
from paddock.rules import placement
from paddock.rules.objective import SECONDS, is_blind, missing
from paddock.search import history, searcher, stopping, trials_at_once
from paddock.search.base import Outcome, Searcher, Trial
from paddock.search.dimensions import dimensions_of, nest
from paddock.search.history import Judged, stop_early_of
from paddock.search.pbt import perturb
from paddock.search.tasks import new_tasks
from paddock.server.engine import launch
from paddock.server.engine.announce import announce
from paddock.server.engine.context import Context, JobFacts
from paddock.server.engine.requests import Requests
from paddock.server.notify.tell import needs_attention
from paddock.server.store import jobs, metrics, trials
from paddock.server.store import objectives as stored
from paddock.server.store.db import Connection
from paddock.server.store.trials import NextAttempt, Open

log = logging.getLogger("paddock.engine")

BATCH_SECONDS = 0.5  # for collecting configurations before the first of them begin
FAILURES = 10  # if this many first tasks all failed, the search ends
INTERVAL_SHARE = 10  # pbt without an interval: this many changes per training
INTERVAL = 5.0
ADVISED, SUGGEST, END = "carry out the advice of its search", "continue its search", "end its search"


@dataclass(frozen=True)
class Advice:
    """What to do in a job."""

    job: str
    objectives: list[Objective]  # those that it follows from
    configurations: list[Params] = field(default_factory=list)
    first_trial: int = 0
    over: str | None = None  # why no further configurations come
    hold: str | None = None  # why the job is to be held
    prune: dict[str, tuple[Judged, str]] = field(default_factory=dict)  # with the reason
    follow: dict[str, tuple[Judged, NextAttempt | None]] = field(default_factory=dict)


class SearchWorker:
    """Asks searchers and stoppers in its own thread."""

    def __init__(self, context: Context, wake: Callable[[], None], executor: Executor) -> None:
        self._context = context
        self._executor = executor
        self._asked = Requests[tuple[str, str], Advice](self._executor, lambda _: wake())
        self._measured: set[str] = set()  # jobs with new points since their tasks were judged
        self._ended: set[str] = set()  # jobs in which tasks have ended since
        self._unjudged = True  # after a start, all are judged once
        self._searchers: dict[str, tuple[JobFacts, Searcher]] = {}
        self._curves: dict[str, Curves] = {}

    def close(self) -> None:
        self._executor.shutdown(wait=True, cancel_futures=True)

    # --- in the engine's thread ---------------------------------------------------------------------------------------

    def request_judgements(self, measured: set[str], ended: set[str]) -> None:
        """Request a judgement of the jobs that have new points, or tasks that ended and may have reported none."""
        self._measured |= measured
        self._ended |= ended - measured
        if self._unjudged:
            self._unjudged = False
            with self._context.db.read() as c:
                self._measured |= set(jobs.running(c))
        rests = self._context.boundary.rests
        wanted = self._measured | self._ended
        due = sorted(job for job in wanted if ("judge", job) not in self._asked and not rests(job, ADVISED))
        if not due:
            return
        only_ended = self._ended - self._measured  # a population changes at intervals: nothing else is a reason
        self._measured -= set(due)
        self._ended -= set(due)
        with self._context.db.read() as c:
            facts = self._context.facts(c, due)
        for one in facts.values():
            population = one.spec.search.method is Method.PBT
            if one.spec.stop_early.method != "none" or (population and one.id not in only_ended):
                self._asked.begin(("judge", one.id), self._judge, one)
            elif population:
                self._asked.begin(("judge", one.id), self._check_reported, one)

    def run(self, now: float) -> None:
        """Carry out advice, end searches that are over, and request more advice."""
        at = self._context.boundary
        for advice in self._advice():
            done = False
            with at.job(advice.job, ADVISED):
                self._carry_out(advice)
                done = True
            if not done:
                self._measured.add(advice.job)  # it is judged again
        with self._context.db.read() as c:
            late = trials.overdue(c, now)
        for job in late:
            at.try_for(job, END, self._end_overdue, job)
        with self._context.db.read() as c:
            open_searches = trials.searching(c)
            facts = self._context.facts(c, [one.job for one in open_searches])
        self._context.searching = {one.job for one in open_searches}
        for one in open_searches:
            if one.job in facts and not at.rests(one.job, ADVISED) and not at.rests(one.job, SUGGEST):
                with at.job(one.job, SUGGEST):
                    self._suggest_for(one, facts[one.job])

    def _advice(self) -> list[Advice]:
        found = []
        for (kind, job), future in self._asked.take().items():
            error = future.exception()
            if error is None:
                found.append(future.result())
            elif kind == "suggest":
                found.append(Advice(job, [], over=_failure(error)))
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
        side_by_side = launch.tasks_per_allocation(
            facts.spec, worker.nodes, launch.measured_packing(self._context, facts)
        )
        width = max(placement.width(facts.spec.resources, worker.nodes, worker.backend.traits), 1) * side_by_side
        free = min(trials_at_once(facts.spec), math.ceil(width / repeat)) - math.ceil(one.unended / repeat)
        free = free if planned is None else min(free, planned - one.trials)
        most = self._context.settings.max_tasks // repeat - one.trials
        if most <= 0:
            self._end(one.job, f"it has as many tasks as the setting max_tasks allows ({most + one.trials})")
        elif free > 0:
            self._asked.begin(("suggest", one.job), self._suggest, facts, min(free, most))

    def _carry_out(self, advice: Advice) -> None:
        with self._context.db.read() as c:
            facts = self._context.newest_facts(c, [advice.job]).get(advice.job)
        if facts is not None and advice.objectives and advice.objectives != facts.spec.objectives:
            self._measured.add(advice.job)
            return  # the objective was changed: it is asked again
        if advice.hold is not None:
            with self._context.db.write() as c:
                if stored.hold(c, advice.job, advice.hold):
                    needs_attention(c, self._context.settings, advice.job, advice.hold, self._context.clock.now())
            return
        if advice.prune or advice.follow:
            self._order(advice)
        if advice.configurations and not self._add(advice):
            return
        if advice.over is not None:
            self._end(advice.job, advice.over)

    def _add(self, advice: Advice) -> bool:
        """Add tasks and return True, unless the search was held, ended or continued meanwhile: it is asked again."""
        with self._context.db.write() as c:
            facts = self._context.facts(c, [advice.job]).get(advice.job)
            current = facts is not None and trials.last_trial(c, advice.job) + 1 == advice.first_trial
            if facts is None or not current or not trials.takes_more(c, advice.job):
                return False
            new = new_tasks(facts.spec, facts.script, advice.configurations, advice.first_trial)
            announce(c, advice.job, whole=trials.add(c, advice.job, new))
            return True

    def _order(self, advice: Advice) -> None:
        """Write orders to the file first: an order that is written twice counts once."""
        lines = [{"op": "prune", "task": one.task, "attempt": one.attempt} for one, _ in advice.prune.values()]
        lines += [{"op": "follow", "task": one.task, "attempt": one.attempt} for one, _ in advice.follow.values()]
        self._context.outposts.of(advice.job).order(lines)
        with self._context.db.write() as c:
            reasons: dict[int, str | None] = {one.attempt_id: reason for one, reason in advice.prune.values()}
            reasons |= {one.attempt_id: None for one, _ in advice.follow.values()}
            trials.order(c, reasons, [one for _, one in advice.follow.values() if one is not None])

    def _end(self, job: str, note: str | None) -> None:
        with self._context.db.write() as c:
            if not trials.end(c, job, note, as_known=True):
                return  # or it was extended a moment ago, which the next round sees
            if note is not None:
                jobs.warn(c, job, f"The search has ended: {note}")
        outpost = self._context.outposts.of(job)
        if not outpost.dealt:  # otherwise: see `dealing`
            outpost.publish([{"end": True}])
        self._searchers.pop(job, None)

    def _end_overdue(self, job: str) -> None:
        with self._context.db.write() as c:
            stopped = trials.end_waiting(c, job)
            if stopped:
                jobs.warn(c, job, f"The time budget is over: {len(stopped)} tasks were not started.")
        self._end(job, "its time budget is over")

    # --- in the thread ------------------------------------------------------------------------------------------------

    def _suggest(self, facts: JobFacts, free: int) -> Advice:
        spec = facts.spec
        with self._context.db.read() as c:
            runs = trials.runs(c, facts.id)
            last = trials.last_trial(c, facts.id)
            past = [self._past(c, facts, job) for job in spec.search.warm_start]
        over = _all_failed(runs)
        if over:
            return Advice(facts.id, spec.objectives, over=over)
        if hold := self._unreported(facts, runs):
            return Advice(facts.id, spec.objectives, hold=hold)
        count = len(spec.objectives)
        known: list[Trial] = []
        for of_job in past:
            known += history.warm(of_job, spec.params, count, len(known))
        known += history.trials(runs, spec.params, count)
        ask = self._searcher(facts)
        found: list[Params] = []
        until = math.inf
        while len(found) < free and time.monotonic() < until:
            config = ask.suggest(known)
            until = min(until, time.monotonic() + BATCH_SECONDS)  # the first one may take long, as it loads libraries
            if config is None:
                over = "every configuration has been tried"
                return Advice(facts.id, spec.objectives, found, last + 1, over)
            known.append(Trial(last + len(found), config, Outcome.RUNNING))
            found.append(nest(config, spec.params))
        return Advice(facts.id, spec.objectives, found, last + 1)

    def _past(self, c: Connection, facts: JobFacts, job: str) -> list[history.Run]:
        """Return the tasks of a past job with their values of the objectives of this one, if both exist."""
        runs = trials.runs(c, job)
        row = jobs.launchable(c, [job]).get(job)
        if row is None or row.job_spec().objectives == facts.spec.objectives:
            return runs
        values = stored.values(c, job, facts.spec.objectives)  # one of both was changed since
        return [replace(run, values=values.get(run.task, ())) for run in runs]

    def _searcher(self, facts: JobFacts) -> Searcher:
        made = self._searchers.get(facts.id)
        if made is None or made[0] is not facts:  # its space may have changed
            goals = [objective.goal for objective in facts.spec.objectives]
            made = self._searchers[facts.id] = facts, searcher(facts.spec.params, facts.spec.search, goals)
        return made[1]

    def _judge(self, facts: JobFacts) -> Advice:
        with self._context.db.read() as c:
            found = trials.judged(c, facts.id)
            curves = self._curves.get(facts.id)
            if curves is None or curves.metric != facts.objective.metric:
                curves = self._curves[facts.id] = Curves(facts.objective.metric)
            points = curves.read(c, found)
            silent = not any(len(one) for one in points.values())
            runs = trials.runs(c, facts.id) if silent else []
        if all(one.state.ended for one in found):
            self._curves.pop(facts.id, None)  # read again if a task is restarted
        known = history.curve_trials(found, points, facts.spec.params)
        stopper = stopping.stopper(stop_early_of(facts.spec, [one.epochs for one in found]), facts.objective.goal)
        objectives = facts.spec.objectives
        pbt = facts.spec.search.method is Method.PBT
        if silent:
            first = _interval(facts, found) if pbt else stopper.ladders[0].first
            return Advice(facts.id, objectives, hold=self._unreported(facts, runs, first))
        if not facts.choice.final:  # a better one may come
            return Advice(facts.id, objectives)
        if pbt:
            return Advice(facts.id, objectives, follow=_followers(facts, found, known))
        out = stopper.stopped(known)
        chosen = [one for one in found if one.number - 1 in out and _open(one) and not one.spared]
        text = f"stopped early: too far behind at step %g ({facts.spec.stop_early.method})"
        return Advice(facts.id, objectives, prune={one.task: (one, text % out[one.number - 1]) for one in chosen})

    def _check_reported(self, facts: JobFacts) -> Advice:
        """Return advice to hold a population of which tasks have ended without the objective."""
        with self._context.db.read() as c:
            runs = trials.runs(c, facts.id)
        return Advice(facts.id, facts.spec.objectives, hold=self._unreported(facts, runs))

    def _unreported(self, facts: JobFacts, runs: Sequence[history.Run], enough: float = math.inf) -> str | None:
        """Return why the job is to be held if its tasks do not report an objective: nothing can be learned from them.

        `enough`: tasks that run should have reported it after this many steps.
        """
        waits = facts.id in self._context.searching or any(run.state is TaskState.SUBMITTED for run in runs)
        if facts.choice.held or not waits:  # once is enough: a person has let it go on
            return None
        begun = [run for run in runs if run.state in (TaskState.RUNNING, TaskState.FINISHED, TaskState.PRUNED)]
        able = [run for run in begun if run.state is TaskState.FINISHED or (run.epoch or 0.0) >= enough]
        for place, objective in enumerate(facts.spec.objectives):
            reported = sum(run.values[place] is not None for run in runs if place < len(run.values))
            if objective.metric != SECONDS and is_blind(len(able), len(begun), reported):
                with self._context.db.read() as c:
                    names = stored.reported(c, facts.id)
                return (
                    f"Held: {missing(objective.metric, names, facts.id)}; `paddock release {facts.id}` goes on without."
                )
        return None


class Curves:
    """The objective of every task of a job; that of ended tasks is read once."""

    def __init__(self, metric: str) -> None:
        self.metric = metric
        self._ended: dict[str, tuple[int, metrics.Points]] = {}

    def read(self, c: Connection, found: Sequence[Judged]) -> dict[str, metrics.Points]:
        known = {
            one.task: self._ended[one.task][1]
            for one in found
            if one.state.ended and self._ended.get(one.task, (0,))[0] == one.attempt
        }
        begun = [one for one in found if one.state is not TaskState.SUBMITTED or one.attempt > 1]
        wanted = [one for one in begun if one.task not in known]
        read = metrics.series(c, [one.task for one in wanted], self.metric)
        for one in wanted:
            if one.state.ended:
                self._ended[one.task] = (one.attempt, read.get(one.task, metrics.NOTHING))
        return known | read


def _open(one: Judged) -> bool:
    return one.state is TaskState.RUNNING and not one.ordered


def _followers(
    facts: JobFacts, found: Sequence[Judged], known: Sequence[Trial]
) -> dict[str, tuple[Judged, NextAttempt | None]]:
    """Return the tasks to continue from another's checkpoint, or from their own after others had their turn."""
    spec = facts.spec
    order = dimensions_of(spec.params)
    interval = _interval(facts, found)
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


def _interval(facts: JobFacts, found: Sequence[Judged]) -> float:
    epochs = max((one.epochs for one in found if one.epochs), default=None)
    return facts.spec.search.interval or (max(1.0, epochs // INTERVAL_SHARE) if epochs else INTERVAL)


def _had_its_turn(one: Judged, trial: Trial, interval: float) -> bool:
    """Return True if this attempt has reached another interval, and there is more to do."""
    if one.began is None or not trial.curve:
        return False
    done = stopping.steps_done(trial)
    before = one.began - min(max(0.0, trial.curve[0][0]), 1.0)  # scripts count from 0 or from 1
    return math.floor(done / interval) > math.floor(before / interval) and (one.epochs is None or done < one.epochs)


def _all_failed(runs: Sequence[history.Run]) -> str | None:
    """Return the reason to end the search if its first tasks all failed: the script fails, not the parameters."""
    ended = [run for run in runs if run.state.ended]
    if len(ended) >= FAILURES and all(run.state is TaskState.ERROR for run in ended):
        return f"its first {len(ended)} tasks have all failed; when that is fixed, `paddock extend` continues it"
    return None


def _failure(error: BaseException) -> str:
    if isinstance(error, PaddockError):
        return error.message
    log.error("a searcher failed", exc_info=error)
    return f"its searcher failed: {type(error).__name__}: {error}"
