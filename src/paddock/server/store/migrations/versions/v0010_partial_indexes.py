"""Indexes of the few rows that the engine looks for in every round"""

from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0010"
down_revision = "0009"


def upgrade() -> None:
    op.drop_index("ix_allocations_closed", "allocations")
    state = sa.column("state", sa.String)
    open_columns = ["job_id", "state", "published", "created_at"]
    _create("ix_jobs_untold", "jobs", ["id"], sa.column("told") != sa.column("adjusted"))
    _create("ix_jobs_removing", "jobs", ["id"], _flag("removing"))
    _create("ix_jobs_searching", "jobs", ["id"], _flag("searching"))
    _create("ix_jobs_search_until", "jobs", ["search_until"], sa.column("search_until").is_not(None))
    _create("ix_tasks_stopping", "tasks", ["job_id"], _flag("stopping"))
    _create("ix_attempts_unpublished", "attempts", ["job_id"], _flag("published", False) & (state == "submitted"))
    _create("ix_attempts_running", "attempts", ["job_id"], state == "running")
    _create("ix_attempts_open", "attempts", open_columns, _flag("published") & state.in_(["submitted", "running"]))
    _create("ix_allocations_unclosed", "allocations", ["created_at", "key"], _flag("closed", False))
    _create("ix_allocations_planned", "allocations", ["batch"], _flag("closed", False) & (state == "planned"))


def _flag(name: str, value: bool = True) -> sa.ColumnElement[bool]:
    return sa.column(name, sa.Boolean).is_(value)


def _create(name: str, table: str, columns: list[str], where: sa.ColumnElement[Any]) -> None:
    op.create_index(name, table, columns, sqlite_where=where, postgresql_where=where)
