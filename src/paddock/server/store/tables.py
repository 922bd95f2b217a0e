"""The tables. Every row has an owner, or belongs to a row that has one."""

from enum import StrEnum
from typing import Any

import sqlalchemy as sa
from sqlalchemy import Column, Float, ForeignKey, Index, Integer, String, Table, Text, text

from paddock.models import AllocationState, Cause, Goal, Role, SignInSource, TaskState, TokenScope, Visibility

metadata = sa.MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "fk": "fk_%(table_name)s_%(column_0_N_name)s_%(referred_table_name)s",
        "pk": "pk_%(table_name)s",
    }
)

# SQLite numbers rows by itself only for a column of exactly the type INTEGER.
_RowId = sa.BigInteger().with_variant(Integer, "sqlite")


def _word(of: type[StrEnum], length: int = 16) -> sa.Enum:
    """Return the type of a column that holds the value of an enumeration as plain text."""
    return sa.Enum(of, native_enum=False, length=length, values_callable=lambda of: [one.value for one in of])


def _partial(name: str, *columns: sa.ColumnElement[Any], where: sa.ColumnElement[bool]) -> Index:
    """Return an index of those rows only for which `where` holds. A query uses it if it contains the same condition."""
    return Index(name, *columns, sqlite_where=where, postgresql_where=where)


def _plain(value: StrEnum) -> sa.ColumnElement[Any]:
    """Return a value as part of the statement: SQLite compares conditions of indexes with it, not with parameters."""
    return sa.literal_column(f"'{value.value}'")


# Times are seconds since 1970 in UTC, as in journals, and so the same in every database.

jobs = Table(
    "jobs",
    metadata,
    Column("id", String(32), primary_key=True),
    Column("owner", String(200), nullable=False),
    Column("name", Text, nullable=False),
    Column("description", Text, nullable=False),
    Column("tags", sa.JSON, nullable=False),
    Column("spec", sa.JSON, nullable=False),
    Column("script", sa.JSON),
    Column("code", sa.JSON, nullable=False),
    Column("interpreter", sa.JSON, nullable=False),
    Column("metric", Text, nullable=False),
    Column("goal", _word(Goal, 8), nullable=False),
    Column("warnings", sa.JSON, nullable=False),
    Column("created_at", Float(53), nullable=False),
    Column("removing", sa.Boolean, nullable=False, server_default=text("false")),
    Column("held", sa.Boolean, nullable=False, server_default=text("false")),
    Column("adjusted", Integer, nullable=False, server_default=text("0")),  # the number of changes of hold and limits
    Column("told", Integer, nullable=False, server_default=text("0")),  # the last one that its runners have
    Column("digest", String(64)),  # of the code
    Column("program", String(64)),  # digest of the script or command: the key of what is remembered for the next job
    Column("packing", sa.JSON),  # kind of GPU -> how tasks share it, as runners last reported
    Column("searching", sa.Boolean, nullable=False, server_default=text("false")),  # the search will add tasks
    Column("search_until", Float(53)),  # the end of the time budget
    Column("search_note", Text),  # why the search has ended
    Column("priority", Integer, nullable=False, server_default=text("0")),
    Column("aside", Text),  # why the engine cannot process the job at the moment
    Column("pinned", sa.Boolean, nullable=False, server_default=text("false")),  # listed before the others
    Column("choice", sa.JSON),  # how its objective was chosen; null: as in the spec
    # Patterns of metrics were added, and the logs of ended tasks are not yet searched for them.
    Column("unsearched", sa.Boolean, nullable=False, server_default=sa.false()),
    Column("visibility", _word(Visibility, 8), nullable=False, server_default=text("'team'")),
    Column("unix_name", String(64)),  # the account of the machine that its tasks run as; null: the server's own
    Column("folder", Text),  # where its folder lies in that person's home; null: in the server's
    Column("fleet", String(200)),  # the backend on whose hosts its folders are, one per host; null: it has one folder
    Column("notify", sa.JSON),  # of what its owner wants notices outside the page, if not as they chose in general
    Column(
        "end_noticed", sa.Boolean, nullable=False, server_default=text("false")
    ),  # its owner has a notice of its end
    Column("noticed", sa.JSON),  # of what else its owner has one -> since when
    Index("ix_jobs_created_at", "created_at"),
    Index("ix_jobs_pinned_created_at", "pinned", "created_at"),
    Index("ix_jobs_program", "program", "created_at"),
)

tasks = Table(
    "tasks",
    metadata,
    Column("id", String(64), primary_key=True),
    Column("job_id", ForeignKey("jobs.id", ondelete="CASCADE"), nullable=False),
    Column("number", Integer, nullable=False),
    Column("params", sa.JSON, nullable=False),
    Column("state", _word(TaskState), nullable=False),
    Column("stopping", sa.Boolean, nullable=False, server_default=text("false")),
    Column("attempt", Integer, nullable=False),
    Column("created_at", Float(53), nullable=False),
    Column("epoch", Float(53)),
    Column("epoch_at", Float(53)),
    Column("first_epoch", Float(53)),  # 0 or 1: how the script counts
    Column("epochs", Integer),
    Column("last_value", Float(53)),
    Column("best_value", Float(53)),
    Column("best_epoch", Float(53)),
    Column("best_at", Float(53)),
    Column("trial", Integer, nullable=False, server_default=text("0")),  # the same for the same configuration
    Column("others", sa.JSON),  # the best value of every objective after the first
    Column("reduces", sa.Boolean, nullable=False, server_default=text("false")),  # it runs the `reduce` of the job
    Column("note", Text),  # what people write about it
    Column("size_wanted", Integer),  # GPUs of its next attempts; null: the fewest of its job
    Column("resize_by", String(200)),  # who wants its attempt to end for one of that size; null: nobody
    Column("resize_why", Text),  # and why, if it was not a person
    Column("sized_by", String(200)),  # the person who chose its size, which stays then; null: the policy may change it
    sa.UniqueConstraint("job_id", "number"),
    Index("ix_tasks_job_id_state", "job_id", "state"),
)

attempts = Table(
    "attempts",
    metadata,
    Column("id", _RowId, primary_key=True, autoincrement=True),
    Column("task_id", ForeignKey("tasks.id", ondelete="CASCADE"), nullable=False),
    Column("job_id", ForeignKey("jobs.id", ondelete="CASCADE"), nullable=False),
    Column("number", Integer, nullable=False),
    Column("state", _word(TaskState), nullable=False),
    Column("cause", _word(Cause)),
    Column("reason", Text),
    Column("resumed", sa.Boolean, nullable=False, server_default=text("false")),
    Column("published", sa.Boolean, nullable=False, server_default=text("false")),
    Column("ordered", sa.Boolean, nullable=False, server_default=text("false")),
    Column("dealt_to", String(64)),  # the only allocation that may take it; null: any of its job, or none yet
    Column("allocation", String(64)),
    Column("start", Integer),  # in which start of its allocation it was started
    Column("created_at", Float(53), nullable=False),
    Column("started_at", Float(53)),
    Column("ended_at", Float(53)),
    Column("node", Text),  # where it runs or ran; of one that waits, the only node where it may run
    Column("device", Text),
    Column("pid", Integer),
    Column("first_epoch", Float(53)),  # the first epoch that this attempt reported
    Column("first_epoch_at", Float(53)),  # when: before it there is the start-up, too
    Column("exit_code", Integer),
    Column("signal", Integer),
    Column("peak_memory", sa.BigInteger),
    Column("peak_gpu_memory", sa.BigInteger),
    Column("seat", sa.JSON),  # its share of the allocation
    Column("room", sa.JSON),  # what it has to wait for after one that ran out of memory
    Column("cpu_seconds", Float(53)),
    Column("warnings", sa.JSON, nullable=False),
    Column("size", Integer),  # its GPUs; null: as in the spec
    Column("saved_at", Float(53)),  # when it was first seen that this attempt saved something to go on from
    Column("epoch_seconds", Float(53)),  # what an epoch took, without the start-up; of one that has ended
    Column("samples_per_second", Float(53)),  # as `paddock.elastic` last reported
    # Population-based training: what the next attempt will be, and what this one was made from.
    Column("successor", sa.JSON),
    Column("source", String(64)),
    Column("source_step", Float(53)),
    Column("params", sa.JSON),
    sa.UniqueConstraint("task_id", "number"),
    Index("ix_attempts_job_id_published", "job_id", "published"),
    Index("ix_attempts_allocation", "allocation"),
    sqlite_autoincrement=True,  # an id is never used again: what is kept in memory by id must not fit another attempt
)

UNENDED = (TaskState.SUBMITTED, TaskState.RUNNING)
CURRENT = sa.and_(attempts.c.task_id == tasks.c.id, attempts.c.number == tasks.c.attempt)  # its last

# Conditions that few rows fulfil: the engine looks for them in every round, in the indexes below.
UNTOLD = jobs.c.told != jobs.c.adjusted
REMOVING = jobs.c.removing.is_(True)
SEARCHING = jobs.c.searching.is_(True)
END_UNNOTICED = jobs.c.end_noticed.is_(False)
STOPPING = tasks.c.stopping.is_(True)
RESIZING = tasks.c.resize_by.is_not(None)
UNPUBLISHED = sa.and_(attempts.c.published.is_(False), attempts.c.state == _plain(TaskState.SUBMITTED))
# The attempt of a task that has not ended is its last one, and has its state.
OPEN = sa.and_(attempts.c.published.is_(True), attempts.c.state.in_([_plain(state) for state in UNENDED]))
RUNNING = attempts.c.state == _plain(TaskState.RUNNING)
DEALT = sa.and_(attempts.c.dealt_to.is_not(None), attempts.c.state.in_([_plain(state) for state in UNENDED]))
PINNED = sa.and_(attempts.c.node.is_not(None), attempts.c.state == _plain(TaskState.SUBMITTED))
_partial("ix_jobs_untold", jobs.c.id, where=UNTOLD)
_partial("ix_jobs_removing", jobs.c.id, where=REMOVING)
_partial("ix_jobs_searching", jobs.c.id, where=SEARCHING)
_partial("ix_jobs_end_unnoticed", jobs.c.id, where=END_UNNOTICED)
_partial("ix_jobs_search_until", jobs.c.search_until, where=jobs.c.search_until.is_not(None))
_partial("ix_tasks_stopping", tasks.c.job_id, where=STOPPING)
_partial("ix_tasks_resizing", tasks.c.job_id, where=RESIZING)
_partial("ix_attempts_unpublished", attempts.c.job_id, where=UNPUBLISHED)
_partial("ix_attempts_running", attempts.c.job_id, where=RUNNING)
_partial("ix_attempts_dealt", attempts.c.dealt_to, where=DEALT)
_partial("ix_attempts_pinned", attempts.c.job_id, where=PINNED)
# All columns that are needed to count them: the rows themselves are not read.
_OPEN_COLUMNS = (attempts.c.job_id, attempts.c.size, attempts.c.state, attempts.c.published, attempts.c.created_at)
_partial("ix_attempts_open", *_OPEN_COLUMNS, where=OPEN)

# What was requested from a backend at once: each allocation belongs to one batch.
batches = Table(
    "batches",
    metadata,
    Column("key", String(64), primary_key=True),
    Column("job_id", ForeignKey("jobs.id", ondelete="CASCADE"), nullable=False),
    Column("backend", String(200), nullable=False),
    Column("spec", sa.JSON, nullable=False),
    Column("created_at", Float(53), nullable=False),
    Index("ix_batches_job_id", "job_id"),
)

allocations = Table(
    "allocations",
    metadata,
    Column("key", String(64), primary_key=True),
    Column("batch", String(64), nullable=False),
    Column("job_id", ForeignKey("jobs.id", ondelete="CASCADE"), nullable=False),
    Column("backend", String(200), nullable=False),
    Column("backend_id", String(200)),
    Column("state", _word(AllocationState), nullable=False),
    Column("node", Text),
    Column("reason", Text),
    Column("never", sa.Boolean, nullable=False, server_default=text("false")),
    Column("by_hand", sa.Boolean, nullable=False, server_default=text("false")),
    Column("starts_at", Float(53)),
    Column("adjusted", Integer, nullable=False, server_default=text("0")),  # the last change of its job that it has
    Column("created_at", Float(53), nullable=False),
    Column("seen_at", Float(53)),
    Column("ended_at", Float(53)),
    Column("cancelled", sa.Boolean, nullable=False, server_default=text("false")),
    Column("cause", _word(Cause)),
    Column("closed", sa.Boolean, nullable=False, server_default=text("false")),
    Column("offsets", sa.JSON, nullable=False),
    Column("heard_at", Float(53)),  # when its journals last grew
    Column("leaving_for", String(32)),  # the job for which it ends after the tasks that run in it; @ and its number
    Column("leaving_to", String(200)),  # if it is a job of somebody who is not of this server: in words
    Column("leaves_at", Float(53)),  # when it leaves its devices to others, as its runner was told
    Index("ix_allocations_job_id", "job_id"),
    Index("ix_allocations_batch", "batch"),
)

UNCLOSED = allocations.c.closed.is_(False)
PLANNED = sa.and_(UNCLOSED, allocations.c.state == _plain(AllocationState.PLANNED))
_partial("ix_allocations_unclosed", allocations.c.created_at, allocations.c.key, where=UNCLOSED)
_partial("ix_allocations_planned", allocations.c.batch, where=PLANNED)

# Many points per row: see metrics.py. `seq` numbers the chunks of a series from 0; decimated ones are negative.
chunks = Table(
    "metric_chunks",
    metadata,
    Column("attempt_id", ForeignKey("attempts.id", ondelete="CASCADE"), primary_key=True),
    Column("name", String(200), primary_key=True),
    Column("seq", Integer, primary_key=True),
    Column("count", Integer, nullable=False),
    Column("data", sa.LargeBinary, nullable=False),
)

events = Table(
    "events",
    metadata,
    Column("id", _RowId, primary_key=True, autoincrement=True),
    Column("at", Float(53), nullable=False),
    Column("job_id", String(32)),
    Column("owner", String(200)),  # the only person who may see it; null: the team
    Column("kind", String(16), nullable=False),
    Column("data", sa.JSON, nullable=False),
    sqlite_autoincrement=True,
)

# What is remembered of a person's program on a kind of GPU: how many tasks share one, and what each needs.
packings = Table(
    "packings",
    metadata,
    Column("owner", String(200), primary_key=True),
    Column("program", String(64), primary_key=True),
    Column("gpu", String(200), primary_key=True),
    Column("tasks", Integer, nullable=False),
    Column("need", sa.BigInteger),
    Column("limit", String(16)),
    Column("speedup", Float(53)),
    Column("at", Float(53), nullable=False),
)

# Tasks of a person's program on a kind of GPU: a bounded list of pairs of parameters and bytes, the oldest first.
memory_samples = Table(
    "memory_samples",
    metadata,
    Column("owner", String(200), primary_key=True),
    Column("program", String(64), primary_key=True),
    Column("gpu", String(200), primary_key=True),
    Column("samples", sa.JSON, nullable=False),
    Column("at", Float(53), nullable=False),
)

# How fast a person's program trains on other numbers of GPUs of a kind: a bounded list of timings, the oldest first.
profiles = Table(
    "profiles",
    metadata,
    Column("owner", String(200), primary_key=True),
    Column("program", String(64), primary_key=True),
    Column("gpu", String(200), primary_key=True),
    Column("timings", sa.JSON, nullable=False),
    Column("at", Float(53), nullable=False),
)

# How far the ends of tasks and of jobs of a person's program were from what was expected: a bounded list, oldest first.
predictions = Table(
    "predictions",
    metadata,
    Column("owner", String(200), primary_key=True),
    Column("program", String(64), primary_key=True),
    Column("kind", String(8), primary_key=True),  # task, job
    Column("scores", sa.JSON, nullable=False),
    Column("at", Float(53), nullable=False),
)

# How much of a backend a person has used lately, in GPUs: a mean in which the recent hours count most.
usage = Table(
    "usage",
    metadata,
    Column("owner", String(200), primary_key=True),
    Column("backend", String(200), primary_key=True),
    Column("amount", Float(53), nullable=False),
    Column("at", Float(53), nullable=False),
)

# The load of a node at a moment: its cores and memory, and each GPU.
loads = Table(
    "loads",
    metadata,
    Column("backend", String(200), primary_key=True),
    Column("node", String(255), primary_key=True),
    Column("at", Float(53), primary_key=True),
    Column("data", sa.JSON, nullable=False),
    Index("ix_loads_at", "at"),
)

# Named filters of the list of jobs.
views = Table(
    "views",
    metadata,
    Column("owner", String(200), primary_key=True),
    Column("name", String(200), primary_key=True),
    Column("filters", sa.JSON, nullable=False),
)

# Browsers that have signed in: digests of their cookies, and of the server's token at that time. Without a user they
# have signed in with that token.
sessions = Table(
    "sessions",
    metadata,
    Column("hash", String(64), primary_key=True),
    Column("token", String(64), nullable=False),
    Column("created_at", Float(53), nullable=False),
    Column("expires_at", Float(53), nullable=False),
    Column("user", String(64)),
    Column("seen_at", Float(53)),
    Column("address", String(64), nullable=False, server_default=text("''")),
    Column("browser", String(200), nullable=False, server_default=text("''")),
    Index("ix_sessions_user", "user"),
)

# One row: whether accounts are in use.
team = Table(
    "team",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("on", sa.Boolean, nullable=False),
    Column("changed_at", Float(53), nullable=False),
)

users = Table(
    "users",
    metadata,
    Column("name", String(64), primary_key=True),
    Column("full_name", String(200), nullable=False, server_default=text("''")),
    Column("email", String(200), nullable=False, server_default=text("''")),
    Column("role", _word(Role, 8), nullable=False),
    Column("unix_name", String(64), unique=True),
    Column("source", _word(SignInSource, 16), nullable=False),
    Column("subject", String(500)),  # who it is to the source: a name, a distinguished name, issuer and subject
    Column("password", String(200)),  # argon2
    Column("active", sa.Boolean, nullable=False, server_default=text("true")),
    Column("created_at", Float(53), nullable=False),
    Column("seen_at", Float(53)),
    Column("zone", String(64), nullable=False, server_default=text("''")),
    sa.UniqueConstraint("source", "subject"),
)

groups = Table(
    "groups",
    metadata,
    Column("name", String(64), primary_key=True),
    Column("description", Text, nullable=False, server_default=text("''")),
    Column("source", String(16), nullable=False, server_default=text("'local'")),
    Column("created_at", Float(53), nullable=False),
)

members = Table(
    "members",
    metadata,
    Column("group", ForeignKey("groups.name", ondelete="CASCADE"), primary_key=True),
    Column("user", ForeignKey("users.name", ondelete="CASCADE"), primary_key=True),
    Column("source", String(16), nullable=False, server_default=text("'local'")),
)

tokens = Table(
    "tokens",
    metadata,
    Column("id", String(16), primary_key=True),
    Column("user", ForeignKey("users.name", ondelete="CASCADE"), nullable=False),
    Column("name", String(100), nullable=False),
    Column("hash", String(64), nullable=False, unique=True),
    Column("scope", _word(TokenScope, 8), nullable=False),
    Column("created_at", Float(53), nullable=False),
    Column("expires_at", Float(53)),
    Column("used_at", Float(53)),
    Column("revoked_at", Float(53)),
    Index("ix_tokens_user", "user"),
)

# One-time links: `setup` for the first admin has the name that it makes.
invites = Table(
    "invites",
    metadata,
    Column("hash", String(64), primary_key=True),
    Column("id", String(16), nullable=False, unique=True),
    Column("kind", String(8), nullable=False),  # setup, invite
    Column("name", String(64)),
    Column("role", _word(Role, 8), nullable=False),
    Column("groups", sa.JSON, nullable=False),
    Column("email", String(200), nullable=False),
    Column("by", String(64), nullable=False),
    Column("created_at", Float(53), nullable=False),
    Column("expires_at", Float(53), nullable=False),
    Column("used_by", String(64)),
)

# Who has gone to a provider to sign in, and not yet come back.
pending_logins = Table(
    "pending_logins",
    metadata,
    Column("hash", String(64), primary_key=True),
    Column("provider", String(64), nullable=False),
    Column("nonce", String(64), nullable=False),
    Column("verifier", String(128), nullable=False),
    Column("next", Text, nullable=False),
    Column("invite", String(64)),
    Column("expires_at", Float(53), nullable=False),
)

# Who did what. Triggers refuse changes; rows go only by age.
audit = Table(
    "audit",
    metadata,
    Column("id", _RowId, primary_key=True, autoincrement=True),
    Column("at", Float(53), nullable=False),
    Column("who", String(64), nullable=False),
    Column("via", String(120), nullable=False),
    Column("address", String(64), nullable=False),
    Column("act", String(64), nullable=False),
    Column("kind", String(32), nullable=False),
    Column("object", String(200), nullable=False),
    Column("detail", sa.JSON, nullable=False),
    Index("ix_audit_who", "who"),
    Index("ix_audit_at", "at"),
    sqlite_autoincrement=True,
)

# Hosts that were added, and what was declared of those of the settings.
hosts = Table(
    "hosts",
    metadata,
    Column("backend", String(200), primary_key=True),
    Column("name", String(255), primary_key=True),
    Column("added_by", String(64)),  # null: it is in the settings
    Column("added_at", Float(53), nullable=False),
    Column("lost_at", Float(53)),  # declared lost then: what it had is started elsewhere
    Column("lost_by", String(64)),
)

# What a person was told. Without accounts the person is the owner of the home.
notices = Table(
    "notices",
    metadata,
    Column("id", _RowId, primary_key=True, autoincrement=True),
    Column("user", String(200), nullable=False),
    Column("kind", String(32), nullable=False),
    Column("title", Text, nullable=False),
    Column("text", Text, nullable=False),
    Column("link", Text, nullable=False),  # a path of the page
    Column("job_id", String(32)),
    Column("created_at", Float(53), nullable=False),
    Column("read_at", Float(53)),
    Index("ix_notices_user", "user", "id"),
    sqlite_autoincrement=True,
)

# Notices that have to be sent somewhere. A row is deleted some days after it was sent or given up.
outbox = Table(
    "outbox",
    metadata,
    Column("id", _RowId, primary_key=True, autoincrement=True),
    Column("notice", ForeignKey("notices.id", ondelete="CASCADE"), nullable=False),
    Column("user", String(200), nullable=False),
    Column("address", Text, nullable=False),  # `mail`, `own:ID` or `settings:DIGEST`: its secrets are not here
    Column("tries", Integer, nullable=False, server_default=text("0")),
    Column("created_at", Float(53), nullable=False),
    Column("next_at", Float(53)),  # null: sent, or given up
    Column("sent_at", Float(53)),
    Column("problem", Text),
    Index("ix_outbox_next_at", "next_at"),
    Index("ix_outbox_user", "user", "sent_at"),
    Index("ix_outbox_notice", "notice"),
    sqlite_autoincrement=True,
)

# What a person wants to be told, and where.
notice_choices = Table(
    "notice_choices",
    metadata,
    Column("user", String(200), primary_key=True),
    Column("data", sa.JSON, nullable=False),
)

# How a person has arranged a page.
layouts = Table(
    "layouts",
    metadata,
    Column("user", String(200), primary_key=True),
    Column("page", String(32), primary_key=True),
    Column("data", sa.JSON, nullable=False),
    Column("changed_at", Float(53), nullable=False),
)

# What can be reserved, as it was found: a GPU by its UUID, on Slurm a node. Its number is one of a node, from 0.
devices = Table(
    "devices",
    metadata,
    Column("id", String(32), primary_key=True),
    Column("backend", String(200), nullable=False),
    Column("host", String(255), nullable=False),
    Column("number", Integer),  # null: the whole node
    Column("place", String(200)),  # what the node calls it now (the id of the policy's device)
    Column("uuid", String(200)),
    Column("model", String(200), nullable=False, server_default=text("''")),
    Column("memory", sa.BigInteger),
    Column("gpus", Integer, nullable=False, server_default=text("1")),
    Column("partitions", sa.JSON, nullable=False),
    Column("first_seen", Float(53), nullable=False),
    Column("last_seen", Float(53), nullable=False),
    Column("retired_at", Float(53)),
    Index("ix_devices_backend_host", "backend", "host"),
)

# Devices for somebody, from one time until another.
reservations = Table(
    "reservations",
    metadata,
    Column("id", String(16), primary_key=True),
    Column("kind", String(16), nullable=False),  # reservation, maintenance
    Column("owner", String(200)),  # null: maintenance
    Column("title", String(200), nullable=False),
    Column("description", Text, nullable=False),
    Column("starts_at", Float(53), nullable=False),
    Column("ends_at", Float(53), nullable=False),
    Column("planned_end", Float(53), nullable=False),
    Column("guests", sa.JSON, nullable=False),
    Column("guest_groups", sa.JSON, nullable=False),
    Column("series", String(16)),
    Column("end_intruders_minutes", Float(53)),
    Column("by", String(200), nullable=False),
    Column("created_at", Float(53), nullable=False),
    Column("cancelled_at", Float(53)),
    Column("cancelled_by", String(200)),
    Column("cancelled_why", Text),
    Column("released_at", Float(53)),
    Column("enforced", String(8), nullable=False, server_default=text("'yes'")),
    Column("enforced_why", Text),
    Column("outside_since", Float(53)),  # since when a rule no longer allows it
    Column("told", sa.JSON, nullable=False),  # what its people were told, and which hooks ran: name -> time
    Column("version", Integer, nullable=False, server_default=text("1")),
    # It has ended, and all was done about that: it is history, which triggers keep from being changed.
    Column("over", sa.Boolean, nullable=False, server_default=text("false")),
    sa.CheckConstraint("ends_at > starts_at", name="reservations_in_order"),
    Index("ix_reservations_open", "starts_at", sqlite_where=text("NOT over"), postgresql_where=text("NOT over")),
    Index("ix_reservations_ends_at", "ends_at"),
    Index("ix_reservations_owner", "owner", "ends_at"),
    Index("ix_reservations_series", "series"),
)

# The part of a reservation on one device. Of one device, no two that are live overlap: the migration has a guard.
bookings = Table(
    "bookings",
    metadata,
    Column("reservation", ForeignKey("reservations.id", ondelete="CASCADE"), primary_key=True),
    Column("device", ForeignKey("devices.id"), primary_key=True),
    Column("starts_at", Float(53), nullable=False),
    Column("ends_at", Float(53), nullable=False),
    Column("live", sa.Boolean, nullable=False, server_default=text("true")),  # false: it was cancelled
    sa.CheckConstraint("ends_at > starts_at", name="bookings_in_order"),
    Index("ix_bookings_device", "device", "ends_at"),
)

# How a device of a reservation was used so far. Means are sums divided by what was seen.
reservation_use = Table(
    "reservation_use",
    metadata,
    Column("reservation", ForeignKey("reservations.id", ondelete="CASCADE"), primary_key=True),
    Column("device", ForeignKey("devices.id"), primary_key=True),
    Column("seen", Float(53), nullable=False),
    Column("busy", Float(53), nullable=False),
    Column("load_sum", Float(53), nullable=False),
    Column("load_peak", Float(53)),
    Column("memory_sum", Float(53), nullable=False),
    Column("memory_peak", Float(53)),
    Column("first_used_at", Float(53)),
    Column("last_used_at", Float(53)),
    Column("foreign", Float(53), nullable=False, server_default=text("0")),
    Column("seen_at", Float(53)),
    Column("idle_since", Float(53)),
)

# How a device was used, a row per day (UTC): a report of some months reads no more rows than it must.
device_days = Table(
    "device_days",
    metadata,
    Column("device", ForeignKey("devices.id"), primary_key=True),
    Column("day", Integer, primary_key=True),  # days since 1970
    Column("hours", sa.JSON, nullable=False),  # of each hour its sums, or null: see store/device_use.py
    Column("loads", sa.JSON, nullable=False),  # of each hour the mean load, or null
    Index("ix_device_days_day", "day"),
)

rules = Table(
    "rules",
    metadata,
    Column("id", String(16), primary_key=True),
    Column("name", String(200), nullable=False),
    Column("data", sa.JSON, nullable=False),  # AccessRuleRequest without its name
    Column("active", sa.Boolean, nullable=False, server_default=text("true")),
    Column("by", String(200), nullable=False),
    Column("changed_at", Float(53), nullable=False),
)

quotas = Table(
    "quotas",
    metadata,
    Column("id", String(16), primary_key=True),
    Column("kind", String(16), nullable=False),  # account, group, everyone
    Column("subject", String(64), nullable=False),
    Column("gpu_hours_week", Float(53)),
    Column("devices_at_once", Integer),
    Column("open_reservations", Integer),
    Column("longest_hours", Float(53)),
    Column("ahead_days", Float(53)),
    Column("near_hours", Float(53)),
    Column("by", String(200), nullable=False),
    Column("changed_at", Float(53), nullable=False),
    sa.UniqueConstraint("kind", "subject"),
)

# Somebody wants to know when these devices become free.
wanted_slots = Table(
    "wanted_slots",
    metadata,
    Column("id", _RowId, primary_key=True, autoincrement=True),
    Column("owner", String(200), nullable=False),
    Column("devices", sa.JSON, nullable=False),
    Column("gpus", Integer),  # that many of these devices, on one host; null: all of them
    Column("starts_at", Float(53), nullable=False),
    Column("ends_at", Float(53), nullable=False),
    Column("created_at", Float(53), nullable=False),
    Column("told_at", Float(53)),
    sqlite_autoincrement=True,
)

# A process where it ought not to be. It is known by its node, device, pid and start.
violations = Table(
    "violations",
    metadata,
    Column("id", _RowId, primary_key=True, autoincrement=True),
    Column("kind", String(16), nullable=False),
    Column("backend", String(200), nullable=False),
    Column("device", ForeignKey("devices.id"), nullable=False),
    Column("host", String(255), nullable=False),
    Column("pid", Integer, nullable=False),
    Column("start", sa.BigInteger, nullable=False),
    Column("command", String(200)),
    Column("unix_name", String(64)),
    Column("account", String(64)),
    Column("reservation", ForeignKey("reservations.id", ondelete="SET NULL")),
    Column("first_seen", Float(53), nullable=False),
    Column("last_seen", Float(53), nullable=False),
    Column("ended_at", Float(53)),
    Column("outcome", String(8)),  # left, ended, exempt, over
    Column("end_by", String(200)),  # who wants it to be ended now
    Column("ask_by", String(200)),  # who wants its owner to be told again now
    sa.UniqueConstraint("host", "device", "pid", "start", "first_seen"),
    Index("ix_violations_ended_at", "ended_at"),
    Index("ix_violations_account", "account"),
    sqlite_autoincrement=True,
)

violation_steps = Table(
    "violation_steps",
    metadata,
    Column("id", _RowId, primary_key=True, autoincrement=True),
    Column("violation", ForeignKey("violations.id", ondelete="CASCADE"), nullable=False),
    Column("at", Float(53), nullable=False),
    Column("act", String(16), nullable=False),
    Column("ok", sa.Boolean, nullable=False),
    Column("detail", Text, nullable=False),
    Index("ix_violation_steps_violation", "violation"),
    sqlite_autoincrement=True,
)

exemptions = Table(
    "exemptions",
    metadata,
    Column("id", String(16), primary_key=True),
    Column("account", String(64)),
    Column("command", String(200)),
    Column("device", String(32)),
    Column("until", Float(53), nullable=False),
    Column("why", Text, nullable=False),
    Column("by", String(200), nullable=False),
    Column("created_at", Float(53), nullable=False),
)
