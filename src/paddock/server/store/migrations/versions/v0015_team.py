"""Accounts, groups, sessions, tokens, invitations, the audit; who sees a job and whom it runs as"""

import sqlalchemy as sa
from alembic import op

revision = "0015"
down_revision = "0014"

_RowId = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
_EMPTY = sa.text("''")
# Entries of the audit are never changed, and go only when they are old.
_KEPT_SECONDS = 29 * 86_400  # `audit_days` is 30 at least; the clock of a database may differ a little
_SQLITE = [
    """CREATE TRIGGER audit_no_update BEFORE UPDATE ON audit
    BEGIN SELECT RAISE(ABORT, 'the audit cannot be changed'); END""",
    f"""CREATE TRIGGER audit_no_delete BEFORE DELETE ON audit
    WHEN OLD.at > (julianday('now') - 2440587.5) * 86400.0 - {_KEPT_SECONDS}
    BEGIN SELECT RAISE(ABORT, 'the audit cannot be changed'); END""",
    # INSERT OR REPLACE deletes rows without the trigger above.
    """CREATE TRIGGER audit_no_replace BEFORE INSERT ON audit WHEN EXISTS (SELECT 1 FROM audit WHERE id = NEW.id)
    BEGIN SELECT RAISE(ABORT, 'the audit cannot be changed'); END""",
]
_POSTGRES = [
    f"""CREATE FUNCTION paddock_audit_guard() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    IF TG_OP = 'DELETE' AND OLD.at <= extract(epoch from now()) - {_KEPT_SECONDS} THEN RETURN OLD; END IF;
    RAISE EXCEPTION 'the audit cannot be changed'; END $$""",
    """CREATE TRIGGER audit_guard BEFORE UPDATE OR DELETE ON audit
    FOR EACH ROW EXECUTE FUNCTION paddock_audit_guard()""",
    """CREATE TRIGGER audit_no_truncate BEFORE TRUNCATE ON audit
    FOR EACH STATEMENT EXECUTE FUNCTION paddock_audit_guard()""",
]


def upgrade() -> None:
    op.add_column("jobs", sa.Column("unsearched", sa.Boolean(), nullable=False, server_default=sa.false()))
    op.add_column("jobs", sa.Column("visibility", sa.String(8), nullable=False, server_default=sa.text("'team'")))
    op.add_column("jobs", sa.Column("unix_name", sa.String(64), nullable=True))
    op.add_column("jobs", sa.Column("folder", sa.Text(), nullable=True))
    op.add_column("sessions", sa.Column("user", sa.String(64), nullable=True))
    op.add_column("sessions", sa.Column("seen_at", sa.Float(53), nullable=True))
    op.add_column("sessions", sa.Column("address", sa.String(64), nullable=False, server_default=_EMPTY))
    op.add_column("sessions", sa.Column("browser", sa.String(200), nullable=False, server_default=_EMPTY))
    op.create_index("ix_sessions_user", "sessions", ["user"])
    op.create_table(
        "team",
        sa.Column("id", sa.Integer(), primary_key=True),
        sa.Column("on", sa.Boolean(), nullable=False),
        sa.Column("changed_at", sa.Float(53), nullable=False),
    )
    _people()
    _keys()
    op.create_table(
        "audit",
        sa.Column("id", _RowId, primary_key=True, autoincrement=True),
        sa.Column("at", sa.Float(53), nullable=False),
        sa.Column("who", sa.String(64), nullable=False),
        sa.Column("via", sa.String(120), nullable=False),
        sa.Column("address", sa.String(64), nullable=False),
        sa.Column("act", sa.String(64), nullable=False),
        sa.Column("kind", sa.String(32), nullable=False),
        sa.Column("object", sa.String(200), nullable=False),
        sa.Column("detail", sa.JSON(), nullable=False),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_audit_who", "audit", ["who"])
    op.create_index("ix_audit_at", "audit", ["at"])
    for statement in _SQLITE if op.get_bind().dialect.name == "sqlite" else _POSTGRES:
        op.execute(statement)


def _people() -> None:
    op.create_table(
        "users",
        sa.Column("name", sa.String(64), primary_key=True),
        sa.Column("full_name", sa.String(200), nullable=False, server_default=_EMPTY),
        sa.Column("email", sa.String(200), nullable=False, server_default=_EMPTY),
        sa.Column("role", sa.String(8), nullable=False),
        sa.Column("unix_name", sa.String(64), unique=True),
        sa.Column("source", sa.String(16), nullable=False),
        sa.Column("subject", sa.String(500)),
        sa.Column("password", sa.String(200)),
        sa.Column("active", sa.Boolean(), nullable=False, server_default=sa.text("true")),
        sa.Column("created_at", sa.Float(53), nullable=False),
        sa.Column("seen_at", sa.Float(53)),
        sa.Column("zone", sa.String(64), nullable=False, server_default=_EMPTY),
        sa.UniqueConstraint("source", "subject"),
    )
    op.create_table(
        "groups",
        sa.Column("name", sa.String(64), primary_key=True),
        sa.Column("description", sa.Text(), nullable=False, server_default=_EMPTY),
        sa.Column("source", sa.String(16), nullable=False, server_default=sa.text("'local'")),
        sa.Column("created_at", sa.Float(53), nullable=False),
    )
    op.create_table(
        "members",
        sa.Column("group", sa.String(64), sa.ForeignKey("groups.name", ondelete="CASCADE"), primary_key=True),
        sa.Column("user", sa.String(64), sa.ForeignKey("users.name", ondelete="CASCADE"), primary_key=True),
        sa.Column("source", sa.String(16), nullable=False, server_default=sa.text("'local'")),
    )


def _keys() -> None:
    op.create_table(
        "tokens",
        sa.Column("id", sa.String(16), primary_key=True),
        sa.Column("user", sa.String(64), sa.ForeignKey("users.name", ondelete="CASCADE"), nullable=False),
        sa.Column("name", sa.String(100), nullable=False),
        sa.Column("hash", sa.String(64), nullable=False, unique=True),
        sa.Column("scope", sa.String(8), nullable=False),
        sa.Column("created_at", sa.Float(53), nullable=False),
        sa.Column("expires_at", sa.Float(53)),
        sa.Column("used_at", sa.Float(53)),
        sa.Column("revoked_at", sa.Float(53)),
    )
    op.create_index("ix_tokens_user", "tokens", ["user"])
    op.create_table(
        "invites",
        sa.Column("hash", sa.String(64), primary_key=True),
        sa.Column("id", sa.String(16), nullable=False, unique=True),
        sa.Column("kind", sa.String(8), nullable=False),
        sa.Column("name", sa.String(64)),
        sa.Column("role", sa.String(8), nullable=False),
        sa.Column("groups", sa.JSON(), nullable=False),
        sa.Column("email", sa.String(200), nullable=False),
        sa.Column("by", sa.String(64), nullable=False),
        sa.Column("created_at", sa.Float(53), nullable=False),
        sa.Column("expires_at", sa.Float(53), nullable=False),
        sa.Column("used_by", sa.String(64)),
    )
    op.create_table(
        "pending_logins",
        sa.Column("hash", sa.String(64), primary_key=True),
        sa.Column("provider", sa.String(64), nullable=False),
        sa.Column("nonce", sa.String(64), nullable=False),
        sa.Column("verifier", sa.String(128), nullable=False),
        sa.Column("next", sa.Text(), nullable=False),
        sa.Column("invite", sa.String(64)),
        sa.Column("expires_at", sa.Float(53), nullable=False),
    )
