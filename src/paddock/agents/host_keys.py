"""The keys of hosts: what a host answers with, and what ssh knows of it already."""

import base64
import binascii
import hashlib
import re
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Literal

from paddock.agents.host_links import known_hosts, ssh_argv
from paddock.common import files
from paddock.errors import Conflict, InvalidInput
from paddock.models.hosts import HostKey
from paddock.settings import HostsSettings

SECONDS = 10.0
_LINE = re.compile(r"(?P<name>\S{1,300}) (?P<kind>[a-z0-9@.-]{1,60}) (?P<key>[A-Za-z0-9+/=]{20,1600})")


def scan(settings: HostsSettings, home: Path, host: str) -> list[HostKey]:
    """Return the keys that a host answers with, for a person to compare. Raise Conflict if it does not answer."""
    about = _configured(settings, home, host)
    name = _known_as(about)
    if about.get("proxyjump", "none") != "none" or about.get("proxycommand", "none") != "none":
        raise Conflict(
            f"{host} is reached through another machine, so its key cannot be asked for from here: connect once with "
            f"`ssh {host}` as the server's user, compare the fingerprint there, and add it again."
        )
    argv = ["ssh-keyscan", "-T", "5", "-p", about["port"], "--", about["hostname"]]
    lines = [line for line in _output(argv).splitlines() if _LINE.fullmatch(line)]
    if not lines:
        raise Conflict(f"{host} ({about['hostname']}, port {about['port']}) does not answer as an ssh server.")
    known = _known(settings, home, about, name)
    return [_host_key(host, " ".join([name, *line.split()[1:]]), known) for line in sorted(lines)]


def known(settings: HostsSettings, home: Path, host: str) -> bool:
    """Return True if ssh knows a key of the host already."""
    about = _configured(settings, home, host)
    return bool(_known(settings, home, about, _known_as(about)))


def remember(settings: HostsSettings, home: Path, hosts: Sequence[str], lines: Sequence[str]) -> None:
    """Have ssh know these keys from now on. Raise InvalidInput for a line that is not a key of one of the hosts."""
    names = {_known_as(_configured(settings, home, host)) for host in hosts}
    for line in lines:
        found = _LINE.fullmatch(line)
        if found is None or found["name"] not in names:
            raise InvalidInput.at("keys", f"{line[:80]!r} is not a key of {', '.join(hosts)}")
    path = known_hosts(home)
    kept = set(path.read_text().splitlines()) if path.exists() else set()
    new = [line for line in dict.fromkeys(lines) if line not in kept]
    if new:
        text = "".join(f"{line}\n" for line in new)
        files.append_plain(str(path), text.encode(), below=str(home), mode=0o600)


def fingerprint(key: str) -> str:
    """Return the fingerprint of a key in base64, as `ssh-keygen -l` prints it."""
    digest = hashlib.sha256(base64.b64decode(key)).digest()
    return "SHA256:" + base64.b64encode(digest).decode().rstrip("=")


def _host_key(host: str, line: str, known: Mapping[str, set[str]]) -> HostKey:
    _, kind, key = line.split()
    state: Literal["no", "yes", "other"] = "yes" if key in known.get(kind, ()) else "other" if kind in known else "no"
    try:
        shown = fingerprint(key)
    except binascii.Error:
        raise Conflict(f"{host} answered with a key that is none.") from None
    return HostKey(host=host, line=line, kind=kind, fingerprint=shown, known=state)


def _configured(settings: HostsSettings, home: Path, host: str) -> dict[str, str]:
    """Return what ssh would do to reach a host, by its configuration."""
    found: dict[str, str] = {}
    for line in _output([*ssh_argv(settings, home), "-G", "--", host]).splitlines():
        name, _, value = line.partition(" ")
        found.setdefault(name, value)
    if "hostname" not in found or not found.get("port", "").isdigit():
        raise Conflict(f"`{' '.join(settings.ssh)} -G {host}` does not say how the host is reached.")
    return found


def _known_as(about: Mapping[str, str]) -> str:
    """Return the name by which known_hosts has a host."""
    alias = about.get("hostkeyalias", "none")
    if alias != "none":
        return alias
    return about["hostname"] if about["port"] == "22" else f"[{about['hostname']}]:{about['port']}"


def _known(settings: HostsSettings, home: Path, about: Mapping[str, str], name: str) -> dict[str, set[str]]:
    """Return the keys that ssh knows of a host, by their kind."""
    given = f"{about.get('userknownhostsfile', '')} {about.get('globalknownhostsfile', '')}".replace('"', "").split()
    found: dict[str, set[str]] = {}
    for file in dict.fromkeys([str(known_hosts(home)), *given]):
        path = Path(file).expanduser()
        if path.is_file():
            for line in _output(["ssh-keygen", "-F", name, "-f", str(path)]).splitlines():
                parts = line.split()
                if not line.startswith(("#", "@")) and len(parts) >= 3:
                    found.setdefault(parts[1], set()).add(parts[2])
    return found


def _output(argv: Sequence[str]) -> str:
    """Return what a command prints; its exit code says nothing that its output does not."""
    try:
        done = subprocess.run(
            argv, capture_output=True, text=True, errors="replace", timeout=SECONDS, check=False, cwd="/",
            stdin=subprocess.DEVNULL,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        return ""
    except OSError as error:
        raise Conflict(f"{argv[0]} cannot be started ({error.strerror}): install OpenSSH's client programs.") from None
    return done.stdout
