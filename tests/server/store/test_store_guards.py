"""Test that values that a database cannot store do not stop what is written with them."""

import json
import math
from typing import Any

import pytest
import sqlalchemy as sa

from paddock.server.store import guards
from paddock.server.store.db import Database
from paddock.server.store.tables import events
from tests.server.store.given import announce

ODD = {
    "numbers": [math.inf, -math.inf, math.nan, 1.5],
    "nul": "a\0b",
    "half": "a\ud800b",
    "other half": ["\udfff"],
    "k\0ey": {"deep": [{"x": math.inf}]},
    "whole": "ü \U0001f600",
    "typed": "\\u0000",
}


def test_json_that_no_database_takes(db: Database) -> None:
    with db.write() as c:
        c.execute(sa.insert(events).values(at=0.0, kind="job", data=ODD))
    with db.read() as c:
        [found] = c.scalars(sa.select(events.c.data))
    assert found == {
        "numbers": ["Infinity", "-Infinity", "NaN", 1.5],
        "nul": "a\ufffdb",
        "half": "a?b",
        "other half": ["?"],
        "k\ufffdey": {"deep": [{"x": "Infinity"}]},
        "whole": "ü \U0001f600",
        "typed": "\\u0000",
    }
    assert [float(one) for one in found["numbers"][:2]] == [math.inf, -math.inf]


@pytest.mark.parametrize("text", ["a\0b", "a\ud800b", "ü\0"])
def test_text_that_no_database_takes(db: Database, text: str) -> None:
    with db.write() as c:
        announce(c, text)
        many: list[dict[str, Any]] = [
            {"at": 0.0, "kind": "job", "owner": one, "data": {}} for one in (text, "plain", None)
        ]
        c.execute(
            sa.insert(sa.table("events", *map(sa.column, ["at", "kind", "owner"]), sa.column("data", sa.JSON))), many
        )
        found = list(c.scalars(sa.text("SELECT coalesce(owner, job_id) FROM events ORDER BY id")))
        assert found[0] == found[1] == guards.text(text)
        assert found[2:] == ["plain", None]


def test_what_is_plain_stays_as_it_is() -> None:
    plain = {"a": [1, 2.5, None, True, "ü"], "b": {"c": 2**70}}
    assert guards.dumps(plain) == json.dumps(plain)
    assert guards.text("ü\n") == "ü\n"
