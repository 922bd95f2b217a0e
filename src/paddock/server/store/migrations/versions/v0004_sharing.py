"""Tasks that share GPUs, what is remembered of that, and the load of nodes"""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"


def upgrade() -> None:
    op.add_column("jobs", sa.Column("program", sa.String(64), nullable=True))
    op.add_column("jobs", sa.Column("packing", sa.JSON(), nullable=True))
    op.add_column("tasks", sa.Column("reduces", sa.Boolean(), server_default=sa.text("(false)"), nullable=False))
    op.add_column("attempts", sa.Column("peak_gpu_memory", sa.BigInteger(), nullable=True))
    op.add_column("attempts", sa.Column("seat", sa.JSON(), nullable=True))
    op.add_column("attempts", sa.Column("room", sa.JSON(), nullable=True))
    op.create_table(
        "packings",
        sa.Column("program", sa.String(64), primary_key=True),
        sa.Column("gpu", sa.String(200), primary_key=True),
        sa.Column("tasks", sa.Integer(), nullable=False),
        sa.Column("need", sa.BigInteger(), nullable=True),
        sa.Column("limit", sa.String(16), nullable=True),
        sa.Column("speedup", sa.Float(53), nullable=True),
        sa.Column("at", sa.Float(53), nullable=False),
    )
    op.create_table(
        "loads",
        sa.Column("backend", sa.String(200), primary_key=True),
        sa.Column("node", sa.String(255), primary_key=True),
        sa.Column("at", sa.Float(53), primary_key=True),
        sa.Column("data", sa.JSON(), nullable=False),
    )
    op.create_index("ix_loads_at", "loads", ["at"])
