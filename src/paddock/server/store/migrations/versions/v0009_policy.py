"""Priorities of jobs, allocations that give way, and what each person has used"""

import sqlalchemy as sa
from alembic import op

revision = "0009"
down_revision = "0008"


def upgrade() -> None:
    op.add_column("jobs", sa.Column("priority", sa.Integer(), nullable=False, server_default=sa.text("0")))
    op.add_column("allocations", sa.Column("leaving_for", sa.String(32), nullable=True))
    op.create_table(
        "usage",
        sa.Column("owner", sa.String(200), primary_key=True),
        sa.Column("backend", sa.String(200), primary_key=True),
        sa.Column("amount", sa.Float(53), nullable=False),
        sa.Column("at", sa.Float(53), nullable=False),
    )
