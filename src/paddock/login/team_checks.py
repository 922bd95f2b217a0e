"""What a team needs of this machine, tried line by line: for `paddock doctor --team`, and for the page that begins it.

The server runs these checks itself, as the service account, so that what is tried is what jobs will use.
"""

import grp
import json
import os
import pwd
import subprocess
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from paddock.agents.links import Links
from paddock.errors import PaddockError, SignInUnavailable
from paddock.home import tls
from paddock.login import door, methods
from paddock.models import TeamCheck
from paddock.settings import Settings

FIRST_UID = 1000  # below are the accounts of the system
MOST_TRIED = 50  # people whose agents are tried
AT_ONCE = 4
SECONDS = 20.0
_PAM = Path("/etc/pam.d")


@dataclass(frozen=True)
class CheckedPerson:
    """An active account that may run jobs, as far as the checks need it."""

    name: str
    unix_name: str | None
    admin: bool = False


def checks(settings: Settings, people: Sequence[CheckedPerson], links: Links | None = None) -> list[TeamCheck]:
    """Return everything that team mode needs, each with whether it is there. `links`: those of the server itself."""
    found = [
        _guarded("admins", lambda: _admins(people)),
        _guarded("address", lambda: _address(settings)),
        _guarded("door", lambda: _door(settings)),
    ]
    if settings.login.pam is not None:
        found.append(_guarded("passwords (PAM)", lambda: _pam(settings)))
    found += [_guarded(name, partial(_sign_in, probe)) for name, probe in methods.probes(settings).items()]
    if settings.team.run_as == "server":
        return [*found, _good("tasks", f"run as {_me()}, who can read all of them (team.run_as is server)")]
    rule = _guarded("sudo rule", lambda: _sudo(settings))
    found += [
        _guarded("service account", _service_account),
        rule,
        _guarded("group", lambda: _group(settings, people)),
        _guarded("Unix names", lambda: _unix_names(people)),
    ]
    return found + _agents(settings, people, links, rule)


def _good(name: str, detail: str) -> TeamCheck:
    return TeamCheck(name=name, ok=True, detail=detail)


def _bad(name: str, detail: str, run: str | None = None) -> TeamCheck:
    return TeamCheck(name=name, ok=False, detail=detail, run=run)


def _guarded(name: str, check: Callable[[], TeamCheck]) -> TeamCheck:
    try:
        return check().model_copy(update={"name": name})
    except Exception as error:  # one check that fails must not end the others
        return _bad(name, f"the check itself failed: {type(error).__name__}: {error}")


def _me() -> str:
    return door.unix_name(os.geteuid()) or f"user {os.geteuid()}"


# --- who, and where ---------------------------------------------------------------------------------------------------


def _admins(people: Sequence[CheckedPerson]) -> TeamCheck:
    admins = [one.name for one in people if one.admin]
    if not admins:
        return _bad("", "nobody is an admin", "paddock users edit NAME --role admin")
    return _good("", ", ".join(admins))


def _address(settings: Settings) -> TeamCheck:
    try:
        tls.refuse_clear_text(settings)
    except PaddockError as error:
        return _bad("", error.message)
    if settings.insecure and not (settings.tls_certificate or (settings.public_url or "").startswith("https://")):
        return _bad("", f"plain HTTP on {settings.host} (insecure): passwords can be read on the way")
    where = (
        settings.public_url or f"{'https' if settings.tls_certificate else 'http'}://{settings.host}:{settings.port}"
    )
    return _good("", where)


def _door(settings: Settings) -> TeamCheck:
    path = settings.team.door
    if path is None:
        detail = "none: on this machine, too, people sign in with a password or token (setting team.door)"
        return _good("", detail)
    if not path.is_socket():
        return _bad("", f"there is no socket at {path}: the server makes it when it starts", "paddock up")
    found = path.parent.stat()
    if found.st_uid not in (os.geteuid(), 0) or found.st_mode & 0o022:
        return _bad("", f"others can write {path.parent}, and could pose as the server", "sudo paddock team install")
    return _good("", f"{path}: people on this machine need not sign in")


def _pam(settings: Settings) -> TeamCheck:
    service = settings.login.pam.service if settings.login.pam else ""
    if not (_PAM / service).is_file():
        return _bad("", f"there is no PAM service {service!r} ({_PAM / service})", "sudo paddock team install")
    done = _run(settings.team.warden, '{"op": "hello"}\n')
    try:
        answer = json.loads(done.stdout)
    except ValueError:
        return _bad("", f"the warden does not answer: {_said(done)}", "sudo paddock team install")
    if answer.get("uid") != 0:
        return _bad("", "the warden does not run as root, and cannot check passwords", "sudo paddock team install")
    return _good("", f"the warden answers; PAM service {service}")


def _sign_in(probe: Callable[[], str]) -> TeamCheck:
    try:
        return _good("", probe())
    except SignInUnavailable as error:
        return _bad("", error.detail)


def _unix_names(people: Sequence[CheckedPerson]) -> TeamCheck:
    without = [one.name for one in people if not one.unix_name]
    if without:
        detail = f"not known for {', '.join(without)}, who cannot submit jobs"
        return _bad("", detail, f"paddock users edit {without[0]} --unix UNIX_NAME")
    return _good("", f"known for all {len(people)}")


# --- acting as people -------------------------------------------------------------------------------------------------


def _service_account() -> TeamCheck:
    if os.geteuid() == 0:
        return _bad("", "the server runs as root, which it never should", "sudo paddock team install")
    return _good("", _me())


def _sudo(settings: Settings) -> TeamCheck:
    """Compare what sudo allows with what it should allow: a rule that is missing or wider is an error."""
    agent, warden = settings.team.agent, settings.team.warden
    if Path(agent[0]).name != "sudo":
        return _good("", f"not used: the agent is started with {agent[0]}")
    done = _run([agent[0], "-n", "-l"], "")
    if done.returncode:
        return _bad("", f"sudo allows nothing: {_said(done)}", "sudo paddock team install")
    allowed = [line.strip() for line in done.stdout.splitlines() if line.startswith("    (")]
    wanted = f'(%{settings.team.group}) NOPASSWD: {agent[-1]} ""'
    may = {wanted, f'(root) NOPASSWD: {warden[-1]} ""'}
    if wanted not in allowed:
        return _bad("", f"there is no rule `{wanted}`", "sudo paddock team install")
    more = [line for line in allowed if line not in may]
    if more:
        detail = f"the service account may do more than it needs: {'; '.join(more)}"
        return _bad("", detail, "sudo visudo, and take that rule out")
    return _good("", f"{_me()} may act as every member of {settings.team.group}, and as nobody else")


def _group(settings: Settings, people: Sequence[CheckedPerson]) -> TeamCheck:
    name = settings.team.group
    try:
        found = grp.getgrnam(name)
    except KeyError:
        return _bad("", f"there is no Unix group {name}", "sudo paddock team install")
    members = {*found.gr_mem, *(one.pw_name for one in pwd.getpwall() if one.pw_gid == found.gr_gid)}
    system = sorted(one for one in members if _uid(one) is not None and (_uid(one) or 0) < FIRST_UID)
    if system:
        return _bad("", f"{', '.join(system)} must not be in {name}", f"sudo gpasswd -d {system[0]} {name}")
    persons = [one.unix_name for one in people if one.unix_name and person(one.unix_name)]
    outside = [one for one in persons if not _in_group(one, found.gr_gid)]
    if outside:
        mend = f"for name in {' '.join(outside)}; do sudo usermod -aG {name} $name; done"
        one = f"sudo usermod -aG {name} {outside[0]}"
        return _bad("", f"{', '.join(outside)}: not in the Unix group {name}", mend if len(outside) > 1 else one)
    return _good("", f"{name}: {', '.join(sorted(members)) or 'nobody yet'}")


def person(name: str) -> str | None:
    """Return the name if it is that of a person's user on this machine."""
    return name if (_uid(name) or 0) >= FIRST_UID else None


def _uid(name: str) -> int | None:
    try:
        return pwd.getpwnam(name).pw_uid
    except KeyError:
        return None


def _in_group(name: str, gid: int) -> bool:
    try:
        return gid in os.getgrouplist(name, pwd.getpwnam(name).pw_gid)
    except KeyError:
        return False


def _agents(
    settings: Settings, people: Sequence[CheckedPerson], links: Links | None, rule: TeamCheck
) -> list[TeamCheck]:
    """Act as every person once: their agent answers as them, and can write in their folder."""
    users = [one.unix_name for one in people if one.unix_name][:MOST_TRIED]
    used = links or Links.of(settings.team)
    try:
        with ThreadPoolExecutor(AT_ONCE) as pool:
            return list(pool.map(lambda user: _agent(used, settings, user, rule), users))
    finally:
        if links is None:
            used.close()


def _agent(links: Links, settings: Settings, user: str, rule: TeamCheck) -> TeamCheck:
    def check() -> TeamCheck:
        if _uid(user) is None:
            return _bad("", f"this machine has no user {user}", "paddock users edit NAME --unix UNIX_NAME")
        if not person(user):
            detail = f"{user} is an account of the system, and nobody's tasks run as that"
            return _bad("", detail, "paddock users edit NAME --unix UNIX_NAME")
        try:
            link = links.get(user)
            about = link.hello()
            link.put(".check", b"")
            link.remove(".check")
        except PaddockError as error:
            return _bad("", error.message, _mend(settings, user, rule))
        except OSError as error:
            return _bad("", f"their folder cannot be written: {error.strerror} ({error.filename})")
        if about.user != user or about.uid != _uid(user):
            return _bad("", f"the agent runs as {about.user}, not as {user}", "sudo paddock team install")
        return _good("", f"answers; jobs lie in {about.root}; Python {about.version}")

    return _guarded(f"acting as {user}", check)


def _mend(settings: Settings, user: str, rule: TeamCheck) -> str | None:
    """Return what to run when the agent of a person does not start."""
    gid = next((one.gr_gid for one in grp.getgrall() if one.gr_name == settings.team.group), None)
    if gid is not None and not _in_group(user, gid):
        return f"sudo usermod -aG {settings.team.group} {user}"
    if not rule.ok:
        return rule.run
    return f"sudo -u {_me()} {' '.join(settings.team.agent)} < /dev/null".replace("{user}", user)


def _run(argv: Sequence[str], text: str) -> "subprocess.CompletedProcess[str]":
    try:
        return subprocess.run(
            list(argv), input=text, capture_output=True, text=True, errors="replace", timeout=SECONDS, check=False
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return subprocess.CompletedProcess(list(argv), 1, "", str(error))


def _said(done: "subprocess.CompletedProcess[str]") -> str:
    return (done.stderr or done.stdout).strip().replace("\n", "; ")[:300] or f"code {done.returncode}"
