"""Test that nobody gets in who should not, and that failures show nothing."""

import json
import threading
import time
from collections.abc import Iterator
from typing import Any

import httpx2
import pytest

from paddock.login import password
from paddock.server.api import sign_in
from paddock.server.api.cookies import Cookies
from tests.support.team import ADMIN, ALICE, BOB, PASSWORD, Team, team

WRONG = {"error": {"code": "not_authorised", "message": sign_in.WRONG, "fields": {}}}


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Team]:
    with team(tmp_path_factory.mktemp("team") / "home") as made:
        yield made


def _try(client: httpx2.Client, name: str, given: str) -> tuple[float, httpx2.Response]:
    begun = time.monotonic()
    answer = client.post("/session", json={"name": name, "password": given})
    return time.monotonic() - begun, answer


# --- tokens ---------------------------------------------------------------------------------------------------------


def test_forged_truncated_and_revoked_tokens_are_refused(lab: Team) -> None:
    browser = lab.browser(ALICE)
    made = browser.post("/me/tokens", json={"name": "mine"}).json()
    token = made["token"]
    assert token.startswith(f"pdk_{made['id']}_")
    assert len(token) == 4 + 8 + 1 + 43
    assert lab.bearer(token).get("/me").status_code == 200
    other = browser.post("/me/tokens", json={"name": "other"}).json()["token"]
    last = "A" if token[-1] != "A" else "B"
    forged = [token[:-1], token[:-1] + last, token + "A", token.upper(), f"pdk_{made['id']}_", "pdk_", token[4:]]
    forged += [f"pdk_{made['id']}_{other[13:]}", f"{token}\u00df", f"pdk_{made['id']}_{'A' * 43}", token * 100]
    for one in forged:
        with lab.stranger() as client:
            headers = {b"Authorization": f"Bearer {one}".encode()}
            assert client.get("/me", headers=headers).status_code == 401, one
    assert browser.delete(f"/me/tokens/{made['id']}").status_code == 204
    assert lab.bearer(token).get("/me").status_code == 401
    listed = {one["id"]: one for one in browser.get("/me/tokens").json()}
    assert listed[made["id"]]["revoked_at"]
    assert token not in json.dumps(listed)
    assert lab.clients[BOB].delete(f"/me/tokens/{other[4:12]}").status_code == 404  # of somebody else


def test_expired_tokens_are_refused(lab: Team) -> None:
    client = lab.with_token(ALICE, days=1e-9)
    assert client.get("/me").status_code == 401


def test_tokens_must_expire_and_have_a_scope(lab: Team) -> None:
    alice = lab.clients[ALICE]
    assert alice.post("/me/tokens", json={"name": "x", "days": None}).status_code == 422
    reader, feed = lab.with_token(ALICE, scope="read"), lab.with_token(ALICE, scope="feed")
    assert reader.get("/me").json()["scope"] == "read"
    for client, method, path in ((reader, "POST", "/me/tokens"), (reader, "PATCH", "/me"), (feed, "GET", "/me")):
        answer = client.request(method, path, json={"name": "more"} if method == "POST" else None)
        assert (answer.status_code, answer.json()["error"]["code"]) == (403, "not_allowed")


# --- sessions -------------------------------------------------------------------------------------------------------


def test_a_session_cannot_be_fixed_beforehand(lab: Team) -> None:
    """A key that somebody planted in the browser, even a valid one, is not the key after signing in."""
    planted = lab.browser(BOB)
    ((name, key),) = planted.cookies.items()
    victim = httpx2.Client(base_url=f"{lab.url}/api/v1", cookies={name: key}, headers={"Origin": lab.url})
    with victim:
        answer = victim.post("/session", json={"name": ALICE, "password": PASSWORD}, timeout=120)
        assert answer.status_code == 200
        assert f"{name}={key}" not in answer.headers["set-cookie"]
        page = answer.json()["page"]
        with httpx2.Client(base_url=f"{lab.url}/api/v1", cookies={name: key}) as thief:
            for one in (page, planted.headers["X-Paddock-Page"]):
                assert thief.get("/me", headers={"X-Paddock-Page": one}).status_code == 401
    for invented in ("x", "A" * 43):
        with httpx2.Client(base_url=f"{lab.url}/api/v1", cookies={name: invented}) as client:
            begun = client.post("/session", json={"name": ALICE, "password": PASSWORD}, timeout=120)
            assert f"{name}={invented};" not in begun.headers["set-cookie"]


@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": "http://evil.example"},
        {"Origin": "null"},
        {"Origin": "http://127.0.0.1:1"},
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
    ],
)
def test_pages_of_others_change_nothing_by_form_or_by_fetch(lab: Team, headers: dict[str, str]) -> None:
    browser = lab.browser(ADMIN)
    del browser.headers["Origin"]
    text, form = "text/plain", "application/x-www-form-urlencoded"
    body = b'{"name": "mallory", "role": "admin", "password": "mallory mallory"}'
    for kind in ("application/json", text, form):
        answer = browser.post("/accounts", content=body, headers=headers | {"Content-Type": kind})
        assert (answer.status_code, answer.json()["error"]["code"]) == (403, "wrong_origin")
    assert browser.post("/team", json={"on": False}, headers=headers).status_code == 403
    assert browser.delete("/session", headers=headers).status_code == 403
    assert "mallory" not in browser.get("/accounts").text
    # Nor can they sign a browser in as somebody else, whose tokens and jobs would then be the attacker's.
    known = {"name": BOB, "password": PASSWORD}
    assert lab.stranger().post("/session", json=known, headers=headers).status_code == 403
    assert lab.stranger().post("/setup", json={"code": "x"}, headers=headers).status_code == 403
    plain = {"Origin": lab.url, "Content-Type": text}
    assert lab.stranger().post("/session", content=json.dumps(known).encode(), headers=plain).status_code == 403
    browser.delete("/session", headers={"Origin": lab.url})


def test_another_role_password_or_an_inactive_account_ends_sessions(lab: Team) -> None:
    lab.add("dora")
    admin = lab.clients[ADMIN]
    for change in ({"role": "guest"}, {"active": False}):
        browser = lab.browser("dora")
        assert browser.get("/me").status_code == 200
        assert admin.patch("/accounts/dora", json=change).status_code == 200
        assert browser.get("/me").status_code == 401
    assert lab.clients["dora"].get("/me").status_code == 401  # nor by a token
    assert _try(lab.stranger(), "dora", PASSWORD)[1].json() == WRONG
    admin.patch("/accounts/dora", json={"active": True, "role": "user"})
    first, second = lab.browser("dora"), lab.browser("dora")
    new = {"old": PASSWORD, "new": "another long password"}
    assert first.post("/me/password", json={**new, "old": "x"}).status_code == 422  # not 401: one is signed in
    assert first.post("/me/password", json={**new, "new": "too short"}).status_code == 422
    assert first.post("/me/password", json=new).status_code == 204
    assert (first.get("/me").status_code, second.get("/me").status_code) == (200, 401)
    assert _try(lab.stranger(), "dora", PASSWORD)[1].json() == WRONG
    assert _try(lab.stranger(), "dora", new["new"])[1].status_code == 200
    again = admin.post("/invites", json={"name": "dora"}).json()  # a forgotten password
    code = again["link"].partition("code=")[2]
    assert lab.stranger().post("/setup", json={"code": code, "password": PASSWORD}).status_code == 200
    assert first.get("/me").status_code == 401
    assert lab.browser("dora").get("/me").json()["role"] == "user"


def test_sessions_are_listed_and_ended(lab: Team) -> None:
    here, there = lab.browser(BOB), lab.browser(BOB)
    found = here.get("/me/sessions").json()
    assert [one["current"] for one in found].count(True) == 1
    newest = found[0]
    assert (newest["current"], newest["address"]) == (False, "127.0.0.1")
    assert lab.clients[ALICE].delete(f"/me/sessions/{newest['id']}").status_code == 404
    assert here.delete(f"/me/sessions/{newest['id']}").status_code == 204
    assert (here.get("/me").status_code, there.get("/me").status_code) == (200, 401)


def test_a_stream_ends_when_its_reader_may_no_longer_read(lab: Team) -> None:
    browser = lab.browser(BOB)
    made = browser.post("/me/tokens", json={"name": "reader"}).json()
    for client, ending in ((lab.bearer(made["token"]), f"/me/tokens/{made['id']}"), (browser, "/session")):
        with client.stream("GET", "/events") as answer:
            parts = answer.iter_raw()
            assert b"hello" in next(parts)
            assert browser.delete(ending).status_code == 204
            assert list(parts) == []


# --- failures -------------------------------------------------------------------------------------------------------


def test_a_failure_does_not_show_what_was_wrong_and_takes_a_second(lab: Team) -> None:
    lab.add("emil")
    answers = [
        _try(lab.stranger(), *pair)
        for pair in (("emil", "wrong"), ("nobody", PASSWORD), ("server", lab.server.token), ("emil", ""))
    ]
    for seconds, answer in answers:
        assert (answer.status_code, answer.json()) == (401, WRONG)
        assert "www-authenticate" not in answer.headers
        assert seconds >= sign_in.OWN_SECONDS


def test_an_unknown_name_takes_as_long_as_a_wrong_password() -> None:
    stored = password.hashed(PASSWORD)
    taken = []
    for known in (stored, None):
        begun = time.thread_time()
        for _ in range(3):
            assert not password.matches(known, "wrong")
        taken.append(time.thread_time() - begun)
    assert 0.4 < taken[0] / taken[1] < 2.5
    assert password.matches(stored, PASSWORD)
    assert stored.startswith("$argon2id$v=19$m=19456,t=2,p=1$")
    assert not password.matches("not a hash", PASSWORD)


@pytest.mark.parametrize(
    "name",
    [
        "alice\0",
        "\0",
        "alice\n",
        "al\nice",
        "ALICE\x1b[2J",
        "аlice",
        "ａｌｉｃｅ",
        "alice\u200b",
        "alic\u0435",
        "../alice",
        "*",
    ],
)
def test_odd_names_are_nobody(lab: Team, name: str) -> None:
    """NUL, newlines, escapes and letters that look like others. Spaces around a name are left out."""
    if name.strip() == ALICE:
        assert _try(lab.stranger(), name, PASSWORD)[1].status_code == 200
        return
    assert _try(lab.stranger(), name, PASSWORD)[1].json() == WRONG
    answer = lab.clients["server"].post("/accounts", json={"name": name, "password": PASSWORD})
    assert answer.status_code == 422
    code = lab.clients["server"].post("/invites", json={}).json()["link"].partition("code=")[2]
    taken = lab.stranger().post("/setup", json={"code": code, "name": name, "password": PASSWORD})
    assert taken.status_code == 422


def test_many_tries_must_wait(lab: Team) -> None:
    lab.add("fred")
    client = lab.stranger()
    answers: list[httpx2.Response] = []
    threads = [
        threading.Thread(target=lambda: answers.append(_try(lab.stranger(), "fred", "wrong")[1])) for _ in range(12)
    ]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    codes = sorted(answer.status_code for answer in answers)
    assert codes == [401] * 5 + [429] * 7  # tries at the same time count as well
    refused = [answer for answer in answers if answer.status_code == 429]
    assert all(int(answer.headers["retry-after"]) >= 1 for answer in refused)
    assert {answer.json()["error"]["code"] for answer in refused} == {"too_many_tries"}
    del client


# --- the way in -----------------------------------------------------------------------------------------------------


def test_the_last_admin_can_be_neither_removed_nor_demoted(lab: Team) -> None:
    server = lab.clients["server"]
    for change in ({"role": "user"}, {"role": "guest"}, {"active": False}):
        answer = server.patch(f"/accounts/{ADMIN}", json=change)
        assert (answer.status_code, answer.json()["error"]["code"]) == (409, "conflict")
    assert lab.clients[ADMIN].get("/me").json()["role"] == "admin"
    lab.add("second", "admin")
    assert server.patch(f"/accounts/{ADMIN}", json={"role": "user"}).status_code == 200
    assert server.patch("/accounts/second", json={"active": False}).status_code == 409
    assert server.patch(f"/accounts/{ADMIN}", json={"role": "admin"}).status_code == 200
    assert server.patch("/accounts/second", json={"active": False}).status_code == 200


def test_only_admins_manage(lab: Team) -> None:
    bodies: dict[tuple[str, str], Any] = {
        ("POST", "/accounts"): {"name": "x"},
        ("PATCH", f"/accounts/{BOB}"): {"role": "admin"},
        ("PATCH", f"/accounts/{ALICE}"): {"role": "admin"},
        ("POST", "/groups"): {"name": "x"},
        ("PATCH", "/groups/x"): {"members": []},
        ("DELETE", "/groups/x"): None,
        ("GET", "/invites"): None,
        ("POST", "/invites"): {"role": "admin"},
        ("DELETE", "/invites/x"): None,
        ("POST", "/team"): {"on": False},
    }
    for (method, path), body in bodies.items():
        answer = lab.clients[ALICE].request(method, path, json=body)
        assert (answer.status_code, answer.json()["error"]["code"]) == (403, "not_allowed"), path
    others = {one["name"]: one for one in lab.clients[ALICE].get("/accounts").json()}
    assert others[BOB]["seen_at"] is None


def test_the_audit_has_everything_and_no_secret(lab: Team) -> None:
    admin = lab.clients[ADMIN]
    lab.browser(ALICE).post("/me/tokens", json={"name": "audited"})
    _try(lab.stranger(), "a password in the wrong field", "x")
    page = admin.get("/audit", params={"limit": 500}).json()
    acts = {one["act"] for one in page["entries"]}
    assert acts >= {"team.on", "account.add", "session.begin", "session.failed", "token.make", "account.password"}
    text = json.dumps(page)
    for secret in (PASSWORD, lab.server.token, "pdk_", "argon2", "wrong field", "code="):
        assert secret not in text
    own = lab.clients[ALICE].get("/audit", params={"who": ADMIN}).json()["entries"]
    assert {one["who"] for one in own} == {ALICE}
    made = next(one for one in own if one["act"] == "token.make" and one["detail"]["name"] == "audited")
    assert (made["via"], made["address"], made["kind"]) == ("session", "127.0.0.1", "token")


def test_behind_https_the_cookie_is_for_this_host_only() -> None:
    assert Cookies("t", "n", "https://lab.example/paddock")._name.startswith("__Host-paddock-")
    assert Cookies("t", "n", "http://lab.example")._name.startswith("paddock-")
