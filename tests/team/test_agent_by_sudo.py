"""Test the agent behind a real sudo: whose process it is, and that the service account may do nothing else."""

import os
import pwd
import shutil
import signal
import stat
import subprocess
from collections.abc import Iterator

import pytest

from paddock.agents.link import Link
from paddock.agents.links import Links
from paddock.common import processes
from paddock.errors import AgentUnavailable, InvalidInput
from tests.agents.support import Taken, agent_pid
from tests.support.server import wait_for
from tests.team.unix_users import ROOT, UnixUsers, unix_users

pytestmark = ROOT
FOLDER = "~/.paddock-jobs"


@pytest.fixture(scope="module")
def users() -> Iterator[UnixUsers]:
    with unix_users() as made:
        yield made


@pytest.fixture(scope="module")
def links(users: UnixUsers) -> Iterator[Links]:
    made = Links(users.through, FOLDER)
    yield made
    made.close()


@pytest.fixture
def alice(users: UnixUsers, links: Links) -> Link:
    return links.get(users.alice)


def refused(users: UnixUsers, *argv: str) -> None:
    """Expect that sudo refuses this to the service account."""
    done = subprocess.run(
        argv, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False, **users.as_user(users.service)
    )
    assert done.returncode == 1, done
    assert done.stderr.startswith("sudo:") or "not allowed" in done.stderr, done.stderr


def test_it_is_a_process_of_the_person(users: UnixUsers, alice: Link) -> None:
    about = alice.hello()
    entry = pwd.getpwnam(users.alice)
    assert (about.user, about.uid, about.home) == (users.alice, entry.pw_uid, entry.pw_dir)
    assert about.root == f"{entry.pw_dir}/.paddock-jobs"
    done = alice.run(["sh", "-c", "id -u; id -un; umask; pwd; env"])
    uid, name, umask, place, *variables = done.out.decode().splitlines()
    assert (int(uid), name, umask, place) == (entry.pw_uid, users.alice, "0077", entry.pw_dir)
    given = dict(one.split("=", 1) for one in variables)
    assert given.keys() <= {"HOME", "USER", "LOGNAME", "SHELL", "LANG", "PATH", "PWD", "_", "SHLVL", "OLDPWD"}
    assert (given["HOME"], given["USER"], given["LOGNAME"]) == (entry.pw_dir, users.alice, users.alice)


def test_its_files_are_the_persons_and_closed_to_others(users: UnixUsers, alice: Link) -> None:
    alice.mkdir("jobs/a/code")
    alice.put("jobs/a/code/train.py", b"print(1)\n")
    alice.put("jobs/a/code/run.sh", b"#!/bin/sh\n", executable=True)
    alice.append("jobs/a/tasks.jsonl", 0, b"{}\n")
    process = alice.start(["sh", "-c", "umask; echo x > made"], env={}, cwd="jobs/a", log="jobs/a/out.log")
    wait_for(lambda: not alice.alive([process])[0])
    root = users.home(users.alice) / ".paddock-jobs"
    found = [root, *root.rglob("*")]
    assert len(found) >= 9
    uid = pwd.getpwnam(users.alice).pw_uid
    for path in found:
        about = path.lstat()
        assert (about.st_uid, about.st_mode & 0o077) == (uid, 0), path
    assert stat.S_IMODE((root / "jobs/a/code/run.sh").stat().st_mode) == 0o700
    assert stat.S_IMODE((root / "jobs/a/code/train.py").stat().st_mode) == 0o600
    [program] = (root / "agent").iterdir()
    assert stat.S_IMODE(program.stat().st_mode) == 0o600


def test_two_people_have_agents_of_their_own(users: UnixUsers, links: Links) -> None:
    alice, bob = links.get(users.alice), links.get(users.bob)
    alice.mkdir("mine")
    assert {alice.hello().uid, bob.hello().uid} == {pwd.getpwnam(one).pw_uid for one in (users.alice, users.bob)}
    there = alice.hello().root
    assert bob.run(["ls", there]).code != 0
    assert b"Permission denied" in bob.run(["cat", f"{there}/mine"]).err
    process = alice.start(["sleep", "600"], env={}, cwd="mine", log="mine/log")
    with pytest.raises(PermissionError):
        bob.signal(process, 9)
    assert alice.alive([process]) == [True]
    assert alice.signal(process, 9)


def test_nobody_but_members(users: UnixUsers, links: Links) -> None:
    for user in (users.stranger, users.service):
        with pytest.raises(AgentUnavailable, match=r"sudo: a password is required|not allowed"):
            links.get(user).hello()
    for argv in (["-u", "root"], ["-u", "#0"], ["-u", users.stranger], []):
        refused(users, "sudo", "-n", *argv, str(users.loader))
    refused(users, "sudo", "-n", "-g", users.group, str(users.loader))


@pytest.mark.parametrize("name", ["root", "", "-u", "a b", "alice;id", "../alice", "alice\n", "Alice", "#0", "a" * 65])
def test_names_that_are_no_accounts_start_nothing(links: Links, name: str) -> None:
    with pytest.raises(InvalidInput):
        links.get(name)


def test_no_arguments_no_other_programs_no_variables(users: UnixUsers) -> None:
    member, loader = users.alice, str(users.loader)
    refused(users, "sudo", "-n", "-u", member, loader, "--agent")
    refused(users, "sudo", "-n", "-u", member, loader, "")
    own = users.home(users.service) / "paddock-agent"
    shutil.copy(users.loader, own)
    users.home(users.service).chmod(0o755)
    for program in ("/usr/bin/id", "/bin/sh", "/usr/bin/python3", str(own)):
        refused(users, "sudo", "-n", "-u", member, program)
    refused(users, "sudo", "-n", "-u", member, "-s")
    refused(users, "sudo", "-n", "-u", member, "-i")
    refused(users, "sudo", "-n", "-e", "-u", member, "/etc/hosts")
    for variable in ("PYTHONPATH=/tmp", "LD_PRELOAD=/tmp/x.so", "PATH=/tmp"):
        refused(users, "sudo", "-n", "-u", member, variable, loader)
    refused(users, "sudo", "-n", "-E", "-u", member, loader)


def test_variables_of_the_server_do_not_reach_the_agent(users: UnixUsers) -> None:
    argv = ["env", "PADDOCK_TOKEN=secret", "PYTHONPATH=/nowhere", "PYTHONINSPECT=1", *users.through]
    link = Link(users.alice, [one.replace("{user}", users.alice) for one in argv], FOLDER)
    try:
        own = link.find("USER", users.alice)
        assert own
        for process in own:
            seen = link.run(["cat", f"/proc/{process.pid}/environ"]).out
            assert b"secret" not in seen
            assert b"PYTHON" not in seen
    finally:
        link.close()


def test_the_loader_cannot_be_changed_by_the_service_account_or_a_member(users: UnixUsers, alice: Link) -> None:
    assert users.loader.stat().st_uid == 0
    for path in (users.loader, users.loader.parent, users.folder):
        assert alice.run(["test", "-w", str(path)]).code == 1
        done = subprocess.run(["test", "-w", str(path)], check=False, **users.as_user(users.service))
        assert done.returncode == 1


def test_a_folder_that_is_somebody_elses_is_not_used(users: UnixUsers, links: Links) -> None:
    links.get(users.bob).hello()
    argv = [one.replace("{user}", users.alice) for one in users.through]
    open_to_all = users.home(users.alice) / "open"
    open_to_all.mkdir()
    shutil.chown(open_to_all, users.alice)
    open_to_all.chmod(0o777)
    common = users.folder / "common"
    common.mkdir()
    common.chmod(0o1777)
    (users.home(users.alice) / "link").symlink_to(common)
    for folder, why in {
        f"{users.home(users.bob)}/.paddock-jobs": "Permission denied",
        str(common): "somebody else",
        "~/link": "somebody else",
        "~/open": "others may write",
        "relative": "not an absolute path",
        "/etc/passwd": "exists",
    }.items():
        link = Link(users.alice, argv, folder)
        with pytest.raises(AgentUnavailable, match=why):
            link.hello()
        link.close()
    assert not list(common.iterdir())
    assert not list(open_to_all.iterdir())


def test_it_works_on_when_sudo_is_killed_and_leaves_with_the_link(users: UnixUsers) -> None:
    argv = [one.replace("{user}", users.alice) for one in users.through]
    link = Link(users.alice, argv, FOLDER)
    agent = agent_pid(link)
    above = [pid for pid in processes.ancestry(agent) if processes.read(f"/proc/{pid}/comm") == b"sudo\n"]
    assert len(above) >= 2
    for pid in above:
        os.kill(pid, signal.SIGKILL)
    assert link.append("after", 0, b"x") == 1
    assert processes.started(agent) is not None
    link.close()
    wait_for(lambda: processes.started(agent) is None)


def test_the_next_agent_goes_on_when_one_is_killed(users: UnixUsers) -> None:
    argv = [one.replace("{user}", users.alice) for one in users.through]
    link, taken = Link(users.alice, argv, FOLDER, pauses=(0.02, 0.1)), Taken()
    link.remove("journal")
    link.watch({"journal": 0}, taken.grown, taken.fail)
    try:
        for number in range(10):
            assert link.append("journal", number, b"%d" % number) == number + 1
            os.kill(agent_pid(link), signal.SIGKILL)
        wait_for(lambda: taken.files.get("journal") == b"0123456789")
    finally:
        link.close()


def test_what_it_started_outlives_it_and_sudo(users: UnixUsers) -> None:
    argv = [one.replace("{user}", users.alice) for one in users.through]
    link = Link(users.alice, argv, FOLDER)
    link.mkdir("stays")
    process = link.start(["sleep", "600"], env={"PADDOCK_ALLOCATION": "stays.0"}, cwd="stays", log="stays/out.log")
    link.close()
    again = Link(users.alice, argv, FOLDER)
    try:
        assert again.alive([process]) == [True]
        assert again.find("PADDOCK_ALLOCATION", "stays.0") == [process]
        assert again.signal(process, 9)
        wait_for(lambda: again.alive([process]) == [False])
    finally:
        again.close()
