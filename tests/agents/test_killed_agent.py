"""Test agents that are killed in the middle of everything: nothing is lost, nothing is doubled."""

import os
import random
import signal
import subprocess
import sys
import textwrap
import threading
import time
from pathlib import Path

import pytest

from paddock.agents.link import PART, Link
from paddock.common import processes
from paddock.errors import AgentUnavailable
from tests.agents.support import Taken, agent_pid, linked
from tests.support.server import wait_for

KILLS = 50
FILES = 5
SHORT = (0.02, 0.05)
# Writes lines to several files, as runners write their journals, until its standard input ends.
WRITER = """
    import os, random, select, sys, time
    files = [open(path, "ab", buffering=0) for path in sys.argv[1:]]
    number = 0
    while not select.select([0], [], [], 0.002)[0]:
        number += 1
        file = random.choice(files)
        file.write(b"%d %s\\n" % (number, b"x" * random.randrange(2000)))
"""


def kill_at_random(link: Link, kills: int, over: threading.Event) -> None:
    """Kill the agent at random moments."""
    try:
        for _ in range(kills):
            time.sleep(random.random() * 0.3)
            while True:
                try:
                    os.kill(agent_pid(link), signal.SIGKILL)
                    break
                except (AgentUnavailable, ProcessLookupError, ValueError):
                    time.sleep(0.02)
    finally:
        over.set()


@pytest.mark.parametrize("kills", [KILLS])
def test_nothing_is_lost_or_doubled_when_agents_are_killed(tmp_path: Path, kills: int) -> None:
    """Watched journals and appended lines, with an agent that is killed again and again."""
    root = tmp_path / "root"
    taken, over = Taken(), threading.Event()
    with linked(root, pauses=SHORT) as link:
        link.mkdir("journals")
        names = [f"journals/{number}" for number in range(FILES)]
        link.watch(dict.fromkeys(names, 0), taken.grown, taken.fail)
        paths = [str(root / name) for name in names]
        writer = subprocess.Popen([sys.executable, "-c", textwrap.dedent(WRITER), *paths], stdin=subprocess.PIPE)
        killer = threading.Thread(target=kill_at_random, args=(link, kills, over))
        killer.start()
        try:
            sent = append_until(link, "tasks.jsonl", over)
            large = put_until(link, "large", over)
        finally:
            over.wait()
            killer.join()
            writer.communicate()
        wait_for(lambda: all(taken.files.get(name) == (root / name).read_bytes() for name in names))
        assert (root / "tasks.jsonl").read_bytes() == sent
        assert (root / "large").read_bytes() == large
        assert not taken.failed
        assert sum(map(len, taken.files.values())) > 10_000


def append_until(link: Link, path: str, over: threading.Event) -> bytes:
    """Append lines as the engine does: the same bytes again until the size is right. Return what was sent."""
    sent = b""
    for number in range(60):
        line = b"%d %s\n" % (number, os.urandom(20_000).hex().encode())
        while True:
            try:
                size = link.append(path, len(sent), line)
            except AgentUnavailable:
                time.sleep(0.01)
                continue
            assert size == len(sent) + len(line), "what is confirmed is written, once"
            break
        sent += line
        if over.is_set():
            break
    return sent


def put_until(link: Link, path: str, over: threading.Event) -> bytes:
    """Write a file of several parts again and again; return the last one that was confirmed."""
    data = b""
    while not data or not over.is_set():
        wanted = os.urandom(2 * PART + 17)
        while True:
            try:
                link.put(path, wanted)
                break
            except (AgentUnavailable, OSError):
                time.sleep(0.01)
        data = wanted
    return data


def test_requests_go_on_with_the_next_agent(tmp_path: Path) -> None:
    with linked(tmp_path / "root", pauses=SHORT) as link:
        for number in range(5):
            pid = agent_pid(link)
            os.kill(pid, signal.SIGKILL)
            assert link.append("a", number, b"x") == number + 1
            assert agent_pid(link) != pid


def test_a_command_is_not_run_twice_and_does_not_outlive_its_agent(tmp_path: Path) -> None:
    with linked(tmp_path / "root", pauses=SHORT) as link:
        pid = agent_pid(link)
        problem: list[str] = []

        def run() -> None:
            try:
                link.run(["sh", "-c", "echo x >> ran; sleep 600"], cwd="", seconds=700, env={"RAN": str(tmp_path)})
            except AgentUnavailable as error:
                problem.append(error.message)

        thread = threading.Thread(target=run)
        thread.start()
        [command, *_] = wait_for(lambda: link.find("RAN", str(tmp_path)))
        os.kill(pid, signal.SIGKILL)
        thread.join(60)
        assert problem
        wait_for(lambda: processes.started(command.pid) != command.start)
        assert (tmp_path / "root/ran").read_text() == "x\n"
