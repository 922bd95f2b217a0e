"""Two servers of two users on one cluster: how soon each has half of it, and what changes in a minute of rest."""

import os
import tempfile
import time
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from tests.slurm.cluster import Cluster
from tests.slurm.users import Sweep, begun, changes, held, history, serving, user_packages, wait_shares
from tests.support.server import wait_for
from tests.support.user_packages import python_for
from tests.support.user_server import UserServer, as_user

from benchmarks.slurm.rig import cluster

TASKS, SECONDS = 150, 5.0
REST = 60.0  # of observation
TURN, TURNS = 10.0, 4  # where others cannot be seen
ALL, HALF = 6, 3
PATIENCE = 600.0


def printed(what: str, said: str) -> None:
    print(f"{what:34} {said} (load {os.getloadavg()[0]:.1f})", flush=True)


def rest(made: Cluster, what: str, asked: float) -> None:
    """Observe a minute in which nothing should change."""
    wait_shares(made, PATIENCE, alice=HALF, bob=HALF)
    settled = time.time()
    counts = set()
    while time.time() - settled < REST:
        counts.add(tuple(sorted(held(made).items())))
        time.sleep(1)
    past = history(made)
    moved = changes(past, settled, time.time())
    before = [one for one in past if one.began >= asked - 1]
    shares = "; ".join(" + ".join(f"{count} of {user}" for user, count in some) for some in sorted(counts))
    printed(what, f"half each {settled - asked:.1f} s after the second asked; in {REST:.0f} s then: {shares}")
    printed(what, f"changes in these {REST:.0f} s: {moved or 'none'}; begun since it asked: {dict(begun(before))}")


def end(made: Cluster, what: str, first: Sweep, second: Sweep) -> None:
    """Let the second sweep end: the first takes the whole cluster. Then let that end, too."""
    first.hold()
    second.hurry()
    lost = second.lost()
    wait_for(lambda: held(made)[second.user] == 0, PATIENCE, "the last allocation to leave")
    left = time.time()
    wait_shares(made, PATIENCE, **{first.user: ALL})
    printed(what, f"{first.user} has all {ALL} GPUs {time.time() - left:.1f} s after {second.user} left (goal: 60 s)")
    first.hurry()
    lost += first.lost()
    orders = f"{first.user} {len(first.orders)}, {second.user} {len(second.orders)}"
    printed(what, f"{lost} of {2 * TASKS} tasks lost or run twice; allocations told to leave: {orders}")
    wait_shares(made, PATIENCE)


def one_after_the_other(made: Cluster, alice: UserServer, bob: UserServer, folder: Path) -> None:
    what = "one after the other"
    first = Sweep(alice, folder, TASKS, SECONDS)
    wait_shares(made, PATIENCE, alice=ALL)
    asked = time.time()
    second = Sweep(bob, folder, TASKS, SECONDS)
    rest(made, what, asked)
    end(made, what, first, second)


def at_once(made: Cluster, alice: UserServer, bob: UserServer, folder: Path) -> None:
    what, asked = "both at once", time.time()
    first, second = Sweep(alice, folder, TASKS, SECONDS), Sweep(bob, folder, TASKS, SECONDS)
    rest(made, what, asked)
    end(made, what, second, first)


def killed(made: Cluster, alice: UserServer, bob: UserServer, folder: Path) -> None:
    what = "killed between order and end"
    first = Sweep(alice, folder, TASKS, SECONDS, hold=True)
    wait_shares(made, PATIENCE, alice=ALL)
    asked = time.time()
    second = Sweep(bob, folder, TASKS, SECONDS)
    wait_for(lambda: len(first.orders) == HALF, PATIENCE, "three to leave")
    requests = first.requests
    alice.kill()
    alice.start()
    first.go_on()
    rest(made, what, asked)
    printed(what, f"alice asked {first.requests - requests} times for allocations since the restart")
    end(made, what, first, second)


def turns(made: Cluster, alice: UserServer, bob: UserServer, folder: Path) -> None:
    what = f"others hidden, turns of {TURN:.0f} s"
    first = Sweep(alice, folder, TASKS, 1.0)
    wait_shares(made, PATIENCE, alice=ALL)
    asked = time.time()
    second = Sweep(bob, folder, TASKS, 1.0)
    time.sleep(TURNS * TURN)
    now, past = time.time(), history(made)
    used = dict.fromkeys(("alice", "bob"), 0.0)
    for one in past:
        used[one.user] += max(min(one.ended or now, now) - max(one.began, asked), 0.0)
    part = " + ".join(f"{100 * seconds / (ALL * (now - asked)):.0f} % {user}" for user, seconds in used.items())
    printed(what, f"of {now - asked:.0f} s x {ALL} GPUs: {part}; begun: {dict(begun(past, asked))}")
    for sweep in (first, second):
        sweep.hurry()
    printed(what, f"{first.lost() + second.lost()} of {2 * TASKS} tasks lost or run twice")


CASES: tuple[tuple[tuple[Callable[..., None], ...], str, dict[str, Any]], ...] = (
    ((one_after_the_other, at_once, killed), "", {}),
    ((turns,), "PrivateData=jobs", {"elastic__turn_seconds": TURN}),
)


def main() -> None:
    with user_packages() as packages:
        for cases, extra, settings in CASES:
            with (
                cluster(nodes=3, extra=extra, min_job_age=3600) as (made, _),
                tempfile.TemporaryDirectory(dir="/tmp") as place,
                ExitStack() as stack,
            ):
                folder = Path(place)
                folder.chmod(0o755)
                python = python_for(as_user("alice"))
                alice, bob = (
                    stack.enter_context(serving(user, folder, made, python, packages, **settings))
                    for user in ("alice", "bob")
                )
                for case in cases:
                    case(made, alice, bob, folder)


if __name__ == "__main__":
    main()
