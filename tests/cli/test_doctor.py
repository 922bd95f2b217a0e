"""`paddock doctor` finds what is wrong, and says how to mend it."""

from pathlib import Path
from typing import Any

from paddock.cli.checks import file_system_of
from tests.support.up import Cli


def findings(done: Any) -> dict[str, Any]:
    return {finding["name"]: finding for finding in done.json}


def test_all_is_well(cli: Cli) -> None:
    done = cli("doctor", "--json")
    assert {finding["status"] for finding in done.json} == {"ok"}
    assert set(findings(done)) == {
        "python", "settings", "home", "disk", "token", "database", "file system", "runner", "gpus", "clock", "server",
    }  # fmt: skip
    assert "runner" in cli("doctor").out
    assert cli("doctor", "--quiet").out.strip() == ""


def test_before_the_first_start(alone: Cli) -> None:
    found = findings(alone("doctor", "--json"))
    assert found["server"]["status"] == "warn"
    assert found["server"]["fix"] == "paddock up"
    assert not alone.home.exists()


def test_what_is_wrong_is_found(alone: Cli) -> None:
    alone.home.mkdir(mode=0o755)
    alone.home.chmod(0o755)
    (alone.home / "token").write_text("x")
    (alone.home / "token").chmod(0o644)
    (alone.home / "paddock.db").write_text("this is no database, whatever its name may say")
    (alone.home / "server.json").write_text('{"url": "http://127.0.0.1:1", "pid": 999999999, "version": "0"}')
    (alone.home / "settings.toml").write_text("[local]\npython = '/nowhere/python'\n")
    found = findings(alone("doctor", "--json", code=1))
    assert {name: one["status"] for name, one in found.items() if one["status"] != "ok"} == {
        "home": "warn",
        "token": "error",
        "database": "error",
        "runner": "error",
        "server": "warn",
    }
    assert found["token"]["fix"].startswith("chmod 600")
    assert all(one["fix"] for one in found.values() if one["status"] != "ok")
    assert "chmod 600" in " ".join(alone("doctor", code=1).out.split())


def test_wrong_settings_do_not_stop_the_other_checks(alone: Cli) -> None:
    alone.home.mkdir(mode=0o700)
    (alone.home / "settings.toml").write_text("nonsense = 1\n")
    found = findings(alone("doctor", "--json", code=1))
    assert found["settings"]["status"] == "error"
    assert found["runner"]["status"] == "ok"


def test_a_wrong_token_is_found(cli: Cli) -> None:
    found = findings(cli("doctor", "--json", code=1, PADDOCK_TOKEN="wrong"))
    assert found["server"]["status"] == "error"


def test_the_file_system_of_a_path(tmp_path: Path) -> None:
    mounts = tmp_path / "mounts"
    mounts.write_text(f"a / ext4 rw 0 0\nb {tmp_path} nfs4 rw 0 0\nshort\n")
    assert file_system_of(tmp_path / "x", mounts) == "nfs4"
    assert file_system_of(Path("/"), mounts) == "ext4"
    assert file_system_of(Path("/"), tmp_path / "nope") is None
