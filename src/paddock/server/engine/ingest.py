"""Reads journals into the database, every byte once."""

import errno
import time
import zlib
from collections import defaultdict
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from paddock.common import files, layout
from paddock.models import AllocationState
from paddock.server.engine.apply import changing
from paddock.server.engine.context import Context
from paddock.server.journal import Bye, Ended, Metric, NodeSeen, Packed, Record, RunnerStarted, Started, Usage, parse
from paddock.server.store import allocations, jobs, packings
from paddock.server.store.allocations import AllocationRow

READ_BYTES = 1_000_000  # of one journal and round
ROUND_BYTES = 4_000_000  # of all journals
ROUND_SECONDS = 0.25  # after this, journals that are far behind wait for the next round
COMMIT_BYTES = 1_000_000  # some tenths of a second, in which nobody else can write
URGENT = (RunnerStarted, Started, Ended, Bye)  # records after which the whole round is due
MEASURED = (Usage, NodeSeen, Packed)  # records that come by themselves, for which nobody waits
MANY = 50  # of more journals, those without news for QUIET_SECONDS are not read in every round,
QUIET_SECONDS, STILL_SECONDS = 5.0, 60.0
PAUSES = (0.5, 1.0, 2.0)  # but after this: if a task runs there, if not, and if nothing was written for STILL_SECONDS
STARTS_ROUNDS = 20  # after this many, journals of later starts are looked for
# On a network file system, opening a file takes about 1 ms: then several threads read.
THREADS, AT_ONCE, SLOW_SECONDS = 16, 128, 0.0005
READ = "read its journals"
STORE = "store what its journals report"


@dataclass
class RoundResult:
    """The result of reading journals in one round."""

    read: set[str] = field(default_factory=set)  # allocations whose journals were read to their end
    heard: set[str] = field(default_factory=set)  # allocations whose journals have grown
    more: bool = False
    urgent: bool = False  # the whole round is due
    left: bool = False  # a runner has written `bye`
    measured: set[str] = field(default_factory=set)  # jobs with new points
    ended: set[str] = field(default_factory=set)  # jobs with tasks that ended
    samples: list[tuple[str, NodeSeen]] = field(default_factory=list)  # backend, and a runner's sample of its node


@dataclass(slots=True)
class JournalPace:
    """When the journals of an allocation are read next, and why."""

    turn: int  # of the rounds in which a later start is looked for
    news_at: float  # its last record besides measurements, or something that makes one likely
    grown_at: float
    next_at: float = 0.0
    state: AllocationState | None = None

    def read(self, state: AllocationState, now: float) -> None:
        """Note that they are read now."""
        if state is not self.state:
            self.state, self.news_at = state, now
        still = now - self.grown_at
        pause = PAUSES[0] if still < QUIET_SECONDS else PAUSES[1] if still < STILL_SECONDS else PAUSES[2]
        lively = now - self.news_at < QUIET_SECONDS or state == AllocationState.ENDED
        self.next_at = 0.0 if lively else now + pause


class Ingest:
    """Reads journals; knows which are far behind and which have no news."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._rounds = 0
        self._paces: dict[str, JournalPace] = {}
        self._behind: dict[str, None] = {}  # allocations, in the order in which they are read
        self._pool = ThreadPoolExecutor(THREADS, thread_name_prefix="journals")  # starts no thread before it is used
        self._slow = False  # the file system takes long to open a file

    def close(self) -> None:
        self._pool.shutdown()

    def run(self, context: Context, rows: list[AllocationRow]) -> RoundResult:
        """Read a bounded part of each journal; of those that are far behind, as many as there is time for."""
        self._rounds += 1
        outcome = RoundResult()
        of_jobs = {row.job_id for row in rows}
        context.learn(of_jobs)
        aside = {job for job in of_jobs if _rests(context, job)}
        able = [row for row in rows if row.job_id not in aside]
        due, further = self._due(able, context.awaited)
        readings = Readings(context, further)
        ahead = ReadAhead(self._pool, readings) if self._slow and len(due) > THREADS else None
        try:
            for portion in self._portions(due, readings, ahead, outcome):
                self._write(context, portion, outcome)
        finally:
            readings.close()
        self._slow = readings.seconds > SLOW_SECONDS * max(readings.count, THREADS)
        waiting = {row.job_id for row in able if row.key in self._behind}
        readings.show(waiting)
        failed = aside | set(readings.problems)
        if failed:
            outcome.read |= _leaving(context, [row for row in rows if row.job_id in failed])
        return outcome

    def _due(self, rows: list[AllocationRow], awaited: set[str]) -> tuple[list[AllocationRow], set[str]]:
        """Return the allocations whose journals are read now, and those of which later starts are looked for.

        That is all of them; if there are many, those that may have news: most wait, or have slow tasks.
        """
        now, paces, every = self._clock(), self._paces, STARTS_ROUNDS
        number, many = self._rounds, len(rows) > MANY
        if number % every == 0:
            known = {row.key for row in rows}
            self._paces = paces = {key: pace for key, pace in paces.items() if key in known}
        due, further, urgent = [], set(), awaited | self._behind.keys()
        for row in rows:
            pace = paces.get(row.key)
            if pace is None:
                pace = paces[row.key] = JournalPace(zlib.crc32(row.key.encode()) % every, now, now)
            turn = (number + pace.turn) % every if many else number % every
            if turn and many and now < pace.next_at and row.state is pace.state and row.key not in urgent:
                continue
            if not turn:
                further.add(row.key)
            pace.read(row.state, now)
            due.append(row)
        return due, further

    def _portions(
        self, rows: list[AllocationRow], readings: "Readings", ahead: "ReadAhead | None", outcome: RoundResult
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
            if ahead is not None and place < len(near) and place % AT_ONCE == 0:
                ahead.read(near[place : place + AT_ONCE])
            reading = ahead.taken.pop(row.key) if ahead and row.key in ahead.taken else readings.read(row)
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
        news: dict[str, list[AllocationReading]] = defaultdict(list)
        for reading in readings:
            if reading.moved:
                news[reading.row.job_id].append(reading)
        stored = context.boundary.together(
            news, STORE, lambda some: _store(context, [reading for job in some for reading in news[job]])
        )
        now = self._clock()
        for reading in readings:
            if reading.moved and reading.row.job_id not in stored:
                continue
            _note(reading, outcome)
            if reading.moved:
                pace = self._paces[reading.row.key]
                pace.grown_at = now
                pace.next_at = min(pace.next_at, now + PAUSES[0])
                new = len(reading.offsets) > len(reading.row.offsets)
                if new or not all(isinstance(record, MEASURED) for record in reading.records):
                    pace.news_at, pace.next_at = now, 0.0


class Readings:
    """Reads the journals of all allocations in one round, and collects the failures by job."""

    def __init__(self, context: Context, more_starts: set[str]) -> None:
        self.problems: dict[str, Exception] = {}
        self.count = 0  # of allocations
        self.seconds = 0.0
        self._context = context
        self._more_starts = more_starts  # allocations
        self._jobs: set[str] = set()
        self._open: files.Folder | None = None
        self._open_job = ""

    def read(self, row: AllocationRow) -> "AllocationReading | None":
        """Read the known journals; at intervals, and after the end, also look for that of one more start."""
        self._jobs.add(row.job_id)
        reading = AllocationReading(row, list(row.offsets))
        further = not row.offsets or row.state == AllocationState.ENDED or row.key in self._more_starts
        try:
            folder = self._folder(row.job_id)
            if folder is not None:
                reading.take_all(folder, further)
        except Exception as error:
            self.problems.setdefault(row.job_id, error)
            return None
        self.count += 1
        self.seconds += reading.seconds
        return reading

    def beside(self) -> "Readings":
        """Return another one for the same round and another thread."""
        return Readings(self._context, self._more_starts)

    def add(self, other: "Readings") -> None:
        """Add what another one has found, and close that."""
        other.close()
        self._jobs |= other._jobs
        self.problems = other.problems | self.problems
        self.count += other.count
        self.seconds += other.seconds

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
        for job in self._jobs - unfinished | set(self.problems):
            with self._context.boundary.job(job, READ):
                if job in self.problems:
                    raise self.problems[job]


class ReadAhead:
    """Reads journals in several threads, which wait for the file system at the same time."""

    def __init__(self, pool: ThreadPoolExecutor, readings: Readings) -> None:
        self.taken: dict[str, AllocationReading | None] = {}
        self._pool = pool
        self._readings = readings

    def read(self, rows: list[AllocationRow]) -> None:
        """Read the journals of these allocations, or of the first of them if there is much to read."""
        self.taken.clear()
        parts = [(self._readings.beside(), rows[n::THREADS]) for n in range(THREADS)]
        list(self._pool.map(lambda part: self._read(*part), parts))
        for readings, _ in parts:
            self._readings.add(readings)

    def _read(self, readings: Readings, rows: list[AllocationRow]) -> None:
        size = 0
        for row in rows:
            if size >= ROUND_BYTES / THREADS:
                return
            reading = self.taken[row.key] = readings.read(row)
            size += reading.size if reading else 0


@dataclass
class AllocationReading:
    """What one round read from the journals of one allocation."""

    row: AllocationRow
    offsets: list[int]
    records: list[Record] = field(default_factory=list)
    size: int = 0
    seconds: float = 0.0  # that the file system took
    malformed: int = 0  # lines that are not valid records
    moved: bool = False
    more: bool = False

    def take_all(self, folder: files.Folder, further: bool) -> None:
        """Read all known journals further. `further`: also those of later starts."""
        number = 0
        while number < len(self.offsets) or further:
            if self.size >= READ_BYTES:
                self.more = True
                return
            if not self._take(folder, number):
                return
            number += 1

    def _take(self, folder: files.Folder, index: int) -> bool:
        """Read one journal further. Returns False if there is none of this number yet."""
        known = index < len(self.offsets)
        limit = READ_BYTES - self.size
        began = time.perf_counter()
        try:
            data = folder.read(self.row.key, _journal(index + 1), limit, self.offsets[index] if known else 0)
        except FileNotFoundError:
            return known
        finally:
            self.seconds += time.perf_counter() - began
        if not known:
            self.offsets.append(0)
            self.moved = True
        if not data:
            return True  # as for most journals in most rounds
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
    if not news:
        return
    with changing(context) as (c, changes):
        known = {reading.row.key: reading.row.job_id for reading in news}
        changes.apply({reading.row.key: reading.records for reading in news}, known)
        for reading in news:
            packed = [record.packing for record in reading.records if isinstance(record, Packed)]
            packings.take(c, reading.row.job_id, packed)
            if reading.malformed:
                jobs.warn_of_lines(c, reading.row.job_id, reading.row.key, reading.malformed)
        allocations.read_to(c, {reading.row.key: reading.offsets for reading in news}, context.clock.now())


def _note(reading: AllocationReading, outcome: RoundResult) -> None:
    if not reading.more:
        outcome.read.add(reading.row.key)
    if reading.moved:
        outcome.heard.add(reading.row.key)
    if not reading.records:
        return
    if any(isinstance(record, Metric) for record in reading.records):
        outcome.measured.add(reading.row.job_id)
    if any(isinstance(record, Ended) for record in reading.records):
        outcome.ended.add(reading.row.job_id)
    outcome.urgent = outcome.urgent or any(isinstance(record, URGENT) for record in reading.records)
    outcome.left = outcome.left or any(isinstance(record, Bye) for record in reading.records)
    # Only samples of the node that the backend names: a runner cannot know other nodes.
    seen = [one for one in reading.records if isinstance(one, NodeSeen) and one.node == reading.row.node]
    outcome.samples += [(reading.row.backend, one) for one in seen]


def _rests(context: Context, job: str) -> bool:
    at = context.boundary
    return job in context.unreadable or at.rests(job, READ) or at.rests(job, STORE)


def _leaving(context: Context, rows: list[AllocationRow]) -> set[str]:
    """Return the allocations of jobs that are being removed: their journals do not matter any more."""
    with context.db.read() as c:
        leaving = set(jobs.removing(c))
    return {row.key for row in rows if row.job_id in leaving}
