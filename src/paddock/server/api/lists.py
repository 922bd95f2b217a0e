"""The routes for the list of jobs: the queue, saved views, and the same for several jobs."""

import time
from typing import Annotated

from fastapi import APIRouter, Query

from paddock.errors import Conflict, InvalidInput, PaddockError
from paddock.models.jobs import MAX_TAGS, BulkRequest, BulkResult, JobPatch, SavedView
from paddock.models.queue import QueuePage
from paddock.server.api import acts
from paddock.server.api.caller import By
from paddock.server.api.permissions import BULK_RIGHTS, find
from paddock.server.api.server import At
from paddock.server.store import jobs, queue, tasks, trials, views
from paddock.server.store.db import Connection

router = APIRouter(tags=["jobs"])
_ACTS = {act: f"job.{act}" for act in ("stop", "remove", "hold", "release")}


@router.post("/jobs/bulk")
def act_on_jobs(what: BulkRequest, at: At, by: By) -> list[BulkResult]:
    """Do the same to several jobs; the answer reports each."""
    if what.act in ("tag", "untag") and what.tag is None:
        raise InvalidInput.at("tag", "give the tag")
    results = []
    for job in dict.fromkeys(what.jobs):
        try:
            found = find(at, by, job, BULK_RIGHTS[what.act])
            with at.db.write() as c:  # one each: a stop of 10,000 tasks holds up nobody for long
                acts.record(c, at.settings, by, _ACTS.get(what.act, "job.edit"), found)
                _act(c, jobs.existing(c, found), what)
            results.append(BulkResult(job=job, done=True))
        except PaddockError as error:
            results.append(BulkResult(job=job, done=False, message=error.message))
    at.changed()
    return results


def _act(c: Connection, job: str, what: BulkRequest) -> None:
    if what.act == "stop":
        trials.end(c, job, "it was stopped")
        tasks.request_stop(c, job, None)
    elif what.act == "remove":
        jobs.mark_removing(c, job)
    elif what.act in ("hold", "release"):
        jobs.hold(c, job, held=what.act == "hold")
    elif what.act in ("pin", "unpin"):
        jobs.patch(c, job, JobPatch(pinned=what.act == "pin"))
    elif what.tag is not None:
        others = [tag for tag in jobs.tags_of(c, job) if tag != what.tag]
        if what.act == "tag" and len(others) >= MAX_TAGS:
            raise Conflict(f"The job has {MAX_TAGS} tags already: take one away first.")
        jobs.patch(c, job, JobPatch(tags=[*others, what.tag] if what.act == "tag" else others))


@router.get("/queue")
def show_queue(
    at: At,
    by: By,
    tasks: Annotated[int, Query(ge=0, le=1000, description="number of waiting tasks to list of each job")] = 0,
) -> QueuePage:
    """Return the jobs that wait, in the order in which they go on, then those that run: when each begins and ends."""
    known = at.engine.context
    decided = queue.Decided(known.waits, known.lines, known.estimates)
    with at.db.read() as c:
        found = queue.listed(c, by.sight, at.settings.backend, time.time(), decided, tasks)
    # One read: the engine replaces it.
    following = known.next_sizes
    sizes = [change for job in found.items for change in following.get(job.id, ())]
    return found.model_copy(update={"team": by.team, "next": sizes})


@router.get("/views")
def list_views(at: At, by: By) -> list[SavedView]:
    """Return the caller's saved views of the list of jobs."""
    with at.db.read() as c:
        return views.listed(c, by.name)


@router.put("/views")
def save_view(view: SavedView, at: At, by: By) -> list[SavedView]:
    """Save a view, in place of the one of the same name; return all of them."""
    with at.db.write() as c:
        views.save(c, by.name, view)
        return views.listed(c, by.name)


@router.delete("/views/{name:path}", status_code=204)
def delete_view(name: str, at: At, by: By) -> None:
    """Delete a saved view."""
    with at.db.write() as c:
        views.delete(c, by.name, name)
