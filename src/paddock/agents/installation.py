"""What root sets up once, so that the server can act as the members of one Unix group, and as nobody else.

`plan` changes nothing: it returns which files there shall be and which commands make the accounts. Every file has a
line with `MARK`; a file without that line is somebody else's, and is never replaced or removed.
"""

import grp
import os
import pwd
import re
import shutil
import stat
import subprocess
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from importlib import resources
from pathlib import Path

from paddock.errors import Conflict, InvalidInput

MARK = "Written by `paddock team install`"
_NAME = re.compile(r"[a-z_][a-z0-9_-]{0,30}")
_PATH = re.compile(r"/[A-Za-z0-9_./-]+")  # needs no quoting in sudoers, a unit or a TOML file
_URL = re.compile(r"https?://[A-Za-z0-9_.:\[\]-]+(/[A-Za-z0-9_./-]*)?")
_SECONDS = 60.0


@dataclass(frozen=True)
class InstallChoices:
    """What may differ from place to place. `root`: put before all paths, for tests and images of machines."""

    program: Path
    user: str = "paddock"
    group: str = "paddock-users"
    libexec: Path = Path("/usr/local/libexec/paddock")
    home: Path = Path("/var/lib/paddock")
    run: Path = Path("/run/paddock")
    url: str = "http://127.0.0.1:54322"
    admin: str | None = None  # the first admin of the team
    name: str = "paddock"  # of the files in /etc/sudoers.d, /etc/pam.d and of the unit
    root: Path = Path("/")

    def __post_init__(self) -> None:
        for field_name in ("user", "group", "name", "admin"):
            value = getattr(self, field_name)
            if value is not None and not _NAME.fullmatch(value):
                raise InvalidInput.at(field_name, f"{value!r} is not a name that Unix accepts")
        if not _URL.fullmatch(self.url):
            raise InvalidInput.at("url", f"{self.url!r} is not an address such as https://paddock.example.org")
        for field_name in ("program", "libexec", "home", "run"):
            if not _PATH.fullmatch(str(getattr(self, field_name))) or ".." in getattr(self, field_name).parts:
                raise InvalidInput.at(field_name, "give an absolute path of letters, digits and `_ . - /`")

    @property
    def agent(self) -> Path:
        return self.libexec / "paddock-agent"

    @property
    def warden(self) -> Path:
        return self.libexec / "paddock-warden"

    @property
    def door(self) -> Path:
        return self.run / "door.sock"

    @property
    def sudoers(self) -> Path:
        return Path("/etc/sudoers.d") / self.name

    @property
    def client_file(self) -> Path:
        return Path("/etc/paddock/client.toml")

    @property
    def unit(self) -> Path:
        return Path("/etc/systemd/system") / f"{self.name}.service"


@dataclass(frozen=True)
class PlannedFile:
    path: Path
    text: str
    mode: int = 0o644
    owner: str = "root"
    kept: bool = False  # written once, and then the administrator's to edit


@dataclass(frozen=True)
class PlannedCommand:
    argv: tuple[str, ...]
    why: str


@dataclass(frozen=True)
class InstallPlan:
    accounts: list[PlannedCommand]
    files: list[PlannedFile]
    after: list[PlannedCommand] = field(default_factory=list)


# --- what there shall be ----------------------------------------------------------------------------------------------


def plan(chosen: InstallChoices) -> InstallPlan:
    """Return all that is set up. Accounts that exist are left alone."""
    accounts = []
    if not _group_exists(chosen.group):
        accounts.append(PlannedCommand(("groupadd", chosen.group), "the members, whom the server may act as"))
    if uid(chosen.user) is None:
        shell = "/usr/sbin/nologin"
        named = ("useradd", "--system", "--user-group", "--home-dir", str(chosen.home), "--shell", shell, chosen.user)
        accounts.append(PlannedCommand(named, "the service account, which the server runs as"))
        accounts.append(PlannedCommand(("usermod", "-p", "*", chosen.user), "no password, but not locked"))
    accounts += _folder(chosen, chosen.home, 0o700, "the server's home")
    if not _systemd(chosen):
        accounts += _folder(chosen, chosen.run, 0o755, "the folder of the door; there is no systemd to make it")
    after = []
    if _systemd(chosen):
        after = [
            PlannedCommand(("systemctl", "daemon-reload"), "systemd reads the unit"),
            PlannedCommand(("systemctl", "enable", "--now", f"{chosen.name}.service"), "the server starts"),
        ]
    return InstallPlan(accounts, list(_files(chosen)), after)


def _folder(chosen: InstallChoices, path: Path, mode: int, why: str) -> list[PlannedCommand]:
    """Return the command that makes a folder of the service account; none if it is there as it should be."""
    place = _place(chosen, path)
    with suppress(OSError):
        found = place.lstat()
        if stat.S_ISDIR(found.st_mode) and stat.S_IMODE(found.st_mode) == mode and found.st_uid == uid(chosen.user):
            return []
    owner = ("-o", chosen.user, "-g", chosen.user)
    return [PlannedCommand(("install", "-d", "-m", f"{mode:04o}", *owner, str(place)), why)]


def _files(chosen: InstallChoices) -> Iterator[PlannedFile]:
    yield PlannedFile(chosen.agent, _program("loader.py"), 0o755)
    yield PlannedFile(chosen.warden, _program("warden.py"), 0o755)
    yield PlannedFile(chosen.sudoers, sudoers(chosen), 0o440)
    yield PlannedFile(Path("/etc/pam.d") / chosen.name, _pam(chosen))
    yield PlannedFile(chosen.client_file, _client(chosen))
    yield PlannedFile(chosen.unit, _unit(chosen))
    yield PlannedFile(Path("/etc/tmpfiles.d") / f"{chosen.name}.conf", _tmpfiles(chosen))
    yield PlannedFile(chosen.home / "settings.toml", _settings(chosen), 0o600, chosen.user, kept=True)


def sudoers(chosen: InstallChoices) -> str:
    """Return the rule: the service account may start the agent as each member of the group, and nothing else."""
    return (
        f"# {MARK}. Check changes with `visudo -c`.\n"
        f'# {chosen.user} can act as every member of the group {chosen.group}, and as nobody else. `""` forbids '
        "arguments.\n"
        f"Defaults!{chosen.agent} !requiretty, umask=0077, umask_override\n"
        f'{chosen.user} ALL=(%{chosen.group}) NOPASSWD: {chosen.agent} ""\n'
        "# A small helper with root's rights that checks passwords (PAM). Without it, all else works.\n"
        f'{chosen.user} ALL=(root) NOPASSWD: {chosen.warden} ""\n'
    )


def _program(name: str) -> str:
    text = resources.files("paddock.agents").joinpath(name).read_text()
    first, _, rest = text.partition("\n")
    if not first.startswith("#!"):
        raise InvalidInput(f"{name} of this installation is damaged: install Paddock again.")
    return f"{first}\n# {MARK}.\n{rest}"


def _pam(chosen: InstallChoices) -> str:
    folder = chosen.root / "etc/pam.d"
    if (folder / "common-auth").exists():  # Debian, Ubuntu, SUSE
        rules = "@include common-auth\n@include common-account\n"
    else:
        stack = "password-auth" if (folder / "password-auth").exists() else "system-auth"  # Red Hat; Arch
        rules = f"auth     include  {stack}\naccount  include  {stack}\n"
    return f"#%PAM-1.0\n# {MARK}: the passwords of this machine, for people who sign in to Paddock.\n{rules}"


def _client(chosen: InstallChoices) -> str:
    number = uid(chosen.user)
    shown = "# (known when the account is made)" if number is None else str(number)
    return (
        f"# {MARK}, for everybody on this machine: where its Paddock server is. Only root may write this file.\n"
        f'url = "{chosen.url}"\ndoor = "{chosen.door}"\nuid = {shown}\n'
    )


def _unit(chosen: InstallChoices) -> str:
    return f"""# {MARK}.
[Unit]
Description=Paddock, which runs trainings
After=network-online.target remote-fs.target nss-user-lookup.target
Wants=network-online.target

[Service]
User={chosen.user}
Group={chosen.user}
Environment=PADDOCK_HOME={chosen.home}
ExecStart={chosen.program} up
RuntimeDirectory={chosen.run.name}
RuntimeDirectoryMode=0755
UMask=0077
Restart=on-failure
# Tasks go on while the server restarts: only the server itself is ended.
KillMode=process
# Not NoNewPrivileges: the server acts as people through sudo.
ProtectSystem=full

[Install]
WantedBy=multi-user.target
"""


def _tmpfiles(chosen: InstallChoices) -> str:
    return f"# {MARK}: the folder of the door, also when the server is started by hand.\n" + (
        f"d {chosen.run} 0755 {chosen.user} {chosen.user} -\n"
    )


def _settings(chosen: InstallChoices) -> str:
    return f"""# {MARK}, once: this file is yours to change. `paddock settings` lists all settings.
# The first admin, whom `paddock team on` makes an account for:
{"" if chosen.admin else "# "}owner = "{chosen.admin or "alice"}"

# Behind a proxy that speaks HTTPS, or with tls_certificate and tls_key, give the address that people open:
# public_url = "https://paddock.example.org"

[team]
run_as = "user"
group = "{chosen.group}"
agent = ["sudo", "-n", "-u", "{{user}}", "{chosen.agent}"]
warden = ["sudo", "-n", "{chosen.warden}"]
door = "{chosen.door}"

# To let people sign in with the passwords of this machine:
# [login.pam]
# service = "{chosen.name}"
"""


# --- doing it ---------------------------------------------------------------------------------------------------------


def install(chosen: InstallChoices, report: "Reporter") -> None:
    """Set everything up, and report each change. May be repeated: what is right already is left alone."""
    _refuse_foreign(chosen)
    refuse_writable(chosen.program)
    made = plan(chosen)
    for command in made.accounts:
        _run(command.argv)
        report.command(command)
    made = plan(chosen)  # the number of the service account is known now
    for one in made.files:
        if _write(chosen, one):
            report.file(one)
    for command in made.after:
        _run(command.argv)
        report.command(command)


def uninstall(chosen: InstallChoices, report: "Reporter") -> None:
    """Remove the files; the accounts and the server's home stay, as jobs may lie there."""
    if _systemd(chosen) and _ours(chosen, chosen.unit):
        stop = PlannedCommand(("systemctl", "disable", "--now", f"{chosen.name}.service"), "the server ends")
        _run(stop.argv)
        report.command(stop)
    for one in _files_to_remove(chosen):
        _place(chosen, one).unlink()
        report.removed(one)
    for folder in (chosen.libexec, chosen.client_file.parent):
        with suppress(OSError):  # somebody else has files there
            _place(chosen, folder).rmdir()


def _files_to_remove(chosen: InstallChoices) -> list[Path]:
    return [one.path for one in _files(chosen) if not one.kept and _ours(chosen, one.path)]


class Reporter:
    """Takes what is done; this one keeps it to itself."""

    def command(self, one: PlannedCommand) -> None: ...
    def file(self, one: PlannedFile) -> None: ...
    def removed(self, path: Path) -> None: ...


def _place(chosen: InstallChoices, path: Path) -> Path:
    return chosen.root / str(path).lstrip("/")


def _ours(chosen: InstallChoices, path: Path) -> bool:
    """Return True if the file is there and we wrote it."""
    try:
        return MARK in _place(chosen, path).read_text(errors="replace")[:4000]
    except (FileNotFoundError, NotADirectoryError):
        return False


def _refuse_foreign(chosen: InstallChoices) -> None:
    """Raise Conflict, before anything is changed, if a file is there that we did not write."""
    for one in _files(chosen):
        place = _place(chosen, one.path)
        if one.kept or not os.path.lexists(place):
            continue
        if place.is_symlink() or not place.is_file() or not _ours(chosen, one.path):
            raise Conflict(
                f"{place} is there, and `paddock team install` did not write it: look what it is, and move it away. "
                "Nothing was changed."
            )


def refuse_writable(program: Path) -> None:
    """Raise InvalidInput if others than root can change the program that the service account runs."""
    for path in dict.fromkeys((*_chain(program), *_chain(program.resolve()))):
        try:
            found = path.lstat()
        except OSError as error:
            raise InvalidInput(f"{path} cannot be looked at ({error.strerror}): give --program.") from None
        sticky = stat.S_ISDIR(found.st_mode) and found.st_mode & stat.S_ISVTX
        open_to_others = found.st_mode & 0o022 and not stat.S_ISLNK(found.st_mode) and not sticky
        if found.st_uid != 0 or open_to_others:
            raise InvalidInput(
                f"Others than root can change {path}, so they could act as every member of the group. Install Paddock "
                "as root, such as with `python3 -m venv /opt/paddock && /opt/paddock/bin/pip install paddock`, and run "
                "`/opt/paddock/bin/paddock team install`; or name such a program with --program."
            )


def _chain(path: Path) -> Sequence[Path]:
    return (path, *path.parents)


def _write(chosen: InstallChoices, one: PlannedFile) -> bool:
    """Write a file unless it is right already; return True if it was written."""
    place = _place(chosen, one.path)
    if one.kept and os.path.lexists(place):
        return False
    owner = pwd.getpwnam(one.owner)
    same = place.exists() and place.read_text() == one.text
    if same and stat.S_IMODE(place.stat().st_mode) == one.mode and place.stat().st_uid == owner.pw_uid:
        return False
    place.parent.mkdir(parents=True, exist_ok=True, mode=0o755)
    descriptor, name = tempfile.mkstemp(prefix=f".{place.name}.", dir=place.parent)
    try:
        with os.fdopen(descriptor, "w") as file:
            file.write(one.text)
            # By descriptor: in its own home, the service account could put a link to another file there meanwhile.
            os.fchown(file.fileno(), owner.pw_uid, owner.pw_gid)
            os.fchmod(file.fileno(), one.mode)
        if one.path == chosen.sudoers:
            _run(("visudo", "-c", "-q", "-f", name))  # a wrong file in sudoers.d would lock everybody out of sudo
        Path(name).replace(place)
    finally:
        Path(name).unlink(missing_ok=True)
    return True


def _run(argv: Sequence[str]) -> None:
    program = shutil.which(argv[0], path=f"{os.environ.get('PATH', '')}:/usr/sbin:/sbin")
    if program is None:
        raise InvalidInput(f"{argv[0]} is not installed here: install it, and run this command again.")
    until = time.monotonic() + _SECONDS
    while True:
        done = subprocess.run(
            [program, *argv[1:]],
            capture_output=True,
            text=True,
            timeout=_SECONDS,
            stdin=subprocess.DEVNULL,
            check=False,
        )
        if "try again later" not in done.stderr or time.monotonic() > until:  # somebody else changes accounts just now
            break
        time.sleep(0.2)
    if done.returncode:
        said = (done.stderr or done.stdout).strip() or f"code {done.returncode}"
        raise Conflict(f"`{' '.join(argv)}` failed: {said}")


def uid(user: str) -> int | None:
    """Return the number of a user of this machine; None if there is none."""
    try:
        return pwd.getpwnam(user).pw_uid
    except KeyError:
        return None


def _group_exists(group: str) -> bool:
    try:
        grp.getgrnam(group)
    except KeyError:
        return False
    return True


def _systemd(chosen: InstallChoices) -> bool:
    return chosen.root == Path("/") and Path("/run/systemd/system").is_dir()
