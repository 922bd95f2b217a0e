"""Searches that add tasks while others run"""

from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"

_JOBS: tuple[tuple[str, sa.types.TypeEngine[Any]], ...] = (
    ("digest", sa.String(64)),
    ("search_until", sa.Float(53)),
    ("search_note", sa.Text()),
)
_ATTEMPTS: tuple[tuple[str, sa.types.TypeEngine[Any]], ...] = (
    ("successor", sa.JSON()),
    ("source", sa.String(64)),
    ("source_step", sa.Float(53)),
    ("params", sa.JSON()),
)


def upgrade() -> None:
    for name, kind in _JOBS:
        op.add_column("jobs", sa.Column(name, kind, nullable=True))
    op.add_column("jobs", sa.Column("searching", sa.Boolean(), server_default=sa.text("(false)"), nullable=False))
    op.add_column("tasks", sa.Column("trial", sa.Integer(), server_default=sa.text("0"), nullable=False))
    op.add_column("tasks", sa.Column("others", sa.JSON(), nullable=True))
    op.execute("UPDATE tasks SET trial = number")
    for name, kind in _ATTEMPTS:
        op.add_column("attempts", sa.Column(name, kind, nullable=True))
