"""Journals into the database: each from where it was read to before, once."""

import os
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa

from paddock.engine.apply import changing
from paddock.engine.context import Context
from paddock.journal import Bye, Ended, Metric, NodeSeen, Packed, Record, Runner, Started, parse
from paddock.models import AllocationState
from paddock.runner import layout
from paddock.store import allocations, packings
from paddock.store.jobs import warn_of_lines

READ_BYTES = 4_000_000
STIRRING = (Runner, Started, Ended, Bye)  # what may call for action


@dataclass(frozen=True)
class Outcome:
    """What a round of reading gave: the allocations read to their end, and whether there is more to do."""

    read: set[str]
    more: bool
    stirred: bool
    left: bool  # a runner has said good-bye
    measured: set[str]  # jobs with new points
    looks: list[tuple[str, NodeSeen]]  # backend, and what a runner has seen of its node


class Ingest:
    """Remembers nothing but when it last looked for journals of second starts."""

    def __init__(self) -> None:
        self._rounds = 0

    def run(self, context: Context, rows: list[sa.Row[Any]]) -> "Outcome":
        """Read all journals once."""
        self._rounds += 1
        readings = [self._read(context, row) for row in rows]
        news = [reading for reading in readings if reading.moved]
        if news:
            self._write(context, news, {row.key: row.job_id for row in rows})
        jobs = {row.key: row.job_id for row in rows}
        by_key = {row.key: row for row in rows}
        return Outcome(
            looks=[look for one in news for look in _looks(by_key[one.key], one.records)],
            measured={jobs[one.key] for one in news if any(isinstance(record, Metric) for record in one.records)},
            read={reading.key for reading in readings if not reading.more},
            more=any(reading.more for reading in readings),
            stirred=any(isinstance(record, STIRRING) for reading in news for record in reading.records),
            left=any(isinstance(record, Bye) for reading in news for record in reading.records),
        )

    def _write(self, context: Context, news: list["Reading"], jobs: dict[str, str]) -> None:
        with changing(context) as (c, changes):
            changes.apply({reading.key: reading.records for reading in news})
            for reading in news:
                said = [record.packing for record in reading.records if isinstance(record, Packed)]
                packings.take(c, jobs[reading.key], said)
                if reading.wrong:
                    warn_of_lines(c, jobs[reading.key], reading.key, reading.wrong)
            allocations.read_to(c, {reading.key: reading.offsets for reading in news})

    def _read(self, context: Context, row: sa.Row[Any]) -> "Reading":
        """The known journals, and now and then (always once it has ended) that of one more start."""
        folder = layout.allocation(context.home.job_text(row.job_id), row.key)
        reading = Reading(row.key, list(row.offsets))
        look_further = not row.offsets or row.state == AllocationState.ENDED or self._rounds % 20 == 0
        number = 0
        while number < len(reading.offsets) or look_further:
            known = number < len(reading.offsets)
            if not reading.take(layout.journal(folder, number + 1), number, known):
                break
            number += 1
        return reading


def _looks(row: sa.Row[Any], records: list[Record]) -> list[tuple[str, NodeSeen]]:
    """What is said of the node that the allocation runs on, as its backend says: of others it cannot know."""
    return [(row.backend, one) for one in records if isinstance(one, NodeSeen) and one.node == row.node]


def _read(path: str, offset: int) -> bytes:
    """Opened anew each time: on network file systems only that shows what others have written."""
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        return os.pread(descriptor, READ_BYTES, offset)
    finally:
        os.close(descriptor)


class Reading:
    """What one round got from the journals of one allocation."""

    def __init__(self, key: str, offsets: list[int]) -> None:
        self.key = key
        self.offsets = offsets
        self.records: list[Record] = []
        self.wrong = 0  # lines that are not valid records
        self.moved = False
        self.more = False

    def take(self, path: str, index: int, known: bool) -> bool:
        """Read one journal on. False when there is none of this number yet."""
        try:
            data = _read(path, self.offsets[index] if known else 0)
        except FileNotFoundError:
            return known  # removed with its job, or not there yet
        if not known:
            self.offsets.append(0)
            self.moved = True
        if not data:
            return True
        batch = parse(data, index + 1)
        consumed = batch.consumed
        if not consumed and len(data) == READ_BYTES:
            consumed = len(data)  # one line of megabytes is no record: step over it
            self.wrong += 1
        self.wrong += batch.wrong
        self.records += batch.records
        self.offsets[index] += consumed
        self.moved = self.moved or consumed > 0
        self.more = self.more or len(data) == READ_BYTES
        return True
