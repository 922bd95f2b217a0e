"""Test the commands of rules and quotas, as an admin and as a user of a real server with accounts."""

from collections.abc import Iterator

import pytest

from paddock.client.client import Client
from paddock.models.access import AccessWindow, window_of
from paddock.server.store.db import Database
from tests.support.reservations import add_devices
from tests.support.team import ADMIN, ALICE, Team, team
from tests.support.up import Cli, Done


class Desk:
    """Calls `paddock` as somebody of a team whose host gpu1 has two GPUs."""

    def __init__(self, lab: Team, cli: Cli) -> None:
        self.lab, self._cli = lab, cli

    def token(self, who: str) -> str:
        return self.lab.clients[who].headers["Authorization"].removeprefix("Bearer ")

    def __call__(self, *arguments: str, who: str = ADMIN, code: int | None = 0) -> Done:
        own = {"PADDOCK_HOME": "", "PADDOCK_URL": self.lab.url, "PADDOCK_TOKEN": self.token(who)}
        return self._cli.quick(*arguments, code=code, **own)


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Desk]:
    folder = tmp_path_factory.mktemp("rules")
    with team(folder / "home") as lab:
        db = Database(f"sqlite:///{lab.server.home.root / 'paddock.db'}")
        add_devices(db, ["gpu1"], 2, backend="other")
        db.close()
        assert lab.clients[ADMIN].post("/groups", json={"name": "students", "members": [ALICE]}).status_code == 201
        yield Desk(lab, Cli(folder / "nobody", folder))


def test_a_rule_from_its_making_to_its_end(desk: Desk) -> None:
    assert "There are no rules" in desk("rules", "ls").err
    hours = ("--hours", "Sun 22:00-06:00", "--zone", "Europe/Warsaw")
    made = desk("rules", "add", "deny", "Night", "-g", "students", "--gpu", "gpu1:0", "--act", "reserve", *hours)
    sentence = "Members of students may not reserve gpu1:0 Sun 22:00-06:00 Europe/Warsaw"
    assert made.out.strip().endswith(sentence)
    found = desk("rules", "try", "gpu1:0", "--at", "2031-11-09T23:00:00+01:00").out
    assert [line.split()[1] for line in found.splitlines() if line.startswith(("alice", "ann", "bob"))] == [
        "no",
        "yes",
        "yes",
    ]
    assert "no" in desk("rules", "try", "gpu1:0", "--at", "2031-11-09T23:00:00+01:00", who=ALICE).out
    assert "several GPUs" in desk("rules", "try", "gpu1", code=2).err
    assert desk("rules", "edit", "night", "--hours", "daily", "--off").out.endswith(
        "gpu1:0 every day Europe/Warsaw (off)\n"
    )
    assert "off" in desk("rules", "ls").out and "Night" not in desk("rules", "ls", who=ALICE).out
    assert "Say what to change" in desk("rules", "edit", "Night", code=2).err
    assert "Only admins" in desk("rules", "add", "deny", "Mine", who=ALICE, code=4).err
    assert desk("rules", "rm", "Night").out == "removed: Night\n"
    assert "paddock rules ls" in desk("rules", "rm", "Night", code=3).err


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["forbid", "x"], "effect: Input should be 'allow' or 'deny'"),
        (["deny", "x", "--act", "look"], "acts.0: Input should be 'reserve' or 'run'"),
        (["deny", "x", "--hours", "Mon-Fri 8:00"], "--hours: 'Mon-Fri 8:00' are no hours"),
        (["deny", "x", "--hours", "Mon", "--zone", "Mars"], "'Mars' is not a time zone"),
        (["deny", "x", "--hours", "Mon"], "--zone Europe/Warsaw"),
        (["deny", "x", "--hours", "Mon 25:00-26:00", "--zone", "UTC"], "--hours: String should match"),
        (["deny", "x", "--gpu", "gpu9:0"], "gpu9"),
        (["deny", "x", "--host", "gpu9"], "There is no host 'gpu9'"),
        (["deny", "x", "--from", "never"], "--from: 'never' is no time"),
        (["deny", ""], "name:"),
    ],
)
def test_what_cannot_be_meant_is_refused(desk: Desk, arguments: list[str], words: str) -> None:
    done = desk("rules", "add", *arguments, code=None)
    assert done.code in (2, 3) and words in done.err, done


def test_a_quota_from_its_making_to_its_end(desk: Desk) -> None:
    assert "There are no quotas" in desk("quota", "ls").err
    assert desk("quota", "set", "@students", "--gpus", "2", "--near", "12", "--longest", "8").out == (
        "@students: 2 GPUs at once, 8 h at most, of which what begins within 12 h does not count\n"
    )
    desk("quota", "set", "everyone", "--gpu-hours", "100.5", "--reservations", "0", "--ahead", "7")
    shown = desk("quota", "ls", who=ALICE)
    assert "100.5 GPU-hours a week" in shown.out and "@students" in shown.out
    assert "Left to you: 100.5 of 100.5 GPU-hours a week, 2 of 2 GPUs at once, 0 of 0 open reservations" in shown.err
    for wrong, words in (
        (["everyone"], "at least one limit"),
        (["everyone", "--near", "1", "--longest", "1"], "--near goes with --gpus"),
        (["everyone", "--gpus", "-1"], "cannot be -1"),
        (["nobody", "--gpus", "1"], "There is no account 'nobody'"),
    ):
        assert words in desk("quota", "set", *wrong, code=2).err
    assert desk("quota", "rm", "everyone").out == "everyone: removed\n"
    assert desk("quota", "rm", "@students").out == "@students: removed\n"
    assert "has no quota" in desk("quota", "rm", "everyone", code=3).err


def test_the_sdk_asks_for_hours(desk: Desk) -> None:
    with Client(desk.lab.url, token=desk.token(ALICE)) as client:
        ids = [one.id for one in client.calendar.devices() if one.host == "gpu1"]
        (found,) = client.rules.hours(ids, since="2031-11-10T00:00:00Z", until="2031-11-11T00:00:00Z")
    assert (sorted(found.devices), len(found.hours)) == (sorted(ids), 1)


@pytest.mark.parametrize(
    ("text", "window"),
    [
        ("Mon-Fri 20:00-06:00", AccessWindow(days=[0, 1, 2, 3, 4], since="20:00", until="06:00")),
        ("sat,sun", AccessWindow(days=[5, 6])),
        ("Sat-Mon 8:00-24:00", AccessWindow(days=[0, 5, 6], since="08:00")),
        ("8:00 - 20:00", AccessWindow(days=[*range(7)], since="08:00", until="20:00")),
        ("Wednesday", AccessWindow(days=[2])),
    ],
)
def test_hours_in_words(text: str, window: AccessWindow) -> None:
    assert window_of(text) == window


@pytest.mark.parametrize("text", ["", "someday", "Mon-Xyz", "8-20", "Mon 8:00", "-", "Mon,,Tue"])
def test_what_are_no_hours(text: str) -> None:
    with pytest.raises(ValueError, match="write"):
        window_of(text)
