"""Test what `paddock doctor --team` finds, with real users behind a real sudo, as the service account would."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from paddock.login.team_checks import CheckedPerson, checks
from paddock.models import TeamCheck
from paddock.settings import Settings, TeamSettings
from tests.support.team import ALICE, BOB, team
from tests.support.up import Cli
from tests.team.unix_users import ROOT, UnixUsers, unix_users

pytestmark = ROOT


@pytest.fixture(scope="module")
def users() -> Iterator[UnixUsers]:
    with unix_users() as made:
        yield made


def found(users: UnixUsers, *people: CheckedPerson, **team: Any) -> dict[str, TeamCheck]:
    """Check as root, which becomes the service account to start agents."""
    given = {"run_as": "user", "group": users.group, "agent": users.through, **team}
    settings = Settings(home=Path("/nowhere"), team=TeamSettings(**given))
    return {one.name: one for one in checks(settings, people)}


def test_a_member_is_acted_as(users: UnixUsers) -> None:
    done = found(users, CheckedPerson("ann", users.alice, admin=True), CheckedPerson("ben", users.bob))
    assert done["admins"].ok
    for user in (users.alice, users.bob):
        one = done[f"acting as {user}"]
        assert one.ok, one
        assert f"{users.home(user)}/" in one.detail
    assert done["group"].ok
    assert done["Unix names"].ok
    assert not done["service account"].ok  # this test is root


def test_what_is_missing_is_named_with_the_line_to_run(users: UnixUsers) -> None:
    done = found(
        users,
        CheckedPerson("carol", users.stranger),
        CheckedPerson("dave", None),
        CheckedPerson("eve", "nosuchuser"),
        CheckedPerson("rita", "root"),
    )
    assert not done["admins"].ok
    assert done["group"].run == f"sudo usermod -aG {users.group} {users.stranger}"
    assert "dave" in done["Unix names"].detail
    one = done[f"acting as {users.stranger}"]
    assert (one.ok, one.run) == (False, f"sudo usermod -aG {users.group} {users.stranger}")
    assert "no user nosuchuser" in done["acting as nosuchuser"].detail
    assert "an account of the system" in done["acting as root"].detail


def test_no_group_and_no_rule(users: UnixUsers) -> None:
    nothing = ["sudo", "-n", "-u", users.stranger, "sudo", "-n", "-u", "{user}", str(users.loader)]
    done = found(users, CheckedPerson("ann", users.alice, admin=True), group="pdknosuchgroup", agent=nothing)
    assert "there is no Unix group" in done["group"].detail
    assert not done[f"acting as {users.alice}"].ok
    assert done["sudo rule"].run == "sudo paddock team install"


def test_the_address_the_door_and_the_warden() -> None:
    plain: dict[str, Any] = {"home": Path("/nowhere"), "host": "0.0.0.0"}
    given = Settings(**plain, team=TeamSettings(door=Path("/nowhere/door")), login={"pam": {"service": "pdknone"}})
    done = {one.name: one for one in checks(given, [CheckedPerson("ann", None, admin=True)])}
    assert {name for name, one in done.items() if not one.ok} == {"address", "door", "passwords (PAM)"}
    assert done["tasks"].ok
    assert "pdknone" in done["passwords (PAM)"].detail
    for better in ({"public_url": "https://lab.example"}, {"host": "127.0.0.1"}):
        assert next(one for one in checks(Settings(**plain | better), []) if one.name == "address").ok


def test_doctor_as_a_person_sees_it(users: UnixUsers, tmp_path: Path) -> None:
    run = {"run_as": "user", "group": users.group}
    settings = {f"team__{name}": value for name, value in run.items()}
    agent = str(users.through).replace("'", '"')
    with team(tmp_path / "home", team__agent=agent, **settings) as made:
        made.clients["server"].patch(f"/accounts/{ALICE}", json={"unix_name": users.alice})
        cli = Cli(made.server.home.root, tmp_path)
        shown = {one["name"]: one for one in cli.quick("doctor", "--team", "--json", code=1).json}
        assert shown[f"acting as {users.alice}"]["status"] == "ok"
        assert BOB in shown["Unix names"]["detail"]
        assert shown["Unix names"]["fix"].startswith("paddock users edit ")
        assert os.listdir(users.home(users.alice) / ".paddock-jobs")
        assert made.clients[ALICE].post("/team/check").status_code == 403
