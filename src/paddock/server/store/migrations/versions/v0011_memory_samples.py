"""What tasks of a program needed, with their parameters"""

import sqlalchemy as sa
from alembic import op

revision = "0011"
down_revision = "0010"


def upgrade() -> None:
    op.create_table(
        "memory_samples",
        sa.Column("owner", sa.String(200), primary_key=True),
        sa.Column("program", sa.String(64), primary_key=True),
        sa.Column("gpu", sa.String(200), primary_key=True),
        sa.Column("samples", sa.JSON(), nullable=False),
        sa.Column("at", sa.Float(53), nullable=False),
    )
