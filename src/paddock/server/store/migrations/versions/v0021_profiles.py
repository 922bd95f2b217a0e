"""Sizes that the policy chooses: how fast programs train on several GPUs, and what may be resized"""

import sqlalchemy as sa
from alembic import op

revision = "0021"
down_revision = "0020"


def upgrade() -> None:
    op.add_column("tasks", sa.Column("resize_why", sa.Text(), nullable=True))
    op.add_column("tasks", sa.Column("sized_by", sa.String(200), nullable=True))
    op.add_column("attempts", sa.Column("saved_at", sa.Float(53), nullable=True))
    op.add_column("attempts", sa.Column("epoch_seconds", sa.Float(53), nullable=True))
    op.add_column("attempts", sa.Column("samples_per_second", sa.Float(53), nullable=True))
    op.create_table(
        "profiles",
        sa.Column("owner", sa.String(200), nullable=False),
        sa.Column("program", sa.String(64), nullable=False),
        sa.Column("gpu", sa.String(200), nullable=False),
        sa.Column("timings", sa.JSON(), nullable=False),
        sa.Column("at", sa.Float(53), nullable=False),
        sa.PrimaryKeyConstraint("owner", "program", "gpu", name="pk_profiles"),
    )
