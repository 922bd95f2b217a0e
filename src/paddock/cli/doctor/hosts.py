"""The checks of hosts that are reached by ssh: whether they answer, and what they need to run tasks."""

import json
import secrets
import time
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from paddock.agents.answers import AgentInfo
from paddock.agents.host_links import HostLinks
from paddock.agents.link import Link
from paddock.cli.doctor.finding import Finding, Scope, error, guarded, warn, worst
from paddock.client.client import Client
from paddock.errors import AgentUnavailable, PaddockError
from paddock.paths import Home
from paddock.settings import HostsSettings, Settings

AT_ONCE = 8
SECONDS = 30.0
LATE_SECONDS = 5.0  # a clock may be wrong by this much
OLDEST = (3, 8)
_PROBE = """
import json, os, pwd, subprocess, sys, time
asked = json.load(sys.stdin)
def output(*argv):
    try:
        return subprocess.run(argv, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              timeout=10).stdout.decode("utf-8", "replace")
    except Exception as fault:
        return "failed: %s" % fault
proc = next((line for line in open("/proc/mounts") if line.split()[1] == "/proc"), "")
logind = ["busctl", "get-property", "org.freedesktop.login1", "/org/freedesktop/login1",
          "org.freedesktop.login1.Manager", "KillUserProcesses"]
user = pwd.getpwuid(os.getuid()).pw_name
print(json.dumps({
    "time": time.time(),
    "hidden": any(one in proc for one in ("hidepid=1", "hidepid=2", "hidepid=4", "hidepid=noaccess",
                                          "hidepid=invisible")),
    "kills": output(*logind).split()[:2] == ["b", "true"] and not os.path.exists("/var/lib/systemd/linger/" + user),
    "gpus": [line.split(", ")[2] for line in output("nvidia-smi", "--query-gpu=index,uuid,name,memory.total",
             "--format=csv,noheader,nounits").splitlines() if line[:1].isdigit() and line.count(", ") == 3],
    "shared": os.path.exists(asked["file"]) if asked["file"] else None,
    "sudo": output("sudo", "-n", "-l") if asked["sudo"] else "",
}))
"""


def run_all(settings: Settings | None, home: Home, url: str | None, asked: Scope) -> list[Finding]:
    """Return what was found of each host. They are asked side by side."""
    fleets = settings.fleets if settings is not None else {}
    wanted = {name: one for name, one in fleets.items() if asked.backend in (None, name)}
    if settings is None or not wanted:
        return []
    added = _added(home, url)
    found: list[Finding] = []
    for name, fleet in wanted.items():
        hosts = list(dict.fromkeys([*fleet.names, *added.get(name, [])]))
        if not hosts:
            nothing = warn("it has no hosts", "paddock hosts add NAME")
            found.append(nothing.named(f"backend {name}"))
            continue
        links = HostLinks(fleet, settings.team, home.root, server=None)
        try:
            with ThreadPoolExecutor(AT_ONCE) as pool:
                checks = [(host, _Host(host, fleet, settings, home, links.get(host))) for host in hosts]
                found += pool.map(lambda one: guarded(f"host {one[0]}", one[1].check), checks)
        finally:
            links.close()
    return found


def _added(home: Home, url: str | None) -> dict[str, list[str]]:
    """Return the hosts that were added, by backend; none if no server answers."""
    found: dict[str, list[str]] = {}
    try:
        with Client(url=url, home=str(home.root), timeout=5) as client:
            for one in client.hosts.all():
                found.setdefault(one.backend, []).append(one.name)
    except PaddockError:
        pass  # another check reports it
    return found


class _Host:
    def __init__(self, name: str, fleet: HostsSettings, settings: Settings, home: Home, link: Link) -> None:
        self._name, self._fleet, self._settings, self._home, self._link = name, fleet, settings, home, link

    def check(self) -> Finding:
        try:
            about = self._link.hello()
            probed, before, after = self._probe(about)
        except AgentUnavailable as fault:
            ssh = " ".join(self._fleet.ssh)
            return error(fault.message, f"try `{ssh} {self._name} {self._fleet.python} --version` as the server's user")
        gpus = probed["gpus"]
        kinds = sorted(set(gpus))
        good = f"answers as {about.user}, Python {about.version}, "
        good += f"GPUs: {len(gpus)} ({', '.join(kinds)})" if gpus else "no GPUs: tasks run on the CPU"
        return worst(good, [*self._python(about), *self._clock(probed, before, after), *self._rules(probed, about)])

    def _probe(self, about: AgentInfo) -> tuple[Mapping[str, Any], float, float]:
        marker = self._home.root / f"doctor-{secrets.token_hex(6)}" if self._fleet.shared_home else None
        asked = {"file": str(marker) if marker else "", "sudo": self._fleet.as_user == "sudo"}
        try:
            if marker is not None:
                marker.touch()
            before = time.time()
            argv = [about.python, "-I", "-S", "-c", _PROBE]
            done = self._link.run(argv, stdin=json.dumps(asked).encode(), seconds=SECONDS)
        finally:
            if marker is not None:
                marker.unlink(missing_ok=True)
        if done.code != 0:
            raise AgentUnavailable(f"{self._name} cannot be checked: {done.err.decode(errors='replace')[-300:]}")
        found = json.loads(done.out)
        return found, before, time.time()

    def _python(self, about: AgentInfo) -> list[Finding]:
        version = tuple(int(part) for part in about.version.split(".")[:2] if part.isdigit())
        if version >= OLDEST:
            return []
        fix = "install a newer Python there, and name it in `python` of the backend"
        return [error(f"its Python is {about.version}, and 3.8 is needed", fix)]

    def _clock(self, probed: Mapping[str, Any], before: float, after: float) -> list[Finding]:
        behind, ahead = before - probed["time"], probed["time"] - after
        late = max(behind, ahead)
        if late < LATE_SECONDS:
            return []
        return [warn(f"its clock is {late:.0f} s {'behind' if behind > 0 else 'ahead'}", "run NTP on both machines")]

    def _rules(self, probed: Mapping[str, Any], about: AgentInfo) -> list[Finding]:
        found = []
        if probed["shared"] is False:
            home = self._home.root
            fix = "set shared_home = false, or mount it there"
            found.append(error(f"{home} is not the same folder there, although shared_home says so", fix))
        agent = next((one for one in self._settings.team.agent if one.endswith("paddock-agent")), "")
        if self._fleet.as_user == "sudo" and agent not in probed["sudo"]:
            fix = f"run `paddock team install --user {about.user}` there as root; docs/hosts.md has the rule"
            found.append(error(f"{about.user} may not start {agent or 'the agent'} by sudo", fix))
        if probed["kills"]:
            detail = "it kills what people leave behind when they log out (KillUserProcesses), also runners"
            found.append(error(detail, f"run `loginctl enable-linger {about.user}` there as root"))
        if probed["hidden"]:
            detail = "processes of others are hidden there (hidepid): whose they are on a GPU is not known"
            found.append(warn(detail, f"mount /proc with gid= of a group of {about.user}, or without hidepid"))
        return found
