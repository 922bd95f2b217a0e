"""Test what a page of another port can and cannot do with a browser that has signed in."""

import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx2
import pytest

from paddock.server.api import sessions
from paddock.server.api.sessions import Sessions
from paddock.server.store.db import Database
from tests.support.server import ServerProcess, running

SPEC = '{"name": "planted", "command": "echo planted"}'
BODY = {"spec": {"name": "ours", "command": "true"}}


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServerProcess]:
    with running(tmp_path_factory.mktemp("sessions") / "home", local__slots=1, runner__grace_seconds=1) as server:
        yield server


@pytest.fixture
def signed_in(server: ServerProcess) -> Iterator[httpx2.Client]:
    """A browser with its cookie and the key of the page."""
    with httpx2.Client(base_url=server.url) as client:
        answer = client.post("/api/v1/session", json={"token": server.token})
        assert answer.status_code == 200
        client.headers["X-Paddock-Page"] = answer.json()["page"]
        assert client.get("/api/v1/version").status_code == 200
        yield client


def _form(**headers: str) -> dict[str, Any]:
    """What `<form method=post enctype=multipart/form-data>` of a page sends."""
    return {"files": [("spec", (None, SPEC))], "headers": headers}


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"Origin": "null"},
        {"Origin": "http://127.0.0.1:1"},
        {"Origin": "http://127.0.0.1"},
        {"Origin": "http://["},
        {"Origin": "http://evil.example"},
        {"Sec-Fetch-Site": "same-site"},
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "none"},
    ],
)
def test_a_form_of_another_port_submits_nothing(
    server: ServerProcess, signed_in: httpx2.Client, headers: dict[str, str]
) -> None:
    before = server.get("/jobs")["total"]
    for answer in (
        signed_in.post("/api/v1/jobs", **_form(**headers)),
        signed_in.post("/api/v1/jobs", content=b'{"spec":{}}', headers=headers | {"Content-Type": "text/plain"}),
        signed_in.post("/api/v1/jobs", json=BODY, headers=headers),
        signed_in.delete("/api/v1/jobs/none", headers=headers),
        signed_in.delete("/api/v1/session", headers=headers),
    ):
        assert (answer.status_code, answer.json()["error"]["code"]) == (403, "wrong_origin")
    assert server.get("/jobs")["total"] == before
    assert signed_in.get("/api/v1/version").status_code == 200


def test_the_page_itself_and_programs_can(server: ServerProcess, signed_in: httpx2.Client) -> None:
    for headers in ({"Origin": server.url}, {"Sec-Fetch-Site": "same-origin"}):
        assert signed_in.post("/api/v1/jobs/preview", json=BODY, headers=headers).status_code == 200
        assert signed_in.post("/api/v1/jobs/preview", **_form(**headers)).status_code == 200
        assert signed_in.post("/api/v1/jobs/none/hold", headers=headers).status_code == 404  # no body: no form
        plain = headers | {"Content-Type": "text/plain"}
        assert signed_in.post("/api/v1/jobs/preview", content=b"{}", headers=plain).status_code == 403
    assert server.client.post("/jobs/preview", json=BODY, headers={"Origin": "http://other"}).status_code == 200


def test_the_cookie_is_not_the_token_and_the_server_keeps_a_digest(
    server: ServerProcess, signed_in: httpx2.Client
) -> None:
    (key,) = signed_in.cookies.values()
    assert server.token not in key
    assert httpx2.get(f"{server.url}/api/v1/version", headers={"Authorization": f"Bearer {key}"}).status_code == 401
    kept = sqlite3.connect(server.home.database).execute("SELECT hash, token FROM sessions").fetchall()
    assert key not in str(kept)
    assert server.token not in str(kept)
    assert sessions.digest(key) in str(kept)


def test_sign_out_ends_the_session_on_the_server(server: ServerProcess, signed_in: httpx2.Client) -> None:
    cookies = dict(signed_in.cookies)
    headers = {"X-Paddock-Page": signed_in.headers["X-Paddock-Page"]}
    assert httpx2.get(f"{server.url}/api/v1/version", cookies=cookies, headers=headers).status_code == 200
    assert signed_in.delete("/api/v1/session", headers={"Origin": server.url}).status_code == 204
    assert httpx2.get(f"{server.url}/api/v1/version", cookies=cookies, headers=headers).status_code == 401


def test_a_cookie_alone_opens_nothing(server: ServerProcess, signed_in: httpx2.Client) -> None:
    """A server of another port is sent it by the browser; it can send the right Origin, as it is no browser."""
    own = signed_in.headers["X-Paddock-Page"]
    with httpx2.Client(base_url=server.url) as another:
        others = another.post("/api/v1/session", json={"token": server.token}).json()["page"]
    cookies, origin = dict(signed_in.cookies), {"Origin": server.url}
    for key in ("", "\x80", "0" * 64, others):
        for headers, query in (({"X-Paddock-Page": key.encode()}, ""), ({}, f"?page={key}")):
            with httpx2.Client(base_url=server.url, cookies=cookies, headers=origin | headers) as thief:
                assert thief.get(f"/api/v1/version{query}").status_code == 401
                assert thief.get(f"/api/v1/events{query}").status_code == 401
                assert thief.post(f"/api/v1/jobs{query}", json=BODY).status_code == 401
                assert thief.get("/").status_code == 200  # the page without anybody's data
    assert httpx2.get(f"{server.url}/api/v1/version?page={own}", cookies=cookies).status_code == 200


def test_a_link_opened_again_leaves_no_token_in_the_address(server: ServerProcess, signed_in: httpx2.Client) -> None:
    answer = signed_in.get(f"/jobs?a=1&token={server.token}")
    page = signed_in.headers["X-Paddock-Page"]
    assert (answer.status_code, answer.headers["location"]) == (303, f"/jobs?a=1#page={page}")
    assert "set-cookie" not in answer.headers  # it has a session already


def test_sessions_end_with_time_with_the_token_and_are_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    db = Database(f"sqlite:///{tmp_path / 'x.db'}")
    db.migrate()
    monkeypatch.setattr(sessions, "MOST", 3)
    first = Sessions(db, "a")
    keys = [first.begin() for _ in range(4)]
    assert [bool(first.find(key)) for key in keys] == [False, True, True, True]
    assert [bool(Sessions(db, "a").find(key)) for key in keys] == [False, True, True, True]  # after a restart
    assert first.find(None) is first.find("") is first.find("\ud800") is None
    monkeypatch.setattr(sessions, "SECONDS", -1)
    assert first.find(first.begin()) is None
    assert Sessions(db, "b").find(keys[3]) is None
    assert Sessions(db, "a").find(keys[3]) is None  # and they do not come back with it
    db.close()
