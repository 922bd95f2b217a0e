"""Without a valid token there is 401 and nothing else."""

from typing import Any

import httpx2
import pytest

from tests.support.server import ServerProcess


def _bare(server: ServerProcess, **options: Any) -> httpx2.Client:
    return httpx2.Client(base_url=server.url, **options)


def _everything(server: ServerProcess) -> list[tuple[str, str]]:
    document = httpx2.get(f"{server.url}/openapi.json", headers={"Authorization": f"Bearer {server.token}"}).json()
    routes = [(method.upper(), path) for path, methods in document["paths"].items() for method in methods]
    assert len(routes) > 20
    return [*routes, ("GET", "/"), ("GET", "/openapi.json"), ("GET", "/docs"), ("GET", "/nowhere"), ("OPTIONS", "/")]


def test_every_route_needs_the_token(server: ServerProcess) -> None:
    with _bare(server) as client:
        for method, path in _everything(server):
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
        {"Cookie": "paddock=wrong"},
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
        assert (answer.status_code, answer.headers["location"]) == (303, "/?a=1&b=2")
        cookie = answer.headers["set-cookie"].lower()
        assert "httponly" in cookie
        assert "samesite=strict" in cookie
        assert client.get("/api/v1/version").status_code == 200


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
