"""Look at a real NVIDIA GPU through an agent, as an ordinary user, while two other users run something on it.

Needs root, to become these users, and no package: `PYTHONPATH=src python3 -m benchmarks.gpu_watch`. Prints what is
seen; the exit code is 1 if something of it is wrong.
"""

import os
import pwd
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from paddock.agents import loader
from paddock.agents.link import Link
from paddock.common import processes

EVERY = 0.2
PYTHON = next((one for one in ("/usr/bin/python3", sys.executable) if Path(one).exists()), "python3")  # for everybody
LOOKS = 50
PATIENCE = 60.0
MIB = 2**20
SIZES = {"alice": 1024, "bob": 3072}  # MiB
FREE_IDS = (64_321, 64_322, 64_323)  # where accounts cannot be made
# A process on the GPU that needs nothing but the driver: it holds memory and writes to it all the time.
PROGRAM = """\
import ctypes, sys, time
cuda = ctypes.CDLL("libcuda.so.1")
def call(name, *arguments):
    code = getattr(cuda, name)(*arguments)
    if code:
        sys.exit("%s: error %d" % (name, code))
device, context, address = ctypes.c_int(), ctypes.c_void_p(), ctypes.c_uint64()
size = ctypes.c_size_t(int(sys.argv[1]) << 20)
call("cuInit", 0)
call("cuDeviceGet", ctypes.byref(device), 0)
call("cuDevicePrimaryCtxRetain", ctypes.byref(context), device)
call("cuCtxSetCurrent", context)
call("cuMemAlloc_v2", ctypes.byref(address), size)
print("ready", flush=True)
until = time.time() + 300
while time.time() < until:
    for _ in range(20):
        call("cuMemsetD8_v2", address, ctypes.c_ubyte(1), size)
    call("cuCtxSynchronize")
"""


@dataclass(frozen=True)
class Person:
    """An ordinary user. The name is its number where there is no account."""

    name: str
    uid: int
    gid: int
    folder: Path

    @property
    def become(self) -> list[str]:
        argv = ["setpriv", f"--reuid={self.uid}", f"--regid={self.gid}", "--clear-groups"]
        return [*argv, "env", "-i", f"HOME={self.folder}", f"PATH={os.environ.get('PATH', '/usr/bin:/bin')}"]


@dataclass
class Seen:
    """What was seen of the GPU, and how quickly."""

    gpu: Mapping[str, Any]  # while both processes run
    node: Mapping[str, Any]
    pids: dict[str, int]  # person -> process
    people: dict[str, str]  # person -> name of the account
    appeared: dict[str, float] = field(default_factory=dict)  # person -> seconds from its start on the GPU to a report
    left: float = 0.0  # seconds from the end of a process to a report without it
    look_ms: float = 0.0  # CPU time of the agent per look

    def process(self, person: str) -> Mapping[str, Any]:
        """Return what was reported of the process of a person."""
        return next(one for one in self.gpu["processes"] if one["pid"] == self.pids[person])


class Looks:
    """The reports of an agent: the last one, and who waits for one."""

    def __init__(self) -> None:
        self.number = 0
        self._last: Mapping[str, Any] = {}
        self._news = threading.Condition()

    def hear(self, report: Mapping[str, Any]) -> None:
        with self._news:
            self._last, self.number = report, self.number + 1
            self._news.notify_all()

    def wait(self, wanted: Callable[[Mapping[str, Any]], bool], what: str) -> Mapping[str, Any]:
        """Return the first report, from the next one on, that is wanted."""
        until = time.monotonic() + PATIENCE
        with self._news:
            begun = self.number
            while self.number == begun or not wanted(self._last):
                if not self._news.wait(until - time.monotonic()):
                    raise SystemExit(f"{what}: not seen within {PATIENCE:.0f} s; the last report was {self._last}")
            return self._last


def main() -> None:
    if os.geteuid() != 0:
        raise SystemExit("only root can become other users: please run this as root")
    seen = watch()
    gpu = seen.gpu
    print(
        f"{gpu['name']} ({gpu['id']}): load {gpu['load']}, {gpu['used'] / MIB:,.0f} of {gpu['memory'] / MIB:,.0f} MiB"
    )
    print(f"  {gpu['temperature']} degrees, {gpu['power']} W of {gpu['power_limit']} W")
    for one in gpu["processes"]:
        size = "unknown" if one["memory"] is None else f"{one['memory'] / MIB:,.0f} MiB"
        print(f"  pid {one['pid']} since {one['start']}, {one['owner']}, {size}: {one['command']}; task {one['task']}")
    print(f"node: {seen.node['processes']} processes, {len(seen.node['people'])} people are logged in")
    quick = ", ".join(f"{seconds:.2f} s" for seconds in seen.appeared.values())
    print(f"on the GPU -> reported, looks every {EVERY} s: {quick}; ended -> gone: {seen.left:.2f} s")
    print(f"a look: {seen.look_ms:.2f} ms of CPU of the agent, as an ordinary user")
    wrong = problems(seen)
    print("\n".join(wrong) or "everything is as expected")
    sys.exit(bool(wrong))


def problems(seen: Seen) -> list[str]:
    """Return what is not as it should be."""
    gpu, wrong = seen.gpu, []
    for person, size in SIZES.items():
        one = seen.process(person)
        if one["owner"] != seen.people[person]:
            wrong.append(f"the owner of {person}'s process is {one['owner']}, not {seen.people[person]}")
        if "busy.py" not in (one["command"] or ""):
            wrong.append(f"the command of {person}'s process is {one['command']}")
        if one["session"] is None:
            wrong.append(f"the session of {person}'s process is not known: it would belong to no task")
        if not one["start"]:
            wrong.append(f"since when {person}'s process runs is not known")
        if one["memory"] is None or one["memory"] < size * MIB:
            wrong.append(f"{person}'s process has {one['memory']} bytes, not {size} MiB")
        if one["task"] is not None:
            wrong.append(f"the environment of {person}'s process can be read: {one['task']}")
    bounds = {"temperature": (5, 110), "power": (5, 3000), "power_limit": (50, 3000), "load": (0.0, 1.0)}
    for name, (low, high) in bounds.items():
        if gpu[name] is None or not low <= gpu[name] <= high:
            wrong.append(f"the {name} is {gpu[name]}")
    return wrong


def watch() -> Seen:
    """Run a process of each person on the first GPU, and look at it through the agent of a third one."""
    with people() as (watcher, alice, bob), agent(watcher) as (link, looks):
        first = looks.wait(lambda report: bool(report.get("cards")), "a GPU")
        number = first["cards"][0]["number"]
        begun: dict[str, subprocess.Popen[bytes]] = {}
        appeared = {}
        try:
            for name, person in (("alice", alice), ("bob", bob)):
                begun[name] = start(person, SIZES[name])
                on_gpu = time.monotonic()
                pid = begun[name].pid
                looks.wait(lambda report, pid=pid: pid in pids(report, number), f"the process of {name}")  # type: ignore[misc]
                appeared[name] = time.monotonic() - on_gpu
            agent_pid = int(link.run(["sh", "-c", "echo $PPID"]).out)
            cpu, looked = cpu_seconds(agent_pid), looks.number
            looks.wait(lambda report: looks.number >= looked + LOOKS, "more looks")
            look_ms = 1000 * (cpu_seconds(agent_pid) - cpu) / (looks.number - looked)
            report = looks.wait(lambda report: bool(report.get("cards")), "both")
            gpu = next(one for one in report["cards"] if one["number"] == number)
            begun["alice"].kill()
            begun["alice"].wait()
            ended = time.monotonic()
            looks.wait(lambda report: begun["alice"].pid not in pids(report, number), "the end of a process")
            left = time.monotonic() - ended
        finally:
            for process in begun.values():
                process.kill()
                process.wait()
    ids = {name: process.pid for name, process in begun.items()}
    return Seen(gpu, report, ids, {"alice": alice.name, "bob": bob.name}, appeared, left, look_ms)


def pids(report: Mapping[str, Any], number: int) -> list[int]:
    """Return the processes on a GPU."""
    return [one["pid"] for gpu in report["cards"] if gpu["number"] == number for one in gpu["processes"]]


def start(person: Person, mebibytes: int) -> subprocess.Popen[bytes]:
    """Start a process of a person; return it as soon as it is on the GPU."""
    program = person.folder / "busy.py"
    program.write_text(PROGRAM)
    argv = [*person.become, "PADDOCK_TASK=k3v9x2ab-1", PYTHON, str(program), str(mebibytes)]
    process = subprocess.Popen(argv, stdout=subprocess.PIPE, cwd="/")
    assert process.stdout is not None
    if process.stdout.readline().strip() != b"ready":
        raise SystemExit(f"a process of {person.name} could not use the GPU (exit code {process.wait()})")
    return process


def cpu_seconds(pid: int) -> float:
    found = processes.stat(pid)
    if found is None:
        raise SystemExit("the agent has ended")
    return found.cpu_seconds


@contextmanager
def agent(person: Person) -> Iterator[tuple[Link, Looks]]:
    """Yield a link to an agent of a person that looks at its node."""
    program = person.folder / "paddock-agent"
    shutil.copyfile(str(loader.__file__), program)
    program.chmod(0o755)
    link = Link(person.name, [*person.become, PYTHON, "-IS", str(program)], str(person.folder / "agent"))
    looks = Looks()
    try:
        link.hello()
        link.machine(EVERY, looks.hear)
        yield link, looks
    finally:
        link.close()


@contextmanager
def people() -> Iterator[tuple[Person, Person, Person]]:
    """Make three ordinary users; remove them at the end."""
    with ExitStack() as stack:
        root = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="paddock-gpu-", dir="/tmp")))
        root.chmod(0o755)
        found = [stack.enter_context(_person(f"pdkgpu{n}", FREE_IDS[n], root)) for n in range(3)]
        yield found[0], found[1], found[2]


@contextmanager
def _person(name: str, number: int, root: Path) -> Iterator[Person]:
    made = shutil.which("useradd") is not None
    if made:
        subprocess.run(["useradd", "--no-create-home", "--home-dir", str(root / name), name], check=True)
    try:
        entry = pwd.getpwnam(name) if made else None
        uid, gid = (entry.pw_uid, entry.pw_gid) if entry else (number, number)
        folder = root / name
        folder.mkdir(mode=0o755)
        os.chown(folder, uid, gid)
        yield Person(name if made else str(uid), uid, gid, folder)
    finally:
        if made:
            with suppress(subprocess.CalledProcessError):
                subprocess.run(["userdel", "--force", name], check=True, capture_output=True)


if __name__ == "__main__":
    main()
