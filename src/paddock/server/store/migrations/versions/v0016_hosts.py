"""Hosts that are reached by ssh, attempts that are dealt to an allocation, notices, and how people arrange pages"""

import sqlalchemy as sa
from alembic import op

revision = "0016"
down_revision = "0015"

_RowId = sa.BigInteger().with_variant(sa.Integer(), "sqlite")

# Jobs that have ended before there were notices are no news.
_PAST = """UPDATE jobs SET end_noticed = true WHERE NOT searching
AND NOT EXISTS (SELECT 1 FROM tasks WHERE tasks.job_id = jobs.id AND tasks.state IN ('submitted', 'running'))"""


def upgrade() -> None:
    op.add_column("jobs", sa.Column("fleet", sa.String(200), nullable=True))
    op.add_column("jobs", sa.Column("notify", sa.JSON(), nullable=True))
    op.add_column("jobs", sa.Column("end_noticed", sa.Boolean(), nullable=False, server_default=sa.text("false")))
    op.add_column("jobs", sa.Column("noticed", sa.JSON(), nullable=True))
    op.execute(_PAST)
    unnoticed = sa.column("end_noticed").is_(False)
    op.create_index("ix_jobs_end_unnoticed", "jobs", ["id"], sqlite_where=unnoticed, postgresql_where=unnoticed)
    op.add_column("attempts", sa.Column("dealt_to", sa.String(64), nullable=True))
    _index("ix_attempts_dealt", "dealt_to", "dealt_to IS NOT NULL AND state IN ('submitted', 'running')")
    _index("ix_attempts_pinned", "job_id", "node IS NOT NULL AND state = 'submitted'")
    op.create_table(
        "hosts",
        sa.Column("backend", sa.String(200), primary_key=True),
        sa.Column("name", sa.String(255), primary_key=True),
        sa.Column("added_by", sa.String(64), nullable=True),
        sa.Column("added_at", sa.Float(53), nullable=False),
        sa.Column("lost_at", sa.Float(53), nullable=True),
        sa.Column("lost_by", sa.String(64), nullable=True),
    )
    op.create_table(
        "layouts",
        sa.Column("user", sa.String(200), primary_key=True),
        sa.Column("page", sa.String(32), primary_key=True),
        sa.Column("data", sa.JSON(), nullable=False),
        sa.Column("changed_at", sa.Float(53), nullable=False),
    )
    _notices()


def _index(name: str, column: str, where: str) -> None:
    condition = sa.text(where)
    op.create_index(name, "attempts", [column], sqlite_where=condition, postgresql_where=condition)


def _notices() -> None:
    op.create_table(
        "notices",
        sa.Column("id", _RowId, primary_key=True, autoincrement=True),
        sa.Column("user", sa.String(200), nullable=False),
        sa.Column("kind", sa.String(32), nullable=False),
        sa.Column("title", sa.Text(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("link", sa.Text(), nullable=False),
        sa.Column("job_id", sa.String(32), nullable=True),
        sa.Column("created_at", sa.Float(53), nullable=False),
        sa.Column("read_at", sa.Float(53), nullable=True),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_notices_user", "notices", ["user", "id"])
    op.create_table(
        "outbox",
        sa.Column("id", _RowId, primary_key=True, autoincrement=True),
        sa.Column("notice", _RowId, sa.ForeignKey("notices.id", ondelete="CASCADE"), nullable=False),
        sa.Column("user", sa.String(200), nullable=False),
        sa.Column("address", sa.Text(), nullable=False),
        sa.Column("tries", sa.Integer(), nullable=False, server_default=sa.text("0")),
        sa.Column("created_at", sa.Float(53), nullable=False),
        sa.Column("next_at", sa.Float(53), nullable=True),
        sa.Column("sent_at", sa.Float(53), nullable=True),
        sa.Column("problem", sa.Text(), nullable=True),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_outbox_next_at", "outbox", ["next_at"])
    op.create_index("ix_outbox_user", "outbox", ["user", "sent_at"])
    op.create_index("ix_outbox_notice", "outbox", ["notice"])
    op.create_table(
        "notice_choices",
        sa.Column("user", sa.String(200), primary_key=True),
        sa.Column("data", sa.JSON(), nullable=False),
    )
