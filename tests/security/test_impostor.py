"""Test that nothing secret reaches somebody else who listens on the port of a crashed server."""

import contextlib
import json
import shutil
import socket
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

import paddock
from paddock.cli import run
from paddock.client import connection
from paddock.errors import NotAuthorised, PaddockError, ServerUnreachable
from paddock.home import proof, unix_socket
from paddock.paths import Home
from tests.support.server import ServerProcess, running

SECRET = "a-token-that-nobody-else-may-ever-see"


class _Impostor(BaseHTTPRequestHandler):
    """Keeps what it is sent, and gives the answer that it was told to."""

    heard: list[str]
    answer = (200, b"{}")
    token = ""  # of its own, to answer the question with

    def do_GET(self) -> None:
        self.heard.append(f"{self.command} {self.path} {dict(self.headers)}")
        if self.token:
            given = proof.of(self.token, f"hello {self.path.partition('nonce=')[2]}")
            self.answer = 200, json.dumps({"proof": given}).encode()
        with contextlib.suppress(ConnectionError):  # who has heard enough may hang up
            self.send_response(self.answer[0])
            self.end_headers()
            self.wfile.write(self.answer[1])

    def do_POST(self) -> None:
        self.do_GET()

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def impostor(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[type[_Impostor]]:
    """On the port that the home's server had before it crashed."""
    for name in ("PADDOCK_URL", "PADDOCK_TOKEN", "PADDOCK_HOME"):
        monkeypatch.delenv(name, raising=False)
    home = Home(tmp_path / "home")
    home.create()
    home.token.write_text(SECRET)
    kind = type("Impostor", (_Impostor,), {"heard": []})
    with ThreadingHTTPServer(("127.0.0.1", 0), kind) as other:
        threading.Thread(target=other.serve_forever, daemon=True).start()
        home.server.write_text(json.dumps({"url": f"http://127.0.0.1:{other.server_port}"}))
        with socket.socket(socket.AF_UNIX) as left, unix_socket.address(home) as place:
            left.bind(place)  # a crash leaves it as well; nobody listens there
        yield kind
        other.shutdown()


ANSWERS = [
    (200, b"{}"),
    (200, b"<html>Jupyter</html>"),
    (200, b'{"proof": ""}'),
    (200, b'{"proof": "' + b"0" * 64 + b'"}'),
    (200, b'{"proof": "\xed\xa0\x80"}'),
    (200, b"x" * 1_000_000),
    (200, b"[" * 100_000),
    (302, b""),
    (401, b'{"error": {"code": "not_authorised", "message": "x"}}'),
    (500, b"\xff\xfe"),
]


@pytest.mark.parametrize("answer", ANSWERS)
def test_an_impostor_is_sent_nothing(
    impostor: type[_Impostor], answer: tuple[int, bytes], tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    impostor.answer = answer
    with paddock.Client(home=tmp_path / "home") as client:
        for ask in (
            client.jobs,
            lambda: client.link,
            lambda: client.submit(command="echo $KEY", environment={"variables": {"KEY": SECRET}}),
            lambda: next(iter(client.events())),
            lambda: client.log("abc-1"),
        ):
            with pytest.raises((NotAuthorised, ServerUnreachable), match="sent"):
                ask()
        assert not client.answers()
    for arguments in (["ls"], ["token"]) if answer in ANSWERS[1:4:2] else ():
        assert run(["--home", str(tmp_path / "home"), *arguments]) != 0
    said = capfd.readouterr()
    assert "Traceback" not in said.err
    assert len(said.err.splitlines()) < 15
    assert SECRET not in said.out + said.err
    assert impostor.heard
    assert all(one.startswith("GET /api/v1/hello?nonce=") for one in impostor.heard)
    assert SECRET not in str(impostor.heard)


def test_another_server_of_paddock_is_sent_nothing_either(impostor: type[_Impostor], tmp_path: Path) -> None:
    """It answers as a server does that holds another token; with the right one it would be let in."""
    impostor.token = f"{SECRET} of another home"
    with paddock.Client(home=tmp_path / "home") as client, pytest.raises((NotAuthorised, ServerUnreachable)):
        client.jobs()
    assert SECRET not in str(impostor.heard)
    impostor.token = SECRET
    with paddock.Client(home=tmp_path / "home") as client, pytest.raises(PaddockError):  # no list of jobs comes
        client.jobs()
    assert SECRET in str(impostor.heard)


def test_a_stray_answer_is_told_in_a_sentence() -> None:
    for junk in (b"<html>", b"[" * 100_000, b"{}", b"\xff"):
        with pytest.raises(PaddockError, match="not understood"):
            connection.understood(list[int], junk)


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServerProcess]:
    """In a home whose path is longer than a socket's address can be."""
    with running(tmp_path_factory.mktemp("door") / ("long" * 30) / "home", local__slots=1) as server:
        yield server


def test_on_the_same_machine_the_home_is_the_way(server: ServerProcess, monkeypatch: pytest.MonkeyPatch) -> None:
    assert unix_socket.path(server.home).stat().st_mode & 0o777 == 0o600
    # Even with the address of somebody else in the file, the right one is asked.
    monkeypatch.setattr(connection.Connection, "_prove", None)
    with paddock.Client(home=server.home.root) as client:
        assert client.version().version == paddock.__version__
        assert client.health().ok


def test_elsewhere_the_server_proves_who_it_is(
    server: ServerProcess, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    asked: list[str] = []
    prove = connection.Connection._prove

    def counted(self: connection.Connection, url: str) -> None:
        asked.append(url)
        prove(self, url)

    monkeypatch.setattr(connection.Connection, "_prove", counted)
    with paddock.Client(url=server.url, token=server.token) as client:
        client.jobs()
        client.jobs()
        assert asked == [server.url]  # once is enough
        client._connection._proven[server.url] = 0.0  # a long time later
        client.jobs()
        assert len(asked) == 2
    with paddock.Client(url=server.url, token="wrong") as client, pytest.raises(NotAuthorised):
        client.jobs()
    with paddock.Client(url=server.url, home=tmp_path) as client, pytest.raises(NotAuthorised):
        client.jobs()  # has no token at all


def test_what_everybody_may_ask_tells_nothing(server: ServerProcess) -> None:
    for nonce in ("", "x", "g" * 64, "0" * 5000):
        answer = server.client.get("/hello", params={"nonce": nonce}, headers={"Authorization": ""})
        assert answer.status_code == 401
    answer = server.client.get("/hello", params={"nonce": "0" * 64}, headers={"Authorization": ""})
    assert set(answer.json()) == {"proof"}
    assert server.token not in answer.text


def test_the_socket_goes_with_the_server(tmp_path: Path) -> None:
    with running(tmp_path / "home", local__slots=1) as server:
        server.kill()
        assert unix_socket.path(server.home).is_socket()
        server.start()
        with paddock.Client(home=server.home.root) as client:
            assert client.health().ok
        assert server.stop() == 0
        assert not unix_socket.path(server.home).exists()
    shutil.rmtree(tmp_path / "home")
