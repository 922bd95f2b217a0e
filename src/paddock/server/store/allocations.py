"""Allocations: what the engine requested from a backend, and what the backend last reported."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa

from paddock.models import Allocation, AllocationBatch, AllocationState, AllocationStatus, Cause, Waits
from paddock.server.store.guards import dumps
from paddock.server.store.kept import fetch_kept
from paddock.server.store.rows import clock_of, columns, fetch, many, model, portions
from paddock.server.store.tables import PLANNED, UNCLOSED, allocations, batches, jobs

HELD = Waits(reason="held: it begins no further task until it is released")


@dataclass(frozen=True, slots=True)
class AllocationRow:
    """An allocation as the engine sees it."""

    key: str
    batch: str
    job_id: str
    backend: str
    backend_id: str | None  # None: no backend has confirmed it
    state: AllocationState
    node: str | None
    reason: str | None
    never: bool
    by_hand: bool
    starts_at: float | None
    adjusted: int
    created_at: float
    seen_at: float | None
    ending: bool  # Paddock wants it to end; only `state` shows that it has
    cause: Cause | None
    closed: bool
    offsets: list[int]  # how far each of its journals has been read
    heard_at: float | None
    leaving_for: str | None = None  # the job for which it ends after the tasks that run in it
    leaves_at: float | None = None  # when it leaves its devices to others, as its runner was told
    leaving_to: str | None = None  # the job for which it ends, if it is not of this server: in words


@dataclass(frozen=True, slots=True)
class UnadjustedAllocation:
    """An allocation that does not have the newest change of its job yet, with that change."""

    key: str
    backend: str
    backend_id: str
    job_id: str
    held: bool
    spec: dict[str, Any]
    adjusted: int  # the number of the change


_ROWS = sa.select(*columns(AllocationRow, [*allocations.c, allocations.c.cancelled.label("ending")]))
_UNADJUSTED = (
    sa.select(*columns(UnadjustedAllocation, [*allocations.c, jobs.c.held, jobs.c.spec, jobs.c.adjusted]))
    .join(jobs, jobs.c.id == allocations.c.job_id)
    .where(
        UNCLOSED,
        allocations.c.backend_id.is_not(None),
        allocations.c.state != AllocationState.ENDED,
        sa.or_(allocations.c.cancelled.is_(False), allocations.c.state == AllocationState.RUNNING),
        allocations.c.adjusted != jobs.c.adjusted,
    )
    .order_by(allocations.c.key)
)
_UNCLOSED = _ROWS.where(UNCLOSED).order_by(allocations.c.created_at, allocations.c.key)
_PLANNED = (
    sa.select(batches.c.key, batches.c.job_id, batches.c.backend, batches.c.spec)
    .where(batches.c.key.in_(sa.select(allocations.c.batch).where(PLANNED)))
    .order_by(batches.c.created_at, batches.c.key)
)
MOST_NAMED = 3  # for whom allocations leave
_UNSTARTED = (AllocationState.PLANNED, AllocationState.PENDING)
_WAITING = sa.and_(UNCLOSED, allocations.c.state.in_(_UNSTARTED))


def plan(
    c: sa.Connection, job: str, backend: str, batch: AllocationBatch, leaves_at: Sequence[float | None] = ()
) -> None:
    """Record a batch before it is requested: after a crash, its key shows whether it was.

    `leaves_at`: when each of its allocations leaves its devices to others.
    """
    now = clock_of(c).now()
    about = {"job_id": job, "backend": backend, "created_at": now}
    c.execute(sa.insert(batches).values(key=batch.key, spec=batch.model_dump(mode="json"), **about))
    adjusted = c.execute(sa.select(jobs.c.adjusted).where(jobs.c.id == job)).scalar_one()
    row = {"batch": batch.key, "state": AllocationState.PLANNED, "offsets": [], "adjusted": adjusted, **about}
    times = [*leaves_at, *[None] * (batch.count - len(leaves_at))]
    rows = [{"key": key, "leaves_at": at, **row} for key, at in zip(batch.keys, times, strict=True)]
    c.execute(sa.insert(allocations), rows)


def next_number(c: sa.Connection, job: str) -> int:
    """Return the number of the next batch of a job."""
    return c.execute(sa.select(sa.func.count()).where(batches.c.job_id == job)).scalar_one() + 1


def unclosed(c: sa.Connection) -> list[AllocationRow]:
    """Return the allocations whose journals have not been read to the end, oldest first."""
    return fetch_kept(c, AllocationRow, _UNCLOSED)


def jobs_of(c: sa.Connection, keys: Collection[str]) -> dict[str, str]:
    """Return the job of each of these allocations."""
    query = sa.select(allocations.c.key, allocations.c.job_id)
    wanted = portions(sorted(keys))
    return {key: job for some in wanted for key, job in c.execute(query.where(allocations.c.key.in_(some)))}


def planned(c: sa.Connection) -> list[tuple[str, str, AllocationBatch]]:
    """Return job, backend and batch of those that no backend has confirmed."""
    return fetch_kept(c, _planned, _PLANNED)


def _planned(_key: str, job: str, backend: str, spec: dict[str, Any]) -> tuple[str, str, AllocationBatch]:
    return job, backend, AllocationBatch.model_validate(spec)


def last(c: sa.Connection, job: str, count: int) -> list[AllocationRow]:
    """Return up to `count` allocations of a job, newest first."""
    query = _ROWS.where(allocations.c.job_id == job)
    query = query.order_by(allocations.c.created_at.desc(), allocations.c.key.desc())
    return fetch(c, AllocationRow, query.limit(count))


def submitted(c: sa.Connection, batch: str, ids: Sequence[str]) -> None:
    """Record the ids that the backend gave to the first allocations of a batch, and delete the others."""
    values = {"state": AllocationState.PENDING, "seen_at": clock_of(c).now(), "reason": None}
    one = sa.and_(allocations.c.key == sa.bindparam("one"), allocations.c.state == AllocationState.PLANNED)
    named = [{"one": f"{batch}.{number}", "id": given} for number, given in enumerate(ids)]
    if named:
        c.execute(sa.update(allocations).where(one).values(backend_id=sa.bindparam("id"), **values), named)
    c.execute(sa.delete(allocations).where(*_planned_in(batch)))


def refused(c: sa.Connection, batch: str, reason: str) -> None:
    """Record that the backend will never accept a batch."""
    values = _values(
        AllocationStatus(state=AllocationState.ENDED, cause=Cause.LAUNCH_FAILED, reason=reason), clock_of(c).now()
    )
    c.execute(sa.update(allocations).where(*_planned_in(batch)).values(**values))


def waits(c: sa.Connection, batch: str, reason: str) -> bool:
    """Record why the backend does not accept a batch yet; return True if the reason is new."""
    change = sa.update(allocations).where(*_planned_in(batch), allocations.c.reason.is_distinct_from(reason))
    return bool(c.execute(change.values(reason=reason)).rowcount)


def _planned_in(batch: str) -> list[sa.ColumnElement[bool]]:
    return [allocations.c.batch == batch, allocations.c.state == AllocationState.PLANNED]


def _set(c: sa.Connection, keys: Collection[str], **values: Any) -> None:
    c.execute(sa.update(allocations).where(allocations.c.key.in_(keys)).values(**values))


def seen(c: sa.Connection, key: str, status: AllocationStatus) -> None:
    """Record what the backend reports of an allocation."""
    _set(c, [key], **_values(status, clock_of(c).now()))


def _values(status: AllocationStatus, now: float) -> dict[str, Any]:
    values = status.model_dump(mode="json", exclude={"cause", "held", "others"}) | {"seen_at": now}
    if status.state is AllocationState.ENDED:
        values |= {"ended_at": now, "cause": status.cause}
    return values


def touch(c: sa.Connection, keys: list[str]) -> None:
    """Record that the backend has listed these allocations, with nothing new."""
    if keys:
        _set(c, keys, seen_at=clock_of(c).now())


def failed(c: sa.Connection, key: str, cause: Cause, reason: str) -> None:
    """Record that an allocation has ended for this cause."""
    seen(c, key, AllocationStatus(state=AllocationState.ENDED, cause=cause, reason=reason))


def to_end(c: sa.Connection, keys: list[str]) -> None:
    """Record that Paddock wants these allocations to end."""
    _set(c, keys, cancelled=True)


def read_to(c: sa.Connection, offsets: Mapping[str, list[int]], now: float) -> None:
    """Record how far the journals have been read; call it in the transaction that stores what was read."""
    change = "UPDATE allocations SET offsets = ?, heard_at = ? WHERE key = ?"
    many(c, change, [(dumps(read), now, key) for key, read in offsets.items()])


def close(c: sa.Connection, key: str) -> None:
    """Record that an allocation has ended and that its journals have been read to the end."""
    _set(c, [key], closed=True)


def adjusted(c: sa.Connection, keys: Sequence[str], number: int) -> None:
    """Record that these allocations have the change of this number."""
    _set(c, keys, adjusted=number)


def to_adjust_again(c: sa.Connection, key: str) -> bool:
    """Record that an allocation does not have the last change of its job; return True unless the job is held."""
    going_on = sa.select(jobs.c.id).where(jobs.c.held.is_(False))
    change = sa.update(allocations).where(allocations.c.key == key, allocations.c.job_id.in_(going_on))
    return bool(c.execute(change.values(adjusted=-1)).rowcount)


def to_adjust(c: sa.Connection) -> list[UnadjustedAllocation]:
    """Return the allocations that do not have the newest change of their job yet, with that change."""
    return fetch_kept(c, UnadjustedAllocation, _UNADJUSTED)


def waiting(c: sa.Connection, ids: Sequence[str]) -> dict[str, Waits]:
    """Return by job why its allocations wait: the reason of the one that is expected to start first."""
    query = sa.select(allocations).where(allocations.c.job_id.in_(ids), _WAITING)
    found: dict[str, Waits] = {}
    for row in c.execute(query.order_by(allocations.c.never, allocations.c.starts_at.nulls_last(), allocations.c.key)):
        if row.reason and row.job_id not in found:
            found[row.job_id] = model(Waits, row)
    return found


def of_task(c: sa.Connection, job: str, key: str | None) -> Allocation | None:
    """Return the allocation of this key; without a key, the one of the job that is expected to start first."""
    where = allocations.c.key == key if key else sa.and_(allocations.c.job_id == job, _WAITING)
    query = sa.select(allocations).where(where)
    row = c.execute(query.order_by(allocations.c.starts_at.nulls_last(), allocations.c.key).limit(1)).one_or_none()
    return None if row is None else model(Allocation, row)


def batches_by_key(c: sa.Connection, keys: Collection[str]) -> dict[str, AllocationBatch]:
    """Return these batches; those of very old versions are left out."""
    query = sa.select(batches.c.key, batches.c.spec)
    found = (row for some in portions(sorted(keys)) for row in c.execute(query.where(batches.c.key.in_(some))))
    return {key: AllocationBatch.model_validate(spec) for key, spec in found if "resources" in spec}


def nodes_of(c: sa.Connection, batches: Collection[str]) -> dict[str, str]:
    """Return the node of each allocation of these batches, where that was chosen when they were planned."""
    found = batches_by_key(c, batches).values()
    return {key: place.node for batch in found for key, place in zip(batch.keys, batch.places, strict=False)}


def gpus_of(c: sa.Connection, batches: Collection[str]) -> dict[str, int]:
    """Return how many GPUs each allocation of these batches has, on all its nodes together."""
    return {key: batch.resources.all_gpus for batch in batches_by_key(c, batches).values() for key in batch.keys}


def has_nice(c: sa.Connection, keys: Collection[str], nice: int) -> None:
    """Record with which Nice these allocations wait: in their batches, whose allocations have it in common."""
    names = {key.rpartition(".")[0] for key in keys}
    for key, batch in batches_by_key(c, names).items():
        slurm = batch.resources.slurm.model_copy(update={"nice": nice})
        made = batch.model_copy(update={"resources": batch.resources.model_copy(update={"slurm": slurm})})
        c.execute(sa.update(batches).where(batches.c.key == key).values(spec=made.model_dump(mode="json")))


def leave(c: sa.Connection, key: str, job: str, words: str | None = None) -> None:
    """Record that an allocation ends after the tasks that run in it, and for which job; one of others also in words."""
    _set(c, [key], leaving_for=job, leaving_to=words)


def giving_way(c: sa.Connection, job: str) -> str | None:
    """Return for whom allocations of a job leave, and how many of those that run do; None: none leaves."""
    running = _ROWS.where(UNCLOSED, allocations.c.job_id == job, allocations.c.state == AllocationState.RUNNING)
    rows = fetch(c, AllocationRow, running)
    leaving = [row for row in rows if row.leaving_for]
    if not leaving:
        return None
    whom = sorted({row.leaving_to or f"job {row.leaving_for}" for row in leaving})
    verb = "leaves after its task" if len(leaving) == 1 else "leave after their tasks"
    more = f" and {len(whom) - MOST_NAMED} more" if len(whom) > MOST_NAMED else ""
    return f"{', '.join(whom[:MOST_NAMED])}{more}: {len(leaving)} of {len(rows)} allocations {verb}"


def leaves_at(c: sa.Connection, key: str, at: float | None) -> None:
    """Record when an allocation leaves its devices to others; None: it may stay."""
    _set(c, [key], leaves_at=at)


def batch_of(c: sa.Connection, key: str) -> AllocationBatch | None:
    """Return the batch that an allocation belongs to."""
    query = sa.select(batches.c.spec).join(allocations, allocations.c.batch == batches.c.key)
    spec = c.execute(query.where(allocations.c.key == key)).scalar_one_or_none()
    return AllocationBatch.model_validate(spec) if spec and "resources" in spec else None
