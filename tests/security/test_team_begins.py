"""Test how a team begins and ends: the one-time link, and the way back."""

import json
import sqlite3
from pathlib import Path

import httpx2

from tests.support.server import ServerProcess, running
from tests.support.team import PASSWORD

OWNER = "ann"


def _stranger(server: ServerProcess, **options: str) -> httpx2.Client:
    return httpx2.Client(base_url=f"{server.url}/api/v1", headers=options, timeout=120)


def _code(state: dict[str, str]) -> str:
    return state["setup"].partition("code=")[2]


def test_a_team_begins_with_one_link_and_ends_without_a_restart(tmp_path: Path) -> None:
    with running(tmp_path / "home", owner=OWNER) as server, _stranger(server) as stranger:
        assert server.get("/me")["team"] is False
        assert stranger.get("/session/methods").json()["team"] is False
        for path in ("/me/tokens", "/accounts", "/invites"):  # nothing of this is there for one person
            assert server.client.post(path, json={"name": "x"}).status_code == 409
        assert stranger.post("/setup", json={"code": "x", "password": PASSWORD}).status_code == 409
        link = httpx2.get(f"{server.url}/?token={server.token}")
        old_page, old_cookie = link.headers["location"].partition("#page=")[2], dict(link.cookies)

        first = server.post("/team", {"on": True})
        assert Path(first["backup"]).parent == server.home.backups
        assert sqlite3.connect(first["backup"]).execute("SELECT count(*) FROM users").fetchone() == (0,)
        again = server.post("/team", {"on": True})
        assert stranger.post("/setup/open", json={"code": _code(first)}).status_code == 404  # the newer one counts
        code = _code(again)
        assert len(code) == 43
        assert code not in str(sqlite3.connect(server.home.database).execute("SELECT * FROM invites").fetchall())
        for bad in (code[:-1], "", code + "A"):
            assert stranger.post("/setup/open", json={"code": bad}).status_code in (404, 422)
        assert stranger.post("/setup", json={"code": code, "password": "short"}).status_code == 422
        assert stranger.post("/setup", json={"code": code, "name": "eve", "password": PASSWORD}).status_code == 200
        late = stranger.post("/setup", json={"code": code, "password": "somebody else's one"})
        assert (late.status_code, late.json()["error"]["code"]) == (404, "not_found")

        with _stranger(server, Origin=server.url) as browser:
            signed_in = browser.post("/session", json={"name": OWNER, "password": PASSWORD})
            browser.headers["X-Paddock-Page"] = signed_in.json()["page"]
            me = browser.get("/me").json()
            assert (me["name"], me["role"], me["via"]) == (OWNER, "admin", "session")
            token = browser.post("/me/tokens", json={"name": "x"}).json()["token"]
            with _stranger(server, Authorization=f"Bearer {token}") as program:
                assert program.get("/me").json()["name"] == OWNER
                assert server.get("/me")["name"] == "server"
                with httpx2.Client(base_url=server.url, cookies=old_cookie) as owner:  # who had the token is the server
                    name = owner.get("/api/v1/me", headers={"X-Paddock-Page": old_page}).json()["name"]
                    assert name == "server"
                assert browser.post("/team", json={"on": False}).json()["accounts"] == 1
                assert program.get("/me").status_code == 401
                assert browser.get("/me").status_code == 401
                assert server.get("/me")["name"] == OWNER
                on = server.post("/team", {"on": True})
                assert (on["accounts"], on["setup"]) == (1, None)  # accounts are kept
                assert program.get("/me").status_code == 200
                assert browser.get("/me").status_code == 401


def test_a_link_that_is_too_old_is_dead(tmp_path: Path) -> None:
    with running(tmp_path / "home", owner=OWNER) as server, _stranger(server) as stranger:
        code = _code(server.post("/team", {"on": True}))
        with sqlite3.connect(server.home.database) as c:
            (created, expires) = c.execute("SELECT created_at, expires_at FROM invites").fetchone()
            assert expires - created == 3600
            c.execute("UPDATE invites SET expires_at = created_at - 1")
        for path, body in (("/setup/open", {}), ("/setup", {"password": PASSWORD})):
            answer = stranger.post(path, json={"code": code, **body})
            assert (answer.status_code, json.loads(answer.text)["error"]["code"]) == (404, "not_found")
        with sqlite3.connect(server.home.database) as c:
            c.execute("UPDATE invites SET expires_at = created_at + 3600")
        assert stranger.post("/setup", json={"code": code, "password": PASSWORD}).status_code == 200


def test_a_name_that_cannot_be_an_account_is_said_before_anything_is_done(tmp_path: Path) -> None:
    with running(tmp_path / "home", owner="server") as server:
        answer = server.client.post("/team", json={"on": True})
        assert (answer.status_code, "`owner`" in answer.json()["error"]["message"]) == (409, True)
        found = server.get("/team")
        assert (found["on"], found["accounts"], list(server.home.backups.glob("*team*"))) == (False, 0, [])
