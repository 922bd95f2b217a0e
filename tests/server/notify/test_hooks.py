"""Hooks: a webhook with a signature, a command with JSON on its standard input, and what fails."""

import hashlib
import hmac
import http.server
import json
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any, ClassVar

import pytest

from paddock.server.notify import hooks
from paddock.settings import HookSettings
from tests.support.server import wait_for

EVENT = {"event": "reservation.start", "title": "$(touch /tmp/never) \"'\n\u202e", "gpus": 0}


class Receiver(http.server.BaseHTTPRequestHandler):
    got: ClassVar[list[tuple[str, bytes, str | None]]]
    status = 204

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.got.append((self.path, body, self.headers[hooks.SIGNATURE]))
        self.send_response(self.status)
        self.send_header("Location", "/elsewhere")
        self.end_headers()

    def log_message(self, *args: Any) -> None:
        pass


@pytest.fixture
def receiver() -> Iterator[tuple[str, type[Receiver]]]:
    class Own(Receiver):
        got: ClassVar[list[tuple[str, bytes, str | None]]] = []

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Own)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/hook", Own
    finally:
        server.shutdown()
        server.server_close()


def test_a_webhook_is_signed(receiver: tuple[str, type[Receiver]], tmp_path: Path) -> None:
    url, seen = receiver
    (tmp_path / "key").write_text("secret\n")
    hook = HookSettings(url=url, secret_file=Path("key"))
    assert hooks.call(hook, EVENT, tmp_path) == hooks.HookOutcome(True, "HTTP 204")
    [(path, body, signature)] = seen.got
    assert path == "/hook" and json.loads(body) == EVENT
    assert signature == "sha256=" + hmac.new(b"secret", body, hashlib.sha256).hexdigest()


def test_a_webhook_that_fails_says_why(receiver: tuple[str, type[Receiver]], tmp_path: Path) -> None:
    url, seen = receiver
    for status in (302, 500):  # a redirect is not followed
        seen.status = status
        assert hooks.call(HookSettings(url=url), EVENT, tmp_path) == hooks.HookOutcome(False, f"HTTP {status}")
    assert [path for path, _, _ in seen.got] == ["/hook", "/hook"]
    lost = hooks.call(HookSettings(url=url, secret_file=Path("missing")), EVENT, tmp_path)
    assert not lost.ok and "secret cannot be read" in lost.detail and len(seen.got) == 2
    assert not hooks.call(HookSettings(url="http://127.0.0.1:1/", seconds=5), EVENT, tmp_path).ok


def test_a_command_reads_the_event(tmp_path: Path) -> None:
    script = "import sys; print(sys.stdin.read()); sys.exit(int(sys.argv[1]))"
    done = hooks.call(HookSettings(command=[sys.executable, "-c", script, "0"]), EVENT, tmp_path)
    assert done.ok and json.loads(done.detail) == EVENT
    failed = hooks.call(HookSettings(command=[sys.executable, "-c", script, "3"]), EVENT, tmp_path)
    assert not failed.ok and failed.detail.startswith("exit status 3: ")
    missing = hooks.call(HookSettings(command=["no-such-program"]), EVENT, tmp_path)
    assert not missing.ok and "no-such-program" in missing.detail


def test_a_command_that_hangs_is_ended_with_its_children(tmp_path: Path) -> None:
    line = f"sleep 1000 & echo $! > {tmp_path}/pid; wait"
    outcome = hooks.call(HookSettings(command=["sh", "-c", line], seconds=1), EVENT, tmp_path)
    assert not outcome.ok and "longer than 1 s" in outcome.detail
    child = int((tmp_path / "pid").read_text())
    wait_for(lambda: not Path(f"/proc/{child}/cmdline").exists() or not Path(f"/proc/{child}/cmdline").read_bytes())


def test_a_runner_calls_in_threads_of_its_own(tmp_path: Path) -> None:
    runner, found = hooks.HookRunner(tmp_path), list[hooks.HookOutcome]()
    for command in (["sh", "-c", "exit 1"], ["true"], ["no-such-program"]):
        runner.submit(HookSettings(command=command), EVENT, found.append)
    wait_for(lambda: len(found) == 3)
    assert sorted(one.ok for one in found) == [False, False, True]
    runner.close()
