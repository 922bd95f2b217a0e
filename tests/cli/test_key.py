"""Test the command key."""

import json
import stat

from tests.support.up import Cli


def test_the_line_for_authorized_keys(alone: Cli) -> None:
    first = alone("key").out
    assert first.startswith("restrict ssh-ed25519 AAAA")
    assert len(first.splitlines()) == 1
    found = json.loads(alone("key", "--json").out)
    assert found["line"] == first.strip()
    key = alone.home / "ssh_key"
    assert found["file"] == str(key)
    assert stat.S_IMODE(key.stat().st_mode) == 0o600
    assert not list(alone.home.glob(".key-*"))


def test_it_is_where_the_server_runs(alone: Cli) -> None:
    assert "where the server runs" in alone("--url", "http://127.0.0.1:1", "key", code=2).err


def test_a_home_of_somebody_else_gets_no_key(alone: Cli) -> None:
    alone.home.mkdir(exist_ok=True)
    alone.home.chmod(0o777)
    assert "chmod go-w" in alone("key", code=4).err
    assert not (alone.home / "ssh_key").exists()
