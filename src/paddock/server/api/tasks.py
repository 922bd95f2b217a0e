"""The routes of tasks."""

from collections.abc import Iterator, Sequence
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Query
from starlette.responses import Response

from paddock.errors import InvalidInput
from paddock.models import (
    Allocation,
    Attempt,
    Changed,
    Curve,
    ResizeRequest,
    Resources,
    Task,
    TaskDetail,
    TaskPatch,
)
from paddock.rules import placement
from paddock.server.api import attach, files, logs
from paddock.server.api.caller import By, Caller
from paddock.server.api.job_tasks import Points
from paddock.server.api.permissions import Right, TaskId, may
from paddock.server.api.replies import Reply
from paddock.server.api.server import At, Server
from paddock.server.engine import mailbox
from paddock.server.engine.bookings import can_yield
from paddock.server.intake import checks
from paddock.server.store import allocations, metrics, sizes, tasks
from paddock.server.store.attempts import current
from paddock.server.store.db import Connection

CHOSEN_FIRST = "chosen when it began, as earlier runs of its program show how fast it is on each number of GPUs"

router = APIRouter(prefix="/tasks", tags=["tasks"])


@router.get("/{task}")
def show_task(task: TaskId, at: At, by: By) -> TaskDetail:
    """Return a task with its attempts, its exact command and its allocation.

    Who may not read the files of the job gets it without its command, its folder and the script of the allocation.
    """
    found = _detail(at, task)
    if may(at, by, Right.READ, found.owner):
        at.reads.record(by, found.job, found.owner)
        return found
    allocation = found.allocation and found.allocation.model_copy(update={"script": None})
    return found.model_copy(update={"command": [], "folder": "", "log_bytes": 0, "allocation": allocation})


@router.patch("/{task}")
def edit_task(task: TaskId, change: TaskPatch, at: At, by: By) -> TaskDetail:
    """Change the note of a task."""
    with at.change(by, "task.edit", task) as c:
        found = tasks.existing(c, task)
        if change.note is not None:
            tasks.set_note(c, found, change.note)
    return _detail(at, found)


def _detail(at: Server, task: str) -> TaskDetail:
    with at.db.read() as c:
        found = tasks.existing(c, task)
        row = tasks.get(c, found, **at.engine.context.seen)
        facts = at.engine.context.facts(c, [row.job])[row.job]
        attempts = tasks.attempts_of(c, found)
        names = metrics.names(c, found)
        note = tasks.note(c, found)
        wish, sized_by = tasks.resize_wish(c, found), sizes.chosen_by(c, found)
        allocation = _allocation(at, c, row, attempts[-1])
    outpost = at.outposts.of(row.job)
    return TaskDetail(
        **row.__dict__,
        command=mailbox.task_command(at.engine.context, facts, found, row.params, reduces=row.reduces).argv,
        allocation=allocation,
        attempts=_with_sizes(attempts, facts.spec.resources),
        metrics=names,
        log_bytes=logs.Log(found, row.attempt, outpost).size(),
        folder=str(outpost.task_folder(found)),
        note=note,
        size_wanted=(wish.size or facts.spec.resources.gpus) if wish else None,
        resize_by=wish.by if wish else None,
        resize_why=wish.why if wish else None,
        sized_by=sized_by,
        size_why=size_why(attempts, facts.spec.resources, sized_by),
    )


def _with_sizes(attempts: list[Attempt], resources: Resources) -> list[Attempt]:
    """Return attempts with their numbers of GPUs, where those can differ."""
    if resources.most_gpus is None:
        return attempts
    return [one.model_copy(update={"size": one.size or resources.gpus}) for one in attempts]


def size_why(attempts: Sequence[Attempt], resources: Resources, sized_by: str | None) -> str | None:
    """Return why the last attempt has the number of GPUs that it has; None: as submitted, or it cannot change."""
    if resources.most_gpus is None or not attempts:
        return None
    if sized_by is not None:
        return f"{sized_by} chose it"
    for before, attempt in zip(attempts[-2::-1], attempts[:0:-1], strict=True):
        if attempt.size != before.size:
            return before.reason
    return CHOSEN_FIRST if attempts[0].size not in (None, resources.gpus) else None


def _allocation(at: Server, c: Any, task: Task, attempt: Attempt) -> Allocation | None:
    """Return where a task runs, ran or will run, with the exact script that the scheduler was given."""
    if attempt.allocation is None and task.state.ended:
        return None
    found = allocations.of_task(c, task.job, attempt.allocation)
    batch = allocations.batch_of(c, found.key) if found else None
    if found is None or batch is None or found.backend not in at.engine.backends:
        return found
    return found.model_copy(update={"script": at.engine.script(found.backend, batch)})


@router.get("/{task}/attempts")
def list_attempts(task: TaskId, at: At) -> list[Attempt]:
    """Return the attempts of a task, the first one first."""
    with at.db.read() as c:
        found = tasks.existing(c, task)
        facts = at.engine.context.facts(c, [_job(found)]).get(_job(found))
        attempts = tasks.attempts_of(c, found)
    return _with_sizes(attempts, facts.spec.resources) if facts else attempts


@router.get("/{task}/metrics", response_model=list[Curve])
def task_curves(
    task: TaskId,
    at: At,
    reply: Reply,
    metric: Annotated[list[str] | None, Query(description="without one: all")] = None,
    points: Points = 1000,
    attempt: Annotated[
        int | None,
        Query(ge=1, le=2**31, description="without it: the curve of the task over all attempts that were resumed"),
    ] = None,
) -> Response:
    """Return the curves of a task."""
    with at.db.read() as c:
        curves = metrics.curves(c, [tasks.existing(c, task)], metric, points, attempt)
    return reply(curves)


@router.post("/{task}/stop")
def stop_task(task: TaskId, at: At, by: By) -> Changed:
    """Stop a task. The answer is empty if it has ended."""
    with at.change(by, "task.stop", task) as c:
        found = tasks.existing(c, task)
        return Changed(tasks=tasks.request_stop(c, _job(found), [found]))


@router.post("/{task}/restart")
def restart_task(
    task: TaskId,
    at: At,
    by: By,
    resume: Annotated[bool, Query(description="keep the checkpoint, so that the script can go on from it")] = False,
) -> Changed:
    """Run a task again that has ended, as a new attempt."""
    with at.change(by, "task.restart", task) as c:
        found = tasks.existing(c, task)
        return Changed(tasks=tasks.restart(c, _job(found), [found], failed=False, resume=resume))


@router.post("/{task}/resize")
def resize_task(task: TaskId, request: ResizeRequest, at: At, by: By) -> Changed:
    """Let a task go on with another number of GPUs: it ends at a checkpoint, and a next attempt continues from there.

    It keeps that number then, until somebody lets the policy choose (`auto`). The answer is empty if it has, or will
    have, that number already.
    """
    with at.change(by, "task.resize", task, {"gpus": request.gpus}) as c:
        found = tasks.existing(c, task)
        return resized(at, by, c, [found], request, strict=True)


def resized(
    at: Server, by: Caller, c: Connection, ids: Sequence[str], request: ResizeRequest, *, strict: bool = False
) -> Changed:
    """Record what a caller wants of tasks of one job; refuse a number of GPUs that they cannot go on with.

    `strict`: also if only some of them cannot, which are left out otherwise.
    """
    if not ids:
        return Changed(tasks=[])
    job = _job(ids[0])
    wish = _wish(at, by, c, job, request.gpus)
    if request.gpus == "auto":
        if at.engine.context.newest_facts(c, [job])[job].spec.elastic.keep_size:
            message = "its tasks keep their size, as the job was submitted with --keep-size: give a number"
            raise InvalidInput.at("gpus", message)
        return Changed(tasks=[one for one in ids if sizes.leave_to_policy(c, one)])
    small = dict(_too_small(at, c, job, ids, request.gpus))
    if small and strict:
        raise InvalidInput.at("gpus", next(iter(small.values())))
    return Changed(tasks=[one for one in ids if one not in small and tasks.request_resize(c, one, wish)])


def _wish(at: Server, by: Caller, c: Connection, job: str, given: int | Literal["auto"]) -> tasks.ResizeWish:
    facts = at.engine.context.newest_facts(c, [job])[job]
    resources = facts.spec.resources
    gpus = (resources.gpus or 1) if given == "auto" else given
    checks.resize(resources, gpus, resumes=can_yield(facts))
    worker = at.engine.context.worker(facts)
    if worker is not None:
        sized = placement.sized(resources, gpus, worker.nodes, worker.backend.traits)
        checks.whole_nodes(sized, worker.nodes, worker.backend.traits, "gpus")
    return tasks.ResizeWish(resources.unusual(gpus), by.name)


def _too_small(at: Server, c: Connection, job: str, ids: Sequence[str], gpus: int) -> Iterator[tuple[str, str]]:
    """Yield the tasks that cannot have so many GPUs where their checkpoints are, and why.

    Without a common file system a task goes on where its checkpoint is, as after any other end.
    """
    facts = at.engine.context.newest_facts(c, [job])[job]
    worker = at.engine.context.worker(facts)
    if worker is None or not at.outposts.of(job).dealt:
        return
    most = {one.name: placement.gpus_of_a_node(facts.spec.resources, [one]) for one in worker.nodes}
    for row in current(c, ids):
        if row.node in most and most[row.node] < gpus:
            there = f"its checkpoint is on {row.node}, which has {most[row.node]} that it can use"
            yield row.id, f"{gpus} GPUs are not possible for {row.id}: {there}"


def _job(task: str) -> str:
    return task.rpartition("-")[0]


router.include_router(attach.router)
router.include_router(logs.router)
router.include_router(files.router)
