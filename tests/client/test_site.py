"""Test how a client finds the server of the machine, and that nobody can pose as it."""

import os
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from paddock.client import site
from paddock.client.connection import Connection
from paddock.errors import InvalidInput, NotAuthorised, ServerUnreachable

root = pytest.mark.skipif(os.geteuid() != 0, reason="only root can write a file of root's")
ANSWER = b'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 16\r\n\r\n{"version": "x"}'


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv(site.VARIABLE, str(tmp_path / "client.toml"))
    monkeypatch.setenv("HOME", str(tmp_path))
    for name in ("PADDOCK_HOME", "PADDOCK_URL", "PADDOCK_TOKEN", "XDG_CONFIG_HOME"):
        monkeypatch.delenv(name, raising=False)
    return tmp_path / "client.toml"


@contextmanager
def _listening(place: Path) -> Iterator[list[bytes]]:
    """A server at a Unix socket that answers one request; gives what it was sent."""
    received: list[bytes] = []

    def answer() -> None:
        connection, _ = listener.accept()
        with connection:
            received.append(connection.recv(10_000))
            if received[0]:
                connection.sendall(ANSWER)

    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(place))
        listener.listen()
        thread = threading.Thread(target=answer)
        thread.start()
        yield received
        thread.join(60)


def _write(file: Path, uid: int) -> None:
    file.write_text(f'url = "https://lab.example"\ndoor = "{file.parent}/door"\nuid = {uid}\n')
    file.chmod(0o644)


@root
def test_a_request_goes_through_the_door_without_a_token(file: Path) -> None:
    _write(file, os.geteuid())
    with _listening(file.parent / "door") as received:
        connection = Connection(None, None, None, 10.0)
        assert (connection.url, connection.token) == ("https://lab.example", None)
        assert connection.request("GET", "/version").content == b'{"version": "x"}'
        connection.close()
    assert b"Authorization: Door" in received[0]


@root
def test_nothing_is_sent_when_another_user_listens(file: Path) -> None:
    _write(file, os.geteuid() + 1)
    refused = pytest.raises(ServerUnreachable, match="another user listens there, so nothing was sent")
    with _listening(file.parent / "door") as received, refused:
        Connection(None, None, None, 10.0).request("GET", "/version")
    assert received == [b""]


@root
def test_a_file_that_others_can_write_is_not_used(file: Path) -> None:
    _write(file, 0)
    file.chmod(0o664)
    with pytest.raises(NotAuthorised, match="others than root"):
        site.read()
    os.chown(file, 12345, -1)
    file.chmod(0o644)
    with pytest.raises(NotAuthorised, match="others than root"):
        site.read()


@root
def test_a_wrong_file_is_reported(file: Path) -> None:
    for text in ("url = 3\ndoor = 'x'\nuid = 1\n", "url = 'x'\n", "=", "\xff"):
        file.write_text(text, encoding="latin-1")
        with pytest.raises(InvalidInput, match="team install"):
            site.read()


def test_without_the_file_nothing_changes(file: Path) -> None:
    assert site.read() is None
    with pytest.raises(ServerUnreachable, match="No Paddock server runs on"):
        Connection(None, None, None, 10.0).request("GET", "/version")


@root
def test_what_is_named_comes_first(file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _write(file, 0)
    assert Connection("http://named", "token", None, 1).url == "http://named"
    assert Connection(None, None, None, 1).url == "https://lab.example"
    own = tmp_path / ".paddock"
    own.mkdir(mode=0o700)
    (own / "server.json").write_text('{"url": "http://own"}')
    assert Connection(None, None, None, 1).url == "http://own"  # their own server runs
    monkeypatch.setenv("PADDOCK_HOME", str(tmp_path / "empty"))
    with pytest.raises(ServerUnreachable):
        Connection(None, None, None, 1).url  # noqa: B018
