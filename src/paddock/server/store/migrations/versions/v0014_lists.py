"""Pinned jobs, and saved views of the list of jobs"""

import sqlalchemy as sa
from alembic import op

revision = "0014"
down_revision = "0013"


def upgrade() -> None:
    op.add_column("jobs", sa.Column("pinned", sa.Boolean(), nullable=False, server_default=sa.text("false")))
    op.create_index("ix_jobs_pinned_created_at", "jobs", ["pinned", "created_at"])
    op.create_table(
        "views",
        sa.Column("owner", sa.String(200), primary_key=True),
        sa.Column("name", sa.String(200), primary_key=True),
        sa.Column("filters", sa.JSON(), nullable=False),
    )
