"""What is remembered of a program belongs to an owner"""

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"


def upgrade() -> None:
    # Everybody with a job of a program gets what is remembered of it, as nobody knows whose jobs it came from.
    query = "SELECT DISTINCT jobs.owner, packings.* FROM packings JOIN jobs ON jobs.program = packings.program"
    known = [dict(row) for row in op.get_bind().execute(sa.text(query)).mappings()]
    op.drop_table("packings")
    table = op.create_table(
        "packings",
        sa.Column("owner", sa.String(200), primary_key=True),
        sa.Column("program", sa.String(64), primary_key=True),
        sa.Column("gpu", sa.String(200), primary_key=True),
        sa.Column("tasks", sa.Integer(), nullable=False),
        sa.Column("need", sa.BigInteger(), nullable=True),
        sa.Column("limit", sa.String(16), nullable=True),
        sa.Column("speedup", sa.Float(53), nullable=True),
        sa.Column("at", sa.Float(53), nullable=False),
    )
    op.bulk_insert(table, known)
