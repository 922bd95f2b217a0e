"""Test that a home that somebody else owns or can write is not used: it names programs to run."""

import os
from pathlib import Path

import pytest

from paddock import settings
from paddock.errors import NotAuthorised
from paddock.paths import Home
from tests.support.up import Cli

SOMEBODY = 54_321


@pytest.fixture
def give_away(monkeypatch: pytest.MonkeyPatch) -> "GiveAway":
    return GiveAway(monkeypatch)


class GiveAway:
    """Makes a file another user's. Without the right to do so, we become another user as far as Paddock can see."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self._monkeypatch = monkeypatch

    def __call__(self, path: Path) -> None:
        if os.geteuid() == 0:
            os.chown(path, SOMEBODY, -1)
        else:
            self._monkeypatch.setattr(os, "geteuid", lambda: SOMEBODY)


WRONG = ["settings.toml", "token", "hosting.json", "local", "local/x.json", "runners", "runners/a.pyz", "paddock.db"]


@pytest.fixture
def whole(home: Home) -> Home:
    """With one of everything."""
    for name in WRONG:
        path = home.root / name
        if not path.exists():
            path.touch(mode=0o600)
    home.refuse_foreign()
    return home


@pytest.mark.parametrize("name", WRONG)
def test_what_somebody_else_owns(whole: Home, name: str, give_away: GiveAway) -> None:
    give_away(whole.root / name)
    with pytest.raises(NotAuthorised, match=f"user {SOMEBODY}"):
        whole.refuse_foreign()


@pytest.mark.parametrize("name", WRONG)
def test_what_others_can_write(whole: Home, name: str) -> None:
    (whole.root / name).chmod(0o707)
    with pytest.raises(NotAuthorised, match=f"chmod go-w {whole.root / name}"):
        whole.refuse_foreign()


def test_what_a_group_can_write_counts_where_the_group_gets_in(whole: Home) -> None:
    (whole.root / "settings.toml").chmod(0o660)  # as an editor leaves it where everybody has a group of his own
    whole.refuse_foreign()
    settings.load(whole.root)
    whole.root.chmod(0o710)  # as the setting `group` makes it
    with pytest.raises(NotAuthorised, match="chmod go-w"):
        settings.load(whole.root)
    (whole.root / "settings.toml").chmod(0o640)
    whole.jobs.chmod(0o750)
    whole.refuse_foreign()


@pytest.mark.parametrize("mode", [0o770, 0o720, 0o702, 0o777])
def test_a_home_in_which_others_can_write(alone: Cli, mode: int) -> None:
    alone.home.mkdir()
    alone.home.chmod(mode)
    for command in (["up", "--port", "0"], ["settings"], ["ls"]):
        said = alone.quick(*command, code=4).err
        assert said.startswith(f"error: Others can write in {alone.home}: ")
        assert f"chmod go-w {alone.home}" in said


def test_a_planted_interpreter_is_not_used(alone: Cli) -> None:
    alone.home.mkdir(mode=0o700)
    (alone.home / "settings.toml").write_text('python = "/tmp/evil"\n')
    (alone.home / "settings.toml").chmod(0o666)
    for command in (["up", "--port", "0"], ["settings"]):
        said = alone.quick(*command, code=4).err
        assert f"Others can write {alone.home / 'settings.toml'}" in said
    found = alone.quick("doctor", "--json", code=1).json
    assert "chmod go-w" in next(one for one in found if one["name"] == "settings")["detail"]


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a folder away")
def test_commands_with_a_home_of_another_user(alone: Cli) -> None:
    alone.home.mkdir(mode=0o700)
    os.chown(alone.home, SOMEBODY, -1)
    for command in (["up", "--port", "0"], ["settings"], ["ls"], ["show", "k3v"], ["token"], ["down"]):
        said = alone.quick(*command, code=4).err
        assert said.count("\n") == 1
        assert said.startswith(f"error: {alone.home} belongs to user {SOMEBODY}, and you are root: ")


def test_a_home_that_cannot_be_made(alone: Cli) -> None:
    alone.home.write_text("a file")
    assert "cannot be made" in alone.quick("up", "--port", "0", code=2).err


class TestToken:
    @pytest.mark.parametrize("text", ["x", "a" * 23, "\n", "\0" * 3])
    def test_one_that_is_too_short_is_replaced(self, home: Home, text: str, caplog: pytest.LogCaptureFixture) -> None:
        home.token.write_text(text)
        home.token.chmod(0o600)
        assert len(home.ensure_token()) >= 32
        assert home.ensure_token() == home.read_token()
        assert ("shorter than 24" in caplog.text) == bool(text.strip())

    def test_one_that_others_could_read_is_replaced(self, home: Home, caplog: pytest.LogCaptureFixture) -> None:
        home.token.write_text("a" * 32)
        home.token.chmod(0o644)
        assert home.ensure_token() != "a" * 32
        assert home.token.stat().st_mode & 0o777 == 0o600
        assert "could be read by others: it is replaced" in caplog.text

    def test_what_is_no_file_or_no_text(self, home: Home) -> None:
        os.mkfifo(home.token)
        assert home.read_token() is None
        assert len(home.ensure_token()) >= 32
        home.token.write_bytes(b"\xff\xfe" * 20)
        assert len(home.ensure_token()) >= 32
