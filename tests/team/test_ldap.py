"""Test signing in with a real directory."""

import logging
import os
import socket
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from paddock.errors import SignInUnavailable
from paddock.login.identity import Identity
from paddock.login.ldap import LdapLogin
from paddock.models import SignInSource
from tests.team.certificates import Signer, this_host
from tests.team.directory import BASE, PASSWORDS, Directory, directory


@pytest.fixture(scope="module")
def signer(tmp_path_factory: pytest.TempPathFactory) -> Signer:
    return Signer(tmp_path_factory.mktemp("signer"))


@pytest.fixture(scope="module")
def people(tmp_path_factory: pytest.TempPathFactory, signer: Signer) -> Iterator[Directory]:
    folder = tmp_path_factory.mktemp("slapd")
    with directory(folder, signer=signer.certificate, certificate=signer.sign(*this_host())) as made:
        yield made


@pytest.fixture
def login(people: Directory) -> LdapLogin:
    return LdapLogin(people.settings())


def test_the_right_password_returns_who_it_is(login: LdapLogin) -> None:
    assert login.check("alice", PASSWORDS["alice"]) == Identity(
        source=SignInSource.LDAP,
        subject=f"uid=alice,ou=people,{BASE}",
        name="alice",
        full_name="Alice Ärmel",
        email="alice@example.org",
        unix_name="alice",
        groups=("ml",),  # `Vision Lab` cannot be the name of a group
    )


def test_entries_with_special_characters_in_name_and_password(login: LdapLogin) -> None:
    ann = login.check("ann", PASSWORDS["ann"])
    assert ann is not None
    assert (ann.name, ann.full_name, ann.groups) == ("ann", "Ann (Smith), Jr*", ("ml",))
    assert ann.unix_name is None  # `Ann` is not the name of a Unix account


@pytest.mark.parametrize(
    ("name", "password"),
    [
        ("alice", "wrong"),
        ("alice", PASSWORDS["bob"]),
        ("alice", PASSWORDS["alice"] + "\n"),
        ("nobody", PASSWORDS["alice"]),
        ("silent", "anything"),
        ("", PASSWORDS["alice"]),
    ],
)
def test_a_wrong_password_or_an_unknown_name_is_nobody(login: LdapLogin, name: str, password: str) -> None:
    assert login.check(name, password) is None


@pytest.mark.parametrize("name", ["alice", "silent", "nobody"])
@pytest.mark.parametrize("password", ["", "\0", "\0secret", "x" * 100_000])
def test_an_empty_password_never_reaches_the_directory(people: Directory, name: str, password: str) -> None:
    # Nothing listens there: asking would be an error.
    assert LdapLogin(people.settings(url="ldap://127.0.0.1:1")).check(name, password) is None


@pytest.mark.parametrize(
    "name",
    [
        "*",
        "al*",
        "alice)(uid=*",
        "*)(|(uid=*",
        "alice)(objectClass=*))(|(uid=x",
        "\\61lice",
        "alice\0",
        "alice\n",
        "-D cn=root",
        "dn: x\nuid: alice",
        "ａlice\u200b",
        "alice" + "\ud800",
    ],
)
def test_a_name_is_never_a_filter(login: LdapLogin, name: str) -> None:
    assert login.check(name, PASSWORDS["alice"]) is None


def test_a_name_that_two_people_have_is_nobody(login: LdapLogin, people: Directory) -> None:
    assert login.check("twin", PASSWORDS["twin"]) is None
    in_one_place = LdapLogin(people.settings(base=f"ou=people,{BASE}"))
    assert in_one_place.check("twin", PASSWORDS["twin"]) is not None
    everybody = LdapLogin(people.settings(filter="(|(uid={name})(objectClass=inetOrgPerson))"))
    assert everybody.check("alice", PASSWORDS["alice"]) is None


def test_groups_by_their_own_lists_of_members(people: Directory) -> None:
    login = LdapLogin(people.settings(group_base=f"ou=groups,{BASE}"))
    for name, groups in (("bob", ("students",)), ("alice", ("ml",)), ("ann", ("ml",))):
        found = login.check(name, PASSWORDS[name])
        assert found is not None
        assert found.groups == groups


def test_without_a_unix_attribute_nobody_has_a_unix_account(people: Directory) -> None:
    found = LdapLogin(people.settings(unix_attribute="")).check("alice", PASSWORDS["alice"])
    assert found is not None
    assert found.unix_name is None


def test_tls_from_the_beginning_and_after_the_connection_is_made(people: Directory) -> None:
    for settings in (people.settings(url=f"ldaps://localhost:{people.tls_port}"), people.settings(start_tls=True)):
        login = LdapLogin(settings)
        assert login.check("alice", PASSWORDS["alice"]) is not None
        assert login.check("alice", "wrong") is None


def test_start_tls_is_refused_where_the_directory_has_none(tmp_path: Path) -> None:
    with directory(tmp_path / "plain") as plain:
        assert LdapLogin(plain.settings()).check("alice", PASSWORDS["alice"]) is not None
        with pytest.raises(SignInUnavailable):
            LdapLogin(plain.settings(start_tls=True)).check("alice", PASSWORDS["alice"])


@pytest.mark.parametrize("whose", ["another host", "another signer"])
def test_a_certificate_of_somebody_else_is_refused(
    people: Directory, signer: Signer, tmp_path: Path, whose: str
) -> None:
    if whose == "another signer":
        (tmp_path / "other").mkdir()
        other = people.settings(ca_certificate=Signer(tmp_path / "other").certificate)
        _refused(other.model_copy(update={"url": f"ldaps://localhost:{people.tls_port}"}))
        _refused(other.model_copy(update={"start_tls": True}))
        return
    certificate = signer.sign("ldap.elsewhere.example")
    with directory(tmp_path / "slapd", signer=signer.certificate, certificate=certificate) as impostor:
        _refused(impostor.settings(url=f"ldaps://localhost:{impostor.tls_port}"))
        _refused(impostor.settings(start_tls=True))


def _refused(settings: object) -> None:
    with pytest.raises(SignInUnavailable):
        LdapLogin(settings).check("alice", PASSWORDS["alice"])  # type: ignore[arg-type]


def test_a_referral_is_not_followed(people: Directory, login: LdapLogin) -> None:
    # The search meets a reference on its way, and says so; the person is found all the same.
    assert login.check("alice", PASSWORDS["alice"]) is not None
    with pytest.raises(SignInUnavailable) as error:
        LdapLogin(people.settings(base=f"ou=elsewhere,{BASE}")).check("alice", PASSWORDS["alice"])
    assert "refers to another directory" in error.value.detail


def test_a_directory_can_be_tried_without_a_password(people: Directory) -> None:
    assert "without encryption" in LdapLogin(people.settings(group_base=f"ou=groups,{BASE}")).probe()
    assert LdapLogin(people.settings(start_tls=True)).probe().endswith(" answers")
    for wrong in (
        {"base": "ou=nowhere,dc=example,dc=org"},
        {"group_base": "ou=nowhere"},
        {"url": "ldap://127.0.0.1:1"},
    ):
        with pytest.raises(SignInUnavailable):
            LdapLogin(people.settings(**wrong)).probe()


def test_what_is_wrong_with_the_settings_is_in_the_log_and_not_in_the_answer(
    people: Directory, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    wrong = tmp_path / "wrong"
    wrong.write_text("not its password")
    empty = tmp_path / "empty"
    empty.write_text("\n")
    for changed, said in (
        ({"url": "ldap://127.0.0.1:1"}, "Can't contact LDAP server"),
        ({"base": "ou=nowhere,dc=example,dc=org"}, "login.ldap.base"),
        ({"bind_password_file": wrong}, "login.ldap.bind_dn"),
        ({"bind_password_file": empty}, "with a password in it"),
        ({"bind_password_file": tmp_path / "none"}, "cannot be read"),
        ({"bind_dn": ""}, "Insufficient access"),  # anonymous: this directory shows such callers nothing
    ):
        caplog.clear()
        with caplog.at_level(logging.WARNING), pytest.raises(SignInUnavailable) as error:
            LdapLogin(people.settings(**changed)).check("alice", PASSWORDS["alice"])
        assert said in caplog.text
        assert said not in error.value.message
        assert PASSWORDS["alice"] not in caplog.text


def test_a_directory_that_does_not_answer_is_given_up(people: Directory, tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as mute:
        settings = people.settings(url=f"ldap://127.0.0.1:{mute.getsockname()[1]}", seconds=1)
        with pytest.raises(SignInUnavailable):
            LdapLogin(settings).check("alice", PASSWORDS["alice"])


def test_the_password_is_not_on_a_command_line(
    people: Directory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A program of the same name writes down how it is called, and then calls the real one."""
    seen = tmp_path / "seen"
    for name in ("ldapsearch", "ldapwhoami"):
        spy = tmp_path / name
        spy.write_text(f'#!/bin/sh\necho "$0 $@" >> {seen}\nenv >> {seen}\nexec /usr/bin/{name} "$@"\n')
        spy.chmod(spy.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    monkeypatch.setenv("PADDOCK_SECRET", "of the server")
    assert LdapLogin(people.settings()).check("alice", PASSWORDS["alice"]) is not None
    written = seen.read_text()
    assert "ldapwhoami" in written
    assert "(uid=alice)" in written
    for secret in (PASSWORDS["alice"], "reads the directory", "of the server"):
        assert secret not in written
