"""Test requests that no client of ours would send: no server error, and without a token little in the log."""

import csv
import io
import json
import socket
from collections.abc import Iterator
from urllib.parse import urlsplit

import httpx2
import pytest

from tests.support.server import ServerProcess, running

MAX_BYTES = 200_000


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServerProcess]:
    home = tmp_path_factory.mktemp("requests") / "home"
    with running(home, local__slots=1, runner__grace_seconds=1, upload__max_bytes=MAX_BYTES) as server:
        yield server


def test_without_a_token_nothing_is_an_error_or_fills_the_log(server: ServerProcess) -> None:
    before = len(server.output())
    deep = b"[" * 9_000
    with httpx2.Client(base_url=server.url, headers={"Accept": "text/html"}) as client:
        answers = [
            client.get("/" + "a" * 300),
            client.get("/" + "a" * 5000),
            client.get("/" + "a/" * 3000),
            client.get("/%00"),
            client.get("/%ff%fe"),
            client.get("/%ed%a0%80"),
            client.get("/assets/" + "%ff" * 300),
            client.get("/?token=%ed%a0%80"),
            client.get("/api/v1/hello", params={"nonce": "x" * 5000}),
            client.get("/api/v1/events", headers={"Last-Event-ID": "9" * 5000}),
            client.get("/", headers={"Cookie": "=" * 5000}),
            client.get("/", headers={"Authorization": "Bearer " + "x" * 5000}),
        ]
        posted = [
            client.post("/api/v1/session", content=deep),
            client.post("/api/v1/session", content=b'{"token": ' + deep),
            client.post("/api/v1/session", content=b'{"a": ' * 1_500),
            client.post("/api/v1/session", content=b'{"token": "\\ud800"}'),
            client.post("/api/v1/session", content=b"x" * 100_000),
        ]
    assert {answer.status_code for answer in answers} == {401}
    assert {answer.status_code for answer in posted} <= {401, 413, 422}
    assert len(server.output()) - before < 200 * (len(answers) + len(posted))
    assert "Traceback" not in server.output()[before:]


def test_with_a_token_they_are_the_clients_fault(server: ServerProcess) -> None:
    before = len(server.output())
    json_type = {"Content-Type": "application/json"}
    deep = b"[" * 100_000
    answers = [
        server.client.patch("/jobs/none", content=b'{"\\ud800": 1}', headers=json_type),
        server.client.patch("/jobs/none", content=b'{"name": "\\ud800"}', headers=json_type),
        server.client.post("/jobs", content=b'{"spec": {"name": "\\ud800", "\\udfff": 1}}', headers=json_type),
        server.client.post("/jobs/none/stop", content=b'{"tasks": ["\\ud800"]}', headers=json_type),
        server.client.post("/scripts/inspect", content=deep, headers=json_type),
        server.client.post("/jobs", content=deep, headers=json_type),
        server.client.get("/jobs/%ed%a0%80"),
        server.client.get("/jobs", params={"limit": "9" * 5000}),
        server.client.get("/events", params={"last": "9" * 5000}),
    ]
    assert all(400 <= answer.status_code < 500 for answer in answers), answers
    assert all(answer.json()["error"]["message"] for answer in answers)
    assert "Traceback" not in server.output()[before:]
    assert httpx2.get(f"{server.url}/{'a' * 300}", headers={"Authorization": f"Bearer {server.token}"}).is_success


@pytest.mark.parametrize("given", [b"9" * 5000, b"9" * 19, b"-1", b"x", "\u0661".encode()])
def test_a_last_event_id_is_any_text(server: ServerProcess, given: bytes) -> None:
    with server.client.stream("GET", "/events", headers={b"Last-Event-ID": given}) as answer:
        assert answer.status_code == 200
        first = next(answer.iter_lines())
        assert first == ("event: reset" if given[:1] == b"9" else "event: hello")


@pytest.mark.parametrize("kind", ["application/json", "multipart/form-data; boundary=x"])
@pytest.mark.parametrize("both", [True, False])
def test_chunks_do_not_go_round_the_upload_limit(server: ServerProcess, kind: str, both: bool) -> None:
    """With `Content-Length` beside them, which then counts for nothing."""
    address = urlsplit(server.url)
    lengths = "Content-Length: 100\r\n" if both else ""
    head = (
        f"POST /api/v1/jobs HTTP/1.1\r\nHost: {address.netloc}\r\nAuthorization: Bearer {server.token}\r\n"
        f"Content-Type: {kind}\r\n{lengths}Transfer-Encoding: chunked\r\n\r\n"
    )
    begin = b'--x\r\nContent-Disposition: form-data; name="files"; filename="a"\r\n\r\n'
    chunk = b"10000\r\n" + b" " * 65536 + b"\r\n"
    with socket.create_connection((address.hostname, address.port), timeout=60) as one:
        one.sendall(head.encode() + f"{len(begin):x}\r\n".encode() + begin + b"\r\n")
        try:
            for _ in range(400):  # 26 MB, never ended
                one.sendall(chunk)
        except OSError:
            pass  # it was told off before
        try:
            answer = one.recv(4000)
        except ConnectionResetError:
            answer = b""
    assert answer.split(b" ")[1:2] in ([b"413"], [b"422"], [b"400"], []), answer
    assert server.get("/jobs")["total"] == 0


def test_an_exported_table_has_none(server: ServerProcess) -> None:
    job = server.submit("pass", params={"x": {"values": ["=HYPERLINK(1)", "-3"]}})
    server.wait(job)
    rows = list(csv.DictReader(io.StringIO(server.client.get(f"/jobs/{job}/export").text)))
    assert [row["param.x"] for row in rows] == ["'=HYPERLINK(1)", "-3"]
    lines = server.client.get(f"/jobs/{job}/export", params={"format": "jsonl"}).text.splitlines()
    assert [json.loads(line)["params"]["x"] for line in lines] == ["=HYPERLINK(1)", "-3"]
