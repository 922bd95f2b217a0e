"""Find and end the processes and cgroups of a test cluster.

They are recognised by the cluster's folder in their environment: the name of a node alone proves nothing. As a program
it waits until the process that started it is gone, and then removes what that process left.
"""

import contextlib
import os
import shutil
import signal
import sys
import time
from collections.abc import Iterable
from pathlib import Path

CGROUPS = Path("/sys/fs/cgroup")
# What our daemons, and the steps that they start, have in their environment.
CLUSTER_MARK, NODE_MARK = "PADDOCK_TESTS_SLURM", "PADDOCK_TESTS_SLURM_NODE"


def cgroups_writable() -> bool:
    return all(os.access(CGROUPS / kind / "cgroup.procs", os.W_OK) for kind in ("memory", "devices", "freezer"))


def _cgroup_folders(nodes: Iterable[str], of_jobs: bool = False) -> list[Path]:
    """Return the cgroups that Slurm makes for nodes, or those of their jobs; the innermost first."""
    tops = [top for node in nodes for top in CGROUPS.glob(f"*/slurm_{node}{'/uid_*/job_*' if of_jobs else ''}")]
    return [Path(folder) for top in tops for folder, _, _ in os.walk(top, topdown=False)]


def remove_cgroups(nodes: Iterable[str]) -> None:
    for folder in _cgroup_folders(nodes):
        with contextlib.suppress(OSError):
            folder.rmdir()


def _leftovers(folder: Path, nodes: list[str], with_daemons: bool) -> set[int]:
    """Return the steps and processes of jobs of these nodes, and all that they started; the daemons too on request."""
    wanted = [{f"{CLUSTER_MARK}={folder}", f"{NODE_MARK}={node}"} for node in nodes]
    wanted += [{f"SLURM_CONF={folder}/etc/slurm.conf", f"SLURMD_NODENAME={node}"} for node in nodes]
    wanted += [{f"{CLUSTER_MARK}={folder}"}] if with_daemons else []
    parents, found = {}, set()
    for process in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            state, parent = (process / "stat").read_text(errors="replace").rpartition(")")[2].split()[:2]
            if state == "Z":
                continue  # dead: it only waits for somebody to read how it ended
            parents[int(process.name)] = int(parent)
            environment = set((process / "environ").read_text(errors="replace").split("\0"))
            if any(marks <= environment for marks in wanted):
                found.add(int(process.name))
    while more := {number for number, parent in parents.items() if parent in found and number not in found}:
        found |= more
    for job in _cgroup_folders(nodes, of_jobs=True):
        with contextlib.suppress(OSError):
            together = {int(number) for number in (job / "cgroup.procs").read_text().split()}
            found |= together if together & found else set()
    return (found & parents.keys()) - {os.getpid()}


def end(folder: Path, nodes: list[str], with_daemons: bool = False, seconds: float = 10) -> None:
    until = time.monotonic() + seconds
    while (left := _leftovers(folder, nodes, with_daemons)) and time.monotonic() < until:
        for number in sorted(left):  # runners before their tasks: it is no power cut when they can still report it
            with contextlib.suppress(ProcessLookupError):
                os.kill(number, signal.SIGKILL)
        for cgroup in _cgroup_folders(nodes, of_jobs=True):
            with contextlib.suppress(OSError):  # what is frozen would not die
                if (cgroup / "freezer.state").exists():
                    (cgroup / "freezer.state").write_text("THAWED")
        time.sleep(0.02)


def served(nodes: Iterable[str]) -> list[str]:
    """Return those of the nodes that some slurmd on this machine serves."""
    found = set()
    for process in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            argv = (process / "cmdline").read_text(errors="replace").split("\0")
            if Path(argv[0]).name.startswith("slurmd") and "-N" in argv:
                found.add(argv[argv.index("-N") + 1])
    return sorted(found & set(nodes))


def _watch(folder: Path, nodes: list[str]) -> None:
    """Wait, in a separate process, until the process that started it is gone, and remove what it left."""
    sys.stdin.read()
    end(folder, nodes, with_daemons=True)
    remove_cgroups(nodes)
    shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    _watch(Path(sys.argv[1]), sys.argv[2:])
