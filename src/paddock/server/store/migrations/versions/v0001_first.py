"""Jobs, tasks, attempts, allocations, metrics and events"""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None


def upgrade() -> None:
    op.create_table(
        "events",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), primary_key=True),
        sa.Column("at", sa.Float(precision=53), nullable=False),
        sa.Column("job_id", sa.String(length=32), nullable=True),
        sa.Column("owner", sa.String(length=200), nullable=True),
        sa.Column("kind", sa.String(length=16), nullable=False),
        sa.Column("data", sa.JSON(), nullable=False),
        sqlite_autoincrement=True,
    )
    op.create_table(
        "jobs",
        sa.Column("id", sa.String(length=32), primary_key=True),
        sa.Column("owner", sa.String(length=200), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("description", sa.Text(), nullable=False),
        sa.Column("tags", sa.JSON(), nullable=False),
        sa.Column("spec", sa.JSON(), nullable=False),
        sa.Column("script", sa.JSON(), nullable=True),
        sa.Column("code", sa.JSON(), nullable=False),
        sa.Column("interpreter", sa.JSON(), nullable=False),
        sa.Column("metric", sa.Text(), nullable=False),
        sa.Column("goal", sa.String(length=8), nullable=False),
        sa.Column("warnings", sa.JSON(), nullable=False),
        sa.Column("created_at", sa.Float(precision=53), nullable=False),
        sa.Column("removing", sa.Boolean(), server_default=sa.text("(false)"), nullable=False),
    )
    op.create_index("ix_jobs_created_at", "jobs", ["created_at"])
    op.create_table(
        "allocations",
        sa.Column("key", sa.String(length=64), primary_key=True),
        sa.Column("job_id", sa.String(length=32), nullable=False),
        sa.Column("backend", sa.String(length=200), nullable=False),
        sa.Column("backend_id", sa.String(length=200), nullable=True),
        sa.Column("state", sa.String(length=16), nullable=False),
        sa.Column("spec", sa.JSON(), nullable=False),
        sa.Column("node", sa.Text(), nullable=True),
        sa.Column("reason", sa.Text(), nullable=True),
        sa.Column("created_at", sa.Float(precision=53), nullable=False),
        sa.Column("seen_at", sa.Float(precision=53), nullable=True),
        sa.Column("ended_at", sa.Float(precision=53), nullable=True),
        sa.Column("cancelled", sa.Boolean(), server_default=sa.text("(false)"), nullable=False),
        sa.Column("cause", sa.String(length=16), nullable=True),
        sa.Column("closed", sa.Boolean(), server_default=sa.text("(false)"), nullable=False),
        sa.Column("offsets", sa.JSON(), nullable=False),
        sa.ForeignKeyConstraint(["job_id"], ["jobs.id"], name=op.f("fk_allocations_job_id_jobs"), ondelete="CASCADE"),
    )
    op.create_index("ix_allocations_closed", "allocations", ["closed"])
    op.create_index("ix_allocations_job_id", "allocations", ["job_id"])
    op.create_table(
        "tasks",
        sa.Column("id", sa.String(length=64), primary_key=True),
        sa.Column("job_id", sa.String(length=32), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("params", sa.JSON(), nullable=False),
        sa.Column("state", sa.String(length=16), nullable=False),
        sa.Column("stopping", sa.Boolean(), server_default=sa.text("(false)"), nullable=False),
        sa.Column("attempt", sa.Integer(), nullable=False),
        sa.Column("created_at", sa.Float(precision=53), nullable=False),
        sa.Column("epoch", sa.Float(precision=53), nullable=True),
        sa.Column("epoch_at", sa.Float(precision=53), nullable=True),
        sa.Column("first_epoch", sa.Float(precision=53), nullable=True),
        sa.Column("epochs", sa.Integer(), nullable=True),
        sa.Column("last_value", sa.Float(precision=53), nullable=True),
        sa.Column("best_value", sa.Float(precision=53), nullable=True),
        sa.Column("best_epoch", sa.Float(precision=53), nullable=True),
        sa.Column("best_at", sa.Float(precision=53), nullable=True),
        sa.ForeignKeyConstraint(["job_id"], ["jobs.id"], name=op.f("fk_tasks_job_id_jobs"), ondelete="CASCADE"),
        sa.UniqueConstraint("job_id", "number", name=op.f("uq_tasks_job_id_number")),
    )
    op.create_index("ix_tasks_job_id_state", "tasks", ["job_id", "state"])
    op.create_table(
        "attempts",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), primary_key=True),
        sa.Column("task_id", sa.String(length=64), nullable=False),
        sa.Column("job_id", sa.String(length=32), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("state", sa.String(length=16), nullable=False),
        sa.Column("cause", sa.String(length=16), nullable=True),
        sa.Column("reason", sa.Text(), nullable=True),
        sa.Column("resumed", sa.Boolean(), server_default=sa.text("(false)"), nullable=False),
        sa.Column("published", sa.Boolean(), server_default=sa.text("(false)"), nullable=False),
        sa.Column("ordered", sa.Boolean(), server_default=sa.text("(false)"), nullable=False),
        sa.Column("allocation", sa.String(length=64), nullable=True),
        sa.Column("created_at", sa.Float(precision=53), nullable=False),
        sa.Column("started_at", sa.Float(precision=53), nullable=True),
        sa.Column("ended_at", sa.Float(precision=53), nullable=True),
        sa.Column("node", sa.Text(), nullable=True),
        sa.Column("device", sa.Text(), nullable=True),
        sa.Column("pid", sa.Integer(), nullable=True),
        sa.Column("first_epoch", sa.Float(precision=53), nullable=True),
        sa.Column("exit_code", sa.Integer(), nullable=True),
        sa.Column("signal", sa.Integer(), nullable=True),
        sa.Column("peak_memory", sa.BigInteger(), nullable=True),
        sa.Column("cpu_seconds", sa.Float(precision=53), nullable=True),
        sa.Column("warnings", sa.JSON(), nullable=False),
        sa.ForeignKeyConstraint(["job_id"], ["jobs.id"], name=op.f("fk_attempts_job_id_jobs"), ondelete="CASCADE"),
        sa.ForeignKeyConstraint(["task_id"], ["tasks.id"], name=op.f("fk_attempts_task_id_tasks"), ondelete="CASCADE"),
        sa.UniqueConstraint("task_id", "number", name=op.f("uq_attempts_task_id_number")),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_attempts_allocation", "attempts", ["allocation"])
    op.create_index("ix_attempts_job_id_published", "attempts", ["job_id", "published"])
    op.create_table(
        "metric_chunks",
        sa.Column("attempt_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), primary_key=True),
        sa.Column("name", sa.String(length=200), primary_key=True),
        sa.Column("seq", sa.Integer(), primary_key=True),
        sa.Column("count", sa.Integer(), nullable=False),
        sa.Column("data", sa.LargeBinary(), nullable=False),
        sa.ForeignKeyConstraint(
            ["attempt_id"], ["attempts.id"], name=op.f("fk_metric_chunks_attempt_id_attempts"), ondelete="CASCADE"
        ),
    )
