"""Test a page of another port of the same host, in a browser that has signed in to Paddock."""

import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import httpx2
import pytest
from playwright.sync_api import Page

from tests.support.server import ServerProcess


class _Neighbour(BaseHTTPRequestHandler):
    target = ""
    seen: list[str]

    def do_GET(self) -> None:
        self.seen.append(self.headers.get("Cookie", ""))
        form = (
            f'<form method=post enctype="{{}}" action="{self.target}/api/v1/jobs" target={{}}>'
            "<input name=spec value='{{&quot;command&quot;: &quot;echo planted&quot;}}'></form>"
            "<iframe name={}></iframe>"
        )
        kinds = ("multipart/form-data", "text/plain", "application/x-www-form-urlencoded")
        text = "".join(form.format(kind, f"f{n}", f"f{n}") for n, kind in enumerate(kinds))
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.end_headers()
        self.wfile.write(f"<!doctype html>{text}".encode())

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def neighbour(server: ServerProcess) -> Iterator[type[_Neighbour]]:
    kind = type("Neighbour", (_Neighbour,), {"target": server.url, "seen": []})
    with ThreadingHTTPServer(("127.0.0.1", 0), kind) as other:
        threading.Thread(target=other.serve_forever, daemon=True).start()
        kind.address = f"http://127.0.0.1:{other.server_port}/"  # type: ignore[attr-defined]
        yield kind
        other.shutdown()


def test_a_form_of_another_port_submits_no_job(
    visit: Callable[..., Page], server: ServerProcess, neighbour: type[_Neighbour]
) -> None:
    page = visit("/")
    page.get_by_role("navigation").first.wait_for()
    other = page.context.new_page()
    other.goto(neighbour.address)  # type: ignore[attr-defined]
    for number in range(3):
        with other.expect_response(f"{server.url}/api/v1/jobs") as answer:
            other.evaluate("n => document.forms[n].submit()", number)
        assert answer.value.status == 401  # no form has the key of the page
    assert server.get("/jobs")["total"] == 0
    # A browser does send it the cookie: so that must not be the token.
    assert any("paddock-" in cookie for cookie in neighbour.seen)
    assert not any(server.token in cookie for cookie in neighbour.seen)


def test_the_cookie_that_another_port_is_sent_opens_nothing(
    visit: Callable[..., Page], server: ServerProcess, neighbour: type[_Neighbour]
) -> None:
    page = visit("/")
    page.get_by_role("navigation").first.wait_for()
    assert "page=" not in page.url
    page.reload()
    page.get_by_role("navigation").first.wait_for()  # it has kept its key
    other = page.context.new_page()
    other.goto(neighbour.address)  # type: ignore[attr-defined]
    stolen = {"Cookie": neighbour.seen[-1], "Origin": server.url}
    assert "paddock-" in stolen["Cookie"]
    assert httpx2.get(f"{server.url}/api/v1/jobs", headers=stolen).status_code == 401
    assert httpx2.post(f"{server.url}/api/v1/jobs", json={}, headers=stolen).status_code == 401
    assert "paddock-page" not in other.evaluate("() => Object.keys(localStorage)")
