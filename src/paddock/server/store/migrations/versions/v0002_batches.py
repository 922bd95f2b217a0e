"""Allocations in batches, hold and limits, starts of an allocation"""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"


def _flag(name: str) -> sa.Column[bool]:
    return sa.Column(name, sa.Boolean(), server_default=sa.text("(false)"), nullable=False)


def _count(name: str) -> sa.Column[int]:
    return sa.Column(name, sa.Integer(), server_default=sa.text("0"), nullable=False)


def upgrade() -> None:
    op.create_table(
        "batches",
        sa.Column("key", sa.String(length=64), primary_key=True),
        sa.Column("job_id", sa.String(length=32), nullable=False),
        sa.Column("backend", sa.String(length=200), nullable=False),
        sa.Column("spec", sa.JSON(), nullable=False),
        sa.Column("created_at", sa.Float(precision=53), nullable=False),
        sa.ForeignKeyConstraint(["job_id"], ["jobs.id"], name=op.f("fk_batches_job_id_jobs"), ondelete="CASCADE"),
    )
    op.create_index("ix_batches_job_id", "batches", ["job_id"])
    op.execute(
        "INSERT INTO batches (key, job_id, backend, spec, created_at) "
        "SELECT key, job_id, backend, spec, created_at FROM allocations"
    )
    op.add_column("jobs", _flag("held"))
    op.add_column("jobs", _count("adjusted"))
    op.add_column("jobs", _count("told"))
    op.add_column("attempts", sa.Column("start", sa.Integer(), nullable=True))
    op.add_column("allocations", sa.Column("batch", sa.String(length=64), nullable=False, server_default=""))
    for column in (_flag("never"), _flag("by_hand"), _count("adjusted")):
        op.add_column("allocations", column)
    op.add_column("allocations", sa.Column("starts_at", sa.Float(precision=53), nullable=True))
    op.execute("UPDATE allocations SET batch = key")
    # What was only planned may have reached the local backend, which knows it by its key; else it is planned again.
    op.execute("UPDATE allocations SET state = 'pending', backend_id = key WHERE state = 'planned'")
    with op.batch_alter_table("allocations") as table:
        table.alter_column("batch", server_default=None)
        table.drop_column("spec")
    op.create_index("ix_allocations_batch", "allocations", ["batch"])
