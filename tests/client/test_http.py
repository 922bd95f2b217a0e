"""Test the HTTP client with real servers on the loopback interface."""

import gzip
import json
import select
import socket
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from python_multipart.multipart import MultipartParser, parse_options_header

from paddock.client.connection import Connection
from paddock.client.http import BadAddress, FormPart, Http, Interrupted, Timeout, to_port
from paddock.errors import PaddockError
from paddock.home import tls

PATIENCE = Timeout(120, 120)


class _Site(BaseHTTPRequestHandler):
    """Answers with what it was asked, as JSON. The path chooses how."""

    protocol_version = "HTTP/1.1"
    connections: list[socket.socket]
    fails: bool

    def setup(self) -> None:
        super().setup()
        self.connections.append(self.connection)

    def do_GET(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        found = {"path": self.path, "headers": dict(self.headers), "body": body.decode(errors="replace")}
        content = json.dumps(found).encode()
        self.send_response(502 if self.fails else 200)
        if "compressed" in self.path:
            content = gzip.compress(content)
            self.send_header("Content-Encoding", "gzip")
        self.send_header("Content-Length", str(len(content) + ("torn" in self.path)))
        self.end_headers()
        self.wfile.write(content)
        if "torn" in self.path:
            self.close_connection = True
        if "closes" in self.path:  # without a word, as a server does that was killed
            self.connection.shutdown(socket.SHUT_RDWR)

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def site() -> Iterator[tuple[str, type[_Site]]]:
    kind = type("Site", (_Site,), {"connections": [], "fails": False})
    with ThreadingHTTPServer(("127.0.0.1", 0), kind) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}", kind
        server.shutdown()


@pytest.fixture
def http() -> Iterator[Http]:
    made = Http(to_port(lambda: tls.trust(None), proxies=False))
    yield made
    made.close()


def _ask(http: Http, url: str, **options: Any) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(http.request("GET", url, headers={}, timeout=PATIENCE, **options).content)
    return found


def test_a_connection_is_used_again_unless_the_server_closed_it(site: tuple[str, type[_Site]], http: Http) -> None:
    url, kind = site
    for _ in range(3):
        _ask(http, f"{url}/a")
    assert len(kind.connections) == 1
    _ask(http, f"{url}/closes")
    select.select([http._idle[url][0].sock], [], [], 120)  # until that has arrived
    _ask(http, f"{url}/b")
    assert len(kind.connections) == 2


def test_an_answer_that_was_not_read_to_its_end_is_no_part_of_the_next(
    site: tuple[str, type[_Site]], http: Http
) -> None:
    url, kind = site
    with http.stream("GET", f"{url}/long", timeout=PATIENCE, body="y" * 200_000) as answer:
        assert answer.status == 200
    assert _ask(http, f"{url}/next")["path"] == "/next"
    assert len(kind.connections) == 2


def test_what_is_asked_for_arrives(site: tuple[str, type[_Site]], http: Http) -> None:
    url, _ = site
    params = {"q": "a b&c=ü", "check": True, "metric": ["x", "y"], "limit": 5}
    assert parse_qs(urlsplit(_ask(http, f"{url}/x", params=params)["path"]).query) == {
        "q": ["a b&c=ü"], "check": ["true"], "metric": ["x", "y"], "limit": ["5"]
    }  # fmt: skip
    sent = _ask(http, f"{url}/x", body={"name": "ü", "value": None})
    assert json.loads(sent["body"]) == {"name": "ü", "value": None}
    assert sent["headers"]["Content-Type"] == "application/json"
    assert _ask(http, f"{url}/compressed")["path"] == "/compressed"


def test_a_form_is_read_as_it_was_written(site: tuple[str, type[_Site]], http: Http) -> None:
    url, _ = site
    form = [FormPart("spec", b"{}"), FormPart("files", b"print(1)\r\n--x--\r\n", filename='a "b"/ü.py')]
    sent = _ask(http, f"{url}/form", form=form)
    kind, options = parse_options_header(sent["headers"]["Content-Type"])
    assert kind == b"multipart/form-data"
    heads: list[bytes] = []
    contents: list[bytes] = []
    parser = MultipartParser(
        options[b"boundary"],
        {
            "on_part_begin": lambda: contents.append(b""),
            "on_part_data": lambda data, start, end: contents.append(contents.pop() + data[start:end]),
            "on_header_value": lambda data, start, end: heads.append(data[start:end]),
        },
    )
    parser.write(sent["body"].encode())
    parser.finalize()
    assert contents == [b"{}", b"print(1)\r\n--x--\r\n"]
    names = [parse_options_header(head)[1] for head in heads if head.startswith(b"form-data")]
    assert names == [{b"name": b"spec"}, {b"name": b"files", b"filename": "a %22b%22/ü.py".encode()}]


def test_an_answer_that_breaks_off(site: tuple[str, type[_Site]], http: Http) -> None:
    with pytest.raises(Interrupted) as caught:
        _ask(http, f"{site[0]}/torn")
    assert caught.value.sent
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))  # nobody listens there
        with pytest.raises(Interrupted) as caught:
            _ask(http, f"http://127.0.0.1:{taken.getsockname()[1]}/")
    assert not caught.value.sent


def test_a_server_that_says_nothing(http: Http) -> None:
    with socket.create_server(("127.0.0.1", 0)) as mute:
        url = f"http://127.0.0.1:{mute.getsockname()[1]}/"
        with pytest.raises(Interrupted) as caught:
            http.request("GET", url, headers={}, timeout=Timeout(120, 0.05))
    assert caught.value.slow


@pytest.mark.parametrize(
    "url", ["nonsense", "ftp://x", "http://", "http://x:y", "http://x:0", "http://a b", "http://["]
)
def test_what_is_no_address(http: Http, url: str) -> None:
    with pytest.raises(BadAddress):
        _ask(http, url)


def test_the_proxy_of_the_environment(site: tuple[str, type[_Site]], monkeypatch: pytest.MonkeyPatch) -> None:
    url, _ = site
    for name in ("http_proxy", "no_proxy", "NO_PROXY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HTTP_PROXY", url.replace("//", "//me:a%3Ab@"))
    through = Http(to_port(lambda: tls.trust(None), proxies=True))
    found = _ask(through, "http://paddock.test:81/x", params={"a": "b"})
    assert found["path"] == "http://paddock.test:81/x?a=b"
    assert found["headers"]["Proxy-Authorization"] == "Basic bWU6YTpi"
    assert found["headers"]["Host"] == "paddock.test:81"
    through.close()
    monkeypatch.setenv("NO_PROXY", "paddock.test")
    with pytest.raises(Interrupted):  # there is no such host
        _ask(through, "http://paddock.test:81/x")


def test_an_answer_of_something_else(site: tuple[str, type[_Site]]) -> None:
    url, kind = site
    kind.fails = True
    connection = Connection(url, "t", None, 120)
    with pytest.raises(PaddockError, match="502 Bad Gateway, which is not an answer of a Paddock server"):
        connection.request("GET", "/version")
    connection.close()
