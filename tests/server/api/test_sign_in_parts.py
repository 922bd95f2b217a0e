"""Test the parts of signing in: waits, sessions, keys in memory, and who may join."""

import time
from pathlib import Path

import pytest

from paddock.errors import Conflict, NotAllowed, NotFound, TooManyTries
from paddock.login.identity import Identity
from paddock.models import Role, SignInSource, TokenScope
from paddock.server.api import throttle
from paddock.server.api.joining import account_of
from paddock.server.api.keys import Keys
from paddock.server.api.sessions import Sessions, digest
from paddock.server.api.sign_in import Newcomer
from paddock.server.api.throttle import Throttle
from paddock.server.store import groups, invites, team, users
from paddock.server.store.db import Database
from paddock.server.store.invites import InviteRow
from paddock.settings import TeamSettings
from tests.server.store.given import add_job

LDAP = SignInSource.LDAP
BY = Newcomer("somebody", "127.0.0.1")


class Clock:
    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


# --- waits ----------------------------------------------------------------------------------------------------------


def test_after_five_tries_each_wait_is_twice_as_long_up_to_a_quarter_of_an_hour() -> None:
    clock = Clock()
    known = Throttle(clock)
    waits = []
    for _ in range(16):
        try:
            known.enter("ann", "10.0.0.1")
            waits.append(0)
        except TooManyTries as error:
            assert error.retry_seconds is not None
            waits.append(error.retry_seconds)
            clock.now += error.retry_seconds
            known.enter("ann", "10.0.0.1")
    assert waits[:5] == [0] * 5
    assert waits[5:] == [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 900]
    known.enter("bob", "10.0.0.1")  # another name
    known.enter("ann", "10.0.0.2")  # another address
    with pytest.raises(TooManyTries):
        known.enter(" ANN ", "10.0.0.1")
    clock.now += 900
    known.enter("ann", "10.0.0.1")
    known.succeeded("ann", "10.0.0.1")
    for _ in range(5):
        known.enter("ann", "10.0.0.1")


def test_many_addresses_with_one_name_and_many_names_from_one_address_wait_up_to_a_minute() -> None:
    for pairs in ([("ann", f"10.0.{n}.1") for n in range(200)], [(f"n{n}", f"2001:db8::{n:x}") for n in range(200)]):
        clock = Clock()
        known = Throttle(clock)
        longest = 0
        for pair in pairs:
            try:
                known.enter(*pair)
            except TooManyTries as error:
                longest = max(longest, error.retry_seconds or 0)
                clock.now += error.retry_seconds or 0
                known.enter(*pair)
        assert longest == 60


def test_what_is_remembered_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(throttle, "MOST", 10)
    clock = Clock()
    known = Throttle(clock)
    for number in range(100):
        known.enter(f"name{number}" + "x" * 200, f"10.0.0.{number}")
    assert len(known._known) == 10
    clock.now += 2 * throttle.FORGET_SECONDS
    assert throttle.network("::ffff:10.0.0.1") == "10.0.0.1"
    assert throttle.network("odd") == "odd"


# --- sessions and keys ----------------------------------------------------------------------------------------------


def test_a_session_goes_on_while_it_is_used_but_not_for_ever(db: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    now = [time.time()]
    monkeypatch.setattr(time, "time", lambda: now[0])
    known = Sessions(db, "token", days=30)
    key, lazy = known.begin("ann"), known.begin("ann")
    day = 86_400.0
    for passed in range(1, 90):
        now[0] += day
        row = known.find(key)
        assert row is not None, passed
        assert known.use(row, now[0])
        if passed % 10 == 0:
            with db.write() as c:
                known.flush(c)
            known.reload()
        assert (known.find(lazy) is None) == (passed >= 30)
    now[0] += day
    assert known.find(key) is None
    assert Sessions(db, "token", days=30).find(key) is None


def test_an_ended_session_does_not_come_back_by_being_used(db: Database) -> None:
    known = Sessions(db, "token")
    key = known.begin("ann")
    row = known.find(key)
    assert row is not None
    known.end(key)
    known.use(row, time.time() + 1000)
    with db.write() as c:
        known.flush(c)
    known.reload()
    assert known.find(key) is None


def _keys(db: Database, *names: str) -> Keys:
    with db.write() as c:
        team.switch(c, True, time.time())
        for name in names:
            users.add(c, name, Role.USER, SignInSource.PASSWORD, time.time())
    return Keys(db, "the server's token", "owner")


def test_tokens_and_their_use_are_known_without_the_database(db: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    keys = _keys(db, "ann")
    _, made = keys.issue("ann", "laptop", TokenScope.READ, time.time() + 3600)
    found = keys.by_token(made, "10.0.0.1")
    assert found is not None
    assert (found.name, found.via, found.scope, found.team) == ("ann", "token laptop", TokenScope.READ, True)
    assert keys.by_token(digest(made), "") is None
    keys.flush()
    with db.read() as c:
        assert users.get(c, "ann").seen_at is not None
    later = time.time() + 3601
    monkeypatch.setattr(time, "time", lambda: later)
    assert keys.by_token(made, "") is None


def test_nobody_is_let_in_by_what_may_be_outdated(db: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    keys = _keys(db, "ann")

    def fail() -> None:
        raise RuntimeError("the database is away")

    monkeypatch.setattr(keys.sessions, "reload", fail)
    with pytest.raises(RuntimeError):
        keys.reload()
    assert keys.stale  # the wall reloads before it lets anybody in
    with pytest.raises(RuntimeError):
        keys.refresh()
    assert keys.stale
    monkeypatch.undo()
    keys.refresh()
    assert not keys.stale


def test_the_server_and_the_owner(db: Database) -> None:
    keys = _keys(db)
    assert (server := keys.by_token("the server's token", "")) is not None
    assert (server.name, server.role, server.via) == ("server", Role.ADMIN, "server")
    with db.write() as c:
        team.switch(c, False, time.time())
    keys.reload()
    assert (owner := keys.by_token("the server's token", "")) is not None
    assert (owner.name, owner.team) == ("owner", False)


# --- joining --------------------------------------------------------------------------------------------------------


def _who(name: str = "carol", *, subject: str = "", groups: tuple[str, ...] = (), unix: str | None = None) -> Identity:
    return Identity(LDAP, subject or f"uid={name}", name, "Carol C.", "c@example.org", unix, groups)


def test_who_is_not_listed_may_not_join(db: Database) -> None:
    with pytest.raises(NotAllowed), db.write() as c:
        account_of(c, _who(), TeamSettings(), None, BY)
    with db.write() as c:
        assert users.count(c) == 0


@pytest.mark.parametrize(
    ("rules", "role"),
    [
        (TeamSettings(join="open"), Role.USER),
        (TeamSettings(join_groups=["vision"]), Role.USER),
        (TeamSettings(admins=["carol"]), Role.ADMIN),
    ],
)
def test_who_may_join_gets_an_account_once(db: Database, rules: TeamSettings, role: Role) -> None:
    for _ in range(2):
        with db.write() as c:
            found = account_of(c, _who(groups=("vision",), unix="carol"), rules, None, BY)
    assert (found.name, found.role, found.source, found.unix_name) == ("carol", role, LDAP, "carol")
    with db.read() as c:
        assert users.count(c) == 1
        assert groups.by_user(c)["carol"] == ["vision"]
        assert groups.get(c, "vision").source == "ldap"


def test_an_account_belongs_to_a_subject_not_to_a_name(db: Database) -> None:
    rules = TeamSettings(join="open")
    with db.write() as c:
        users.add(c, "alice", Role.ADMIN, SignInSource.PASSWORD, 1.0)
        account_of(c, _who("carol"), rules, None, BY)
        assert account_of(c, _who("carla", subject="uid=carol"), rules, None, BY).name == "carol"  # renamed there
    for who in (_who("alice"), _who("carol", subject="uid=another"), _who(""), _who("server"), _who("engine")):
        with pytest.raises(Conflict), db.write() as c:
            account_of(c, who, rules, None, BY)


def test_nobody_takes_the_jobs_of_somebody_else_with_their_name(db: Database) -> None:
    add_job(db, owner="former")
    with pytest.raises(Conflict), db.write() as c:
        account_of(c, _who("former"), TeamSettings(join="open"), None, BY)


def test_an_account_that_an_admin_listed_is_taken_once_and_an_inactive_one_never(db: Database) -> None:
    with db.write() as c:
        users.add(c, "carol", Role.GUEST, LDAP, 1.0, full_name="Carol of us")
        found = account_of(c, _who(), TeamSettings(), None, BY)
        assert (found.role, found.subject, found.full_name, found.email) == (
            Role.GUEST,
            "uid=carol",
            "Carol of us",
            "c@example.org",
        )
    with pytest.raises((NotAllowed, Conflict)), db.write() as c:
        account_of(c, _who(subject="uid=other"), TeamSettings(), None, BY)
    with db.write() as c:
        users.change(c, "carol", active=False)
    with pytest.raises(NotAllowed), db.write() as c:
        account_of(c, _who(), TeamSettings(join="open"), None, BY)


def test_an_invitation_lets_one_person_of_a_directory_in(db: Database) -> None:
    code, now = digest("code"), time.time()
    with db.write() as c:
        groups.add(c, "vision", now)
        invites.add(c, InviteRow(code, "i1", invites.INVITE, None, Role.GUEST, ["vision"], "", "ann", now, now + 60))
        assert account_of(c, _who(), TeamSettings(), code, BY).role is Role.GUEST
        assert groups.by_user(c)["carol"] == ["vision"]
    with pytest.raises(NotFound), db.write() as c:
        account_of(c, _who("dave"), TeamSettings(), code, BY)


def test_groups_of_a_directory_are_mirrored_and_never_those_made_here(db: Database) -> None:
    rules = TeamSettings(join="open")
    with db.write() as c:
        groups.add(c, "admins", 1.0)
        account_of(c, _who(groups=("vision", "admins", "speech")), rules, None, BY)
        assert groups.by_user(c)["carol"] == ["speech", "vision"]
        groups.join(c, "carol", ["admins"])
        account_of(c, _who(groups=("speech",)), rules, None, BY)
        assert groups.by_user(c)["carol"] == ["admins", "speech"]


def test_an_admin_changes_the_groups_made_here_and_a_directory_its_own(
    db: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    rules = TeamSettings(join="open")
    with db.write() as c:
        groups.add(c, "local", 1.0)
        account_of(c, _who(groups=("vision",)), rules, None, BY)
        groups.set_of_user(c, "carol", ["local", "vision"])
        assert groups.by_user(c)["carol"] == ["local", "vision"]
        groups.set_of_user(c, "carol", [])
        assert groups.by_user(c)["carol"] == ["vision"]
        account_of(c, _who(groups=("speech", "vision")), rules, None, BY)
        users.add(c, "dave", Role.USER, LDAP, 1.0)
        groups.join(c, "dave", ["speech"])  # by an invitation, before the directory does the same
        account_of(c, _who("dave", groups=("speech",)), rules, None, BY)
        assert groups.by_user(c)["dave"] == ["speech"]
        monkeypatch.setattr(groups, "MOST", 4)
        account_of(c, _who(groups=("a1", "a2", "vision")), rules, None, BY)
        assert groups.by_user(c)["carol"] == ["a1", "vision"]
    for wrong in ("speech", "nothing"):
        with pytest.raises((Conflict, NotFound)), db.write() as c:
            groups.set_of_user(c, "carol", [wrong])


def test_a_unix_account_belongs_to_one_account(db: Database) -> None:
    rules = TeamSettings(join="open")
    with db.write() as c:
        account_of(c, _who("carol", unix="shared"), rules, None, BY)
        assert account_of(c, _who("dave", unix="shared"), rules, None, BY).unix_name is None
    with pytest.raises(Conflict), db.write() as c:
        users.change(c, "dave", unix_name="shared")


def test_a_home_of_one_person_knows_no_accounts(tmp_path: Path) -> None:
    db = Database(f"sqlite:///{tmp_path / 'x.db'}")
    db.migrate()
    keys = Keys(db, "token", "ann")
    assert (keys.on, keys.by_token(f"pdk_{'a' * 8}_{'A' * 43}", "")) == (False, None)
    key = keys.sessions.begin()
    found = keys.by_session(key, "")
    assert found is not None
    assert (found.name, found.role, found.team, found.via) == ("ann", Role.ADMIN, False, "session")
    assert keys.by_session(keys.sessions.begin("ann"), "") is None  # of an account, from a time as a team
    db.close()
