"""Test that notices reach a real mail server and a real webhook, and what follows if these fail or hang."""

import socket
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from aiosmtpd.controller import Controller

from paddock.errors import InvalidInput
from paddock.models import NoticeKind, Role, SignInSource
from paddock.server.notify import sending, texts
from paddock.server.notify.outbox import FIRST_RETRY, GIVE_UP_SECONDS, HOUR, Outbox
from paddock.server.notify.sender import is_inside
from paddock.server.notify.tell import tell
from paddock.server.store import notices, team, users
from paddock.server.store.db import Database
from paddock.settings import NotifySettings, Settings
from tests.support.server import wait_for


class MailServer(Controller):
    """A real SMTP server on a free port of loopback; `mails` has what it got."""

    def __init__(self) -> None:
        self.mails: list[Any] = []
        super().__init__(self, hostname="127.0.0.1", port=0)

    def _trigger_server(self) -> None:
        self.port = self.server.sockets[0].getsockname()[1]  # type: ignore[union-attr]
        super()._trigger_server()  # type: ignore[no-untyped-call]

    async def handle_DATA(self, _server: Any, _session: Any, envelope: Any) -> str:
        self.mails.append(envelope)
        return "250 taken"

    @property
    def url(self) -> str:
        return f"mailto://127.0.0.1:{self.port}?from=paddock@lab.example"


class Webhook(ThreadingHTTPServer):
    """A webhook on loopback. `answer` is its status; `moved` is where it sends those who call it."""

    daemon_threads = True

    def __init__(self, host: str = "127.0.0.1") -> None:
        super().__init__((host, 0), _Handler)
        self.bodies: list[str] = []
        self.answer, self.moved = 200, ""
        threading.Thread(target=self.serve_forever, daemon=True).start()

    @property
    def url(self) -> str:
        return f"json://{self.server_address[0]!s}:{self.server_address[1]}/hook"

    def end(self) -> None:
        self.shutdown()
        self.server_close()


class _Handler(BaseHTTPRequestHandler):
    server: Webhook

    def do_POST(self) -> None:
        self.server.bodies.append(self.rfile.read(int(self.headers["Content-Length"])).decode())
        self.send_response(302 if self.server.moved else self.server.answer)
        if self.server.moved:
            self.send_header("Location", self.server.moved)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def do_GET(self) -> None:  # after a redirect
        self.server.bodies.append("")
        self.send_response(200)
        self.end_headers()

    def log_message(self, *_: Any) -> None:
        pass


@pytest.fixture
def mail() -> Iterator[MailServer]:
    server = MailServer()
    server.start()
    yield server
    server.stop()


@pytest.fixture
def hooks() -> Iterator[list[Webhook]]:
    """Two: at 127.0.0.1 and at 127.0.0.2."""
    made = [Webhook(), Webhook("127.0.0.2")]
    yield made
    for one in made:
        one.end()


class Rig:
    """An outbox whose clock is ours, and people of a team."""

    def __init__(self, folder: Path, **notify: Any) -> None:
        self.folder = folder
        self.settings = Settings(home=folder, owner="ann", notify=NotifySettings(**notify))
        self.db = Database(f"sqlite:///{folder}/paddock.db")
        self.db.migrate()
        self.now = 1_000_000.0
        self.outbox = self.open()
        with self.db.write() as c:
            team.switch(c, True, 1.0)
            for name in ("alice", "bob"):
                users.add(c, name, Role.USER, SignInSource.PASSWORD, 1.0, email=f"{name}@lab.example")

    def open(self) -> Outbox:
        page = "https://paddock.lab.example/"
        return Outbox(self.db, self.folder, self.settings, page, clock=lambda: self.now)

    def choose(self, user: str, mail: bool = False, *urls: str) -> None:
        kinds = [one.value for one in NoticeKind]
        own = [{"id": str(n), "url": url, "shown": url, "kinds": kinds} for n, url in enumerate(urls)]
        with self.db.write() as c:
            notices.save_choices(c, user, {"mail": kinds if mail else [], "addresses": own})

    def tell(self, user: str, title: str = "sweep has ended", text: str = "3 tasks: 3 finished.") -> None:
        with self.db.write() as c:
            words = texts.one_line(title, 150), texts.one_line(text, 600)
            tell(c, self.settings, NoticeKind.ENDED, user=user, words=words, link="/jobs/k3", now=self.now)

    def deliver(self, seconds: float = 0.0) -> None:
        """What is due after this time."""
        self.now += seconds
        with self.db.read() as c:
            due = [one for one in notices.to_send(c) if one.next_at <= self.now]
        if due:
            self.outbox.deliver(due)

    def waiting(self) -> list[notices.Parcel]:
        with self.db.read() as c:
            return notices.to_send(c)

    def told(self, user: str) -> list[str]:
        with self.db.read() as c:
            return [one.title for one in notices.page(c, user).items]

    def problem(self, user: str) -> dict[str, str]:
        with self.db.read() as c:
            return notices.problems(c, user)

    def close(self) -> None:
        self.outbox.close()
        self.db.close()


@pytest.fixture
def make(tmp_path: Path) -> Iterator[Any]:
    made: list[Rig] = []

    def one(**notify: Any) -> Rig:
        made.append(Rig(tmp_path, **notify))
        return made[-1]

    yield one
    for rig in made:
        rig.close()


def test_mail_goes_to_the_persons_own_address_as_plain_text(make: Any, mail: MailServer) -> None:
    rig = make(mail=mail.url)
    rig.choose("alice", True)
    rig.tell("alice", "lr\r\nBcc: eve@evil.example\u202e<b>", "best <script>alert(1)</script> 0.1")
    rig.tell("bob")
    rig.deliver()
    [got] = mail.mails
    head, _, body = got.content.decode().partition("\r\n\r\n")
    assert (got.mail_from, got.rcpt_tos) == ("paddock@lab.example", ["alice@lab.example"])
    assert "\nBcc" not in head and "text/plain" in head and "html" not in head.lower()
    assert "Subject: Paddock: lr Bcc: eve@evil.example <b>" in head
    assert "<script>" in body and "https://paddock.lab.example/jobs/k3" in body
    assert rig.waiting() == []


def test_what_a_webhook_refuses_is_tried_again_and_given_up_after_a_day(make: Any, hooks: list[Webhook]) -> None:
    rig = make(schemes=["json"], hosts=["127.0.0.1"])
    rig.choose("alice", False, hooks[0].url)
    hooks[0].answer = 503
    rig.tell("alice")
    rig.deliver()
    [one] = rig.waiting()
    assert one.next_at == rig.now + FIRST_RETRY
    assert "503" in rig.problem("alice")["own:0"]
    rig.deliver(FIRST_RETRY)
    assert rig.waiting()[0].next_at == rig.now + 2 * FIRST_RETRY
    rig.outbox.close()
    rig.outbox = rig.open()  # as after a restart of the server
    rig.deliver(GIVE_UP_SECONDS)
    assert rig.waiting() == [] and len(hooks[0].bodies) == 3
    assert rig.told("alice")[0].startswith("A notice could not be sent to json://127.0.0.1")
    rig.tell("alice")
    hooks[0].answer = 200
    rig.deliver()
    assert rig.problem("alice") == {}


def test_people_reach_nothing_inside_the_network(make: Any, hooks: list[Webhook]) -> None:
    here, other = hooks
    rig = make(schemes=["json", "ntfy", "workflow"], hosts=["127.0.0.1"])
    port = other.server_address[1]
    for url in (
        other.url,
        f"json://[::1]:{port}/",
        f"ntfy://2130706434:{port}/topic",  # 127.0.0.2 as a number
        f"ntfy://[::ffff:127.0.0.2]:{port}/topic",
        "ntfy://10.0.0.1/topic",
        "ntfy://169.254.169.254/topic",
        "mailto://u:p@lab.example",
        "workflow://lab.example:443/flow/signature?template=/etc/passwd",
        "json://127.0.0.1/?+X=1&redirect=/",
        "syslog://",
        "nothing",
    ):
        with pytest.raises(InvalidInput):
            rig.outbox.check(url, trusted=False)
    shown = rig.outbox.check(here.url.replace("json://", "json://user:secret@"), trusted=False)
    assert "secret" not in shown and "127.0.0.1" in shown
    # One that was saved before its host came to be inside, or that sends its callers there.
    here.moved = f"http://127.0.0.2:{port}/inside"
    rig.choose("alice", False, here.url)
    rig.tell("alice")
    rig.deliver()
    assert len(here.bodies) == 1 and other.bodies == []
    assert "inside this network" in rig.problem("alice")["own:0"]
    rig.choose("bob", False, other.url)
    rig.tell("bob")
    rig.deliver()
    assert other.bodies == []
    assert rig.told("bob")[0].startswith("A notice could not be sent"), "it will not be allowed later either"


def test_the_url_of_an_admin_may_name_anything_and_gets_what_the_owner_gets(make: Any, hooks: list[Webhook]) -> None:
    rig = make(urls=[hooks[1].url])
    with rig.db.write() as c:
        team.switch(c, False, 2.0)
    rig.tell("anybody")
    rig.deliver()
    assert "sweep has ended" in hooks[1].bodies[0]
    assert rig.told("ann") == ["sweep has ended"]


def test_many_notices_are_one_message_and_there_is_a_limit_per_hour(make: Any, hooks: list[Webhook]) -> None:
    rig = make(schemes=["json"], hosts=["127.0.0.1"], per_hour=2)
    rig.choose("alice", False, hooks[0].url)
    for number in range(30):
        rig.tell("alice", f"sweep {number} has ended")
    rig.deliver()
    rig.tell("alice", "last has ended")
    rig.deliver(60)
    assert len(hooks[0].bodies) == 2
    assert "30 notices" in hooks[0].bodies[0] and "sweep 29" in hooks[0].bodies[0]
    for number in range(3):
        rig.tell("alice", f"more {number}")
        rig.deliver(60)
    assert len(hooks[0].bodies) == 2, "no more in this hour"
    rig.deliver(HOUR)
    assert "3 notices" in hooks[0].bodies[2]
    assert rig.waiting() == []


def test_one_that_hangs_holds_nobody_else(make: Any, hooks: list[Webhook], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sending, "START_SECONDS", 4.0)
    monkeypatch.setattr(sending, "MESSAGE_SECONDS", 2.0)
    with socket.create_server(("127.0.0.1", 0)) as silent:  # takes connections, and never says a word
        port = silent.getsockname()[1]
        rig = make(
            mail=f"mailto://127.0.0.1:{port}?from=p@lab.example&cto=300&rto=300", schemes=["json"], hosts=["127.0.0.1"]
        )
        rig.choose("alice", True)
        rig.choose("bob", False, hooks[0].url)
        rig.tell("alice")
        rig.tell("bob")
        rig.outbox.start()
        wait_for(lambda: hooks[0].bodies, what="the message of bob")
        wait_for(lambda: rig.problem("alice").get("mail"), what="the end of the one that hangs")
        assert [one.user for one in rig.waiting()] == ["alice"]


def test_a_person_can_try_an_address(make: Any, mail: MailServer) -> None:
    rig = make(mail_file="mail")
    assert not rig.outbox.try_now("alice", "mail").ok, "the file is not there yet"
    Path(rig.folder, "mail").write_text(f"{mail.url}\n")
    rig.outbox = rig.open()
    assert rig.outbox.try_now("alice", "mail").ok
    assert mail.mails[0].rcpt_tos == ["alice@lab.example"]


@pytest.mark.parametrize(
    ("address", "inside"),
    [
        ("127.0.0.1", True), ("10.1.2.3", True), ("169.254.169.254", True), ("0.0.0.0", True), ("224.0.0.1", True),
        ("::1", True), ("fe80::1%eth0", True), ("::ffff:192.168.0.1", True), ("64:ff9b::7f00:1", True),
        ("2002:7f00:1::", True), ("gpu3", True), ("", True),
        ("8.8.8.8", False), ("2606:4700::1111", False), ("::ffff:8.8.8.8", False),
    ],
)  # fmt: skip
def test_which_addresses_are_inside(address: str, inside: bool) -> None:
    assert is_inside(address) is inside
