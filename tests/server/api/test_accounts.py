"""Test accounts, groups, invitations, tokens and sessions of a real server in team mode."""

import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.team import ADMIN, ALICE, BOB, GUEST, PASSWORD, Team, team


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Team]:
    with team(tmp_path_factory.mktemp("team") / "home") as made:
        yield made


def test_everybody_is_who_they_are(lab: Team) -> None:
    for name, role in ((ADMIN, "admin"), (ALICE, "user"), (GUEST, "guest"), ("server", "admin")):
        me = lab.clients[name].get("/me").json()
        assert (me["name"], me["role"], me["team"]) == (name, role, True)
    assert lab.clients[ALICE].get("/me").json()["via"] == "token test"
    assert lab.browser(BOB).get("/me").json()["via"] == "session"


def test_who_has_just_signed_in_was_seen(lab: Team) -> None:
    before = time.time()
    lab.browser(GUEST)
    seen = {one["name"]: one["seen_at"] for one in lab.clients[ADMIN].get("/accounts").json()}
    assert seen[GUEST] >= before - 1


def test_turning_on_copied_the_database_and_can_be_repeated(lab: Team) -> None:
    assert Path(lab.state["backup"]).is_file()
    again = lab.clients[ADMIN].post("/team", json={"on": True}).json()
    assert (again["on"], again["setup"], again["backup"], again["accounts"]) == (True, None, None, 4)


def test_methods_are_known_to_everybody(lab: Team) -> None:
    found = lab.stranger().get("/session/methods").json()
    assert found == {"team": True, "passwords": True, "directories": False, "providers": []}


def test_an_invitation_makes_an_account_once(lab: Team) -> None:
    admin = lab.clients[ADMIN]
    assert admin.post("/groups", json={"name": "vision", "members": [ALICE]}).status_code == 201
    made = admin.post("/invites", json={"role": "guest", "groups": ["vision"], "email": "c@example.org"}).json()
    code = made["link"].partition("code=")[2]
    assert made["link"] == f"{lab.url}/setup?code={code}"
    stranger = lab.stranger()
    about = stranger.post("/setup/open", json={"code": code}).json()
    assert (about["name"], about["role"], about["groups"]) == (None, "guest", ["vision"])
    for name in (ALICE, "server", "engine"):
        answer = stranger.post("/setup", json={"code": code, "name": name, "password": PASSWORD})
        assert answer.status_code == 409
    taken = stranger.post("/setup", json={"code": code, "name": "carol", "password": PASSWORD})
    assert taken.status_code == 200
    assert stranger.get("/me", headers={"X-Paddock-Page": taken.json()["page"]}).json()["groups"] == ["vision"]
    again = lab.stranger().post("/setup", json={"code": code, "name": "mallory", "password": PASSWORD})
    assert (again.status_code, lab.stranger().post("/setup/open", json={"code": code}).status_code) == (404, 404)
    (kept,) = [one for one in admin.get("/invites").json() if one["id"] == made["id"]]
    assert (kept["used_by"], kept["link"]) == ("carol", None)


def test_everybody_arranges_pages_for_themselves(lab: Team) -> None:
    tile = {"kind": "gpu-load", "node": "gpu1", "x": 0, "y": 2, "w": 4, "h": 3}
    at, alice = "/me/layouts/hosts", lab.clients[ALICE]
    assert alice.get(at).json() == {"tiles": None}
    saved = alice.put(at, json={"tiles": [tile]})
    assert saved.status_code == 200, saved.text
    assert alice.get(at).json() == saved.json() == {"tiles": [{**tile, "backend": None, "device": None}]}
    assert lab.clients[BOB].get(at).json() == {"tiles": None}
    assert lab.clients[GUEST].put(at, json={"tiles": []}).json() == {"tiles": []}
    assert lab.clients[GUEST].get(at).json() == {"tiles": []}, "nothing is an arrangement, too"
    assert alice.put(at, json={"tiles": None}).json() == alice.get(at).json() == {"tiles": None}
    for junk in ({"tiles": [tile] * 201}, {"tiles": [{**tile, "w": 0}]}, {"tiles": [{**tile, "html": "<b>"}]}):
        assert alice.put(at, json=junk).status_code == 422
    assert alice.put("/me/layouts/UP", json={"tiles": []}).status_code == 422
    assert lab.with_token(ALICE, scope="read").put(at, json={"tiles": []}).status_code == 403


def test_nobody_arranges_pages_without_end(lab: Team) -> None:
    bob = lab.clients[BOB]
    answers = [bob.put(f"/me/layouts/page{n}", json={"tiles": []}).status_code for n in range(21)]
    assert answers == [200] * 20 + [409]
    assert bob.put("/me/layouts/page3", json={"tiles": []}).status_code == 200
