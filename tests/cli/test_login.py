"""Test the commands of a team against a real server with accounts: sign in, tokens, people, the audit."""

import io
import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from unittest import mock

import pytest

import paddock
from paddock.client import logins
from paddock.errors import NotAuthorised
from tests.cli.test_start import HEAVY, RUN
from tests.support.server import running
from tests.support.team import ADMIN, ALICE, BOB, PASSWORD, Team, team
from tests.support.up import Cli, Done


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Team]:
    with team(tmp_path_factory.mktemp("lab") / "home") as made:
        yield made


@dataclass(frozen=True)
class Person:
    """Somebody at a computer of their own: no home of a server, and a configuration folder."""

    cli: Cli
    folder: Path

    def __call__(self, *arguments: str, typed: str = "", code: int = 0, **env: str) -> Done:
        own = {"PADDOCK_HOME": "", "XDG_CONFIG_HOME": str(self.folder), "HOME": str(self.folder)}
        with mock.patch("sys.stdin", io.StringIO(typed)):
            return self.cli.quick(*arguments, code=code, **own | env)

    @property
    def logins(self) -> Path:
        return self.folder / "paddock" / "logins.json"

    @property
    def token(self) -> str:
        found = json.loads(self.logins.read_text())
        token: str = found["servers"][found["default"]]["token"]
        return token


@pytest.fixture
def somebody(tmp_path: Path) -> Person:
    return Person(Cli(tmp_path / "nobody", tmp_path), tmp_path)


@pytest.fixture
def alice(somebody: Person, lab: Team) -> Person:
    somebody("login", lab.url, "--name", ALICE, typed=f"{PASSWORD}\n")
    return somebody


@pytest.fixture
def ann(tmp_path: Path, lab: Team) -> Person:
    made = Person(Cli(tmp_path / "nobody", tmp_path), tmp_path / "ann")
    made.folder.mkdir()
    made("login", lab.url, "--name", ADMIN, typed=f"{PASSWORD}\n")
    return made


# --- signing in -------------------------------------------------------------------------------------------------------


def test_login_whoami_logout(somebody: Person, lab: Team) -> None:
    done = somebody("login", lab.url, typed=f"{ALICE}\n{PASSWORD}\n")
    assert done.out.startswith(f"Signed in at {lab.url} as {ALICE} until ")
    assert somebody.logins.stat().st_mode & 0o777 == 0o600
    assert PASSWORD not in somebody.logins.read_text()
    me = somebody("whoami", "--json").json
    assert (me["name"], me["role"], me["url"], me["via"].split()[0]) == (ALICE, "user", lab.url, "token")
    assert ALICE in somebody("whoami").out
    token = somebody.token
    assert somebody("logout").out == f"Signed out of {lab.url}.\n"
    assert lab.bearer(token).get("/me").status_code == 401
    assert "not signed in" in somebody("logout", code=2).err
    assert "No Paddock server runs" in somebody("ls", code=4).err


def test_a_wrong_password_leaves_nothing(somebody: Person, lab: Team) -> None:
    one = somebody("login", lab.url, "--name", BOB, typed="wrong password\n", code=4)
    other = somebody("login", lab.url, "--name", "nobody", typed="wrong password\n", code=4)
    assert one.err == other.err
    assert not somebody.logins.exists()


def test_the_simple_commands_work_with_a_login(alice: Person, lab: Team) -> None:
    job = lab.server.submit("print(1)", name="of the owner")
    assert "of the owner" in alice("ls").out
    assert job in alice("show", job).out
    lab.server.wait(job)


def test_quick_commands_import_little_with_a_login(alice: Person) -> None:
    own = {"XDG_CONFIG_HOME": str(alice.folder), "HOME": str(alice.folder), "PADDOCK_HOME": ""}
    environment = alice.cli.environment(**own)
    done = subprocess.run(
        [sys.executable, "-c", RUN, "ls"], env=environment, capture_output=True, text=True, check=True
    )
    modules = set(done.stderr.splitlines()[-1].split())
    assert "paddock.client.logins" in modules
    assert modules.isdisjoint(HEAVY), modules.intersection(HEAVY)


def test_another_login_replaces_the_first_and_revokes_it(alice: Person, lab: Team) -> None:
    before = alice.token
    assert "still signed in" in alice("login", lab.url).out
    assert alice.token == before
    alice("login", lab.url, "--name", BOB, typed=f"{PASSWORD}\n")
    assert alice("whoami", "--json").json["name"] == BOB
    assert lab.bearer(before).get("/me").status_code == 401


def test_a_token_of_the_page(somebody: Person, lab: Team) -> None:
    token = lab.clients[ALICE].headers["Authorization"].removeprefix("Bearer ")
    somebody("login", lab.url, "--token", typed=f"{token}\n")
    assert somebody("whoami", "--json").json["name"] == ALICE
    assert "stays valid" in somebody("logout").err
    assert lab.clients[ALICE].get("/me").status_code == 200
    assert "begin with pdk_" in somebody("login", lab.url, "--token", typed="nonsense\n", code=2).err
    forged = f"{token[:-4]}AAAA"
    assert "not valid any more" in somebody("login", lab.url, "--token", typed=f"{forged}\n", code=4).err


def test_a_revoked_login_says_what_to_do(alice: Person, lab: Team) -> None:
    id = alice.token.split("_")[1]
    assert lab.bearer(alice.token).delete(f"/me/tokens/{id}").status_code == 204
    for command in (["ls"], ["whoami"], ["token", "ls"]):
        done = alice(*command, code=4)
        assert f"account was disabled): sign in again with `paddock login {lab.url}`" in done.err
    alice("login", lab.url, "--name", ALICE, typed=f"{PASSWORD}\n")
    assert alice("whoami", "--json").json["name"] == ALICE


def test_an_expired_login_says_so(somebody: Person, lab: Team) -> None:
    somebody("login", lab.url, "--name", ALICE, typed=f"{PASSWORD}\n")
    with mock.patch.dict(os.environ, {"XDG_CONFIG_HOME": str(somebody.folder)}):
        [one] = logins.read().servers.values()
        gone = logins.Login(one.url, f"{one.token[:-4]}xxxx", one.name, one.id, time.time() - 60)
        logins.write(logins.Logins().adding(gone))
    assert "has expired: sign in again" in somebody("ls", code=4).err


def test_who_is_not_signed_in_is_told_how(somebody: Person, lab: Team) -> None:
    assert (
        f"You are not signed in at {lab.url}: run `paddock login {lab.url}`"
        in somebody("--url", lab.url, "ls", code=4).err
    )


def test_several_servers(alice: Person, lab: Team, tmp_path: Path) -> None:
    with team(tmp_path / "other") as other:
        alice("login", other.url, "--name", BOB, typed=f"{PASSWORD}\n")
        assert alice("whoami", "--json").json["url"] == other.url
        assert alice("--url", lab.url, "whoami", "--json").json["name"] == ALICE
        listed = alice("whoami", "--all", "--json").json
        assert {one["url"]: (one["name"], one["default"]) for one in listed} == {
            lab.url: (ALICE, False), other.url: (BOB, True),
        }  # fmt: skip
        assert lab.url in alice("whoami", "--all").out
        alice("login", lab.url)
        assert alice("whoami", "--json").json["url"] == lab.url
        alice("logout", "--all")
    assert alice("whoami", "--all", "--json").json == []


def test_a_home_that_is_named_counts_more_than_a_login(alice: Person, lab: Team) -> None:
    assert alice("--home", str(lab.server.home.root), "whoami", "--json").json["name"] == "server"


def test_the_sdk_uses_the_login(alice: Person, lab: Team, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in (("XDG_CONFIG_HOME", str(alice.folder)), ("HOME", str(alice.folder))):
        monkeypatch.setenv(name, value)
    for name in ("PADDOCK_HOME", "PADDOCK_URL", "PADDOCK_TOKEN"):
        monkeypatch.delenv(name, raising=False)
    with paddock.Client() as client:
        assert client.team.me().name == ALICE
        assert client.link == f"{lab.url}/"
    with paddock.Client(lab.url, alice.token) as client:
        assert client.team.me().name == ALICE
    with paddock.Client(lab.url, "pdk_aaaaaaaa_x") as client, pytest.raises(NotAuthorised, match="paddock login"):
        client.jobs()


def test_addresses_that_are_none(somebody: Person) -> None:
    assert "https://paddock.example.org" in somebody("login", code=2).err
    assert "not the address of a server" in somebody("login", "http://", code=2).err
    assert "plain HTTP" in somebody("login", "http://lab.example", code=2).err
    assert "http://127.0.0.1:1" in somebody("login", "http://127.0.0.1:1", typed="a\nb\n", code=4).err


def test_a_server_of_one_person_has_nothing_to_sign_in_to(somebody: Person, tmp_path: Path) -> None:
    with running(tmp_path / "home") as server:
        assert "paddock team on" in somebody("login", server.url, typed="a\nb\n", code=2).err
        home = str(server.home.root)
        assert somebody("--home", home, "whoami", "--json").json["team"] is False
        assert "no accounts" in somebody("--home", home, "users", "ls").err


# --- joining, people, tokens ------------------------------------------------------------------------------------------


def test_an_invitation_taken_at_the_command_line(ann: Person, somebody: Person, lab: Team) -> None:
    ann("groups", "add", "students", "-m", ALICE)
    link = ann("invite", "--group", "students").out.strip()
    assert "at least 10" in somebody("join", link, "--name", "dora", typed="short\n", code=2).err
    somebody("join", link, "--name", "dora", typed=f"{PASSWORD}\n")
    assert somebody("whoami", "--json").json["groups"] == ["students"]
    assert somebody("join", link, "--name", "eve", typed=f"{PASSWORD}\n", code=3).err.startswith("error: ")
    assert "dora" in ann("invite", "--list").out
    again = ann("invite", "--for", "dora").out.strip()
    somebody("join", again, typed=f"{PASSWORD} new\n")
    assert somebody("whoami", "--json").json["name"] == "dora"
    unused = ann("invite", "--json").json
    ann("invite", "--revoke", unused["id"])
    somebody("join", unused["link"], "--name", "eve", typed=f"{PASSWORD}\n", code=3)
    assert "not a link" in somebody("join", lab.url, code=2).err


def test_accounts_and_groups(ann: Person, lab: Team) -> None:
    assert "paddock invite --for frank" in ann("users", "add", "frank", "--full-name", "Frank F", "--unix", "frank").err
    found = {one["name"]: one for one in ann("users", "ls", "--json").json}
    assert (found["frank"]["unix_name"], found["frank"]["role"]) == ("frank", "user")
    ann("users", "edit", "frank", "--role", "guest")
    assert "frank  guest" in ann("users", "ls").out
    assert ann("users", "disable", "frank").out == "disabled: frank\n"
    assert "disabled" in ann("users", "ls").out
    assert ann("users", "enable", "frank", "--json").json[0]["active"] is True
    assert "no account 'nobody'" in ann("users", "disable", "nobody", code=3).err.lower()
    assert "Say what to change" in ann("users", "edit", "frank", code=2).err
    ann("groups", "add", "lab", "--description", "all")
    assert ann("groups", "edit", "lab", "--add", ALICE, "--add", "frank", "--remove", ALICE).out == "lab: frank\n"
    assert "frank" in ann("groups", "ls").out
    ann("groups", "rm", "lab")
    assert "lab" not in [one["name"] for one in ann("groups", "ls", "--json").json]


def test_who_is_no_admin_is_refused_in_words(alice: Person) -> None:
    for command in (["invite"], ["users", "add", "x"], ["team", "off", "--yes"], ["groups", "add", "x"]):
        done = alice(*command, code=4)
        assert "admin" in done.err, done.err


def test_tokens(alice: Person, lab: Team) -> None:
    made = alice("token", "add", "laptop", "--scope", "read", "--days", "3")
    token = made.out.strip()
    assert token.startswith("pdk_")
    assert "valid until" in made.err
    env = {"PADDOCK_URL": lab.url, "PADDOCK_TOKEN": token}
    assert alice("whoami", "--json", **env).json["scope"] == "read"
    assert "may only read" in alice("token", "add", "x", code=4, **env).err
    assert "laptop" in alice("token", "ls").out
    assert alice("token", "revoke", "laptop").out == f"revoked: {token.split('_')[1]}\n"
    assert "You have no token 'laptop'" in alice("token", "revoke", "laptop", code=3).err
    alice("whoami", code=4, **env)
    assert alice("token").out == f"{lab.url}/\n"
    assert "lasting_tokens" in alice("token", "add", "x", "--lasting", code=2).err


def test_the_audit(ann: Person, alice: Person, lab: Team) -> None:
    alice("token", "add", "audited")
    assert "token.make" in alice("audit", "--limit", "1").out
    assert {one["who"] for one in alice("audit", "--json").json["entries"]} == {ALICE}
    assert {ALICE, ADMIN} <= {one["who"] for one in ann("audit", "--json", "--limit", "500").json["entries"]}
    assert ALICE not in ann("audit", "--who", ADMIN).out.replace(f"account {ALICE}", "")


def test_team_on_and_off(somebody: Person, tmp_path: Path) -> None:
    with running(tmp_path / "home", owner="olga") as server:
        home = ("--home", str(server.home.root))
        assert "off: one person" in somebody(*home, "team", "status").out
        made = somebody(*home, "team", "on")
        link = next(line.strip() for line in made.out.splitlines() if "/setup?code=" in line)
        assert "The database was copied to" in made.out
        somebody("join", link, typed=f"{PASSWORD}\n")
        assert somebody("whoami", "--json").json["name"] == "olga"
        assert "on (1 account)" in somebody("team", "status").out
        assert "add --yes" in somebody("team", "off", code=2).err
        assert "Accounts are off" in somebody("team", "off", "--yes").out
        assert "off: one person" in somebody(*home, "team", "status").out
