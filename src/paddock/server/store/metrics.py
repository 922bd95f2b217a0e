"""Metric points, many to a row.

A series (one metric of one attempt) is a list of chunks of at most CAP points. There is always exactly one chunk
with room, the last: appending reads and rewrites that one only, so the cost of a point does not grow with the series.
Points of an attempt that was resumed go on where the attempt before left off; see `curves`.

A series does not grow for ever. Whenever it has got another PORTION of chunks, all but the last portion is decimated to
one portion of chunks (ends and extremes stay), which are stored with negative `seq`, before all others. So the newest
are always whole, and the older points are, the fewer of them are kept: at most three portions. That of what the runner
measures is small: an hour is kept whole. When an attempt has ended, little of that is kept.
"""

import struct
from collections import defaultdict
from collections.abc import Container, Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import sqlalchemy as sa
from numpy.typing import NDArray

from paddock.models import Curve
from paddock.server.store.rows import many, portions
from paddock.server.store.tables import attempts, chunks

CAP = 64
PORTION = 512  # chunks: a series has at most 98,304 points, and one chunk
SYSTEM_PORTION = 32  # a sample every 2 s for 68 minutes
ENDED_CHUNKS = 3  # of what was measured of an attempt that has ended, beside its last chunk
MAX_NAMES = 1000  # of an attempt
MAX_TAILS = 50_000  # that are remembered: 80 MB
_THINNED = -(2**30)  # the `seq` of the first decimated chunk
POINT = np.dtype([("step", "<f8"), ("value", "<f8"), ("time", "<f8")])
SYSTEM = "sys/"  # names of what the runner measures, beside what the script reports

Point = tuple[float, float, float]  # step, value, time
Points = NDArray[np.void]
_PACK = struct.Struct("<ddd").pack
_POINT_BYTES = POINT.itemsize
_FULL = CAP * _POINT_BYTES
_GROW = "UPDATE metric_chunks SET count = ?, data = ? WHERE attempt_id = ? AND name = ? AND seq = ?"
_ADD = "INSERT INTO metric_chunks (count, data, attempt_id, name, seq) VALUES (?, ?, ?, ?, ?)"


class Appender:
    """Adds points to series, and remembers the chunk with room of each, so that it need not be read again.

    There is one for a database: nobody else may write chunks. After a transaction that failed, `clear` it.
    What it remembers is bounded: attempts without new points for the longest time are forgotten first.
    """

    def __init__(self) -> None:
        self._tails: dict[int, dict[str, tuple[int, bytes]]] = {}

    def clear(self) -> None:
        self._tails.clear()

    def done(self, attempt: int) -> None:
        """No more points of this attempt are to be expected."""
        self._tails.pop(attempt, None)

    def finish(self, c: sa.Connection, attempt: int) -> None:
        """It has ended: keep less of what was measured of it."""
        for name, (seq, _) in self._tails.get(attempt, {}).items():
            if name.startswith(SYSTEM) and seq > ENDED_CHUNKS:
                _thin(c, attempt, name, seq, ENDED_CHUNKS)
        self.done(attempt)

    def append(self, c: sa.Connection, new: Mapping[int, Mapping[str, Sequence[Point]]]) -> set[int]:
        """Add points: attempt id -> metric -> points in their order. Gives the attempts that have too many metrics."""
        for attempt in new:  # to the end of those that are remembered
            if attempt in self._tails:
                self._tails[attempt] = self._tails.pop(attempt)
        self._load(c, [attempt for attempt in new if attempt not in self._tails])
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
                if stored and len(data) < _FULL:  # as nearly always, when points come as they are reported
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
                if (portions := tails[name][0] // portion) > max(before, 1):
                    full.append((attempt, name, (portions - 1) * portion, portion))
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
        """Drop the points of these metrics of one attempt."""
        c.execute(sa.delete(chunks).where(chunks.c.attempt_id == attempt, chunks.c.name.in_(list(names))))
        self.done(attempt)

    def _load(self, c: sa.Connection, ids: list[int]) -> None:
        self._tails |= {attempt: {} for attempt in ids}
        for part in portions(ids):
            query = sa.select(chunks).where(chunks.c.attempt_id.in_(part), chunks.c.count < CAP, chunks.c.seq >= 0)
            for row in c.execute(query):
                self._tails[row.attempt_id][row.name] = (row.seq, bytes(row.data))


def _thin(c: sa.Connection, attempt: int, name: str, until: int, most: int) -> None:
    """Leave no more than `most` chunks of what is before this one."""
    of_it = sa.and_(chunks.c.attempt_id == attempt, chunks.c.name == name, chunks.c.seq < until)
    data = b"".join(c.scalars(sa.select(chunks.c.data).where(of_it).order_by(chunks.c.seq)))
    left = decimate(np.frombuffer(data, dtype=POINT), most * CAP).tobytes()
    c.execute(sa.delete(chunks).where(of_it))
    rows = [
        {
            "attempt_id": attempt,
            "name": name,
            "seq": _THINNED + place,
            "count": len(part) // _POINT_BYTES,
            "data": part,
        }
        for place, part in enumerate(left[start : start + _FULL] for start in range(0, len(left), _FULL))
    ]
    c.execute(sa.insert(chunks), rows)


def names(c: sa.Connection, task_ids: Sequence[str]) -> list[str]:
    """The metrics that there are points of, the runner's own measurements last."""
    found: set[str] = set()
    for part in portions(task_ids):
        query = sa.select(chunks.c.name).distinct().join(attempts).where(attempts.c.task_id.in_(part))
        found.update(c.scalars(query))
    return sorted(found, key=lambda name: (name.startswith(SYSTEM), name))


def names_of_job(c: sa.Connection, job: str) -> list[str]:
    query = sa.select(chunks.c.name).distinct().join(attempts).where(attempts.c.job_id == job)
    return sorted(c.scalars(query), key=lambda name: (name.startswith(SYSTEM), name))


def curves(
    c: sa.Connection,
    task_ids: Sequence[str],
    metrics: Sequence[str] | None,
    points: int | None,
    attempt: int | None = None,
) -> list[Curve]:
    """The curves of these tasks: of one attempt, or else of the last plain start and of all that resumed it."""
    series = _read(c, _chains(c, task_ids, attempt), metrics)
    return [_curve(task, name, parts, points) for (task, name), parts in series.items()]


NOTHING: Points = np.empty(0, dtype=POINT)


def series(c: sa.Connection, task_ids: Sequence[str], metric: str) -> dict[str, Points]:
    """One metric of each of these tasks that has reported it, whole."""
    found = _read(c, _chains(c, task_ids, None), [metric])
    return {task: join(parts) for (task, _), parts in found.items()}


def reached(c: sa.Connection, task_ids: Sequence[str]) -> dict[str, dict[str, float]]:
    """Task -> metric -> the last step that is known."""
    found: dict[str, dict[str, float]] = defaultdict(dict)
    for (task, name), parts in _read(c, _chains(c, task_ids, None), None).items():
        whole = join(parts)
        if len(whole):
            found[task][name] = float(whole["step"].max())
    return found


def recent(c: sa.Connection, ids: Sequence[int], names: Sequence[str]) -> dict[int, dict[str, Points]]:
    """The last points of each of these metrics, between CAP and twice as many, by attempt id."""
    found: dict[int, dict[str, Points]] = defaultdict(dict)
    later = chunks.alias()
    last = sa.select(sa.func.max(later.c.seq)).where(
        later.c.attempt_id == chunks.c.attempt_id, later.c.name == chunks.c.name
    )
    for part in portions(ids):
        query = sa.select(chunks.c.attempt_id, chunks.c.name, chunks.c.data).where(
            chunks.c.attempt_id.in_(part), chunks.c.name.in_(names), chunks.c.seq >= last.scalar_subquery() - 1
        )
        for row in c.execute(query.order_by(chunks.c.seq)):
            points = np.frombuffer(row.data, dtype=POINT)
            known = found[row.attempt_id].get(row.name, NOTHING)
            found[row.attempt_id][row.name] = np.concatenate([known, points])
    return found


def before(c: sa.Connection, task: str, attempt: int, metric: str) -> Points:
    """One metric as the attempts that `attempt` resumed reported it."""
    rows = c.execute(
        sa.select(attempts.c.id, attempts.c.resumed)
        .where(attempts.c.task_id == task, attempts.c.number < attempt)
        .order_by(attempts.c.number)
    )
    chain: dict[int, str] = {}
    for row in rows:
        if not row.resumed:
            chain.clear()
        chain[row.id] = task
    parts = _read(c, chain, [metric]).get((task, metric), [])
    return join(parts) if parts else np.empty(0, dtype=POINT)


def _chains(c: sa.Connection, task_ids: Sequence[str], attempt: int | None) -> dict[int, str]:
    """Attempt id -> task id, in the order of the attempts, for those that belong to the curve."""
    found: dict[str, list[int]] = {task: [] for task in task_ids}
    for part in portions(task_ids):
        query = sa.select(attempts.c.id, attempts.c.task_id, attempts.c.number, attempts.c.resumed)
        query = query.where(attempts.c.task_id.in_(part)).order_by(attempts.c.task_id, attempts.c.number)
        for row in c.execute(query):
            if attempt is not None and row.number != attempt:
                continue
            if not row.resumed and attempt is None:
                found[row.task_id].clear()
            found[row.task_id].append(row.id)
    return {one: task for task, chain in found.items() for one in chain}


def _read(
    c: sa.Connection, owners: dict[int, str], metrics: Sequence[str] | None
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


def _curve(task: str, metric: str, parts: list[Points], points: int | None) -> Curve:
    whole = join(parts)
    shown = decimate(whole, points)
    values = shown["value"]
    finite = np.isfinite(values)
    listed = (
        values.tolist() if finite.all() else [v if ok else None for v, ok in zip(values.tolist(), finite, strict=True)]
    )
    return Curve.model_construct(
        task=task,
        metric=metric,
        steps=shown["step"].tolist(),
        values=listed,
        times=shown["time"].tolist(),
        total=len(whole),
    )


def join(parts: list[Points]) -> Points:
    """One series of several attempts: where a later one reports a step again, or an earlier one, it counts."""
    whole = parts[0]
    for later in parts[1:]:
        if len(later):
            whole = np.concatenate([whole[whole["step"] < later["step"].min()], later])
    return whole


def decimate(series: Points, points: int | None) -> Points:
    """At most `points` points that look the same: of each stretch the smallest and the largest, and both ends."""
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
