"""Test that a job for a partition which its owner may not run on now is refused at submission."""

from collections.abc import Iterator
from typing import Any

import pytest

from paddock.errors import InvalidInput
from paddock.models import JobSpec, Node, Role, SignInSource, Traits
from paddock.models.access import AccessRuleRequest
from paddock.paths import Home
from paddock.server.intake.submission import Submitter, check
from paddock.server.store import rules, team, users
from paddock.server.store.db import Database
from paddock.settings import Settings, SlurmSettings

NODE = Node(name="n1", backend="slurm", cpus=8, slots=8, cpu_slots=8, partitions=["long", "short"])


@pytest.fixture
def db(home: Home) -> Iterator[Database]:
    opened = Database(f"sqlite:///{home.database}")
    opened.migrate()
    with opened.write() as c:
        users.add(c, "ann", Role.ADMIN, SignInSource.PASSWORD, 1.0)
        users.add(c, "alice", Role.USER, SignInSource.PASSWORD, 1.0)
        team.switch(c, True, 1.0)
    yield opened
    opened.close()


def submit(db: Database, settings: Settings, partition: str | None, who: str = "alice", **about: Any) -> None:
    spec = JobSpec.model_validate(
        {"command": "true", "resources": {"backend": "slurm", "slurm": {"partition": partition}}}
    )
    known = settings.model_copy(
        update={"backends": {"slurm": SlurmSettings()}, "team": settings.team.model_copy(update=about)}
    )
    check(spec, {}, known, db, {"slurm": ([NODE], Traits(queued=True))}, Submitter(who, alone=False))


def refused(db: Database, settings: Settings, partition: str | None, **about: Any) -> str:
    with pytest.raises(InvalidInput) as error:
        submit(db, settings, partition, **about)
    assert "resources.slurm.partition" in error.value.fields
    return error.value.message


def test_a_partition_that_is_denied_is_refused_at_submission(db: Database, settings: Settings) -> None:
    submit(db, settings, None)
    deny = AccessRuleRequest.model_validate(
        {"name": "Long ones", "effect": "deny", "acts": ["run"], "what": {"partitions": ["long"]}}
    )
    with db.write() as c:
        rules.add(c, deny, "ann", 1.0)
    submit(db, settings, "short")
    submit(db, settings, "long", who="ann")  # admins are not bound
    assert refused(db, settings, "long").startswith(
        "You may not run jobs on partition long now: The rule 'Long ones' forbids it on "
    )
    assert "partition long" in refused(db, settings, "short,long")  # Slurm may choose either
    # The default of the cluster may be any of them.
    assert refused(db, settings, None).endswith("Name a partition: short.")


def test_where_what_no_rule_allows_is_closed(db: Database, settings: Settings) -> None:
    assert "No rule allows it" in refused(db, settings, "short", access="closed")
    allow = AccessRuleRequest.model_validate(
        {"name": "Short ones", "effect": "allow", "what": {"partitions": ["short"]}}
    )
    past = allow.model_copy(update={"name": "Old", "what": allow.what.model_copy(update={"partitions": ["long"]})})
    with db.write() as c:
        rules.add(c, allow, "ann", 1.0)
        rules.add(
            c, AccessRuleRequest.model_validate(past.model_dump() | {"until": "2020-01-01T00:00:00Z"}), "ann", 1.0
        )
    submit(db, settings, "short", access="closed")
    assert "partition long" in refused(db, settings, "long", access="closed")
