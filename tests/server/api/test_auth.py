"""Test that a request without a valid token gets 401 and nothing else."""

import json
from pathlib import Path
from typing import Any

import httpx2
import pytest

from paddock.server.api.auth import OIDC, OPEN
from tests.support.server import ServerProcess, running


def _bare(server: ServerProcess, **options: Any) -> httpx2.Client:
    return httpx2.Client(base_url=server.url, timeout=120, **options)


def _everything(server: ServerProcess) -> list[tuple[str, str]]:
    with _bare(server, headers={"Authorization": f"Bearer {server.token}"}) as client:
        document = client.get("/openapi.json").json()
    routes = [(method.upper(), path) for path, methods in document["paths"].items() for method in methods]
    assert len(routes) > 20
    others = [("GET", "/"), ("GET", "/openapi.json"), ("GET", "/docs"), ("GET", "/nowhere"), ("OPTIONS", "/")]
    return [*routes, *others, ("GET", "/api/v1/session"), ("GET", "/api/v1/nowhere")]


def test_every_route_needs_the_token(server: ServerProcess) -> None:
    with _bare(server) as client:
        for method, path in _everything(server):
            if method in OPEN.get(path, ()) or path.startswith(OIDC):  # by these one signs in
                continue
            answer = client.request(method, path)
            assert answer.status_code == 401, (method, path)
            assert set(answer.json()) == {"error"}
            assert answer.json()["error"]["code"] == "not_authorised"


@pytest.mark.parametrize(
    "headers",
    [
        {"Authorization": "Bearer"},
        {"Authorization": "Bearer wrong"},
        {"Authorization": "Basic dXNlcjpwYXNz"},
        {"Authorization": "Bearer \xff\xfe".encode("latin-1")},
        {"Cookie": "paddock=wrong; paddock-00000000=wrong"},
        {"Cookie": 'paddock="; ]['},
        {"X-Token": "TOKEN"},
    ],
)
def test_wrong_tokens(server: ServerProcess, headers: dict[str, Any]) -> None:
    with _bare(server, headers=headers) as client:
        assert client.get("/api/v1/version").status_code == 401


def test_link_signs_in_and_leaves_the_address_bar(server: ServerProcess) -> None:
    with _bare(server) as client:
        assert client.get("/?token=wrong").status_code == 401
        answer = client.get(f"/?a=1&token={server.token}&b=2")
        address, _, page = answer.headers["location"].partition("#page=")
        assert (answer.status_code, address) == (303, "/?a=1&b=2")
        cookie = answer.headers["set-cookie"].lower()
        assert "httponly" in cookie
        assert "samesite=strict" in cookie
        assert client.get("/api/v1/version", headers={"X-Paddock-Page": page}).status_code == 200


def test_link_does_not_redirect_elsewhere(server: ServerProcess) -> None:
    with _bare(server) as client:
        answer = client.get(f"{server.url}//evil.example/?token={server.token}")
        assert answer.headers["location"].startswith("/evil.example")


def test_link_token_is_for_looking_only(server: ServerProcess) -> None:
    with _bare(server) as client:
        assert client.post(f"/api/v1/jobs?token={server.token}", json={}).status_code == 401


def test_only_this_machine_is_served(server: ServerProcess) -> None:
    assert server.url.startswith("http://127.0.0.1:")
    assert server.home.token.stat().st_mode & 0o777 == 0o600
    assert server.home.root.stat().st_mode & 0o077 == 0 or server.home.jobs.stat().st_mode & 0o077 == 0


def test_sign_in_by_pasting_the_token(server: ServerProcess) -> None:
    with _bare(server) as client:
        for body in (
            b"",
            b"{",
            b"[]",
            b'{"token": 1}',
            b'{"token": "\xed\xa0\x80"}',
            b'{"token": "\\ud800"}',
            b"[" * 5000,
        ):
            answer = client.post("/api/v1/session", content=body, headers={"Content-Type": "application/json"})
            assert answer.status_code in (400, 422), body
        for given in ({"token": "wrong"}, {"name": "root", "password": "wrong"}, {}):
            body = json.dumps(given).encode()
            answer = client.post("/api/v1/session", content=body, headers={"Content-Type": "application/json"})
            assert answer.status_code == 401, given
        assert client.post("/api/v1/session", json={"token": "x" * 20_000}).status_code == 413
        assert client.get("/api/v1/version").status_code == 401
        signed_in = client.post("/api/v1/session", json={"token": f" {server.token}\n"})
        assert signed_in.status_code == 200
        client.headers["X-Paddock-Page"] = signed_in.json()["page"]
        assert client.get("/api/v1/version").status_code == 200
        assert client.delete("/api/v1/session", headers={"Origin": server.url}).status_code == 204
        assert client.get("/api/v1/version").status_code == 401


def test_browser_without_a_token_gets_the_page_that_asks_for_it(server: ServerProcess) -> None:
    with _bare(server, headers={"Accept": "text/html"}) as client:
        answer = client.get("/jobs/something")
        assert answer.status_code == 401
        assert answer.headers["content-type"].startswith("text/html")
        assert "script-src 'self'" in answer.headers["content-security-policy"]
        assert client.get("/api/v1/jobs").headers["content-type"] == "application/json"
        assert client.get("/..%2f..%2fsettings.py").status_code == 401


def test_two_servers_of_one_machine_have_cookies_of_their_own(server: ServerProcess, tmp_path: Path) -> None:
    with running(tmp_path / "other") as other, _bare(server) as client:
        pages = {
            one: client.get(f"{one.url}/?token={one.token}").headers["location"].partition("#page=")[2]
            for one in (server, other)
        }
        for one, page in pages.items():
            assert client.get(f"{one.url}/api/v1/version", headers={"X-Paddock-Page": page}).status_code == 200
