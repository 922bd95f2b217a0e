"""Profiles: how fast programs train on several GPUs, as their tasks have shown, for the next job."""

from collections.abc import Mapping
from typing import Any

import sqlalchemy as sa

from paddock.rules.profiles import MOST_GPUS, MOST_TIMINGS, EpochTime, Timing, compared, remember
from paddock.server.store.rows import portions
from paddock.server.store.tables import attempts, profiles

MOST_KINDS = 16  # of GPUs per program
MOST_PROGRAMS = 200  # per person: a program gets another key whenever it is edited
MOST_NAME = 200  # letters of a kind of GPU

Whose = tuple[str, str]  # the owner, and the program


def known(c: sa.Connection, owner: str, program: str | None, gpu: str) -> tuple[Timing, ...]:
    """Return what was seen of a program on this kind of GPU; of other kinds, if it never ran there."""
    table = profiles.c
    query = sa.select(table.gpu, table.timings).where(table.owner == owner, table.program == program)
    rows = c.execute(query.order_by(table.at.desc()).limit(MOST_KINDS)).all()
    chosen = next((row.timings for row in rows if row.gpu == gpu), rows[0].timings if rows else [])
    return _parsed(chosen)


def learn(
    c: sa.Connection, whose: Whose, gpu: str, task: str, fewest: int, at: float, whole: int | None = None
) -> None:
    """Remember what the attempts of a task have shown of its program, if it trained on several numbers of GPUs.

    `fewest`: the GPUs of attempts that have no other number. `whole`: how many a node has, if more are of several.
    """
    times = epoch_times(c, {task: fewest}, whole).get(task, [])
    if not 0 < len(gpu) <= MOST_NAME or len({one.gpus for one in times}) < 2:
        return
    owner, program = whose
    mine = sa.and_(profiles.c.owner == owner, profiles.c.program == program)
    before = {row.gpu: row.timings for row in c.execute(sa.select(profiles.c.gpu, profiles.c.timings).where(mine))}
    timings = _parsed(before.get(gpu))
    for one in compared(timings, times):
        timings = remember(timings, one)
    values = {"timings": [[one.gpus, one.nodes, one.step, one.count] for one in timings[-MOST_TIMINGS:]], "at": at}
    if gpu in before:
        c.execute(sa.update(profiles).where(mine, profiles.c.gpu == gpu).values(**values))
    elif len(before) < MOST_KINDS and timings:
        c.execute(sa.insert(profiles).values(owner=owner, program=program, gpu=gpu, **values))
        of_owner = profiles.c.owner == owner
        oldest = sa.select(profiles.c.at).where(of_owner).order_by(profiles.c.at.desc()).offset(MOST_PROGRAMS).limit(1)
        if (last := c.scalar(oldest)) is not None:
            c.execute(sa.delete(profiles).where(of_owner, profiles.c.at <= last))


def epoch_times(c: sa.Connection, tasks: Mapping[str, int], whole: int | None = None) -> dict[str, list[EpochTime]]:
    """Return what an epoch took on each number of GPUs, by task: as the newest attempts of each number have shown.

    `tasks`: the GPUs of those of their attempts that have no other number; `whole` as for `learn`. With what
    `paddock.elastic` reports, it is what a sample took; if it was reported for all of them.
    """
    found: dict[str, dict[int, Any]] = {}
    table = attempts.c
    columns = (table.task_id, table.size, table.epoch_seconds, table.samples_per_second)
    for some in portions(sorted(tasks)):
        query = sa.select(*columns).where(table.task_id.in_(some), table.started_at.is_not(None))
        for row in c.execute(query.order_by(table.task_id, table.number)):
            if row.epoch_seconds or row.samples_per_second:
                found.setdefault(row.task_id, {})[row.size or tasks[row.task_id]] = row
    return {task: _times(rows, whole) for task, rows in found.items()}


def _times(rows: Mapping[int, Any], whole: int | None) -> list[EpochTime]:
    by_samples = all(row.samples_per_second for row in rows.values())
    times = {
        gpus: 1 / row.samples_per_second if by_samples else row.epoch_seconds for gpus, row in sorted(rows.items())
    }
    return [EpochTime(gpus, nodes_of(gpus, whole), seconds) for gpus, seconds in times.items() if seconds]


def nodes_of(gpus: int, whole: int | None) -> int:
    """Return on how many nodes this many GPUs are, if those with `whole` each are given whole."""
    return gpus // whole if whole and gpus > whole else 1


def _parsed(stored: Any) -> tuple[Timing, ...]:
    """Return timings as they were stored; what is not one is left out."""
    found = []
    for one in stored if isinstance(stored, list) else []:
        numbers = isinstance(one, list) and len(one) == 4 and all(type(part) in (int, float) for part in one)
        if numbers and 1 <= one[0] <= MOST_GPUS and one[1] >= 1 and one[3] >= 1:
            made = Timing(int(one[0]), int(one[1]), 1.0, float(one[2]), int(one[3]))
            found += [made] if made.usable else []
    return tuple(found[-MOST_TIMINGS:])
