"""Test that rows that leave the store have the types of their columns."""

from dataclasses import dataclass, fields, is_dataclass
from types import NoneType
from typing import Any, get_args, get_origin, get_type_hints

import pytest
import sqlalchemy as sa

from paddock.server.store import allocations, attempts, jobs
from paddock.server.store.db import Database
from paddock.server.store.rows import columns, fetch, portions
from paddock.server.store.tables import jobs as job_table
from tests.server.store.given import add_job

QUERIES: list[tuple[type[Any], sa.Select[Any]]] = [
    (allocations.AllocationRow, allocations._ROWS),
    (allocations.UnadjustedAllocation, allocations._UNADJUSTED),
    (attempts.TaskAttempt, attempts._ROWS),
    (attempts.UnbegunAttempt, attempts.UNBEGUN_ROWS),
    (attempts.TaskInAllocation, attempts._RUNNING),
    (jobs.JobRow, jobs._ROWS),
    (jobs.ChangedJob, jobs._CHANGED),
]
# The column may be null, the query leaves such rows out.
NEVER_NULL = {(allocations.UnadjustedAllocation, "backend_id"), (attempts.TaskInAllocation, "allocation")}


@pytest.mark.parametrize(("kind", "query"), QUERIES, ids=[kind.__name__ for kind, _ in QUERIES])
def test_every_field_has_the_type_of_its_column(kind: type[Any], query: sa.Select[Any]) -> None:
    assert is_dataclass(kind) and hasattr(kind, "__slots__")
    hints = get_type_hints(kind)
    found = list(query.selected_columns)
    assert [column.key for column in found] == [field.name for field in fields(kind)]
    for name, column in zip(hints, found, strict=True):
        real = column.element if isinstance(column, sa.Label) else column
        assert isinstance(real, sa.Column)
        of_field = get_args(hints[name]) if NoneType in get_args(hints[name]) else (hints[name],)
        python = next(get_origin(one) or one for one in of_field if one is not NoneType)
        nullable = real.nullable and (kind, name) not in NEVER_NULL
        assert (NoneType in of_field) == nullable, name
        if isinstance(real.type, sa.JSON):
            assert python in (dict, list), name
        elif isinstance(real.type, sa.Enum):
            assert python is real.type.enum_class, name
        else:
            assert python is real.type.python_type, name


def test_a_field_without_a_column_is_an_error_at_once() -> None:
    @dataclass(frozen=True, slots=True)
    class Odd:
        id: str
        nothing: int

    with pytest.raises(KeyError, match="nothing"):
        columns(Odd, job_table.c)


def test_rows_are_filled_by_name_whatever_the_order_of_the_fields(db: Database) -> None:
    @dataclass(frozen=True, slots=True)
    class Backwards:
        goal: str
        owner: str
        id: str

    add_job(db, "zzz", owner="eve")
    with db.read() as c:
        [row] = fetch(c, Backwards, sa.select(*columns(Backwards, job_table.c)))
    assert row == Backwards(goal="min", owner="eve", id="zzz")


def test_batches_hold_everything_once() -> None:
    numbers = list(range(1001))
    assert [one for some in portions(numbers) for one in some] == numbers
    assert max(len(some) for some in portions(numbers)) <= 400
    assert list(portions([])) == []
