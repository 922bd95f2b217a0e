"""Reads journals into the database, every byte once."""

import errno
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from paddock.common import files, layout
from paddock.models import AllocationState
from paddock.server.engine.apply import changing
from paddock.server.engine.context import Context
from paddock.server.journal import Bye, Ended, Metric, NodeSeen, Packed, Record, RunnerStarted, Started, parse
from paddock.server.store import allocations, jobs, packings
from paddock.server.store.allocations import AllocationRow
from paddock.server.store.db import database_failed

READ_BYTES = 1_000_000  # of one journal and round
ROUND_BYTES = 4_000_000  # of all journals
ROUND_SECONDS = 0.25  # after this, journals that are far behind wait for the next round
COMMIT_BYTES = 1_000_000  # some tenths of a second, in which nobody else can write
URGENT = (RunnerStarted, Started, Ended, Bye)  # records after which the whole round is due
MANY = 200  # of more journals, those without news for QUIET_SECONDS
QUIET_SECONDS = 10.0
LOOK_SECONDS = 1.0  # are read only at this interval
READ = "read its journals"
STORE = "take in what its journals say"


@dataclass
class RoundResult:
    """The result of reading journals in one round."""

    read: set[str] = field(default_factory=set)  # allocations whose journals were read to their end
    heard: set[str] = field(default_factory=set)  # allocations whose journals have grown
    more: bool = False
    urgent: bool = False  # the whole round is due
    left: bool = False  # a runner has written `bye`
    measured: set[str] = field(default_factory=set)  # jobs with new points
    looks: list[tuple[str, NodeSeen]] = field(default_factory=list)  # backend, and a runner's sample of its node


class Ingest:
    """Reads journals; knows which are far behind and which have no news."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._rounds = 0
        self._heard: dict[str, float] = {}  # allocation -> its last news, or when it was first seen
        self._looked_at = 0.0  # when all of them were read
        self._behind: dict[str, None] = {}  # allocations, in the order in which they are read

    def run(self, context: Context, rows: list[AllocationRow]) -> RoundResult:
        """Read a bounded part of each journal; of those that are far behind, as many as there is time for."""
        self._rounds += 1
        outcome = RoundResult()
        of_jobs = {row.job_id for row in rows}
        context.learn(of_jobs)
        aside = {job for job in of_jobs if _rests(context, job)}
        further = self._rounds % 20 == 0
        able = [row for row in rows if row.job_id not in aside]
        able = able if further else self._lively(able)
        readings = Readings(context, look_further=further)
        try:
            for portion in self._portions(able, readings, outcome):
                self._write(context, portion, outcome)
        finally:
            readings.close()
        waiting = {row.job_id for row in able if row.key in self._behind}
        readings.show(waiting)
        failed = aside | set(readings.problems)
        if failed:
            outcome.read |= _leaving(context, [row for row in rows if row.job_id in failed])
        return outcome

    def _lively(self, rows: list[AllocationRow]) -> list[AllocationRow]:
        """Return all allocations; if there are many, those that may have news. Most wait, or have slow tasks."""
        now = self._clock()
        heard = self._heard
        if len(rows) <= MANY or now - self._looked_at >= LOOK_SECONDS:
            self._looked_at = now
            self._heard = {row.key: heard.get(row.key, now) for row in rows}
            return rows
        since = now - QUIET_SECONDS
        return [
            row
            for row in rows
            if heard.get(row.key, now) > since or row.state == AllocationState.ENDED or row.key in self._behind
        ]

    def _portions(
        self, rows: list[AllocationRow], readings: "Readings", outcome: RoundResult
    ) -> Iterable[list["AllocationReading"]]:
        """Yield the readings to be stored together. Journals that are far behind come after all others."""
        by_key = {row.key: row for row in rows}
        self._behind = {key: None for key in self._behind if key in by_key}
        near = [row for row in rows if row.key not in self._behind]
        far = [by_key[key] for key in self._behind]
        end = self._clock() + ROUND_SECONDS
        taken = size = 0
        portion: list[AllocationReading] = []
        for place, row in enumerate([*near, *far]):
            if place == len(near) and portion:
                yield portion
                portion, size = [], 0
            late = place > len(near) and self._clock() > end  # one of those that are behind is always read
            if taken >= ROUND_BYTES or late:
                self._behind.setdefault(row.key)
                outcome.more = True
                continue
            self._behind.pop(row.key, None)
            reading = readings.read(row)
            if reading is None:
                continue
            taken, size = taken + reading.size, size + reading.size
            if reading.more:
                self._behind[row.key] = None
                outcome.more = True
            portion.append(reading)
            if size >= COMMIT_BYTES:
                yield portion
                portion, size = [], 0
        yield portion

    def _write(self, context: Context, readings: list["AllocationReading"], outcome: RoundResult) -> None:
        """Store all readings together, or job by job if that fails, so that a failure concerns one job."""
        news = [reading for reading in readings if reading.moved]
        by_job: dict[str, list[AllocationReading]] = {}
        for reading in news:
            by_job.setdefault(reading.job, []).append(reading)
        stored = [reading for reading in readings if not reading.moved]
        together = True
        if news:
            try:
                _store(context, news)
            except Exception as error:
                if database_failed(error):
                    raise
                together = False
        for job, mine in by_job.items():
            with context.boundary.job(job, STORE):
                if not together:
                    _store(context, mine)
                stored += mine
        now = self._clock()
        for reading in stored:
            _note(reading, outcome)
            if reading.moved:
                self._heard[reading.key] = now


class Readings:
    """Reads the journals of all allocations in one round, and collects the failures by job."""

    def __init__(self, context: Context, look_further: bool) -> None:
        self.problems: dict[str, Exception] = {}
        self._context = context
        self._look_further = look_further
        self._looked_at: set[str] = set()
        self._open: files.Folder | None = None
        self._open_job = ""

    def read(self, row: AllocationRow) -> "AllocationReading | None":
        """Read the known journals; at intervals, and after the end, also look for that of one more start."""
        self._looked_at.add(row.job_id)
        reading = AllocationReading(row)
        further = not row.offsets or row.state == AllocationState.ENDED or self._look_further
        try:
            folder = self._folder(row.job_id)
            if folder is not None:
                reading.take_all(folder, further)
        except Exception as error:
            self.problems.setdefault(row.job_id, error)
            return None
        return reading

    def _folder(self, job: str) -> files.Folder | None:
        """Return the folder of the job's allocations, opened once for successive rows. None: it does not exist."""
        if job == self._open_job and self._open is not None:
            return self._open
        self.close()
        root = self._context.home.job_text(job)
        try:
            self._open = files.Folder(f"{root}/{layout.ALLOCATIONS}", root)
        except FileNotFoundError:
            if not Path(root).is_dir():
                raise FileNotFoundError(errno.ENOENT, "the job's folder is gone", root) from None
            return None
        self._open_job = job
        return self._open

    def close(self) -> None:
        if self._open is not None:
            self._open.close()
            self._open = None

    def show(self, unfinished: set[str]) -> None:
        """Set aside jobs that failed, and end that for jobs that could be read completely."""
        for job in self._looked_at - unfinished | set(self.problems):
            with self._context.boundary.job(job, READ):
                if job in self.problems:
                    raise self.problems[job]


class AllocationReading:
    """What one round read from the journals of one allocation."""

    def __init__(self, row: AllocationRow) -> None:
        self.row = row
        self.key: str = row.key
        self.job: str = row.job_id
        self.offsets: list[int] = list(row.offsets)
        self.records: list[Record] = []
        self.size = 0
        self.malformed = 0  # lines that are not valid records
        self.moved = False
        self.more = False

    def take_all(self, folder: files.Folder, further: bool) -> None:
        number = 0
        while number < len(self.offsets) or further:
            known = number < len(self.offsets)
            if self.size >= READ_BYTES:
                self.more = True
                return
            if not self._take(folder, number, known):
                return
            number += 1

    def _take(self, folder: files.Folder, index: int, known: bool) -> bool:
        """Read one journal further. Returns False if there is none of this number yet."""
        limit = READ_BYTES - self.size
        try:
            data = folder.read(self.key, _journal(index + 1), limit, self.offsets[index] if known else 0)
        except FileNotFoundError:
            return known  # not there yet
        if not known:
            self.offsets.append(0)
            self.moved = True
        if not data:
            return True
        self.size += len(data)
        batch = parse(data, index + 1)
        consumed = batch.consumed
        if not consumed and len(data) == READ_BYTES:
            consumed = len(data)  # a line of a megabyte is not a record: skip it
            self.malformed += 1
        self.malformed += len(batch.malformed)
        self.records += batch.records
        self.offsets[index] += consumed
        self.moved = self.moved or consumed > 0
        self.more = self.more or len(data) == limit
        return True


@cache
def _journal(start: int) -> str:
    return layout.journal("", start)


def _store(context: Context, news: list[AllocationReading]) -> None:
    with changing(context) as (c, changes):
        changes.apply({reading.key: reading.records for reading in news})
        for reading in news:
            said = [record.packing for record in reading.records if isinstance(record, Packed)]
            packings.take(c, reading.job, said)
            if reading.malformed:
                jobs.warn_of_lines(c, reading.job, reading.key, reading.malformed)
        allocations.read_to(c, {reading.key: reading.offsets for reading in news}, context.clock())


def _note(reading: AllocationReading, outcome: RoundResult) -> None:
    if not reading.more:
        outcome.read.add(reading.key)
    if reading.moved:
        outcome.heard.add(reading.key)
    if not reading.records:
        return
    if any(isinstance(record, Metric) for record in reading.records):
        outcome.measured.add(reading.job)
    outcome.urgent = outcome.urgent or any(isinstance(record, URGENT) for record in reading.records)
    outcome.left = outcome.left or any(isinstance(record, Bye) for record in reading.records)
    # Only samples of the node that the backend names: a runner cannot know other nodes.
    seen = [one for one in reading.records if isinstance(one, NodeSeen) and one.node == reading.row.node]
    outcome.looks += [(reading.row.backend, one) for one in seen]


def _rests(context: Context, job: str) -> bool:
    at = context.boundary
    return job in context.unreadable or at.rests(job, READ) or at.rests(job, STORE)


def _leaving(context: Context, rows: list[AllocationRow]) -> set[str]:
    """Return the allocations of jobs that are being removed: their journals do not matter any more."""
    with context.db.read() as c:
        leaving = set(jobs.removing(c))
    return {row.key for row in rows if row.job_id in leaving}
