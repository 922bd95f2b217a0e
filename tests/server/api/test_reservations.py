"""The routes of reservations on a real server with accounts: what its parts do together is in tests/server/booking."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import httpx2
import pytest

from paddock.client.client import Client
from paddock.errors import Refused
from paddock.server.store.db import Database
from tests.support.reservations import add_devices
from tests.support.server import wait_for
from tests.support.team import ADMIN, ALICE, BOB, GUEST, Team, team


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Team]:
    with team(tmp_path_factory.mktemp("reservations") / "home", local__slots=1) as made:
        yield made


@pytest.fixture(scope="module")
def gpus(lab: Team) -> list[str]:
    """Devices of hosts that are not of this server: nothing else uses them."""
    db = Database(f"sqlite:///{lab.server.home.database}")
    try:
        return add_devices(db, ("gpu1", "gpu2"), 4)
    finally:
        db.close()


def hours(count: float) -> str:
    return (datetime.now(UTC) + timedelta(hours=count)).isoformat()


def ask(client: httpx2.Client, method: str, path: str, status: int, **given: Any) -> Any:
    answer = client.request(method, path, **given)
    assert answer.status_code == status, answer.text
    return answer.json() if answer.content and "json" in answer.headers["content-type"] else answer.text


def test_a_reservation_from_its_beginning_to_its_end(lab: Team, gpus: list[str]) -> None:
    alice, bob, ann, gina = (lab.clients[name] for name in (ALICE, BOB, ADMIN, GUEST))
    body = {"devices": gpus[:2], "starts_at": hours(1), "seconds": "2h", "title": "paper", "guests": [BOB]}
    [made] = ask(alice, "POST", "/reservations", 201, json=body)["reservations"]
    path = f"/reservations/{made['id']}"
    error = ask(bob, "POST", "/reservations", 409, json=body | {"guests": [], "notify_if_free": True})["error"]
    assert error["code"] == "refused" and "reserved by alice" in error["message"]
    assert [one["kind"] for one in error["booking"]["problems"]] == ["taken", "taken"]
    assert error["booking"]["free"][0]["devices"] == gpus[2:4]
    [wanted] = ask(bob, "GET", "/reservations/wanted", 200)
    assert wanted["id"] == error["booking"]["waits_for"]
    ask(alice, "DELETE", f"/reservations/wanted/{wanted['id']}", 404)  # of somebody else
    assert [one["id"] for one in ask(gina, "GET", "/reservations", 200)["items"]] == [made["id"]]
    assert ask(bob, "GET", "/reservations?mine=true", 200)["items"] == [made]  # as a guest
    assert ask(ann, "GET", "/reservations?mine=true", 200)["items"] == []
    ask(gina, "POST", "/reservations", 403, json=body)
    for caller, status in ((bob, 403), (gina, 403), (ann, 200)):
        changed = ask(caller, "PATCH", path, status, json={"version": made["version"], "title": "by ann"})
    assert changed["title"] == "by ann"
    assert (
        ask(alice, "PATCH", path, 409, json={"version": made["version"], "title": "x"})["error"]["code"] == "conflict"
    )
    ask(bob, "POST", f"{path}/cancel", 403, json={})
    [gone] = ask(alice, "POST", f"{path}/cancel", 200)
    assert gone["cancelled_by"] == ALICE
    found = wait_for(lambda: ask(bob, "GET", "/me/notices", 200)["items"])
    assert (found[0]["kind"], found[0]["title"]) == ("slot", "gpu1:0, gpu1:1 can be reserved")
    assert [one["title"] for one in ask(alice, "GET", "/me/notices", 200)["items"]] == ["ann changed your reservation"]
    [now] = ask(alice, "POST", "/reservations", 201, json={"gpus": 1, "seconds": 600, "model": "h200"})["reservations"]
    released = ask(alice, "POST", f"/reservations/{now['id']}/release", 200)
    assert released["ends_at"] < now["ends_at"]
    ask(alice, "POST", f"/reservations/{now['id']}/release", 409)
    acts = [one["act"] for one in ask(ann, "GET", "/audit?act=reservation", 200)["entries"]]
    assert acts == [f"reservation.{act}" for act in ("release", "add", "cancel", "change", "add")]


def test_the_first_ones_can_be_asked_for_alone(lab: Team, gpus: list[str]) -> None:
    alice = lab.clients[ALICE]
    made = [
        ask(
            alice,
            "POST",
            "/reservations",
            201,
            json={"devices": gpus[n : n + 1], "starts_at": hours(1 + n), "seconds": 3600},
        )
        for n in range(2)
    ]
    first, second = (one["reservations"][0] for one in made)
    for mine in ("", "&mine=true"):
        page = ask(alice, "GET", f"/reservations?limit=1{mine}", 200)
        assert ([one["id"] for one in page["items"]], page["more"]) == ([first["id"]], True)
        page = ask(alice, "GET", f"/reservations?limit=2{mine}", 200)
        assert ([one["id"] for one in page["items"]], page["more"]) == ([first["id"], second["id"]], False)
    ask(alice, "GET", "/reservations?limit=0", 422)
    for one in (first, second):
        ask(alice, "POST", f"/reservations/{one['id']}/cancel", 200)


def test_the_sdk_raises_what_was_refused(lab: Team, gpus: list[str]) -> None:
    token = lab.clients[BOB].headers["Authorization"].removeprefix("Bearer ")
    with Client(url=lab.url, token=token) as client:
        [made] = client.calendar.reserve(gpus[4:5], starts_at=hours(1), seconds="1h").reservations
        with pytest.raises(Refused) as raised:
            client.calendar.reserve(gpus[4:5], starts_at=hours(1), seconds="1h")
        assert raised.value.booking.problems[0].reservation == made.id
        assert client.calendar.free(4, "8h", host="gpu2")[0].devices == gpus[4:]
        client.calendar.cancel(made.id)


def test_an_address_of_the_calendar_takes_only_tokens_that_read(lab: Team, gpus: list[str]) -> None:
    body = {"devices": gpus[:1], "starts_at": hours(50), "seconds": 3600, "title": "a\r\nEND:VCALENDAR"}
    ask(lab.clients[ALICE], "POST", "/reservations", 201, json=body)
    tokens = {
        scope: lab.with_token(ALICE, scope=scope).headers["Authorization"].removeprefix("Bearer ")
        for scope in ("feed", "read", "all")
    }
    stranger = lab.stranger()
    for scope, status in (("feed", 200), ("read", 200), ("all", 401)):
        text = ask(stranger, "GET", f"/calendar.ics?token={tokens[scope]}", status)
    answer = stranger.get(f"/calendar.ics?token={tokens['feed']}")
    assert answer.headers["content-type"].startswith("text/calendar")
    assert answer.text.count("\r\nEND:VCALENDAR\r\n") == 1 and r"a\nEND:VCALENDAR" in answer.text
    ask(stranger, "GET", f"/calendar.ics?token={lab.server.token}", 401)
    ask(stranger, "GET", "/calendar.ics", 401)
    ask(stranger, "GET", f"/reservations?token={tokens['read']}", 401)  # of no other route
    other = lab.with_token(BOB, scope="feed").headers["Authorization"].removeprefix("Bearer ")
    assert "(alice)" not in ask(stranger, "GET", f"/calendar.ics?token={other}&host=gpu2", 200)
    text = ask(stranger, "GET", f"/calendar.ics?token={other}&host=gpu1", 200)
    assert "gpu1:0 (alice)" in text
    ask(stranger, "GET", f"/calendar.ics?token={other}&group=nobody", 404)
