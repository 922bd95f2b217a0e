"""Test a real server whose people sign in by a directory, by PAM and by single sign-on."""

import json
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx2
import pytest

from paddock.login.pam import here
from tests.support.team import ADMIN, PASSWORD, Team, team
from tests.team.directory import BASE, PASSWORDS, Directory, directory

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
