"""Keep the results of queries while nothing that they were read from has changed.

Every statement of every write transaction of this process is noted with the columns that it changes. A kept result
depends on the columns that its query names, which are taken from the query itself, and on the rows of its tables.

A transaction is counted before its commit and again after it. So whoever sees what it wrote finds it counted, and a
result that was read without it, at a time when it was counted only once, is outdated by the second count.
"""

import re
import threading
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import cache, lru_cache
from typing import Any, TypeVar
from weakref import WeakValueDictionary

import sqlalchemy as sa
from sqlalchemy.sql import visitors

from paddock.server.store.tables import metadata

MAX_AGE = 10.0  # seconds, after which a result is read again: another process may have changed the database
WRITES = "paddock_write"  # names an option of a connection: the columns that its transaction has changed
COUNTS, AS_OF = "paddock_counts", "paddock_as_of"  # the counts of its database, and their number before it began
_ANYTHING = "*"
_ROWS = re.compile(r"\s*(?:INSERT INTO|DELETE FROM) (\w+)")
_CHANGE = re.compile(r"\s*UPDATE (\w+) SET (.*?)(?: WHERE |$)", re.DOTALL)
_COLUMN = re.compile(r'(\w+)"?\s*=')
_NO_CHANGE = re.compile(r"\s*(?:SELECT|PRAGMA|BEGIN|SAVEPOINT|RELEASE|ROLLBACK)\b")
R = TypeVar("R")
Make = Callable[..., R]
Query = sa.Select[Any]
_PLAIN = sa.types.NullType()


class ChangeCounts:
    """Counts write transactions, and knows the last one that changed each column.

    All `Database` objects of this process for the same database share one.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self.clock = clock
        self.number = 0
        self.results: dict[Query, KeptResult] = {}
        self._last: dict[str, int] = {}
        self._lock = threading.Lock()

    def add(self, changed: Iterable[str]) -> None:
        """Count a transaction that changes these columns."""
        with self._lock:
            self._last |= dict.fromkeys(changed, self.number + 1)
            self.number += 1

    def since(self, number: int, names: Iterable[str]) -> set[str]:
        """Return those of these columns that were changed after the transaction of this number."""
        return {name for name in names if self._last.get(name, 0) > number}


@dataclass
class KeptResult:
    """A result: its rows as the driver returned them and the objects made of them, by their first column."""

    as_of: int = -1
    read_at: float = 0.0
    raw: dict[Any, tuple[Any, ...]] = field(default_factory=dict)
    made: dict[Any, Any] = field(default_factory=dict)


_shared: WeakValueDictionary[str, ChangeCounts] = WeakValueDictionary()


def counts_of(url: str) -> ChangeCounts:
    """Return the counts of a database. Anything may have changed before it was opened."""
    counts = _shared.setdefault(url, ChangeCounts())
    counts.add([_ANYTHING])
    return counts


def install(engine: sa.Engine) -> None:
    """Note what each write transaction changes."""
    sa.event.listen(engine, "before_cursor_execute", _before)


def _before(c: sa.Connection, _cursor: Any, statement: str, _parameters: Any, _context: Any, _many: bool) -> None:
    noted: set[str] | None = c.get_execution_options().get(WRITES)
    if noted is not None:
        noted |= changed_by(statement)


@lru_cache(maxsize=500)
def changed_by(statement: str) -> frozenset[str]:
    """Return the columns that a statement changes; `TABLE.*` if it adds or deletes rows."""
    if found := _ROWS.match(statement):
        return frozenset(f"{table}.*" for table in _with_dependents(found[1]))
    if (found := _CHANGE.match(statement)) and "SELECT" not in found[2]:
        return frozenset(f"{found[1]}.{name}" for name in _COLUMN.findall(found[2]))
    return frozenset() if _NO_CHANGE.match(statement) else frozenset([_ANYTHING])


@cache
def _with_dependents(table: str) -> frozenset[str]:
    """Return a table and those whose rows are deleted with its rows."""
    found = {table}
    for other in metadata.tables.values():
        if any(key.column.table.name == table for key in other.foreign_keys):
            found |= _with_dependents(other.name)
    return frozenset(found)


@lru_cache(maxsize=1000)
def _columns(of: Any) -> frozenset[str]:
    """Return the columns that a query or an expression names."""
    found = [one for one in visitors.iterate(of) if isinstance(one, sa.Column)]
    if not all(isinstance(one.table, (sa.Table, sa.Subquery)) for one in found):
        raise TypeError("an alias hides which table is read")
    return frozenset(str(one) for one in found if isinstance(one.table, sa.Table))


@cache
def read_by(query: Query) -> frozenset[str]:
    """Return what the result of a query depends on."""
    columns = _columns(query)
    return columns | {_ANYTHING} | {f"{name.partition('.')[0]}.*" for name in columns}


def fetch_kept(c: sa.Connection, kind: Make[R], query: Query) -> list[R]:
    """Return what `rows.fetch` returns, as far as possible from memory.

    The query must always be the same object, and its first column unique. A row that has not changed is the same
    object as before. In a write transaction, everything is read.
    """
    options = c.get_execution_options()
    counts: ChangeCounts | None = options.get(COUNTS)
    if counts is None or AS_OF not in options:
        return list(_read(c, kind, query, KeptResult()).made.values())
    as_of: int = options[AS_OF]
    kept = counts.results.get(query, KeptResult())
    if kept.as_of > as_of or counts.clock() - kept.read_at > MAX_AGE:
        kept = KeptResult(raw=kept.raw, made=kept.made)
    changed = counts.since(kept.as_of, read_by(query))
    if not changed:
        return list(kept.made.values())
    read = _read_columns(c, kind, query, kept, changed)
    if read is None or counts.since(kept.as_of, read_by(query)) != changed:  # the latter while it was read
        read = _read(c, kind, query, kept)
    read.as_of, read.read_at = as_of, counts.clock()
    counts.results[query] = read
    return list(read.made.values())


def _read(c: sa.Connection, kind: Make[R], query: Query, before: KeptResult) -> KeptResult:
    """Read all rows."""
    made_of = _maker(kind, query, c.dialect)
    found = KeptResult()
    for row in c.execute(_undecoded(query)).all():
        key, plain = row[0], tuple(row)
        found.raw[key] = plain
        found.made[key] = before.made[key] if before.raw.get(key) == plain else made_of(plain)
    return found


def _read_columns(
    c: sa.Connection, kind: Make[R], query: Query, before: KeptResult, changed: set[str]
) -> KeptResult | None:
    """Read only the columns that have changed; return None if others may follow from them, or rows were added."""
    if any(name.endswith("*") for name in changed) or not _plain(query):
        return None
    places = tuple(place for place, one in enumerate(query.selected_columns) if place == 0 or changed & _columns(one))
    made_of = _maker(kind, query, c.dialect)
    found = KeptResult()
    for row in c.execute(_undecoded(query, places)).all():
        key = row[0]
        plain = before.raw.get(key)
        if plain is None:
            return None
        if all(plain[place] == value for place, value in zip(places, row, strict=True)):
            found.made[key] = before.made[key]
        else:
            values = list(plain)
            for place, value in zip(places, row, strict=True):
                values[place] = value
            plain = tuple(values)
            found.made[key] = made_of(plain)
        found.raw[key] = plain
    return found


@cache
def _plain(query: Query) -> bool:
    """Return True if every value of the result is a column of the same table."""
    columns = [one.element if isinstance(one, sa.Label) else one for one in query.selected_columns]
    return len(query.get_final_froms()) == 1 and all(isinstance(one, sa.Column) for one in columns)


def _maker(kind: Make[R], query: Query, dialect: sa.Dialect) -> Callable[[tuple[Any, ...]], R]:
    """Return a function that makes an object of a row as the driver returned it."""
    types = [one.type.dialect_impl(dialect) for one in query.selected_columns]
    processors = [None if isinstance(one, sa.Float) else one.result_processor(dialect, None) for one in types]
    decoders = [(place, decode) for place, decode in enumerate(processors) if decode is not None]

    def made_of(plain: tuple[Any, ...]) -> R:
        values = list(plain)
        for place, decode in decoders:
            values[place] = decode(values[place])
        return kind(*values)

    return made_of


@lru_cache(maxsize=100)
def _undecoded(query: Query, places: tuple[int, ...] | None = None) -> Query:
    """Return a query for the same rows, as the driver returns them; `places`: only these columns."""
    columns = list(query.selected_columns)
    chosen = columns if places is None else [columns[place] for place in places]
    plain: list[sa.ColumnElement[Any]] = [sa.type_coerce(one, _PLAIN) for one in chosen]
    made: Query = query.with_only_columns(*plain, maintain_column_froms=True)
    return made
