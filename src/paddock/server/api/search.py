"""The routes of searches."""

import time
from datetime import UTC, datetime

from fastapi import APIRouter

from paddock.models import ExtendRequest, JobDetail, JobSpec, Method, SearchReport
from paddock.search import history, report, stopping
from paddock.server.api.server import At, JobId, Server
from paddock.server.intake import extension, masks
from paddock.server.store import jobs, metrics, trials
from paddock.server.store.db import Connection

router = APIRouter()


@router.get("/{job}/search")
def show_search(job: JobId, at: At) -> SearchReport:
    """Return how a search stands: trials, best values, importance of parameters, early stopping, lineage."""
    with at.db.read() as c:
        found = jobs.resolve(c, job)
        row = jobs.get(c, found)
        spec = JobSpec.model_validate(row.spec)
        runs = trials.runs(c, found)
        moves = trials.moves(c, found)
        judged = trials.judged(c, found) if spec.stop_early.method != "none" else []
        series = metrics.series(c, [one.task for one in judged], spec.objective.metric) if judged else {}
    known = history.curve_trials(judged, series, {})
    given = history.stop_early_of(spec, [one.epochs for one in judged])
    return SearchReport(
        method=spec.search.method,
        objectives=spec.objectives,
        stop_early=spec.stop_early,
        trials=spec.search.trials if spec.search.method is not Method.GRID else len(history.by_trial(runs)),
        searching=row.searching,
        ended_why=row.search_note,
        ends_at=None if row.search_until is None else datetime.fromtimestamp(row.search_until, UTC),
        history=report.trial_reports(runs, spec.objectives),
        importance=report.importance(runs, spec),
        rungs=stopping.stopper(given, spec.objective.goal).rungs(known),
        saved=stopping.saved(known, given.max_steps),
        unjudged=report.unjudged(judged, series, time.time()),
        moves=moves,
    )


@router.post("/{job}/extend")
def extend_job(job: JobId, more: ExtendRequest, at: At) -> JobDetail:
    """Give a search more trials, more time or other values from now on. A search that has ended goes on."""
    with at.db.read() as c:
        found = jobs.resolve(c, job)
    extension.extend(at.db, found, more, at.settings)
    at.changed()
    with at.db.read() as c:
        return detail(at, c, found)


def detail(at: Server, c: Connection, job: str) -> JobDetail:
    """Return a job as it is shown: without the values of secret variables."""
    found = jobs.detail(c, job, str(at.home.job(job).root), at.engine.context.silent)
    return found.model_copy(update={"spec": masks.masked(found.spec, job)})
