"""A campaign of random kills under the sweeps of two people: nothing is lost, runs twice or belongs to somebody else.

    python -m tests.team.kills --kills 100 --tasks 200 [--slurm] [--seed 1]

Root only. Kills the server, agents, their sudo, and runners.
"""

import argparse
import contextlib
import json
import os
import pwd
import random
import signal
import sys
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from paddock.common import processes
from tests.support.server import wait_for
from tests.support.team import ALICE, BOB
from tests.team.member_server import MemberServer, member_server, owners

PATIENCE = 1800.0
KINDS = ("server", "agent", "agent", "sudo", "runner")
STOPPED = "stopped "  # before a kind: it is stopped (SIGSTOP), and never goes on by itself
WITNESS = """
import fcntl, os, time
folder = os.path.expanduser("~/witness")
os.makedirs(folder, exist_ok=True)
name = os.environ["PADDOCK_TASK"] + "." + os.environ["PADDOCK_ATTEMPT"]
with open(os.path.join(folder, "begun"), "a") as file:
    file.write(name + "\\n")
lock = open(os.path.join(folder, os.environ["PADDOCK_TASK"] + ".lock"), "w")
try:
    fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
except OSError:
    with open(os.path.join(folder, "overlaps"), "a") as file:
        file.write(name + "\\n")
for epoch in range(1, 6):
    print("epoch:", epoch, "val_loss:", 1 / epoch, flush=True)
    time.sleep(PAUSE)
with open(os.path.join(folder, "done"), "a") as file:
    file.write(name + "\\n")
"""


@dataclass
class Verdict:
    """What a campaign has found."""

    kills: Counter[str] = field(default_factory=Counter)
    tasks: int = 0
    lost: list[str] = field(default_factory=list)  # tasks that have not finished, or whose curve is not whole
    twice: list[str] = field(default_factory=list)  # attempts that began twice, or ran beside another of their task
    foreign: set[tuple[int, int]] = field(default_factory=set)  # owners and rights of files that are wrong
    seconds: float = 0.0

    @property
    def good(self) -> bool:
        return not (self.lost or self.twice or self.foreign)


def campaign(
    lab: MemberServer, kills: int, tasks: int, seed: int = 1, pause: float = 0.2, kinds: Sequence[str] = KINDS
) -> Verdict:
    """Kill at random while the tasks of two people run, and judge what came of them.

    `pause`: seconds of each of the five epochs of a task. `kinds`: what is killed; see `_is`.
    """
    script = WITNESS.replace("PAUSE", str(pause))
    chance, verdict, began = random.Random(seed), Verdict(), time.monotonic()
    spec = {"retries": {"lost": 100, "launch_failed": 100}}
    jobs = {name: lab.submit(name, script, {"n": list(range(tasks // 2))}, **spec) for name in (ALICE, BOB)}
    while verdict.kills.total() < kills:
        time.sleep(chance.uniform(0.2, 1.5))
        what = chance.choice(kinds)
        if _kill(lab, what, chance):
            verdict.kills[what] += 1
        if all(_ended(lab, name, job) for name, job in jobs.items()):
            break
    for name, job in jobs.items():
        wait_for(lambda: _ended(lab, name, job), PATIENCE, f"the end of {job}")  # noqa: B023
        _judge(lab, name, job, verdict)
    verdict.seconds = time.monotonic() - began
    return verdict


def _ended(lab: MemberServer, name: str, job: str) -> bool:
    return bool(lab.get(name, f"/jobs/{job}")["ended"])


def _kill(lab: MemberServer, what: str, chance: random.Random) -> bool:
    if what == "server":
        lab.restart()
        return True
    uids = {lab.uid(ALICE), lab.uid(BOB)}
    number = signal.SIGSTOP if what.startswith(STOPPED) else signal.SIGKILL
    what = what.removeprefix(STOPPED)
    if what in ("ssh", "sshd", "monitor"):
        uids = {pwd.getpwnam(lab.users.service).pw_uid}
    found = [pid for pid in processes.all_pids() if _is(pid, what, uids)]
    if not found:
        return False
    with contextlib.suppress(ProcessLookupError):
        os.kill(chance.choice(found), number)
    return True


def _is(pid: int, what: str, uids: set[int]) -> bool:
    """Return True for a process of this kind. `monitor`: an agent of the server's own account on a host."""
    try:
        words = Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
        uid = os.stat(f"/proc/{pid}").st_uid
    except OSError:
        return False
    if what == "sudo":
        return words[0].endswith(b"sudo") and any(word.endswith(b"paddock-agent") for word in words)
    if uid not in uids:
        return False
    if what == "ssh":
        return words[0].endswith(b"ssh") and b"BatchMode=yes" in words
    if what == "sshd":
        return words[0].startswith(b"sshd: ")
    if not any(word.endswith(b".pyz") for word in words):
        return False
    return any(b"/allocations/" in word for word in words) if what == "runner" else b"--agent" in words


def _judge(lab: MemberServer, name: str, job: str, verdict: Verdict) -> None:
    witness = lab.users.home(lab.unix(name)) / "witness"

    def mine(file: str) -> list[str]:
        lines = (witness / file).read_text().split() if (witness / file).exists() else []
        return [one for one in lines if job in one]

    found = lab.tasks(name, job)
    verdict.tasks += len(found)
    done = Counter(one.rpartition(".")[0] for one in mine("done"))
    for task in found:
        if task["state"] != "finished" or task["best_value"] != 0.2 or not done[task["id"]]:
            verdict.lost.append(f"{task['id']}: {task['state']} {task['best_value']} {done[task['id']]}")
        if done[task["id"]] > 1 and (why := _doubled(lab, name, task["id"], mine("done"))):
            verdict.twice.append(why)
    verdict.twice += [f"{one} began {count} times" for one, count in Counter(mine("begun")).items() if count > 1]
    verdict.twice += [f"{one} ran beside another" for one in mine("overlaps")]
    for folder in lab.folders(name, job):
        verdict.foreign |= owners(folder) - {(lab.uid(name), 0)}


def _doubled(lab: MemberServer, name: str, task: str, done: list[str]) -> str | None:
    """Return what is wrong with a task that came to its end twice.

    That is right only if the runner of the earlier attempt was killed between the task's last line and its own report.
    """
    attempts = {f"{task}.{one['number']}": one for one in lab.get(name, f"/tasks/{task}/attempts")}
    ends = [(one, attempts[one]["state"], attempts[one]["cause"]) for one in done if one in attempts]
    finished = [one for one, state, _ in ends if state == "finished"]
    unknown = [one for one, state, cause in ends if state != "finished" and cause != "lost"]
    return f"{task} came to its end several times: {ends}" if len(finished) != 1 or unknown else None


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=100)
    parser.add_argument("--tasks", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--pause", type=float, default=1.5, help="seconds of each of the five epochs of a task")
    parser.add_argument("--slurm", action="store_true", help="on a Slurm cluster that is started for it")
    given = parser.parse_args()
    with contextlib.ExitStack() as stack:
        settings: dict[str, Any] = {}
        if given.slurm:
            from tests.slurm.conftest import started_cluster

            cluster = stack.enter_context(started_cluster())
            slurm = {"conf": str(cluster.conf), "poll_seconds": 0.5, "rest_seconds": 2, "python": "/usr/bin/python3"}
            settings = {"backend": "lab", "backends": json.dumps({"lab": slurm})}
        lab = stack.enter_context(member_server(**settings))
        if given.slurm:
            for name in (ALICE, BOB):
                cluster.run("sacctmgr", "-i", "-Q", "add", "user", lab.unix(name), "account=lab")
        verdict = campaign(lab, given.kills, given.tasks, given.seed, given.pause)
    return report(verdict)


def report(verdict: Verdict) -> int:
    """Print a verdict. Return the exit code."""
    sys.stdout.write(
        f"{verdict.tasks} tasks, kills: {dict(verdict.kills)}, {verdict.seconds:.0f} s; lost {len(verdict.lost)}, "
        f"twice {len(verdict.twice)}, wrong owners {len(verdict.foreign)}\n"
    )
    for line in [*verdict.lost, *verdict.twice, *map(str, verdict.foreign)]:
        sys.stdout.write(f"  {line}\n")
    return 0 if verdict.good else 1


if __name__ == "__main__":
    sys.exit(main())
