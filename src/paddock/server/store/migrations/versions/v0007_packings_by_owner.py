"""What is learned of a program is kept by owner"""

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None


def upgrade() -> None:
    # To everybody who has a job of that program: each of them may have taught it.
    query = "SELECT DISTINCT jobs.owner, packings.* FROM packings JOIN jobs ON jobs.program = packings.program"
    known = [dict(row) for row in op.get_bind().execute(sa.text(query)).mappings()]
    op.drop_table("packings")
    table = _create(owner=True)
    op.bulk_insert(table, known)


def downgrade() -> None:
    op.drop_table("packings")  # it is learned again
    _create(owner=False)


def _create(owner: bool) -> sa.Table:
    keys = ["owner", "program", "gpu"] if owner else ["program", "gpu"]
    return op.create_table(
        "packings",
        *([sa.Column("owner", sa.String(200), nullable=False)] if owner else []),
        sa.Column("program", sa.String(64), nullable=False),
        sa.Column("gpu", sa.String(200), nullable=False),
        sa.Column("tasks", sa.Integer(), nullable=False),
        sa.Column("need", sa.BigInteger(), nullable=True),
        sa.Column("limit", sa.String(16), nullable=True),
        sa.Column("speedup", sa.Float(53), nullable=True),
        sa.Column("at", sa.Float(53), nullable=False),
        sa.PrimaryKeyConstraint(*keys, name="pk_packings"),
    )
