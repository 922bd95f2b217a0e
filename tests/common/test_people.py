"""Test who is logged in."""

import os
from pathlib import Path

import pytest

from paddock.common import people as module
from paddock.common.people import people

GONE = 2**22 + 7  # larger than any id of a process


def record(kind: int, pid: int, line: bytes, user: bytes, since: int) -> bytes:
    return module._RECORD.pack(kind, pid, line, b"ts/0", user, b"somewhere", 0, 0, 5, since, 0, b"")


@pytest.fixture(autouse=True)
def places(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "UTMP", str(tmp_path / "utmp"))
    monkeypatch.setattr(module, "SESSIONS", str(tmp_path / "sessions"))


def test_people_of_utmp(tmp_path: Path) -> None:
    me = os.getpid()
    (tmp_path / "utmp").write_bytes(
        record(2, 0, b"~", b"reboot", 1)
        + record(7, me, b"pts/0", b"alice", 1_700_000_000)
        + record(7, GONE, b"pts/1", b"gone", 1)
        + record(8, me, b"pts/2", b"left", 1)
        + record(7, me, b"pts/3", b"\x1b[2J", 1)
        + record(7, me, b"tty1", b"x" * 32, 7)
        + record(7, me, b"pts/4", b"half", 1)[:-1]
    )
    assert people() == [
        {"user": "alice", "terminal": "pts/0", "since": 1_700_000_000.0},
        {"user": "x" * 32, "terminal": "tty1", "since": 7.0},
    ]


def test_only_so_many(tmp_path: Path) -> None:
    (tmp_path / "utmp").write_bytes(record(7, os.getpid(), b"pts/0", b"alice", 1) * 10_000)
    assert len(people()) == 64


def test_people_of_systemd_where_there_is_no_utmp(tmp_path: Path) -> None:
    folder = tmp_path / "sessions"
    folder.mkdir()
    (folder / "5").write_text("UID=1000\nUSER=alice\nSTATE=active\nCLASS=user\nTTY=pts/0\nREALTIME=1700000000000000\n")
    (folder / "6").write_text("USER=bob\nSTATE=closing\nCLASS=user\n")
    (folder / "c1").write_text("USER=gdm\nSTATE=active\nCLASS=greeter\n")
    (folder / "7.ref").write_text("USER=carol\nSTATE=active\nCLASS=user\n")
    (folder / "8").write_text("nonsense")
    assert people() == [{"user": "alice", "terminal": "pts/0", "since": 1.7e9}]


def test_where_nothing_is_recorded() -> None:
    assert people() == []
