"""Devices, reservations, access rules, quotas, violations and how well reservations were used"""

import sqlalchemy as sa
from alembic import op

revision = "0017"
down_revision = "0016"

_RowId = sa.BigInteger().with_variant(sa.Integer(), "sqlite")

# No two live bookings of one device overlap, whoever writes them.
_TAKEN = """EXISTS (SELECT 1 FROM bookings WHERE device = NEW.device AND reservation <> NEW.reservation AND live
AND starts_at < NEW.ends_at AND ends_at > NEW.starts_at)"""
# What is over is history: whose it was, and when, stays as it is.
_FIXED = "kind, owner, starts_at, ends_at, planned_end, cancelled_at, released_at, over"
_PAST = "EXISTS (SELECT 1 FROM reservations WHERE id = {row}.reservation AND over)"
_REFUSE = "BEGIN SELECT RAISE(ABORT, 'a reservation that is over cannot be changed'); END"
_SQLITE = [
    *(
        f"""CREATE TRIGGER bookings_no_overlap_{act.lower()} BEFORE {act} ON bookings WHEN NEW.live AND {_TAKEN}
        BEGIN SELECT RAISE(ABORT, 'the device is reserved then'); END"""
        for act in ("INSERT", "UPDATE")
    ),
    f"CREATE TRIGGER reservations_no_update BEFORE UPDATE OF {_FIXED} ON reservations WHEN OLD.over {_REFUSE}",
    f"CREATE TRIGGER reservations_no_delete BEFORE DELETE ON reservations WHEN OLD.over {_REFUSE}",
    *(
        f"CREATE TRIGGER bookings_no_{act.lower()} BEFORE {act} ON bookings WHEN {_PAST.format(row=row)} {_REFUSE}"
        for act, row in (("INSERT", "NEW"), ("UPDATE", "OLD"), ("DELETE", "OLD"))
    ),
]
_POSTGRES = [
    "CREATE EXTENSION IF NOT EXISTS btree_gist",
    """ALTER TABLE bookings ADD CONSTRAINT bookings_no_overlap EXCLUDE USING gist
    (device WITH =, numrange(starts_at::numeric, ends_at::numeric, '[)') WITH &&) WHERE (live)""",
    """CREATE FUNCTION paddock_history_guard() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    RAISE EXCEPTION 'a reservation that is over cannot be changed'; END $$""",
    f"""CREATE TRIGGER reservations_no_update BEFORE UPDATE OF {_FIXED} ON reservations
    FOR EACH ROW WHEN (OLD.over) EXECUTE FUNCTION paddock_history_guard()""",
    """CREATE TRIGGER reservations_no_delete BEFORE DELETE ON reservations
    FOR EACH ROW WHEN (OLD.over) EXECUTE FUNCTION paddock_history_guard()""",
    f"""CREATE FUNCTION paddock_bookings_guard() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    IF TG_OP <> 'INSERT' AND {_PAST.format(row="OLD")} OR TG_OP = 'INSERT' AND {_PAST.format(row="NEW")} THEN
    RAISE EXCEPTION 'a reservation that is over cannot be changed'; END IF;
    IF TG_OP = 'DELETE' THEN RETURN OLD; END IF; RETURN NEW; END $$""",
    """CREATE TRIGGER bookings_history BEFORE INSERT OR UPDATE OR DELETE ON bookings
    FOR EACH ROW EXECUTE FUNCTION paddock_bookings_guard()""",
]


def upgrade() -> None:
    op.add_column("allocations", sa.Column("leaves_at", sa.Float(53), nullable=True))
    _devices()
    _reservations()
    for statement in _SQLITE if op.get_bind().dialect.name == "sqlite" else _POSTGRES:
        op.execute(statement)
    _use()
    _access()
    _violations()


def _devices() -> None:
    op.create_table(
        "devices",
        sa.Column("id", sa.String(32), primary_key=True),
        sa.Column("backend", sa.String(200), nullable=False),
        sa.Column("host", sa.String(255), nullable=False),
        sa.Column("number", sa.Integer(), nullable=True),
        sa.Column("place", sa.String(200), nullable=True),
        sa.Column("uuid", sa.String(200), nullable=True),
        sa.Column("model", sa.String(200), nullable=False, server_default=sa.text("''")),
        sa.Column("memory", sa.BigInteger(), nullable=True),
        sa.Column("gpus", sa.Integer(), nullable=False, server_default=sa.text("1")),
        sa.Column("partitions", sa.JSON(), nullable=False),
        sa.Column("first_seen", sa.Float(53), nullable=False),
        sa.Column("last_seen", sa.Float(53), nullable=False),
        sa.Column("retired_at", sa.Float(53), nullable=True),
    )
    op.create_index("ix_devices_backend_host", "devices", ["backend", "host"])


def _reservations() -> None:
    op.create_table(
        "reservations",
        sa.Column("id", sa.String(16), primary_key=True),
        sa.Column("kind", sa.String(16), nullable=False),
        sa.Column("owner", sa.String(200), nullable=True),
        sa.Column("title", sa.String(200), nullable=False),
        sa.Column("description", sa.Text(), nullable=False),
        sa.Column("starts_at", sa.Float(53), nullable=False),
        sa.Column("ends_at", sa.Float(53), nullable=False),
        sa.Column("planned_end", sa.Float(53), nullable=False),
        sa.Column("guests", sa.JSON(), nullable=False),
        sa.Column("guest_groups", sa.JSON(), nullable=False),
        sa.Column("series", sa.String(16), nullable=True),
        sa.Column("end_intruders_minutes", sa.Float(53), nullable=True),
        sa.Column("by", sa.String(200), nullable=False),
        sa.Column("created_at", sa.Float(53), nullable=False),
        sa.Column("cancelled_at", sa.Float(53), nullable=True),
        sa.Column("cancelled_by", sa.String(200), nullable=True),
        sa.Column("cancelled_why", sa.Text(), nullable=True),
        sa.Column("released_at", sa.Float(53), nullable=True),
        sa.Column("enforced", sa.String(8), nullable=False, server_default=sa.text("'yes'")),
        sa.Column("enforced_why", sa.Text(), nullable=True),
        sa.Column("outside_since", sa.Float(53), nullable=True),
        sa.Column("told", sa.JSON(), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False, server_default=sa.text("1")),
        sa.Column("over", sa.Boolean(), nullable=False, server_default=sa.text("false")),
        sa.CheckConstraint("ends_at > starts_at", name="reservations_in_order"),
    )
    unended = sa.text("NOT over")
    op.create_index(
        "ix_reservations_open", "reservations", ["starts_at"], sqlite_where=unended, postgresql_where=unended
    )
    op.create_index("ix_reservations_ends_at", "reservations", ["ends_at"])
    op.create_index("ix_reservations_owner", "reservations", ["owner", "ends_at"])
    op.create_index("ix_reservations_series", "reservations", ["series"])
    op.create_table(
        "bookings",
        sa.Column("reservation", sa.String(16), sa.ForeignKey("reservations.id", ondelete="CASCADE"), primary_key=True),
        sa.Column("device", sa.String(32), sa.ForeignKey("devices.id"), primary_key=True),
        sa.Column("starts_at", sa.Float(53), nullable=False),
        sa.Column("ends_at", sa.Float(53), nullable=False),
        sa.Column("live", sa.Boolean(), nullable=False, server_default=sa.text("true")),
        sa.CheckConstraint("ends_at > starts_at", name="bookings_in_order"),
    )
    op.create_index("ix_bookings_device", "bookings", ["device", "ends_at"])
    op.create_table(
        "wanted_slots",
        sa.Column("id", _RowId, primary_key=True, autoincrement=True),
        sa.Column("owner", sa.String(200), nullable=False),
        sa.Column("devices", sa.JSON(), nullable=False),
        sa.Column("gpus", sa.Integer(), nullable=True),
        sa.Column("starts_at", sa.Float(53), nullable=False),
        sa.Column("ends_at", sa.Float(53), nullable=False),
        sa.Column("created_at", sa.Float(53), nullable=False),
        sa.Column("told_at", sa.Float(53), nullable=True),
        sqlite_autoincrement=True,
    )


def _use() -> None:
    op.create_table(
        "reservation_use",
        sa.Column("reservation", sa.String(16), sa.ForeignKey("reservations.id", ondelete="CASCADE"), primary_key=True),
        sa.Column("device", sa.String(32), sa.ForeignKey("devices.id"), primary_key=True),
        sa.Column("seen", sa.Float(53), nullable=False),
        sa.Column("busy", sa.Float(53), nullable=False),
        sa.Column("load_sum", sa.Float(53), nullable=False),
        sa.Column("load_peak", sa.Float(53), nullable=True),
        sa.Column("memory_sum", sa.Float(53), nullable=False),
        sa.Column("memory_peak", sa.Float(53), nullable=True),
        sa.Column("first_used_at", sa.Float(53), nullable=True),
        sa.Column("last_used_at", sa.Float(53), nullable=True),
        sa.Column("foreign", sa.Float(53), nullable=False, server_default=sa.text("0")),
        sa.Column("seen_at", sa.Float(53), nullable=True),
        sa.Column("idle_since", sa.Float(53), nullable=True),
    )

    op.create_table(
        "device_days",
        sa.Column("device", sa.String(32), sa.ForeignKey("devices.id"), primary_key=True),
        sa.Column("day", sa.Integer(), primary_key=True),
        sa.Column("hours", sa.JSON(), nullable=False),
        sa.Column("loads", sa.JSON(), nullable=False),
    )
    op.create_index("ix_device_days_day", "device_days", ["day"])


def _access() -> None:
    op.create_table(
        "rules",
        sa.Column("id", sa.String(16), primary_key=True),
        sa.Column("name", sa.String(200), nullable=False),
        sa.Column("data", sa.JSON(), nullable=False),
        sa.Column("active", sa.Boolean(), nullable=False, server_default=sa.text("true")),
        sa.Column("by", sa.String(200), nullable=False),
        sa.Column("changed_at", sa.Float(53), nullable=False),
    )

    op.create_table(
        "quotas",
        sa.Column("id", sa.String(16), primary_key=True),
        sa.Column("kind", sa.String(16), nullable=False),
        sa.Column("subject", sa.String(64), nullable=False),
        sa.Column("gpu_hours_week", sa.Float(53), nullable=True),
        sa.Column("devices_at_once", sa.Integer(), nullable=True),
        sa.Column("open_reservations", sa.Integer(), nullable=True),
        sa.Column("longest_hours", sa.Float(53), nullable=True),
        sa.Column("ahead_days", sa.Float(53), nullable=True),
        sa.Column("near_hours", sa.Float(53), nullable=True),
        sa.Column("by", sa.String(200), nullable=False),
        sa.Column("changed_at", sa.Float(53), nullable=False),
        sa.UniqueConstraint("kind", "subject"),
    )


def _violations() -> None:
    op.create_table(
        "violations",
        sa.Column("id", _RowId, primary_key=True, autoincrement=True),
        sa.Column("kind", sa.String(16), nullable=False),
        sa.Column("backend", sa.String(200), nullable=False),
        sa.Column("device", sa.String(32), sa.ForeignKey("devices.id"), nullable=False),
        sa.Column("host", sa.String(255), nullable=False),
        sa.Column("pid", sa.Integer(), nullable=False),
        sa.Column("start", sa.BigInteger(), nullable=False),
        sa.Column("command", sa.String(200), nullable=True),
        sa.Column("unix_name", sa.String(64), nullable=True),
        sa.Column("account", sa.String(64), nullable=True),
        sa.Column("reservation", sa.String(16), sa.ForeignKey("reservations.id", ondelete="SET NULL"), nullable=True),
        sa.Column("first_seen", sa.Float(53), nullable=False),
        sa.Column("last_seen", sa.Float(53), nullable=False),
        sa.Column("ended_at", sa.Float(53), nullable=True),
        sa.Column("outcome", sa.String(8), nullable=True),
        sa.Column("end_by", sa.String(200), nullable=True),
        sa.Column("ask_by", sa.String(200), nullable=True),
        sa.UniqueConstraint("host", "device", "pid", "start", "first_seen"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_violations_ended_at", "violations", ["ended_at"])
    op.create_index("ix_violations_account", "violations", ["account"])
    op.create_table(
        "violation_steps",
        sa.Column("id", _RowId, primary_key=True, autoincrement=True),
        sa.Column("violation", _RowId, sa.ForeignKey("violations.id", ondelete="CASCADE"), nullable=False),
        sa.Column("at", sa.Float(53), nullable=False),
        sa.Column("act", sa.String(16), nullable=False),
        sa.Column("ok", sa.Boolean(), nullable=False),
        sa.Column("detail", sa.Text(), nullable=False),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_violation_steps_violation", "violation_steps", ["violation"])
    op.create_table(
        "exemptions",
        sa.Column("id", sa.String(16), primary_key=True),
        sa.Column("account", sa.String(64), nullable=True),
        sa.Column("command", sa.String(200), nullable=True),
        sa.Column("device", sa.String(32), nullable=True),
        sa.Column("until", sa.Float(53), nullable=False),
        sa.Column("why", sa.Text(), nullable=False),
        sa.Column("by", sa.String(200), nullable=False),
        sa.Column("created_at", sa.Float(53), nullable=False),
    )
