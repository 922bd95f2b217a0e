"""The campaign of random kills on hosts that are reached by ssh: three real sshd, sweeps of two people.

    python -m tests.team.host_kills --kills 100 --tasks 200 [--as-user ssh] [--shared] [--stops]

Root only. Kills the server, agents, ssh, sshd's connections and runners.
"""

import argparse
import json
import sys
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from typing import Any

from tests.support.server import wait_for
from tests.support.sshd import ssh_hosts
from tests.team.kills import campaign, report
from tests.team.member_server import FOLDER, MemberServer, member_server
from tests.team.unix_users import UnixUsers

KINDS = ("server", "agent", "agent", "ssh", "ssh", "sshd", "monitor", "runner", "runner")
STOPS = ("stopped agent", "stopped ssh", "stopped sshd", "stopped monitor")


@contextmanager
def host_server(
    hosts: int = 3, *, as_user: str = "sudo", shared: bool = False, slots: int = 4
) -> Iterator[MemberServer]:
    """A server whose jobs run on hosts as the people who submitted them. `shared`: the hosts see people's homes."""

    def prepare(users: UnixUsers, stack: ExitStack) -> Mapping[str, Any]:
        rig = stack.enter_context(ssh_hosts(hosts, login=users.service, reader=users.service))
        lab = {
            "kind": "hosts",
            "hosts": rig.names,
            "ssh": rig.ssh,
            "as_user": as_user,
            "shared_home": shared,
            "folder": f"~/{FOLDER}" if shared else f"~/{FOLDER}/{{host}}",
            "python": "/usr/bin/python3",
            "slots": slots,
            "look_seconds": 1.0,
        }
        return {"backend": "lab", "backends": json.dumps({"lab": lab})}

    with member_server(prepare=prepare) as made:
        wait_for(lambda: len(usable(made)) == hosts, what="the hosts")
        yield made


def usable(lab: MemberServer) -> list[str]:
    """The hosts that the engine knows and may use."""
    nodes = lab.server.client.get("/nodes").json()
    return [node["name"] for node in nodes if node["backend"] == "lab" and node["usable"]]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=100)
    parser.add_argument("--tasks", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--pause", type=float, default=1.0, help="seconds of each of the five epochs of a task")
    parser.add_argument("--as-user", choices=["sudo", "ssh"], default="sudo")
    parser.add_argument("--shared", action="store_true", help="the hosts see people's homes")
    parser.add_argument("--stops", action="store_true", help="also stop agents, ssh and sshd (SIGSTOP)")
    given = parser.parse_args()
    kinds = (*KINDS, *STOPS) if given.stops else KINDS
    with host_server(as_user=given.as_user, shared=given.shared) as lab:
        return report(campaign(lab, given.kills, given.tasks, given.seed, given.pause, kinds))


if __name__ == "__main__":
    sys.exit(main())
