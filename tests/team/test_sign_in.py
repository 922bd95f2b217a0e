"""Test a real server whose people sign in by a directory, by PAM and by single sign-on."""

import json
import os
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx2
import pytest

from paddock.login.pam import here
from tests.support.team import ADMIN, PASSWORD, Team, team
from tests.team.directory import BASE, PASSWORDS, Directory, directory
from tests.team.machine_accounts import account as machine_account
from tests.team.machine_accounts import warden_by_sudo
from tests.team.provider import PEOPLE, provider, visited
from tests.team.unix_users import ROOT

SOMEBODY = "nobody" if os.geteuid() < 1000 else os.environ.get("USER", "nobody")  # an account of this machine
HERE = "the password of this machine"


@pytest.fixture(scope="module")
def people(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Directory]:
    with directory(tmp_path_factory.mktemp("slapd")) as made:
        yield made


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory, people: Directory) -> Iterator[Team]:
    """A server whose members are those in the directory's group `ml`, and whoever has an account or an invitation."""
    folder = tmp_path_factory.mktemp("lab")
    settings = {
        "PADDOCK_LOGIN__LDAP": people.settings(group_base=f"ou=groups,{BASE}").model_dump_json(),
        "PADDOCK_LOGIN__PAM": json.dumps({"service": "paddock"}),
        "PADDOCK_TEAM__WARDEN": json.dumps(here("--confdir", str(_pam(folder)))),
        "PADDOCK_TEAM__JOIN_GROUPS": json.dumps(["ml"]),
    }
    with team(folder / "home", environment=settings) as made:
        yield made


def _pam(folder: Path) -> Path:
    """Return a folder in place of /etc/pam.d, whose service asks a script."""
    script = folder / "check"
    script.write_text(f"#!{sys.executable}\nimport sys\nsys.exit(sys.stdin.read().rstrip(chr(0)) != {HERE!r})\n")
    script.chmod(0o755)
    (folder / "pam.d").mkdir()
    (folder / "pam.d" / "paddock").write_text(
        f"auth [success=done default=ignore] pam_exec.so expose_authtok {script}\nauth required pam_deny.so\n"
        "account required pam_permit.so\n"
    )
    return folder / "pam.d"


def attempt(lab: Team, name: str, password: str, **more: Any) -> httpx2.Response:
    return lab.stranger().post("/session", json={"name": name, "password": password, **more})


def account(lab: Team, name: str) -> dict[str, Any]:
    found: dict[str, Any] = next(one for one in lab.clients[ADMIN].get("/accounts").json() if one["name"] == name)
    return found


def test_a_member_of_the_group_joins_with_its_groups(lab: Team, people: Directory) -> None:
    me = lab.browser("dora", PASSWORDS["dora"]).get("/me").json()
    assert (me["name"], me["role"], me["source"], me["email"]) == ("dora", "user", "ldap", "dora@example.org")
    assert (me["groups"], me["unix_name"], me["via"]) == (["ml"], "dora", "session")
    people.add(
        f"dn: cn=gpu,ou=groups,{BASE}\nobjectClass: groupOfNames\ncn: gpu\nmember: uid=dora,ou=people,{BASE}\n\n"
        f"dn: cn=ml,ou=groups,{BASE}\nchangetype: modify\ndelete: member\nmember: uid=dora,ou=people,{BASE}\n"
    )
    # Who has an account keeps it, also outside of the group; the groups are those of today.
    assert lab.browser("DORA", PASSWORDS["dora"]).get("/me").json()["groups"] == ["gpu"]
    groups = {one["name"]: one for one in lab.clients[ADMIN].get("/groups").json()}
    assert (groups["gpu"]["source"], groups["gpu"]["members"], groups["ml"]["members"]) == ("ldap", ["dora"], [])


def test_nobody_else_of_the_directory_joins_without_an_invitation(lab: Team) -> None:
    refused = attempt(lab, "dan", PASSWORDS["dan"])
    assert (refused.status_code, "invite you" in refused.text) == (403, True)
    invite = lab.clients[ADMIN].post("/invites", json={"role": "guest"}).json()
    code = invite["link"].partition("code=")[2]
    assert attempt(lab, "dan", PASSWORDS["dan"], code=code).status_code == 200
    assert (account(lab, "dan")["role"], account(lab, "dan")["source"]) == ("guest", "ldap")
    # It is used up; the account stays.
    assert attempt(lab, "dan", PASSWORDS["dan"]).status_code == 200
    assert lab.stranger().post("/setup/open", json={"code": code}).status_code == 404


def test_a_name_of_the_directory_does_not_open_the_account_of_that_name_here(lab: Team) -> None:
    assert attempt(lab, "alice", PASSWORDS["alice"]).status_code == 409
    assert account(lab, "alice")["source"] == "password"
    assert lab.browser("alice", PASSWORD).get("/me").json()["name"] == "alice"


def test_a_wrong_password_and_an_unknown_name_get_the_same_answer(lab: Team) -> None:
    answers = [attempt(lab, name, "wrong") for name in ("dora", "nobody-of-that-name", "dora)(uid=*")]
    assert {(answer.status_code, answer.text) for answer in answers} == {(401, answers[0].text)}


def test_an_account_of_this_machine_that_an_admin_listed(lab: Team) -> None:
    assert attempt(lab, SOMEBODY, HERE).status_code == 403
    listed = {"name": SOMEBODY, "source": "pam", "role": "user"}
    assert lab.clients[ADMIN].post("/accounts", json=listed).status_code == 201
    me = lab.browser(SOMEBODY, HERE).get("/me").json()
    assert (me["source"], me["unix_name"]) == ("pam", SOMEBODY)
    assert attempt(lab, SOMEBODY, "wrong").status_code == 401


def test_an_account_that_is_not_active_does_not_sign_in(lab: Team) -> None:
    lab.clients[ADMIN].patch("/accounts/dora", json={"active": False})
    try:
        assert attempt(lab, "dora", PASSWORDS["dora"]).status_code == 403
    finally:
        lab.clients[ADMIN].patch("/accounts/dora", json={"active": True})


def test_the_checks_of_the_team_try_the_directory(lab: Team) -> None:
    found = {one["name"]: one for one in lab.clients[ADMIN].post("/team/check").json()["checks"]}
    assert found["directory (LDAP)"]["ok"]
    assert "without encryption" in found["directory (LDAP)"]["detail"]


@ROOT
def test_a_real_password_of_this_machine_through_sudo(tmp_path: Path) -> None:
    service, name = f"pdk-e2e-{os.getpid()}", f"pdkm{os.getpid()}"
    with warden_by_sudo(service) as command, machine_account(name, HERE):
        settings = {
            "PADDOCK_LOGIN__PAM": json.dumps({"service": service}),
            "PADDOCK_TEAM__WARDEN": json.dumps(command),
            "PADDOCK_TEAM__ADMINS": json.dumps([name]),
        }
        with team(tmp_path / "home", environment=settings) as lab:
            me = lab.browser(name, HERE).get("/me").json()
            assert (me["name"], me["role"], me["source"], me["unix_name"]) == (name, "admin", "pam", name)
            assert me["groups"] == [name]
            assert attempt(lab, name, "wrong").status_code == 401


# --- single sign-on ---------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def sso(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Team]:
    """A server whose provider `lab` knows alice (user-1), bob (user-2) and eve; its members are those in `vision`."""
    folder = tmp_path_factory.mktemp("sso")
    eve = {"preferred_username": "eve", "groups": ["vision"]}
    people = {**PEOPLE, "user-1": PEOPLE["user-1"] | {"preferred_username": "carol"}, "user-3": eve}
    with provider(folder, people=people) as issuer:
        known = {"issuer": issuer, "client_id": "public", "groups_claim": "groups", "title": "The lab"}
        settings = {
            "PADDOCK_LOGIN__OIDC": json.dumps({"lab": known, "other": known | {"client_id": "pss"}}),
            "PADDOCK_TEAM__JOIN_GROUPS": json.dumps(["vision"]),
        }
        with team(folder / "home", environment=settings) as made:
            yield made


def begin(sso: Team, browser: httpx2.Client, name: str = "lab", **query: str) -> str:
    """Return the address at the provider that the server sends a browser to."""
    answer = browser.get(f"/session/oidc/{name}/begin", params=query)
    assert answer.status_code == 303, answer.text
    return str(answer.headers["location"])


def come_back(sso: Team, browser: httpx2.Client, address: str) -> str:
    """Return where the server sends a browser that comes back, as the page's own address."""
    answer = browser.get(address)
    assert answer.status_code == 303, answer.text
    where = str(answer.headers["location"])
    assert where.startswith("/")
    browser.headers |= {"X-Paddock-Page": where.partition("#page=")[2], "Origin": sso.url}
    return where.partition("#")[0]


def failed(sso: Team, browser: httpx2.Client, address: str) -> str:
    """Return the code of the error with which a browser that comes back is not signed in."""
    where = come_back(sso, browser, address)
    assert browser.get("/me").status_code == 401
    return where.partition("sign_in_error=")[2]


def test_a_browser_signs_in_at_the_provider_and_lands_where_it_wanted(sso: Team) -> None:
    methods = sso.stranger().get("/session/methods").json()
    assert [(one["name"], one["title"]) for one in methods["providers"]] == [("lab", "The lab"), ("other", "The lab")]
    browser = sso.stranger()
    assert come_back(sso, browser, visited(begin(sso, browser, next="/jobs?mine=1"), "user-1")) == "/jobs?mine=1"
    me = browser.get("/me").json()
    assert (me["name"], me["full_name"], me["source"], me["groups"]) == (
        "carol",
        "Alice Ärmel",
        "oidc",
        ["ml", "vision"],
    )
    assert browser.delete("/session").status_code == 204
    assert browser.get("/me").status_code == 401


def test_where_to_go_after_that_is_always_here(sso: Team) -> None:
    for wanted in ("https://evil.example/", "//evil.example", "/\\evil.example", "javascript:alert(1)"):
        browser = sso.stranger()
        where = come_back(sso, browser, visited(begin(sso, browser, next=wanted), "user-1"))
        assert where.startswith("/")
        assert where[1:2] not in ("/", "\\")


def test_somebody_without_an_account_needs_an_invitation(sso: Team) -> None:
    browser = sso.stranger()
    assert failed(sso, browser, visited(begin(sso, browser), "user-2")) == "not_allowed"
    # The directory's `bob` is not the `bob` who has a password here.
    invite = sso.clients[ADMIN].post("/invites", json={}).json()["link"].partition("code=")[2]
    assert failed(sso, browser, visited(begin(sso, browser, code=invite), "user-2")) == "conflict"
    assert account(sso, "bob")["source"] == "password"


def test_an_invitation_is_accepted_at_the_provider(sso: Team) -> None:
    invite = sso.clients[ADMIN].post("/invites", json={"role": "guest"}).json()["link"].partition("code=")[2]
    browser = sso.stranger()
    come_back(sso, browser, visited(begin(sso, browser, code=invite), "user-3"))
    assert browser.get("/me").json()["role"] == "guest"
    assert sso.stranger().post("/setup/open", json={"code": invite}).status_code == 404


def test_a_return_counts_once_and_in_the_browser_that_went(sso: Team) -> None:
    browser, thief = sso.stranger(), sso.stranger()
    address = visited(begin(sso, browser), "user-1")
    assert failed(sso, thief, address) == "not_authorised"  # has not begun
    assert failed(sso, sso.stranger(), address) == "not_authorised"
    come_back(sso, browser, address)
    assert browser.get("/me").json()["name"] == "carol"
    other = sso.stranger()
    begin(sso, other)
    assert failed(sso, other, address) == "not_authorised"  # has begun something else


def test_somebody_cannot_be_signed_in_as_the_one_who_sent_a_link(sso: Team) -> None:
    """The attacker stops before the last step, and sends its address to the victim."""
    attacker, victim = sso.stranger(), sso.stranger()
    address = visited(begin(sso, attacker), "user-1")
    begin(sso, victim)
    assert failed(sso, victim, address) == "not_authorised"


def test_a_return_to_another_provider_is_refused(sso: Team) -> None:
    browser = sso.stranger()
    address = visited(begin(sso, browser), "user-1").replace("/oidc/lab/", "/oidc/other/")
    assert failed(sso, browser, address) == "not_authorised"


def test_the_checks_of_the_team_try_the_providers(sso: Team) -> None:
    found = {one["name"]: one for one in sso.clients[ADMIN].post("/team/check").json()["checks"]}
    assert found["single sign-on (lab)"]["detail"].endswith("answers; 3 keys")
    assert found["single sign-on (other)"]["ok"]


def test_an_unknown_provider_does_not_exist(sso: Team) -> None:
    assert sso.stranger().get("/session/oidc/none/begin").status_code == 404


def test_what_the_provider_refused_is_not_a_sign_in(sso: Team) -> None:
    browser = sso.stranger()
    address = visited(begin(sso, browser), "user-1")
    denied = re.sub(r"code=[^&]*", "error=access_denied", address)
    assert failed(sso, browser, denied) == "not_authorised"
    assert failed(sso, browser, address) == "not_authorised"  # that was the one return
