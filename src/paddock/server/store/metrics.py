"""Metric points, many per row.

A series (one metric of one attempt) is a list of chunks of up to CAP points. Exactly one chunk, the last, has room:
appending reads and rewrites only that one, so the cost of a point does not grow with the series. The points of an
attempt that was resumed continue those of the attempt before it; see `curves`.

A series is bounded. Whenever another PORTION of chunks is full, all but the last portion is decimated to one portion of
chunks (ends and extremes stay), which is stored with negative `seq`, before all others. So the newest points are
complete, fewer are kept the older they are, and a series has at most three portions. The portion for what the runner
measures is small: one hour is kept complete, and little of it after the attempt has ended.
"""

import math
import struct
import time
from collections import defaultdict
from collections.abc import Container, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import sqlalchemy as sa
from numpy.typing import NDArray

from paddock.models import Curve
from paddock.models.metric_names import meaning
from paddock.rules.resumption import last_chain
from paddock.server.store.rows import many, portions
from paddock.server.store.tables import attempts, chunks

CAP = 64
PORTION = 512  # chunks: a series has at most 98,304 points, and one chunk
SYSTEM_PORTION = 32  # chunks: one sample every 2 s for 68 minutes
ENDED_CHUNKS = 3  # kept of what the runner measured after the attempt has ended, besides the last chunk
MAX_NAMES = 1000  # metrics per attempt
MAX_TAILS = 50_000  # last chunks that are kept in memory: 80 MB
MAX_TOUCHED = 100_000  # attempts of which it is known when they last got points
_THINNED = -(2**30)  # the `seq` of the first decimated chunk
POINT = np.dtype([("step", "<f8"), ("value", "<f8"), ("time", "<f8")])
SYSTEM = "sys/"  # begins the names of what the runner measures, besides what the script reports
EPOCH = "sys/epoch"  # the epoch by step, where a script counts both

Point = tuple[float, float, float]  # step, value, time
Points = NDArray[np.void]
_PACK = struct.Struct("<ddd").pack
_POINT_BYTES = POINT.itemsize
_FULL = CAP * _POINT_BYTES
_GROW = "UPDATE metric_chunks SET count = ?, data = ? WHERE attempt_id = ? AND name = ? AND seq = ?"
_ADD = "INSERT INTO metric_chunks (count, data, attempt_id, name, seq) VALUES (?, ?, ?, ?, ?)"


class Appender:
    """Adds points to series, and keeps the last chunk of each in memory so that it need not be read again.

    There is one per database: nothing else may write chunks. After a transaction that failed, `clear` it.
    What it keeps is bounded: attempts without new points for the longest time are dropped first.
    """

    def __init__(self) -> None:
        self._tails: dict[int, dict[str, tuple[int, bytes]]] = {}
        self._touched: dict[int, float] = {}
        self._forgotten = -math.inf

    def changed_since(self, attempt: int, moment: float) -> bool:
        """Return True if points of this attempt may have changed after a moment of the monotonic clock."""
        return self._touched.get(attempt, self._forgotten) >= moment

    def _touch(self, ids: Iterable[int]) -> None:
        self._touched.update(dict.fromkeys(ids, time.monotonic()))
        if len(self._touched) > MAX_TOUCHED:
            moments = sorted(self._touched.values())
            self._forgotten = moments[len(moments) // 2]
            self._touched = {one: at for one, at in self._touched.items() if at > self._forgotten}

    def clear(self) -> None:
        self._tails.clear()

    def done(self, attempt: int) -> None:
        """Drop what is kept in memory of an attempt."""
        self._tails.pop(attempt, None)

    def finish(self, c: sa.Connection, attempt: int) -> None:
        """Thin out what the runner measured of an attempt that has ended."""
        for name, (seq, _) in self._tails.get(attempt, {}).items():
            if name.startswith(SYSTEM) and seq > ENDED_CHUNKS:
                _thin(c, attempt, name, seq, ENDED_CHUNKS)
        self.done(attempt)

    def append(self, c: sa.Connection, new: Mapping[int, Mapping[str, Sequence[Point]]]) -> set[int]:
        """Add points in their order by attempt id and metric, and return the attempts that have too many metrics."""
        for attempt in new:  # to the end of what is kept
            if attempt in self._tails:
                self._tails[attempt] = self._tails.pop(attempt)
        self._load(c, [attempt for attempt in new if attempt not in self._tails])
        self._touch(new)
        fresh: list[tuple[Any, ...]] = []
        grown: list[tuple[Any, ...]] = []
        full: list[tuple[int, str, int, int]] = []
        overfull: set[int] = set()
        for attempt, series in new.items():
            tails = self._tails[attempt]
            for name, points in series.items():
                stored = name in tails
                system = name.startswith(SYSTEM)
                if not stored and len(tails) >= MAX_NAMES and not system:
                    overfull.add(attempt)
                    continue
                seq, data = tails.get(name, (0, b""))
                data += b"".join([_PACK(*point) for point in points])
                if stored and len(data) < _FULL:  # nearly always
                    grown.append((len(data) // _POINT_BYTES, data, attempt, name, seq))
                    tails[name] = (seq, data)
                    continue
                portion = SYSTEM_PORTION if system else PORTION
                before = seq // portion
                for start in range(0, len(data) + 1, _FULL):  # + 1: a full last chunk gets an empty one after it
                    part = data[start : start + _FULL]
                    (grown if stored else fresh).append((len(part) // _POINT_BYTES, part, attempt, name, seq))
                    tails[name] = (seq, part)
                    seq, stored = seq + 1, False
                if (filled := tails[name][0] // portion) > max(before, 1):
                    full.append((attempt, name, (filled - 1) * portion, portion))
        many(c, _GROW, grown)
        many(c, _ADD, fresh)
        for attempt, name, until, portion in full:
            _thin(c, attempt, name, until, portion)
        self._bound(new)
        return overfull

    def _bound(self, needed: Container[int]) -> None:
        count = sum(map(len, self._tails.values()))
        for attempt in [one for one in self._tails if one not in needed] if count > MAX_TAILS else []:
            count -= len(self._tails.pop(attempt))
            if count <= MAX_TAILS:
                return

    def forget(self, c: sa.Connection, attempt: int, names: Iterable[str]) -> None:
        """Delete the points of these metrics of one attempt."""
        c.execute(sa.delete(chunks).where(chunks.c.attempt_id == attempt, chunks.c.name.in_(list(names))))
        self._touch([attempt])
        self.done(attempt)

    def _load(self, c: sa.Connection, ids: list[int]) -> None:
        self._tails |= {attempt: {} for attempt in ids}
        for part in portions(ids):
            query = sa.select(chunks).where(chunks.c.attempt_id.in_(part), chunks.c.count < CAP, chunks.c.seq >= 0)
            for row in c.execute(query):
                self._tails[row.attempt_id][row.name] = (row.seq, bytes(row.data))


def _thin(c: sa.Connection, attempt: int, name: str, until: int, most: int) -> None:
    """Leave up to `most` chunks of those before `until`."""
    of_it = sa.and_(chunks.c.attempt_id == attempt, chunks.c.name == name, chunks.c.seq < until)
    data = b"".join(c.scalars(sa.select(chunks.c.data).where(of_it).order_by(chunks.c.seq)))
    left = decimate(np.frombuffer(data, dtype=POINT), most * CAP).tobytes()
    c.execute(sa.delete(chunks).where(of_it))
    parts = enumerate((left[start : start + _FULL] for start in range(0, len(left), _FULL)), start=_THINNED)
    many(c, _ADD, [(len(part) // _POINT_BYTES, part, attempt, name, seq) for seq, part in parts])


def names(c: sa.Connection, task: str) -> list[str]:
    """Return the metrics of a task, those that the runner measures last."""
    return _names(c, attempts.c.task_id == task)


def names_of_job(c: sa.Connection, job: str) -> list[str]:
    """Return the metrics of all tasks of a job, those that the runner measures last."""
    return _names(c, attempts.c.job_id == job)


def _names(c: sa.Connection, where: sa.ColumnElement[bool]) -> list[str]:
    found = c.scalars(sa.select(chunks.c.name).distinct().join(attempts).where(where))
    return sorted(found, key=lambda name: (name.startswith(SYSTEM), name))


class Summary(NamedTuple):
    """The last value of a curve, and the least and the greatest; None where it is no number."""

    last: float | None
    least: float | None
    most: float | None


NO_SUMMARY = Summary(None, None, None)


def summaries(
    c: sa.Connection, task_ids: Sequence[str], metrics: Sequence[str] | None
) -> dict[tuple[str, str], Summary]:
    """Return a summary of each curve by task and metric."""
    return {key: _summary(join(parts)["value"]) for key, parts in _read(c, task_ids, metrics).items()}


def _summary(values: NDArray[np.float64]) -> Summary:
    if len(values) == 0:
        return NO_SUMMARY
    least, most, last = float(values.min()), float(values.max()), float(values[-1])
    if not (math.isfinite(least) and math.isfinite(most)):
        known = values[np.isfinite(values)]
        least, most = (float(known.min()), float(known.max())) if len(known) else (math.nan, math.nan)
    return Summary(*(one if math.isfinite(one) else None for one in (last, least, most)))


def summaries_of(c: sa.Connection, task_ids: Sequence[str], metric: str) -> dict[str, tuple[Sequence[int], Summary]]:
    """Return by task the attempts that belong to its curve of one metric, and a summary of the curve."""
    owners = _chains(c, task_ids)
    chains: dict[str, list[int]] = {task: [] for task in task_ids}
    for attempt, task in owners.items():
        chains[task].append(attempt)
    found = _series(c, owners, [metric])
    return {
        task: (chain, _summary(join(found[task, metric])["value"]) if (task, metric) in found else NO_SUMMARY)
        for task, chain in chains.items()
    }


def curves(
    c: sa.Connection,
    task_ids: Sequence[str],
    metrics: Sequence[str] | None,
    points: int | None,
    attempt: int | None = None,
    *,
    slim: bool = False,
    times: bool = False,
) -> list[Curve]:
    """Return the curves of these tasks: of the attempt of this number, or of all attempts since the last one that was
    not resumed. `slim`: as a graph needs them, with six significant digits, and without times unless `times`."""
    series = _read(c, task_ids, metrics, *([] if attempt is None else [attempts.c.number == attempt]))
    return [_curve(task, name, parts, points, slim, times) for (task, name), parts in series.items()]


NOTHING: Points = np.empty(0, dtype=POINT)


def series(c: sa.Connection, task_ids: Sequence[str], metric: str, *where: sa.ColumnElement[bool]) -> dict[str, Points]:
    """Return all points of one metric by task, for those of these tasks that have reported it."""
    return {task: join(parts) for (task, _), parts in _read(c, task_ids, [metric], *where).items()}


def before(c: sa.Connection, task: str, attempt: int, metric: str) -> Points:
    """Return one metric as the attempts reported it that the attempt of this number resumed."""
    return series(c, [task], metric, attempts.c.number < attempt).get(task, NOTHING)


def reached(c: sa.Connection, task_ids: Sequence[str]) -> dict[str, dict[str, float]]:
    """Return the last known step by task and metric."""
    found: dict[str, dict[str, float]] = defaultdict(dict)
    for (task, name), parts in _read(c, task_ids, None).items():
        whole = join(parts)
        if len(whole):
            found[task][name] = float(whole["step"].max())
    return found


def recent(c: sa.Connection, ids: Sequence[int], names: Sequence[str]) -> dict[int, dict[str, Points]]:
    """Return the last points of these metrics, between CAP and twice as many, by attempt id and metric."""
    found: dict[int, dict[str, Points]] = defaultdict(dict)
    later = chunks.alias()
    same = (later.c.attempt_id == chunks.c.attempt_id, later.c.name == chunks.c.name)
    last = sa.select(sa.func.max(later.c.seq)).where(*same)
    for part in portions(ids):
        query = sa.select(chunks.c.attempt_id, chunks.c.name, chunks.c.data).where(
            chunks.c.attempt_id.in_(part), chunks.c.name.in_(names), chunks.c.seq >= last.scalar_subquery() - 1
        )
        for row in c.execute(query.order_by(chunks.c.seq)):
            points = np.frombuffer(row.data, dtype=POINT)
            known = found[row.attempt_id].get(row.name, NOTHING)
            found[row.attempt_id][row.name] = np.concatenate([known, points])
    return found


def _chains(c: sa.Connection, task_ids: Sequence[str], *where: sa.ColumnElement[bool]) -> dict[int, str]:
    """Return the task by attempt id for the attempts that belong to a curve, in their order."""
    found: dict[str, list[Any]] = {task: [] for task in task_ids}
    for part in portions(task_ids):
        query = sa.select(attempts.c.id, attempts.c.task_id, attempts.c.resumed)
        query = query.where(attempts.c.task_id.in_(part), *where).order_by(attempts.c.task_id, attempts.c.number)
        for row in c.execute(query):
            found[row.task_id].append(row)
    return {row.id: task for task, rows in found.items() for row in last_chain(rows)}


def _read(
    c: sa.Connection, task_ids: Sequence[str], metrics: Sequence[str] | None, *where: sa.ColumnElement[bool]
) -> dict[tuple[str, str], list[Points]]:
    """Return by task and metric the points of each attempt that belongs to the curve, and for which `where` holds."""
    return _series(c, _chains(c, task_ids, *where), metrics)


def _series(
    c: sa.Connection, owners: Mapping[int, str], metrics: Sequence[str] | None
) -> dict[tuple[str, str], list[Points]]:
    rows: dict[int, dict[str, list[bytes]]] = defaultdict(lambda: defaultdict(list))
    for part in portions(list(owners)):
        query = sa.select(chunks.c.attempt_id, chunks.c.name, chunks.c.data).where(chunks.c.attempt_id.in_(part))
        if metrics is not None:
            query = query.where(chunks.c.name.in_(metrics))
        for row in c.execute(query.order_by(chunks.c.attempt_id, chunks.c.name, chunks.c.seq)):
            rows[row.attempt_id][row.name].append(row.data)
    found: dict[tuple[str, str], list[Points]] = defaultdict(list)
    for attempt, task in owners.items():
        for name, data in rows[attempt].items():
            found[task, name].append(np.frombuffer(b"".join(data), dtype=POINT))
    return found


def _curve(task: str, metric: str, parts: list[Points], points: int | None, slim: bool, times: bool) -> Curve:
    whole = join(parts)
    shown = decimate(whole, points)
    steps, values = shown["step"], shown["value"]
    if slim:
        values = _rounded(values)
        steps = steps.astype(np.int64) if np.all(steps == np.floor(steps)) and np.all(np.abs(steps) < 2**53) else steps
    return Curve.model_construct(
        task=task,
        metric=metric,
        steps=steps.tolist(),
        values=[value if math.isfinite(value) else None for value in values.tolist()],
        times=shown["time"].tolist() if not slim else np.round(shown["time"], 2).tolist() if times else [],
        total=len(whole),
        goal=None if slim else meaning(metric).goal,
    )


def _rounded(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return values with six significant digits."""
    size = np.abs(values)
    ordinary = (size > 1e-290) & (size < 1e290)
    digits = 5 - np.floor(np.log10(np.where(ordinary, size, 1.0)))
    scale = 10.0**digits
    return np.where(ordinary, np.round(values * scale) / scale, values)


def join(parts: list[Points]) -> Points:
    """Return one series of the points of several attempts: a later one replaces all from its smallest step on."""
    whole = parts[0]
    for later in parts[1:]:
        if len(later):
            whole = np.concatenate([whole[whole["step"] < later["step"].min()], later])
    return whole


def decimate(series: Points, points: int | None) -> Points:
    """Return up to `points` points whose curve looks the same: both ends, and the extremes of each stretch."""
    if points is None or len(series) <= points:
        return series
    if points < 4:
        return series[[0, -1]][:points]
    buckets = (points - 2) // 2
    inner = series[1:-1]
    width = -(-len(inner) // buckets)
    values = np.pad(inner["value"], (0, width * buckets - len(inner)), constant_values=np.nan).reshape(buckets, width)
    present = ~np.isnan(values)
    low = np.where(present, values, np.inf).argmin(axis=1)
    high = np.where(present, values, -np.inf).argmax(axis=1)
    starts = np.arange(buckets) * width
    chosen = np.unique(np.concatenate([starts + low, starts + high]))
    return np.concatenate([series[:1], inner[chosen[chosen < len(inner)]], series[-1:]])
