"""Allocations: what was asked of a backend, and what it last said of it."""

import time
from collections.abc import Mapping
from typing import Any

import sqlalchemy as sa

from paddock.models import AllocationSpec, AllocationState, AllocationStatus, Cause
from paddock.store.tables import allocations

_BUT_SPEC = sa.select(*(column for column in allocations.c if column.name != "spec"))


def plan(c: sa.Connection, job: str, backend: str, spec: AllocationSpec) -> None:
    """Write down what will be asked for, before it is: after a crash the key tells whether it was."""
    c.execute(
        sa.insert(allocations).values(
            key=spec.key,
            job_id=job,
            backend=backend,
            state=AllocationState.PLANNED.value,
            spec=spec.model_dump(mode="json"),
            created_at=time.time(),
            offsets=[],
        )
    )


def next_number(c: sa.Connection, job: str) -> int:
    return c.execute(sa.select(sa.func.count()).where(allocations.c.job_id == job)).scalar_one() + 1


def unclosed(c: sa.Connection) -> list[sa.Row[Any]]:
    """All that may still have something to say (less their specs)."""
    return list(c.execute(_BUT_SPEC.where(allocations.c.closed.is_(False)).order_by(allocations.c.created_at)))


def planned(c: sa.Connection) -> list[tuple[str, AllocationSpec]]:
    """Backend and spec of those that no backend has confirmed."""
    query = sa.select(allocations.c.backend, allocations.c.spec).where(allocations.c.closed.is_(False))
    rows = c.execute(query.where(allocations.c.state == AllocationState.PLANNED.value))
    return [(row.backend, AllocationSpec.model_validate(row.spec)) for row in rows]


def last(c: sa.Connection, job: str, count: int) -> list[sa.Row[Any]]:
    """The newest allocations of a job, newest first."""
    query = sa.select(allocations).where(allocations.c.job_id == job)
    return list(c.execute(query.order_by(allocations.c.created_at.desc(), allocations.c.key.desc()).limit(count)))


def submitted(c: sa.Connection, key: str, backend_id: str) -> None:
    values = {"backend_id": backend_id, "state": AllocationState.PENDING.value, "seen_at": time.time()}
    planned = AllocationState.PLANNED.value
    c.execute(sa.update(allocations).where(allocations.c.key == key, allocations.c.state == planned).values(**values))


def seen(c: sa.Connection, key: str, status: AllocationStatus) -> None:
    values = {"state": status.state.value, "node": status.node, "reason": status.reason, "seen_at": time.time()}
    if status.state is AllocationState.ENDED:
        values |= {"ended_at": time.time(), "cause": status.cause.value if status.cause else None}
    c.execute(sa.update(allocations).where(allocations.c.key == key).values(**values))


def touch(c: sa.Connection, keys: list[str]) -> None:
    """They were listed, as before."""
    if keys:
        c.execute(sa.update(allocations).where(allocations.c.key.in_(keys)).values(seen_at=time.time()))


def failed(c: sa.Connection, key: str, cause: Cause, reason: str) -> None:
    seen(c, key, AllocationStatus(state=AllocationState.ENDED, cause=cause, reason=reason))


def cancelled(c: sa.Connection, keys: list[str]) -> None:
    c.execute(sa.update(allocations).where(allocations.c.key.in_(keys)).values(cancelled=True))


def read_to(c: sa.Connection, offsets: Mapping[str, list[int]]) -> None:
    """How far each journal has been read, in the same transaction as what was read."""
    if offsets:
        change = sa.update(allocations).where(allocations.c.key == sa.bindparam("one"))
        values = [{"one": key, "to": read} for key, read in offsets.items()]
        c.execute(change.values(offsets=sa.bindparam("to")), values)


def close(c: sa.Connection, key: str) -> None:
    c.execute(sa.update(allocations).where(allocations.c.key == key).values(closed=True))
