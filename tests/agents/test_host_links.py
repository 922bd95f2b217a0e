"""Test agents behind a real ssh and sshd."""

import os
import random
import shlex
import signal
import stat
import subprocess
import sys
import textwrap
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from paddock.agents import host_links
from paddock.agents.host_links import HostLinks, known_hosts
from paddock.agents.ssh_key import authorized_line, key_file
from paddock.common import processes
from paddock.errors import AgentUnavailable, InvalidInput
from paddock.settings import HostsSettings, TeamSettings
from tests.agents.support import Taken, agent_pid
from tests.agents.test_killed_agent import WRITER, append_until
from tests.support.server import wait_for
from tests.support.sshd import NEEDS_SSHD, SshRig, ssh_hosts

pytestmark = NEEDS_SSHD
SHORT = (0.02, 0.1)
HARM = 12  # times that something is killed or stopped


@pytest.fixture(scope="module")
def rig() -> Iterator[SshRig]:
    with ssh_hosts(2) as made:
        yield made


@contextmanager
def connected(rig: SshRig, home: Path, *, ssh: list[str] | None = None, **options: Any) -> Iterator[HostLinks]:
    settings = HostsSettings(ssh=ssh or rig.ssh, folder=f"{home}/{{host}}")
    links = HostLinks(settings, TeamSettings(), home, **{"pauses": SHORT} | options)
    try:
        yield links
    finally:
        links.close()


def test_files_processes_and_commands_on_two_hosts(rig: SshRig, tmp_path: Path) -> None:
    with connected(rig, tmp_path) as links:
        first, second = links.get("gpu1"), links.get("gpu2")
        assert links.get("gpu1") is first
        assert first.hello().root == str(tmp_path / "gpu1")
        assert second.hello().root == str(tmp_path / "gpu2")
        assert agent_pid(first) != agent_pid(second)
        taken = Taken()
        first.watch({"journal": 0}, taken.grown, taken.fail)
        assert first.append("journal", 0, b"a line\n") == 7
        wait_for(lambda: taken.files.get("journal") == b"a line\n")
        assert first.run(["sh", "-c", "cat; exit 3"], stdin=b"$(id) `id` 'x'\n").out == b"$(id) `id` 'x'\n"
        process = first.start(["sleep", "600"], env={}, cwd="", log="log")
    assert processes.started(process.pid) == process.start, "what was started stays when the connection ends"
    with connected(rig, tmp_path) as links:
        assert links.get("gpu1").signal(process, signal.SIGKILL)


def test_the_command_is_safe_in_any_shell(rig: SshRig, tmp_path: Path) -> None:
    with connected(rig, tmp_path) as links:
        command = links._command(None)
    assert "\n" not in command
    assert not set("!$`\\*?~#;&|<>{}[]") & set(command)
    assert shlex.split(command)[:3] == ["exec", "python3", "-IS"]


def test_an_unknown_host_key_is_refused_until_it_is_confirmed(rig: SshRig, tmp_path: Path) -> None:
    (tmp_path / "config").write_text((rig.folder / "config").read_text().replace("known_hosts", "none"))
    with connected(rig, tmp_path, ssh=["ssh", "-F", str(tmp_path / "config")]) as links:
        with pytest.raises(AgentUnavailable, match=r"The agent of gpu1 does not work.*Host key verification failed"):
            links.get("gpu1").hello()
        known_hosts(tmp_path).write_text((rig.folder / "known_hosts").read_text())
        assert wait_for(lambda: _works(links, "gpu1"))


def test_the_servers_own_key_is_used_when_there_is_one(tmp_path: Path) -> None:
    with ssh_hosts(1) as rig:
        with connected(rig, tmp_path, ssh=rig.ssh) as links:
            assert _works(links, "gpu1"), "the key of ssh's own settings"
        line = authorized_line(tmp_path)
        assert line.startswith("restrict ssh-ed25519 ")
        assert authorized_line(tmp_path) == line
        assert stat.S_IMODE(key_file(tmp_path).stat().st_mode) == 0o600
        (rig.folder / "authorized_keys").write_text(line)
        with connected(rig, tmp_path) as links:
            assert _works(links, "gpu1")
        (rig.folder / "authorized_keys").write_text(line.replace("ssh-ed25519", "ssh-rsa"))
        with connected(rig, tmp_path) as links, pytest.raises(AgentUnavailable, match="Permission denied"):
            links.get("gpu1").hello()


def _works(links: HostLinks, host: str) -> bool:
    try:
        return bool(links.get(host).hello())
    except AgentUnavailable:
        return False


def test_a_host_that_is_down_says_which_and_comes_back(tmp_path: Path) -> None:
    with ssh_hosts(1) as rig, connected(rig, tmp_path) as links:
        link, taken = links.get("gpu1"), Taken()
        link.watch({"journal": 0}, taken.grown, taken.fail)
        assert link.append("journal", 0, b"1") == 1
        rig["gpu1"].kill()
        wait_for(lambda: "Connection refused" in (link.problem or ""))
        with pytest.raises(AgentUnavailable, match="The agent of gpu1 does not work"):
            link.append("journal", 1, b"2")
        (tmp_path / "gpu1/journal").write_bytes(b"12")
        rig["gpu1"].start()
        wait_for(lambda: taken.files.get("journal") == b"12")
        assert link.problem is None


def test_the_next_connection_goes_on_when_ssh_or_sshd_is_killed(rig: SshRig, tmp_path: Path) -> None:
    with connected(rig, tmp_path) as links:
        link, taken = links.get("gpu2"), Taken()
        link.watch({"journal": 0}, taken.grown, taken.fail)
        for number in range(6):
            assert link.append("journal", number, b"%d" % number) == number + 1
            if number % 2:
                assert rig["gpu2"].cut()
            else:
                [client] = ssh_clients("gpu2", str(rig.folder))
                os.kill(client, signal.SIGKILL)
        wait_for(lambda: taken.files.get("journal") == b"012345")


def test_nothing_is_lost_or_doubled_when_what_carries_it_is_killed_or_stopped(rig: SshRig, tmp_path: Path) -> None:
    """Watched journals and appended lines, while ssh, sshd and the agent are killed or stopped again and again."""
    taken, over = Taken(), threading.Event()
    names = [f"journals/{number}" for number in range(3)]
    with connected(rig, tmp_path, silent_seconds=1.5, start_seconds=5.0) as links:
        link = links.get("gpu1")
        link.mkdir("journals")
        link.watch(dict.fromkeys(names, 0), taken.grown, taken.fail)
        paths = [str(tmp_path / "gpu1" / name) for name in names]
        writer = subprocess.Popen([sys.executable, "-c", textwrap.dedent(WRITER), *paths], stdin=subprocess.PIPE)
        harm = threading.Thread(target=do_harm, args=(rig, tmp_path, over))
        harm.start()
        try:
            sent = append_until(link, "tasks.jsonl", over)
        finally:
            over.wait()
            harm.join()
            writer.communicate()
        wait_for(lambda: all(taken.files.get(name) == (tmp_path / "gpu1" / name).read_bytes() for name in names))
        assert (tmp_path / "gpu1/tasks.jsonl").read_bytes() == sent
        assert not taken.failed
        wait_for(lambda: len(agents_below(tmp_path / "gpu1")) == 1, what="earlier agents have ended")
        wait_for(lambda: len(ssh_clients("gpu1", str(rig.folder))) == 1)


def do_harm(rig: SshRig, folder: Path, over: threading.Event) -> None:
    """Kill and stop what is between the link and the agent, and the agent, each several times."""
    try:
        for number in range(HARM):
            time.sleep(random.random() * 0.5)
            what = (number % 3, signal.SIGSTOP if number // 3 % 2 else signal.SIGKILL)
            find = (
                lambda: ssh_clients("gpu1", str(rig.folder)),
                rig["gpu1"].sessions,
                lambda: agents_below(folder / "gpu1"),
            )[what[0]]
            for pid in wait_for(find, what=f"something of kind {what[0]}"):
                processes.signal_process(pid, what[1])
    finally:
        for pid in (*rig["gpu1"].sessions(), *agents_below(folder / "gpu1")):
            processes.signal_process(pid, signal.SIGCONT)  # one that was stopped before its first word sees its end now
        over.set()


def test_an_agent_that_was_stopped_starts_nothing_later(rig: SshRig, tmp_path: Path) -> None:
    with connected(rig, tmp_path, silent_seconds=1.0) as links:
        link = links.get("gpu1")
        first = agent_pid(link)
        os.kill(first, signal.SIGSTOP)
        mark = {"MARK": str(tmp_path)}
        with pytest.raises(AgentUnavailable):
            link.start(["sleep", "600"], env=mark, cwd="", log="log")
        assert link.find("MARK", str(tmp_path)) == []
        process = link.start(["sleep", "600"], env=mark, cwd="", log="log")
        processes.signal_process(first, signal.SIGCONT)
        wait_for(lambda: processes.started(first) is None)
        assert link.find("MARK", str(tmp_path)) == [process]
        assert link.signal(process, signal.SIGKILL)
        assert [one.name for one in (tmp_path / "gpu1/agent").glob("*/*")] == [mark_of(agent_pid(link))]
    wait_for(lambda: not list((tmp_path / "gpu1/agent").glob("*/*")), what="it leaves no mark")


def mark_of(pid: int) -> str:
    boot = Path("/proc/sys/kernel/random/boot_id").read_text().strip()
    return f"{boot}.{pid}.{processes.started(pid)}"


def test_two_hosts_with_one_folder_and_two_servers_do_not_end_each_others_agents(rig: SshRig, tmp_path: Path) -> None:
    settings = HostsSettings(ssh=rig.ssh, folder=str(tmp_path / "same"))
    ours = HostLinks(settings, TeamSettings(), tmp_path / "a")
    theirs = HostLinks(settings, TeamSettings(), tmp_path / "b")
    beside = HostLinks(settings, TeamSettings(), tmp_path / "a", server=None)
    try:
        links = [ours.get("gpu1"), ours.get("gpu2"), theirs.get("gpu1"), beside.get("gpu1")]
        pids = [agent_pid(link) for link in links]
        assert [agent_pid(link) for link in links] == pids
        again = HostLinks(settings, TeamSettings(), tmp_path / "a")  # the next server of the same home
        try:
            again.get("gpu1").hello()
            assert [processes.started(pid) is None for pid in pids] == [True, False, False, False]
        finally:
            again.close()
    finally:
        for one in (ours, theirs, beside):
            one.close()


def agents_below(folder: Path) -> list[int]:
    """The agents whose root is this folder."""
    end = f"\0--agent\0{folder}\0".encode()
    return [pid for pid in processes.all_pids() if processes.read(f"/proc/{pid}/cmdline").endswith(end)]


def ssh_clients(host: str, config: str) -> list[int]:
    """The processes of ssh to a host of a rig."""
    found = []
    for pid in processes.all_pids():
        words = processes.read(f"/proc/{pid}/cmdline").decode(errors="replace").split("\0")
        if words[0] == "ssh" and host in words and any(config in word for word in words):
            found.append(pid)
    return found


@pytest.mark.parametrize("name", ["", "-oProxyCommand=id", "gpu[1-2]", "a b", "x;id", "alice@gpu1", "a\nb"])
def test_names_that_are_no_hosts_start_nothing(tmp_path: Path, name: str) -> None:
    with pytest.raises(InvalidInput):
        HostLinks(HostsSettings(), TeamSettings(), tmp_path).get(name)


def test_names_that_are_no_accounts_start_nothing(tmp_path: Path) -> None:
    links = HostLinks(HostsSettings(as_user="ssh"), TeamSettings(), tmp_path)
    for name in ("root", "", "-l", "a b", "alice@gpu2", "../x"):
        with pytest.raises(InvalidInput):
            links.get("gpu1", name)


def test_hosts_that_are_down_do_not_keep_others_waiting(
    rig: SshRig, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(host_links, "GATE_SECONDS", 0.2)
    slow = tmp_path / "slow"
    slow.write_text(f'#!/bin/sh\ncase "$*" in *" down"*) exec sleep 600;; esac\nexec {shlex.join(rig.ssh)} "$@"\n')
    slow.chmod(0o755)
    with connected(rig, tmp_path, ssh=[str(slow)], start_seconds=30.0) as links:
        waiting = [threading.Thread(target=_works, args=(links, f"down{n}"), daemon=True) for n in range(12)]
        for thread in waiting:
            thread.start()
        assert links.get("gpu1").run(["echo", "here"]).out == b"here\n"
    for thread in waiting:
        thread.join()
