"""Test jobs that run as who submitted them: a real server, real Unix accounts, a real sudo."""

import os
from collections.abc import Iterator

import pytest

from tests.support.team import ALICE, BOB
from tests.team.member_server import MemberServer, member_server, owners
from tests.team.unix_users import ROOT

pytestmark = ROOT

WHO = """
import getpass, os
print("who", os.getuid(), getpass.getuser(), os.path.expanduser("~"), flush=True)
print("secret", os.environ.get("PADDOCK_TEAM__RUN_AS"), flush=True)
print("val_loss:", 0.5 + float(os.environ["n"]), flush=True)
open("made.txt", "w").write("x")
"""


@pytest.fixture(scope="module")
def lab() -> Iterator[MemberServer]:
    with member_server() as made:
        yield made


def test_a_sweep_each_is_each_persons_own(lab: MemberServer) -> None:
    jobs = {name: lab.submit(name, WHO, {"n": [0, 1]}) for name in (ALICE, BOB)}
    for name, job in jobs.items():
        assert [task["state"] for task in lab.wait(name, job)] == ["finished", "finished"]
        log = lab.log(name, f"{job}-1")
        assert f"who {lab.uid(name)} {lab.unix(name)} {lab.users.home(lab.unix(name))}" in log
        assert "secret None" in log
        assert owners(lab.folder(name, job)) == {(lab.uid(name), 0)}
        assert lab.get(name, f"/jobs/{job}")["folder"] == str(lab.folder(name, job))
        assert lab.get(name, f"/tasks/{job}-1")["best_value"] == 0.5
    mirror = lab.server.home.job(jobs[ALICE]).root
    assert {uid for uid, _ in owners(mirror)} == {os.stat(lab.server.home.root).st_uid}
