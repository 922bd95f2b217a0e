"""Measure a server that looks at 50 hosts every 2 s through real ssh, and the way of a metric from a host to the page.

All hosts are this machine: one sshd on a loopback port, of which each connection starts an agent of its own. Each has
eight made-up GPUs with two processes each, so that a look is as large as that of a real server.
"""

import json
import os
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.support.server import ServerProcess, running, wait_for
from tests.support.sshd import SshRig, ssh_hosts

from benchmarks.agent import cpu, megabytes
from benchmarks.latency import SCRIPT, listen
from benchmarks.measure import described
from paddock.common import processes

HOSTS, GPUS, LOOK_SECONDS = 50, 8, 2.0
SECONDS = 30.0
FEW, TASKS = 3, 30
# Answers as the real one does, without starting an interpreter 50 times per second.
NVIDIA_SMI = """\
#!/bin/sh
case "$1" in
--query-gpu*memory.used*) cat {folder}/gpus ;;
--query-gpu*) cut -d, -f1-4 {folder}/gpus ;;
*) cat {folder}/processes ;;
esac
"""


def main() -> None:
    with tempfile.TemporaryDirectory(dir="/tmp") as folder:
        _looked_at(Path(folder))
        _metrics(Path(folder))


def _looked_at(folder: Path) -> None:
    names = [f"gpu{n + 1}" for n in range(HOSTS)]
    with running(folder / "alone", local__slots=1) as server:
        time.sleep(10)
        [without] = _used([_pid(server)])
        print(f"a server without hosts: {without:.2%} of a core, {megabytes(_pid(server))[1]:.0f} MB (PSS)")
    with _hosts(names) as rig, running(folder / "home", **_settings(rig, folder, names)) as server:
        began = time.monotonic()
        wait_for(lambda: len(_up(server)) == HOSTS, 300, "all hosts to answer")
        print(f"{HOSTS} hosts answered {time.monotonic() - began:.1f} s after the server")
        time.sleep(20)
        own = _pid(server)
        ssh = [pid for pid in processes.children(own) if processes.read(f"/proc/{pid}/comm").startswith(b"ssh")]
        agents = _agents(rig["gpu1"].process.pid)  # type: ignore[union-attr]
        used = _used([own], ssh, agents)
        per_ssh = sum(megabytes(pid)[1] for pid in ssh) / len(ssh)
        per_agent = sum(megabytes(pid)[1] for pid in agents) / len(agents)
        print(f"{HOSTS} hosts looked at every {LOOK_SECONDS:.0f} s, {GPUS} GPUs each, {_size(server):.1f} kB per look:")
        print(f"  server: {used[0]:.2%} of a core, {megabytes(own)[1]:.0f} MB (PSS) (goal: under 5 %, 200 MB)")
        print(f"  its {len(ssh)} ssh: {used[1]:.2%} of a core together, {per_ssh:.1f} MB (PSS) each")
        print(f"  {len(agents)} agents: {used[2] / len(agents):.3%} of a core and {per_agent:.1f} MB (PSS) each")
        assert len(_up(server)) == HOSTS, "all of them still answer"


def _metrics(folder: Path) -> None:
    names = [f"gpu{n + 1}" for n in range(FEW)]
    with _hosts(names) as rig, running(folder / "few", **_settings(rig, folder, names)) as server:
        wait_for(lambda: len(_up(server)) == FEW, 120, "all hosts to answer")
        job = server.submit(SCRIPT, params={"n": list(range(TASKS))}, resources={"backend": "lab", "gpus": 0})
        wait_for(lambda: server.get(f"/jobs/{job}")["counts"]["running"] == TASKS, 300, "all tasks to run")
        time.sleep(5)
        before = cpu(_pid(server))
        began = time.monotonic()
        delays = listen(server)
        busy = (cpu(_pid(server)) - before) / (time.monotonic() - began)
        print(f"{len(delays)} points of {TASKS} tasks on {FEW} hosts: {described(delays)} (goal: p95 under 1 s)")
        print(f"  the server used {busy:.1%} of a core")


@contextmanager
def _hosts(names: list[str]) -> Iterator[SshRig]:
    """Yield one sshd that is all these hosts."""
    with ssh_hosts(1, gpus=GPUS) as rig:
        first = (rig.folder / "config").read_text()
        others = [first.replace("Host gpu1\n", f"Host {name}\n") for name in names if name != "gpu1"]
        (rig.folder / "config").write_text("".join([first, *others]))
        place = rig.folder / "gpu1" / "bin"
        (place / "nvidia-smi").write_text(NVIDIA_SMI.format(folder=place))
        ids = [f"GPU-{n:08x}-1111-2222-3333-444444444444" for n in range(GPUS)]
        rows = [f"{n}, {id}, NVIDIA H200, 143771, 30125, 87, 61, 412.50, 700.00" for n, id in enumerate(ids)]
        (place / "gpus").write_text("\n".join(rows) + "\n")
        on = [f"{id}, {pid}, 15062" for id in ids for pid in (os.getpid(), rig["gpu1"].process.pid)]  # type: ignore[union-attr]
        (place / "processes").write_text("\n".join(on) + "\n")
        yield rig


def _settings(rig: SshRig, folder: Path, names: list[str]) -> dict[str, Any]:
    place = folder / "hosts" / "{host}"
    lab = {
        "kind": "hosts", "hosts": names, "ssh": rig.ssh, "folder": str(place), "look_seconds": LOOK_SECONDS,
        "python": "/usr/bin/python3", "slots": TASKS,
    }  # fmt: skip
    return {"local__slots": 1, "backends": json.dumps({"lab": lab})}


def _pid(server: ServerProcess) -> int:
    assert server.process is not None
    return server.process.pid


def _up(server: ServerProcess) -> list[dict[str, Any]]:
    found = server.get("/nodes")
    return [one for one in found if one["backend"] == "lab" and one["usable"] and one["cpus_used"] is not None]


def _size(server: ServerProcess) -> float:
    """Return about how many kB a host reports: what the server shows of it."""
    return len(server.client.get("/load").content) / 1000 / HOSTS


def _agents(sshd: int) -> list[int]:
    """Return the agents that the connections of this sshd have started."""
    found, waiting = [], [sshd]
    while waiting:
        pid = waiting.pop()
        waiting += processes.children(pid)
        if b"--agent" in processes.read(f"/proc/{pid}/cmdline", 65_536).split(b"\0"):
            found.append(pid)
    return found


def _used(*groups: list[int]) -> list[float]:
    """Return the share of a core that each of these groups of processes uses."""
    before, began = [[cpu(pid) for pid in group] for group in groups], time.monotonic()
    time.sleep(SECONDS)
    passed = time.monotonic() - began
    return [
        sum(cpu(pid) - was for pid, was in zip(group, known, strict=True)) / passed
        for group, known in zip(groups, before, strict=True)
    ]


if __name__ == "__main__":
    main()
