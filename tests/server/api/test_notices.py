"""Test notices over the API of a real server: alone, and in a team where each sees only their own."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx2
import pytest

from tests.server.notify.test_outbox import MailServer, Webhook
from tests.support.server import PATIENCE, running, wait_for
from tests.support.team import ADMIN, ALICE, BOB, GUEST, Team, team

FAILS = "import sys; sys.exit(3)"


@pytest.fixture(scope="module")
def mail() -> Iterator[MailServer]:
    server = MailServer()
    server.start()
    yield server
    server.stop()


@pytest.fixture(scope="module")
def people(tmp_path_factory: pytest.TempPathFactory, mail: MailServer) -> Iterator[Team]:
    settings = {"notify__mail": mail.url, "local__slots": 2, "public_url": "http://paddock.lab.example"}
    with team(tmp_path_factory.mktemp("notices") / "home", **settings) as made:
        yield made


def told(client: httpx2.Client) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = client.get("/me/notices").json()["items"]
    return found


def test_the_owner_of_a_private_job_is_told_and_nobody_else(people: Team, mail: MailServer) -> None:
    alice = people.clients[ALICE]
    assert alice.patch("/me", json={"email": "alice@lab.example"}).status_code == 200
    assert alice.put("/me/notices/choices", json={"mail": ["failed"]}).json()["mail_to"] == "alice@lab.example"
    spec = {"script": "train.py", "name": "secret plan", "visibility": "private"}
    job = alice.post("/jobs", json={"spec": spec, "files": {"train.py": FAILS}}).json()["id"]
    [one] = wait_for(lambda: told(alice), what="the notice")
    assert (one["kind"], one["title"], one["link"]) == ("failed", "secret plan has failed", f"/jobs/{job}")
    for other in (ADMIN, BOB, GUEST):
        assert told(people.clients[other]) == []
    [got] = wait_for(lambda: mail.mails, what="the mail")
    assert got.rcpt_tos == ["alice@lab.example"]
    assert f"http://paddock.lab.example/jobs/{job}" in got.content.decode()
    read = alice.post("/me/notices/read", json={"up_to": one["id"]}).json()
    assert read["unread"] == 0 and alice.get("/me/notices", params={"new": True}).json()["items"] == []


def test_an_admin_who_stops_a_job_of_somebody_else_is_named_to_its_owner(people: Team) -> None:
    bob = people.clients[BOB]
    spec = {"script": "train.py", "name": "long"}
    job = bob.post("/jobs", json={"spec": spec, "files": {"train.py": "import time; time.sleep(600)"}}).json()["id"]
    assert people.clients[ADMIN].post(f"/jobs/{job}/stop").status_code == 200
    assert [(one["kind"], one["text"]) for one in told(bob)] == [("attention", f"{ADMIN} stopped this job")]


def test_what_people_may_choose(people: Team) -> None:
    bob, path = people.clients[BOB], "/me/notices/choices"
    assert people.clients[GUEST].put(path, json={}).status_code == 403
    for url in ("json://lab.example/hook", "ntfy://127.0.0.1/topic", "file:///etc/passwd", "ntfys://h/t?template=/x"):
        answer = bob.put(path, json={"addresses": [{"url": url, "kinds": ["ended"]}]})
        assert answer.status_code == 422, answer.text
    url = "slack://T1JJ3T3L2/A1BRTD4JD/TIiajkdnlazkcOXrIdevi7FQ/#general"
    [kept] = bob.put(path, json={"addresses": [{"url": url, "kinds": ["ended"]}]}).json()["addresses"]
    assert "TIiajkdnlazkcOXrIdevi7FQ" not in str(kept)
    changed = bob.put(path, json={"addresses": [{"id": kept["id"], "kinds": []}]}).json()["addresses"]
    assert changed == [kept | {"kinds": []}]
    assert people.clients[ALICE].put(path, json={"addresses": [{"id": kept["id"]}]}).status_code == 422
    assert people.clients["server"].get(path).status_code == 409
    audit = people.clients[ADMIN].get("/audit", params={"act": "account.notices"}).json()["entries"]
    assert audit and "TIiajkdnlazkcOXrIdevi7FQ" not in str(audit)


def test_alone_a_notice_survives_a_kill_and_comes_to_a_webhook_of_ones_own(tmp_path: Path) -> None:
    hook = Webhook()
    try:
        with running(tmp_path / "home", local__slots=1) as server:
            address = {"url": hook.url, "kinds": []}
            answer = server.client.put("/me/notices/choices", json={"addresses": [address]}, timeout=PATIENCE)
            assert answer.status_code == 200, answer.text
            to = answer.json()["addresses"][0]["id"]
            assert server.post("/me/notices/try", {"to": to}) == {"sent": True, "problem": None}
            job = server.submit("print('done')", notify=["ended"])
            wait_for(lambda: server.get("/me/notices")["items"] or server.get(f"/jobs/{job}")["ended"])
            server.kill()
            server.start()
            wait_for(lambda: len(hook.bodies) > 1, what="the message")
            assert [one["job"] for one in server.get("/me/notices")["items"]] == [job]
        assert "has ended" in hook.bodies[1] and job in hook.bodies[1]
    finally:
        hook.end()
