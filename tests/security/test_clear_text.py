"""Test that a server with accounts does not let people send passwords over plain HTTP by mistake."""

from pathlib import Path
from typing import Any

import pytest

from paddock.errors import InvalidInput
from paddock.home import server_file, tls
from paddock.settings import Settings
from tests.support.server import ServerProcess, running

EVERYWHERE = "0.0.0.0"


def _settings(**given: Any) -> Settings:
    return Settings(home=Path("/nowhere"), **given)


@pytest.mark.parametrize(
    "given",
    [
        {}, {"host": "127.0.0.1"}, {"host": "127.1.2.3"}, {"host": "::1"}, {"host": "localhost"},
        {"host": EVERYWHERE, "public_url": "https://lab.example"}, {"host": EVERYWHERE, "insecure": True},
        {"host": EVERYWHERE, "tls_certificate": "a.pem", "tls_key": "a.key"},
    ],
    ids=str,
)  # fmt: skip
def test_what_is_safe_enough(given: dict[str, Any]) -> None:
    tls.refuse_clear_text(_settings(**given))


@pytest.mark.parametrize(
    "given", [{"host": EVERYWHERE}, {"host": "::"}, {"host": "lab", "public_url": "http://lab"}], ids=str
)
def test_what_is_not(given: dict[str, Any]) -> None:
    with pytest.raises(InvalidInput, match=r"tls_certificate.*url.*--insecure"):
        tls.refuse_clear_text(_settings(**given))


def test_accounts_are_not_turned_on_there(tmp_path: Path) -> None:
    with running(tmp_path / "home", host=EVERYWHERE) as server:
        answer = server.client.post("/team", json={"on": True})
        assert (answer.status_code, "--insecure" in answer.text) == (422, True)
        assert server.get("/team")["on"] is False


def test_a_server_with_accounts_does_not_start_there(tmp_path: Path) -> None:
    home = tmp_path / "home"
    with running(home) as server:
        server.post("/team", {"on": True})
    refused = ServerProcess(home, host=EVERYWHERE)
    with pytest.raises(AssertionError, match="the server ended"):
        refused.start()
    assert "listens on 0.0.0.0 without HTTPS" in refused.output()
    refused.stop()
    with running(home, host=EVERYWHERE, insecure="true") as server:
        assert server.get("/team")["on"] is True


def test_behind_a_proxy_links_and_the_cookie_are_those_of_the_proxy(tmp_path: Path) -> None:
    with running(tmp_path / "home", public_url="https://lab.example/paddock") as server:
        state = server.post("/team", {"on": True})
        assert state["setup"].startswith("https://lab.example/paddock/setup?code=")
        found = server_file.read(server.home)
        assert found is not None
        assert (found.url, found.public) == (server.url, "https://lab.example/paddock")
        code = state["setup"].partition("code=")[2]
        answer = server.client.post("/setup", json={"code": code, "password": "correct horse"})
        cookie = answer.headers["set-cookie"]
        assert cookie.startswith("__Host-paddock-")
        assert all(one in cookie for one in ("Secure", "HttpOnly", "SameSite=strict", "Path=/"))
