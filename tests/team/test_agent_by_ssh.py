"""Test agents of two people on hosts: by ssh as themselves, and by ssh and sudo."""

import pwd
from collections.abc import Iterator
from pathlib import Path
from typing import Literal

import pytest

from paddock.agents.host_links import HostLinks
from paddock.errors import AgentUnavailable
from paddock.settings import HostsSettings, TeamSettings
from tests.support.sshd import NEEDS_SSHD, SshRig, ssh_hosts
from tests.team.unix_users import ROOT, UnixUsers, unix_users

pytestmark = [ROOT, NEEDS_SSHD]


@pytest.fixture(scope="module")
def users() -> Iterator[UnixUsers]:
    with unix_users() as made:
        yield made


@pytest.fixture(scope="module")
def rig(users: UnixUsers) -> Iterator[SshRig]:
    with ssh_hosts(2, login=users.service, reader=users.service) as made:
        yield made


@pytest.mark.parametrize("how", ["ssh", "sudo"])
def test_each_person_has_an_agent_of_their_own(
    users: UnixUsers, rig: SshRig, tmp_path: Path, how: Literal["ssh", "sudo"]
) -> None:
    settings = HostsSettings(ssh=rig.ssh, as_user=how, folder=f"~/jobs-{how}/{{host}}", python="/usr/bin/python3")
    links = HostLinks(settings, TeamSettings(agent=users.agent), tmp_path)
    try:
        for host in rig.names:
            for user, account in ((None, users.service), (users.alice, users.alice), (users.bob, users.bob)):
                about = links.get(host, user).hello()
                home = pwd.getpwnam(account)
                assert (about.user, about.uid) == (account, home.pw_uid)
                assert about.root == f"{home.pw_dir}/jobs-{how}/{host}"
        alice, bob = links.get("gpu1", users.alice), links.get("gpu1", users.bob)
        alice.put("private", b"secret")
        root = alice.hello().root
        assert b"Permission denied" in bob.run(["cat", f"{root}/private"]).err
        if how == "sudo":  # not a member of the group
            with pytest.raises(AgentUnavailable, match=f"The agent of {users.stranger} on gpu2 .*sudo"):
                links.get("gpu2", users.stranger).hello()
    finally:
        links.close()


def test_everybody_is_the_account_of_ssh_if_nothing_else_is_said(users: UnixUsers, rig: SshRig, tmp_path: Path) -> None:
    settings = HostsSettings(ssh=rig.ssh, folder="~/jobs/{host}", python="/usr/bin/python3")
    links = HostLinks(settings, TeamSettings(), tmp_path)
    try:
        assert links.get("gpu1", users.alice) is links.get("gpu1")
        assert links.get("gpu1", users.alice).hello().user == users.service
    finally:
        links.close()
