"""Test attaching where jobs run as who submitted them: each person to their own tasks, as themselves."""

import os
import pwd
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.person import LEAVE, PersonAtTerminal
from tests.support.server import wait_for
from tests.support.team import ADMIN, ALICE, BOB
from tests.team.member_server import MemberServer, member_server
from tests.team.unix_users import ROOT

pytestmark = ROOT

TALKS = """
import getpass, os
print("ready", getpass.getuser(), flush=True)
while (line := input()) != "end":
    print("heard", line, flush=True)
"""


@pytest.fixture(scope="module")
def lab() -> Iterator[MemberServer]:
    with member_server() as made:
        yield made


def person(lab: MemberServer, unix: str, account: str, *arguments: str) -> PersonAtTerminal:
    """Somebody with a Unix account of this machine, who is signed in to Paddock with an account of it."""
    who = pwd.getpwnam(unix)
    token = lab.team.with_token(account).headers["Authorization"].removeprefix("Bearer ")

    def become() -> None:
        os.initgroups(unix, who.pw_gid)
        os.setgid(who.pw_gid)
        os.setuid(who.pw_uid)

    env = {**lab.users.as_user(unix)["env"], "PYTHONPATH": lab.server._environment["PYTHONPATH"]}
    env |= {"PADDOCK_URL": lab.server.url, "PADDOCK_TOKEN": token}
    return PersonAtTerminal([lab.server._python, "-m", "paddock", *arguments], env, cwd=Path("/"), user=become)


def test_the_owner_attaches_as_themselves_and_nobody_else(lab: MemberServer) -> None:
    alice, bob = lab.unix(ALICE), lab.unix(BOB)
    job = lab.submit(ALICE, TALKS, terminal=True, environment={"variables": {"SECRET_KEY": "abc123"}})
    wait_for(lambda: f"ready {alice}" in lab.log(ALICE, f"{job}-1"))
    wait_for(lambda: lab.states(ALICE, job) == ["running"])
    task = f"{job}-1"
    assert lab.get(ALICE, f"/tasks/{task}/attach")["account"] == alice
    for other in (BOB, ADMIN):
        assert lab.client(other).get(f"/tasks/{task}/attach").status_code == 403
    with person(lab, alice, ALICE, "attach", task) as me:
        me.sees(f"ready {alice}")
        me.type("hello\r")
        me.sees("heard hello")
        me.type(LEAVE)
        assert me.ends() == 0
    with person(lab, alice, ALICE, "attach", task, "--shell") as me:
        me.sees("a shell beside it")
        me.type("echo =$(id -un)=$SECRET_KEY=; exit\r")
        me.sees(f"={alice}=abc123=")
        assert me.ends() == 0
    with person(lab, bob, BOB, "attach", task) as he:  # no right to the job
        he.sees(f"Job {job} is of {ALICE}: only they may do this.")
        assert he.ends() == 4
    for mode in ("terminal", "shell"):  # with alice's token, but not her Unix account
        with person(lab, bob, ALICE, "attach", task, f"--{mode}") as he:
            he.sees(f"are of the account {alice}, and you are {bob} here")
            assert he.ends() == 5
    lab.post(ALICE, f"/jobs/{job}/stop")
    lab.wait(ALICE, job)


def test_a_shell_is_held_as_the_person(lab: MemberServer) -> None:
    alice = lab.unix(ALICE)
    with person(lab, alice, ALICE, "shell", "--gpus", "0", "--for", "5m", "--python", "/usr/bin/python3") as me:
        me.sees("its terminal")
        me.type("echo =$(id -un)=; exit\r")
        me.sees(f"={alice}=")
        me.sees("exit code 0]")
        assert me.ends() == 0
