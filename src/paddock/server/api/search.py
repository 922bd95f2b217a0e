"""The routes of searches."""

import math
import time
from datetime import UTC, datetime

from fastapi import APIRouter
from starlette.responses import Response

from paddock.models import ExtendRequest, JobDetail, Method, ObjectiveReport, ObjectiveRequest, SearchReport
from paddock.search import history, report, stopping
from paddock.server.api.caller import By
from paddock.server.api.permissions import JobId
from paddock.server.api.replies import Reply
from paddock.server.api.server import At, Server
from paddock.server.intake import extension, masks, objective
from paddock.server.store import jobs, metrics, trials
from paddock.server.store.db import Connection

router = APIRouter()

LATE_SECONDS = 10.0


@router.get("/{job}/search", response_model=SearchReport)
def show_search(job: JobId, at: At, reply: Reply) -> Response:
    """Return how a search stands: trials, best values, importance of parameters, early stopping, lineage."""
    with at.db.read() as c:
        found = jobs.existing(c, job)
        return reply(search_report(at, c, found))


def search_report(at: Server, c: Connection, job: str) -> bytes:
    """Return the report of a search in JSON, as last made if nothing has changed since."""
    return at.searches.get(c, job, lambda: _report(c, job))


def _report(c: Connection, job: str) -> tuple[bytes, float]:
    """Return the report of a search in JSON, and for how many seconds it holds if nothing changes."""
    row = jobs.get(c, job)
    spec = row.job_spec()
    runs = trials.runs(c, job)
    judged = trials.judged(c, job) if spec.stop_early.method != "none" else []
    series = metrics.series(c, [one.task for one in judged], spec.objective.metric) if judged else {}
    known = history.curve_trials(judged, series, {})
    given = history.stop_early_of(spec, [one.epochs for one in judged])
    importance, importance_from = report.importance(runs, spec)
    made = SearchReport(
        method=spec.search.method,
        objectives=spec.objectives,
        stop_early=spec.stop_early,
        trials=spec.search.trials if spec.search.method is not Method.GRID else len(history.by_trial(runs)),
        searching=row.searching,
        ended_why=row.search_note,
        ends_at=None if row.search_until is None else datetime.fromtimestamp(row.search_until, UTC),
        history=report.trial_reports(runs, spec.objectives),
        importance=importance,
        importance_from=importance_from,
        rungs=stopping.stopper(given, spec.objective.goal).rungs(known),
        saved=stopping.saved(known, given.max_steps),
        unjudged=report.unjudged(judged, series, time.time()),
        moves=trials.moves(c, job),
    )
    # A task becomes unjudged when it has run for a while: no event reports that.
    waits = any(one.started_at is not None and not one.state.ended for one in judged)
    return made.model_dump_json().encode(), LATE_SECONDS if waits else math.inf


@router.get("/{job}/objective")
def show_objective(job: JobId, at: At) -> ObjectiveReport:
    """Return the objective of a job, why it is that, and the metrics that tasks report."""
    with at.db.read() as c:
        return objective.report(c, jobs.existing(c, job))


@router.put("/{job}/objective")
def change_objective(job: JobId, wanted: ObjectiveRequest, at: At, by: By) -> JobDetail:
    """Change the objective of a job at any time: best values, ranks and importance are computed again.

    Decisions that a search has made stay; the next ones go by the new objective.
    """
    with at.db.read() as c:
        found = jobs.existing(c, job)
    objective.change(at.db, found, wanted)
    at.did(by, "job.objective", found)
    with at.db.read() as c:
        return detail(at, c, found)


@router.post("/{job}/extend")
def extend_job(job: JobId, more: ExtendRequest, at: At, by: By) -> JobDetail:
    """Give a search more trials, more time or other values from now on. A search that has ended goes on."""
    with at.db.read() as c:
        found = jobs.existing(c, job)
    extension.extend(at.db, found, more, at.settings)
    at.did(by, "job.extend", found)
    with at.db.read() as c:
        return detail(at, c, found)


def detail(at: Server, c: Connection, job: str) -> JobDetail:
    """Return a job as it is shown: without the values of secret variables."""
    known = at.engine.context
    found = jobs.detail(c, job, str(at.outposts.of(job).folder.root), **known.seen)
    return found.model_copy(update={"spec": masks.masked(found.spec, job)})
