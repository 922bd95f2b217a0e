"""Test the file of logins: private, several servers, one default."""

import stat
from pathlib import Path

import pytest

from paddock.client import logins
from paddock.client.logins import Login, Logins
from paddock.errors import NotAuthorised

LAB = Login("https://lab.example", "pdk_aaaaaaaa_x", "alice")
HOME = Login("http://127.0.0.1:1/", "pdk_bbbbbbbb_y", "al")


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    return tmp_path


def test_without_a_file_there_are_none() -> None:
    assert logins.read() == Logins()
    assert logins.read().usual is None


def test_several_servers_and_a_default(folder: Path) -> None:
    logins.write(Logins().adding(LAB).adding(HOME))
    found = logins.read()
    assert found.usual is not None
    assert (found.default, found.usual.name) == ("http://127.0.0.1:1", "al")
    assert found.of("https://lab.example/") == LAB
    assert found.without("http://127.0.0.1:1").usual == LAB
    assert found.without(LAB.url).without(HOME.url) == Logins()


def test_only_the_user_can_read_it(folder: Path) -> None:
    logins.write(Logins().adding(LAB))
    file = folder / "paddock" / "logins.json"
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert stat.S_IMODE(file.parent.stat().st_mode) == 0o700
    file.chmod(0o640)
    with pytest.raises(NotAuthorised, match="chmod 600"):
        logins.read()


@pytest.mark.parametrize("content", ["", "[]", "{}", '{"servers": 3}', '{"servers": {"a": {"url": 1}}}', "\x00"])
def test_a_damaged_file_is_reported(folder: Path, content: str) -> None:
    file = folder / "paddock" / "logins.json"
    file.parent.mkdir()
    file.write_text(content)
    file.chmod(0o600)
    with pytest.raises(NotAuthorised, match="damaged"):
        logins.read()
