"""Tasks whose number of GPUs changes while they run"""

import sqlalchemy as sa
from alembic import op

revision = "0020"
down_revision = "0019"


def upgrade() -> None:
    op.add_column("tasks", sa.Column("size_wanted", sa.Integer(), nullable=True))
    op.add_column("tasks", sa.Column("resize_by", sa.String(200), nullable=True))
    resizing = sa.column("resize_by").is_not(None)
    op.create_index("ix_tasks_resizing", "tasks", ["job_id"], sqlite_where=resizing, postgresql_where=resizing)
    op.add_column("attempts", sa.Column("size", sa.Integer(), nullable=True))
    op.drop_index("ix_attempts_open", "attempts")
    still = sa.column("state", sa.String).in_(["submitted", "running"]) & sa.column("published", sa.Boolean).is_(True)
    columns = ["job_id", "size", "state", "published", "created_at"]
    op.create_index("ix_attempts_open", "attempts", columns, sqlite_where=still, postgresql_where=still)
