"""When attempts reported their first epoch, and what earlier predictions of a program turned out to be"""

import sqlalchemy as sa
from alembic import op

revision = "0018"
down_revision = "0017"


def upgrade() -> None:
    op.add_column("attempts", sa.Column("first_epoch_at", sa.Float(53), nullable=True))
    op.create_index("ix_jobs_program", "jobs", ["program", "created_at"])
    op.create_table(
        "predictions",
        sa.Column("owner", sa.String(200), primary_key=True),
        sa.Column("program", sa.String(64), primary_key=True),
        sa.Column("kind", sa.String(8), primary_key=True),
        sa.Column("scores", sa.JSON(), nullable=False),
        sa.Column("at", sa.Float(53), nullable=False),
    )
