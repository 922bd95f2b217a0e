"""Test `paddock team install` with real accounts, and files in a folder of the test."""

import os
import pwd
import stat
import subprocess
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from paddock.agents import installation
from paddock.agents.installation import MARK, InstallChoices, PlannedCommand, PlannedFile, Reporter
from paddock.errors import Conflict, InvalidInput
from tests.support.up import Cli
from tests.team.unix_users import ROOT, _change


class Seen(Reporter):
    def __init__(self) -> None:
        self.done: list[str] = []

    def command(self, one: PlannedCommand) -> None:
        self.done.append(one.argv[0])

    def file(self, one: PlannedFile) -> None:
        self.done.append(str(one.path))

    def removed(self, path: Path) -> None:
        self.done.append(f"removed {path}")


@pytest.fixture
def chosen(tmp_path: Path) -> Iterator[InstallChoices]:
    name = f"pdkinst{os.getpid()}"
    yield InstallChoices(Path("/usr/bin/true"), user=name, group=f"{name}g", root=tmp_path)
    if installation.uid(name) is not None:
        _change("userdel", name)
        _change("groupdel", f"{name}g")


def there(chosen: InstallChoices, path: Path) -> Path:
    return chosen.root / str(path).lstrip("/")


@ROOT
def test_everything_is_set_up_once(chosen: InstallChoices) -> None:
    first, second = Seen(), Seen()
    installation.install(chosen, first)
    uid = pwd.getpwnam(chosen.user).pw_uid
    assert uid < 1000
    assert first.done[:3] == ["groupadd", "useradd", "usermod"]
    rule = there(chosen, chosen.sudoers)
    assert (stat.S_IMODE(rule.stat().st_mode), rule.stat().st_uid) == (0o440, 0)
    assert [line for line in rule.read_text().splitlines() if not line.startswith("#")] == [
        f"Defaults!{chosen.agent} !requiretty, umask=0077, umask_override",
        f'{chosen.user} ALL=(%{chosen.group}) NOPASSWD: {chosen.agent} ""',
        f'{chosen.user} ALL=(root) NOPASSWD: {chosen.warden} ""',
    ]
    assert f"uid = {uid}" in there(chosen, chosen.client_file).read_text()
    for program in (chosen.agent, chosen.warden):
        found = there(chosen, program)
        assert (stat.S_IMODE(found.stat().st_mode), found.stat().st_uid) == (0o755, 0)
        assert found.read_text().startswith("#!/usr/bin/python3 -IS\n")
        compile(found.read_text(), str(found), "exec")
    unit = there(chosen, chosen.unit).read_text()
    assert "KillMode=process" in unit
    assert "NoNewPrivileges=" not in unit
    settings = there(chosen, chosen.home / "settings.toml")
    assert (settings.stat().st_uid, stat.S_IMODE(settings.stat().st_mode)) == (uid, 0o600)
    assert stat.S_IMODE(settings.parent.stat().st_mode) == 0o700
    settings.write_text("# mine now\n")
    installation.install(chosen, second)
    assert second.done == []
    assert settings.read_text() == "# mine now\n"


@ROOT
def test_a_file_of_somebody_else_is_never_replaced(chosen: InstallChoices) -> None:
    foreign = there(chosen, chosen.sudoers)
    foreign.parent.mkdir(parents=True)
    foreign.write_text("# by the administrator\n")
    with pytest.raises(Conflict, match=r"did not write it.*Nothing was changed"):
        installation.install(chosen, Seen())
    assert installation.uid(chosen.user) is None
    installation.uninstall(chosen, Seen())
    assert foreign.read_text() == "# by the administrator\n"


@ROOT
def test_uninstall_leaves_the_home(chosen: InstallChoices) -> None:
    installation.install(chosen, Seen())
    seen = Seen()
    installation.uninstall(chosen, seen)
    assert len(seen.done) == 7
    left = [path for path in chosen.root.rglob("*") if path.is_file()]
    assert left == [there(chosen, chosen.home / "settings.toml")]
    assert not there(chosen, chosen.libexec).exists()
    installation.uninstall(chosen, again := Seen())
    assert again.done == []


@ROOT
def test_a_change_of_ours_is_written_again(chosen: InstallChoices) -> None:
    installation.install(chosen, Seen())
    installation.install(replace(chosen, url="https://lab.example"), seen := Seen())
    assert seen.done == [str(chosen.client_file)]


def test_the_rule_passes_visudo(chosen: InstallChoices, tmp_path: Path) -> None:
    file = tmp_path / "rules"
    file.write_text(installation.sudoers(chosen))
    file.chmod(0o440)
    done = subprocess.run(["/usr/sbin/visudo", "-c", "-f", str(file)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("user", "a b"), ("user", "root ALL"), ("group", "x,y"), ("group", "-x"), ("libexec", Path("/a b")),
        ("libexec", Path("relative")), ("home", Path("/a/../b")), ("libexec", Path("/a\nb")), ("url", 'http://x"\n'),
        ("program", Path("/x:y")),
    ],
)  # fmt: skip
def test_names_that_would_mean_something_else_in_a_file_are_refused(field: str, value: object) -> None:
    with pytest.raises(InvalidInput):
        InstallChoices(**{"program": Path("/usr/bin/true"), field: value})  # type: ignore[arg-type]


@ROOT
def test_a_program_that_others_can_change_is_refused(tmp_path: Path) -> None:
    installation.refuse_writable(Path("/usr/bin/true"))
    program = tmp_path / "paddock"
    program.touch(0o755)
    os.chown(program, 12345, -1)
    with pytest.raises(InvalidInput, match="act as every member"):
        installation.refuse_writable(program)


def test_a_dry_run_shows_all_and_changes_nothing(alone: Cli) -> None:
    done = alone.quick("team", "install", "--dry-run", "--user", "pdknobody", "--program", "/usr/bin/true")
    for shown in (
        "useradd --system", "groupadd", "/etc/sudoers.d/paddock", '(%paddock-users) NOPASSWD: /usr/local/libexec',
        "/etc/pam.d/paddock", "KillMode=process", "/etc/paddock/client.toml", 'run_as = "user"',
    ):  # fmt: skip
        assert shown in done.out or shown == "groupadd", shown
    assert installation.uid("pdknobody") is None
    files = alone.quick("team", "install", "--dry-run", "--program", "/usr/bin/true", "--json").json["files"]
    assert len(files) == 8
    assert all(MARK in file["text"] for file in files)
