"""Test access rules and quotas of a real server in team mode."""

import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from paddock.server.store.db import Database
from tests.support.reservations import add_devices, add_reservation
from tests.support.team import ADMIN, ALICE, BOB, GUEST, Team, team

HOUR = 3600.0
SUNDAY = "2031-11-09T23:00:00+01:00"


class Lab:
    """A team whose host gpu1 has two GPUs that no node reports, so that nothing changes them. Alice is a student."""

    def __init__(self, made: Team) -> None:
        self.clients = made.clients
        self.db = Database(f"sqlite:///{made.server.home.root / 'paddock.db'}")
        self.gpus = add_devices(self.db, ["gpu1"], 2, backend="other")
        assert self.clients[ADMIN].post("/groups", json={"name": "students", "members": [ALICE]}).status_code == 201

    def add(self, **rule: Any) -> dict[str, Any]:
        answer = self.clients[ADMIN].post("/rules", json={"name": "one", "effect": "deny", **rule})
        assert answer.status_code == 201, answer.text
        return dict(answer.json())

    def clear(self) -> None:
        admin = self.clients[ADMIN]
        for kind in ("rules", "quotas"):
            for one in admin.get(f"/{kind}").json():
                assert admin.delete(f"/{kind}/{one['id']}").status_code == 204

    def tried(self, name: str, **query: Any) -> list[dict[str, Any]]:
        answer = self.clients[name].get("/rules/try", params={"device": self.gpus[0], "at": SUNDAY, **query})
        assert answer.status_code == 200, answer.text
        return list(answer.json())


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lab]:
    with team(tmp_path_factory.mktemp("rules") / "home", team__zone="Europe/Warsaw") as found:
        lab = Lab(found)
        yield lab
        lab.db.close()


@pytest.fixture
def lab(made: Lab) -> Iterator[Lab]:
    yield made
    made.clear()


def test_a_rule_is_made_changed_and_removed_and_the_audit_has_it(lab: Lab) -> None:
    nights = {"days": [0, 6], "since": "20:00", "until": "06:00"}
    made = lab.add(
        who={"groups": ["students"]}, what={"devices": [lab.gpus[0]]}, windows=[nights], zone="Europe/Warsaw"
    )
    words = "Members of students may not reserve or run jobs on gpu1:0 Sun, Mon 20:00-06:00 Europe/Warsaw"
    assert (made["sentence"], made["by"]) == (words, ADMIN)
    admin = lab.clients[ADMIN]
    body = {name: made[name] for name in ("effect", "who", "what")}
    changed = admin.put(f"/rules/{made['id']}", json=body | {"name": "two", "acts": ["run"]}).json()
    assert changed["sentence"] == "Members of students may not run jobs on gpu1:0"
    assert admin.get("/rules").json() == [changed]
    assert admin.delete(f"/rules/{made['id']}").status_code == 204
    assert admin.delete(f"/rules/{made['id']}").status_code == 404
    entries = admin.get("/audit", params={"object": made["id"]}).json()["entries"]
    assert [one["act"] for one in entries] == ["rule.remove", "rule.change", "rule.add"]
    assert entries[1]["detail"]["before"] == words


@pytest.mark.parametrize(
    ("rule", "words"),
    [
        ({"who": {"accounts": ["nobody"]}}, "no account 'nobody'"),
        ({"who": {"groups": ["nobody"]}}, "no group 'nobody'"),
        ({"what": {"hosts": ["gpu9"]}}, "no host 'gpu9'"),
        ({"what": {"devices": ["abcd"]}}, "no device 'abcd'"),
        ({"what": {"backends": ["mars"]}}, "no backend 'mars'"),
        ({"what": {"partitions": ["long"]}}, "no partition 'long'"),
        ({"zone": "Mars/Olympus"}, "not a time zone"),
        ({"zone": "../../etc/passwd"}, "not a time zone"),
        ({"windows": [{"days": [7]}]}, "less than or equal to 6"),
        ({"windows": [{"days": [0], "until": "24:01"}]}, "pattern"),
        ({"since": "2031-01-01T00:00:00Z", "until": "2030-01-01T00:00:00Z"}, "later than"),
        ({"since": "0001-01-01T00:00:00Z"}, "1971"),
        ({"acts": []}, "at least 1"),
    ],
)
def test_a_rule_that_cannot_be_meant_is_refused(lab: Lab, rule: dict[str, Any], words: str) -> None:
    answer = lab.clients[ADMIN].post("/rules", json={"name": "one", "effect": "deny", **rule})
    assert (answer.status_code, words in answer.text) == (422, True), answer.text


def test_everybody_sees_the_rules_and_quotas_about_them(lab: Lab) -> None:
    lab.add(name="all")
    lab.add(name="hers", who={"accounts": [ALICE]})
    lab.add(name="his", who={"accounts": [BOB]})
    lab.add(name="theirs", who={"groups": ["students"]})
    lab.add(name="asleep", active=False)
    for body in ({"kind": "account", "subject": BOB}, {"kind": "group", "subject": "students"}, {"kind": "everyone"}):
        assert lab.clients[ADMIN].put("/quotas", json=body | {"longest_hours": 5}).status_code == 200
    seen = {name: [one["name"] for one in lab.clients[name].get("/rules").json()] for name in (ADMIN, ALICE, BOB)}
    assert seen == {
        ADMIN: ["all", "asleep", "hers", "his", "theirs"],
        ALICE: ["all", "hers", "theirs"],
        BOB: ["all", "his"],
    }
    kinds = {name: [one["kind"] for one in lab.clients[name].get("/quotas").json()] for name in (ADMIN, ALICE, BOB)}
    assert kinds == {
        ADMIN: ["everyone", "group", "account"],
        ALICE: ["everyone", "group"],
        BOB: ["everyone", "account"],
    }


def test_who_may_use_it_on_sunday_at_23(lab: Lab) -> None:
    nights = {"days": [6], "since": "22:00", "until": "06:00"}
    made = lab.add(name="Nights", who={"groups": ["students"]}, windows=[nights], zone="Europe/Warsaw")
    found = {one["account"]: one for one in lab.tried(ADMIN)}
    assert {name: one["allowed"] for name, one in found.items()} == {ADMIN: True, ALICE: False, BOB: True}
    assert found[ALICE]["rule"] == made["id"]
    assert found[ALICE]["why"].startswith("The rule 'Nights' forbids it on Sun 9 Nov 23:00 Europe/Warsaw: Members of")
    assert found[BOB]["why"] == "No rule forbids it."
    assert lab.tried(ADMIN, account=ALICE) == lab.tried(ALICE) == [found[ALICE]]
    assert lab.tried(ALICE, at="2031-11-09T21:00:00+01:00")[0]["allowed"]
    ask = {"device": lab.gpus[0], "account": ALICE}
    assert lab.clients[BOB].get("/rules/try", params=ask).status_code == 403
    assert lab.clients[ADMIN].get("/rules/try", params={"device": lab.gpus[0], "account": "x"}).status_code == 404
    assert lab.clients[ALICE].get("/rules/try", params={"device": "abcd"}).status_code == 404
    far = {"device": lab.gpus[0], "at": "9999-12-31T23:00:00Z"}
    assert lab.clients[ALICE].get("/rules/try", params=far).status_code == 422


def test_the_hours_that_are_allowed(lab: Lab) -> None:
    lab.add(
        what={"devices": [lab.gpus[0]]}, windows=[{"days": [1], "since": "08:00", "until": "10:00"}], acts=["reserve"]
    )
    query = {"since": "2031-11-10T00:00:00Z", "until": "2031-11-12T00:00:00Z"}
    free, bound = sorted(lab.clients[ALICE].get("/rules/hours", params=query).json(), key=lambda one: len(one["hours"]))
    assert (free["devices"], bound["devices"]) == ([lab.gpus[1]], [lab.gpus[0]])
    times = [(one["starts_at"][8:16], one["ends_at"][8:16]) for one in bound["hours"]]
    assert times == [("10T00:00", "11T08:00"), ("11T10:00", "12T00:00")]
    assert len(lab.clients[ADMIN].get("/rules/hours", params=query).json()) == 1  # not bound
    assert len(lab.clients[GUEST].get("/rules/hours", params=query | {"act": "run"}).json()) == 1
    one = lab.clients[ALICE].get("/rules/hours", params=query | {"device": lab.gpus}).json()
    assert sorted(found["devices"] for found in one) == sorted([[lab.gpus[0]], [lab.gpus[1]]])
    for wrong in ({"until": query["since"]}, {"until": "2033-01-01T00:00:00Z"}, {"since": "0001-01-01T00:00:00Z"}):
        assert lab.clients[ALICE].get("/rules/hours", params=query | wrong).status_code == 422


def test_quotas_are_set_and_show_what_is_left(lab: Lab) -> None:
    admin, alice = lab.clients[ADMIN], lab.clients[ALICE]
    assert alice.get("/me/quota").json() == []
    limits = {"gpu_hours_week": 100, "devices_at_once": 2}
    first = admin.put("/quotas", json={"kind": "account", "subject": ALICE, **limits}).json()
    again = admin.put("/quotas", json={"kind": "account", "subject": ALICE, **limits, "open_reservations": 3}).json()
    assert first["id"] == again["id"]
    begin = time.time() - HOUR
    at = datetime.fromtimestamp(begin, UTC)
    monday = (at + timedelta(hours=4)).weekday() != at.weekday() and at.weekday() == 6  # a new week is about to begin
    add_reservation(lab.db, lab.gpus, begin, begin + 3 * HOUR, owner=ALICE)
    found = {one["field"]: (one["used"], one["left"]) for one in alice.get("/me/quota").json()}
    assert found["devices_at_once"] == (2, 0)
    assert found["open_reservations"] == (1, 2)
    assert monday or found["gpu_hours_week"] == (pytest.approx(6), pytest.approx(94))
    later = alice.get("/me/quota", params={"at": "2031-11-10T00:00:00Z"}).json()
    assert {one["field"]: one["used"] for one in later}["gpu_hours_week"] == 0
    assert lab.clients[BOB].get("/me/quota").json() == admin.get("/me/quota").json() == []
    entries = admin.get("/audit", params={"object": f"account {ALICE}"}).json()["entries"]
    assert entries[0]["detail"] == {"before": limits, "after": limits | {"open_reservations": 3}}


@pytest.mark.parametrize(
    ("quota", "words"),
    [
        ({"kind": "account", "subject": "nobody", "longest_hours": 1}, "no account"),
        ({"kind": "group", "subject": ALICE, "longest_hours": 1}, "no group"),
        ({"kind": "group", "longest_hours": 1}, "subject"),
        ({"kind": "everyone", "subject": ALICE, "longest_hours": 1}, "subject"),
        ({"kind": "everyone"}, "at least one limit"),
        ({"kind": "everyone", "near_hours": 1, "longest_hours": 1}, "devices_at_once"),
        ({"kind": "everyone", "longest_hours": -1}, "greater than or equal to 0"),
    ],
)
def test_a_quota_that_cannot_be_meant_is_refused(lab: Lab, quota: dict[str, Any], words: str) -> None:
    answer = lab.clients[ADMIN].put("/quotas", json=quota)
    assert (answer.status_code, words in answer.text) == (422, True), answer.text


def test_a_refused_booking_names_the_stretch_and_the_rule(lab: Lab) -> None:
    rule = {
        "what": {"devices": [lab.gpus[0]]},
        "windows": [{"days": [0, 1, 2, 3, 4, 5, 6], "since": "08:00", "until": "10:00"}],
    }
    lab.add(name="Mornings", **rule)
    day = datetime.now(UTC).replace(hour=7, minute=0, second=0, microsecond=0) + timedelta(days=2)
    times = {"starts_at": day.isoformat(), "ends_at": (day + timedelta(hours=2)).isoformat()}
    answer = lab.clients[ALICE].post("/reservations", json={"devices": [lab.gpus[0]], **times})
    assert answer.status_code == 409, answer.text
    assert "The rule 'Mornings' forbids it from" in answer.text
    assert "Nobody may reserve or run jobs on gpu1:0 every day 08:00-10:00 UTC" in answer.text
    allowed = lab.clients[ALICE].post("/reservations", json={"devices": [lab.gpus[1]], **times})
    assert allowed.status_code == 201, allowed.text
