"""Which allocation each attempt was dealt to, where attempts are dealt; and on which node one has to run."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

import sqlalchemy as sa

from paddock.models import TaskState
from paddock.rules import resumption
from paddock.server.store.attempts import CURRENT_ROWS, UNBEGUN_ROWS, TaskAttempt, UnbegunAttempt
from paddock.server.store.kept import fetch_kept
from paddock.server.store.rows import columns, fetch, many, portions
from paddock.server.store.tables import CURRENT, DEALT, OPEN, PINNED, attempts, tasks

_WAITS = attempts.c.state == TaskState.SUBMITTED


@dataclass(frozen=True, slots=True)
class AttemptInHand:
    """An attempt that was dealt to an allocation and has not ended."""

    id: int
    task_id: str
    number: int
    job_id: str
    dealt_to: str
    state: TaskState
    node: str | None
    size: int | None = None


@dataclass(frozen=True, slots=True)
class PinnedAttempt:
    """An attempt that waits, and may run on one node only."""

    id: int
    task_id: str
    job_id: str
    node: str
    dealt_to: str | None
    published: bool
    size: int | None = None  # GPUs, where they are not the fewest of its job


_IN_HAND = sa.select(*columns(AttemptInHand, attempts.c)).where(DEALT)  # an order would keep SQLite from the index
_PINNED = sa.select(*columns(PinnedAttempt, attempts.c)).where(PINNED)


def in_hand(c: sa.Connection) -> list[AttemptInHand]:
    """Return all attempts that were dealt and have not ended, the oldest first."""
    return sorted(fetch_kept(c, AttemptInHand, _IN_HAND), key=lambda one: one.id)


def pinned(c: sa.Connection) -> list[PinnedAttempt]:
    """Return all attempts that wait for one node."""
    return fetch_kept(c, PinnedAttempt, _PINNED)


def undealt(c: sa.Connection, job: str, nodes: Collection[str], limit: int) -> list[UnbegunAttempt]:
    """Return attempts of a job that wait and were not dealt: up to `limit` for any node, and as many for these."""
    free = UNBEGUN_ROWS.join(tasks, CURRENT).where(
        OPEN,
        attempts.c.job_id == job,
        _WAITS,
        attempts.c.dealt_to.is_(None),
        tasks.c.stopping.is_(False),
    )
    free = free.order_by(tasks.c.number).limit(limit)
    return [
        *fetch(c, UnbegunAttempt, free.where(PINNED, attempts.c.node.in_(nodes))),
        *fetch(c, UnbegunAttempt, free.where(attempts.c.node.is_(None))),
    ]


def unbegun(c: sa.Connection, ids: Sequence[int]) -> list[UnbegunAttempt]:
    """Return those of these attempts that wait."""
    query = UNBEGUN_ROWS.join(tasks, CURRENT).where(_WAITS, tasks.c.stopping.is_(False)).order_by(attempts.c.id)
    return [
        one for some in portions(sorted(ids)) for one in fetch(c, UnbegunAttempt, query.where(attempts.c.id.in_(some)))
    ]


def give(c: sa.Connection, keys: Mapping[int, str]) -> None:
    """Record to which allocation these attempts are dealt; call it before their lines are written."""
    many(c, "UPDATE attempts SET dealt_to = ? WHERE id = ?", [(key, one) for one, key in keys.items()])


def take_back(c: sa.Connection, ids: Collection[int]) -> None:
    """Record that these attempts, which no runner will take any more, can be dealt again."""
    many(c, "UPDATE attempts SET dealt_to = ? WHERE id = ?", [(None, one) for one in ids])


def left_in(c: sa.Connection, keys: Collection[str]) -> list[TaskAttempt]:
    """Return the attempts that were dealt to these allocations and have not begun."""
    query = CURRENT_ROWS.where(DEALT, _WAITS).order_by(attempts.c.id)
    found = portions(sorted(keys))
    return [row for some in found for row in fetch(c, TaskAttempt, query.where(attempts.c.dealt_to.in_(some)))]


def last_nodes(c: sa.Connection, task_ids: Sequence[str]) -> dict[str, str]:
    """Return by task the node where its last attempt ran, if one did."""
    ran = sa.select(attempts.c.task_id, attempts.c.node).where(attempts.c.started_at.is_not(None))
    found: dict[str, str] = {}
    for some in portions(sorted(task_ids)):
        rows = c.execute(ran.where(attempts.c.task_id.in_(some)).order_by(attempts.c.number))
        found |= {task: node for task, node in rows if node}
    return found


def pin(c: sa.Connection, nodes: Mapping[int, str]) -> None:
    """Record the only node where each of these attempts may run."""
    many(c, "UPDATE attempts SET node = ? WHERE id = ?", [(node, one) for one, node in nodes.items()])


def begin_anew(c: sa.Connection, rows: Collection[PinnedAttempt]) -> None:
    """Let attempts begin from nothing, on any node: what they were to resume is gone."""
    many(c, "UPDATE attempts SET node = ?, resumed = ? WHERE id = ?", [(None, False, row.id) for row in rows])
    forget = ", ".join(f"{name} = NULL" for name in resumption.forgotten(resumed=False))
    many(c, f"UPDATE tasks SET {forget} WHERE id = ?", [(row.task_id,) for row in rows])  # noqa: S608  (our own)
