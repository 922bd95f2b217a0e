"""Scripted GPUs in a file: their memory is a counter that processes share and can exhaust. Standard library only.

As a program this is the runner with such GPUs: python scripted.py GPUS ALLOCATION_DIR
"""

import fcntl
import json
import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

GB = 10**9


class ScriptedGpus:
    """The GPUs as the processes of tasks see them."""

    def __init__(self, path: str | Path) -> None:
        self._path = str(path)
        self._until = 0.0

    def make(self, count: int, total: int, name: str = "Scripted 10G") -> None:
        gpus = [{"id": f"GPU-{number:08x}", "name": name, "total": total, "of": {}} for number in range(count)]
        Path(self._path).write_text(json.dumps({"cards": gpus, "told": True}))

    def hide_processes(self) -> None:
        """As in a container whose process numbers are not the driver's."""
        with self._open() as state:
            state["told"] = False

    def show_processes(self) -> None:
        """The runner may rely on the numbers of processes: tasks may start early."""
        with self._open() as state:
            state["sure"] = True

    def strange(self, gpu: int, memory: int) -> None:
        """Somebody else holds so much of a gpu."""
        with self._open() as state:
            state["cards"][gpu]["of"]["1"] = {"memory": memory, "load": 0.0, "most": memory, "start": _started(1)}

    def put(self, gpu: int, pid: int, memory: int = GB, load: float = 0.5) -> None:
        """This process, whoever's it is, is on a gpu while it lives."""
        with self._open() as state:
            state["cards"][gpu]["of"][str(pid)] = {"memory": memory, "load": load, "start": _started(pid)}

    @contextmanager
    def _open(self) -> Iterator[dict[str, Any]]:
        with open(self._path, "r+") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            state = json.load(file)
            for gpu in state["cards"]:
                gpu["of"] = {pid: one for pid, one in gpu["of"].items() if one["start"] == _started(int(pid))}
            yield state
            file.seek(0)
            file.truncate()
            json.dump(state, file)

    def look(self) -> dict[str, Any]:
        with self._open() as state:
            return state

    def take(self, memory: int, load: float = 0.1) -> None:
        """This process takes memory of its gpu. When there is not enough, it ends as PyTorch would."""
        with self._open() as state:
            for gpu in _visible(state["cards"]):
                pid = os.getpid()
                mine = gpu["of"].setdefault(str(pid), {"memory": 0, "load": load, "start": _started(pid)})
                used = sum(one["memory"] for one in gpu["of"].values())
                if used + memory > gpu["total"]:
                    more, held = memory / 2**30, mine["memory"] / 2**30
                    raise MemoryError(
                        f"torch.OutOfMemoryError: CUDA out of memory. Tried to allocate {more:.2f} GiB. GPU 0 is full. "
                        f"Including non-PyTorch memory, this process has {held:.2f} GiB memory in use."
                    )
                mine["memory"] += memory
                gpu["most"] = max(gpu.get("most", 0), used + memory)

    def company(self, seconds: float) -> None:
        """Until another process holds memory of a GPU, but no longer than this."""
        for _ in range(int(seconds / 0.02)):
            if sum(one["memory"] > 0 for gpu in self.look()["cards"] for one in gpu["of"].values()) > 1:
                return
            time.sleep(0.02)

    def step(self, seconds: float) -> None:
        """A step of training: longer when the GPU is busy with more than it can do at a time.

        What a slow machine takes between two steps is not added: GPUs have the next step before the last one is done.
        """
        with self._open() as state:
            busy = max(sum(one["load"] for one in gpu["of"].values()) for gpu in _visible(state["cards"]))
        now = time.monotonic()
        self._until = max(self._until or now, now - seconds) + seconds * max(1.0, busy)
        time.sleep(max(0.0, self._until - now))


def _visible(gpus: list[dict[str, Any]]) -> list[dict[str, Any]]:
    given = os.environ.get("CUDA_VISIBLE_DEVICES", "")
    wanted = [part for part in given.split(",") if part]
    return [gpu for number, gpu in enumerate(gpus) if gpu["id"] in wanted or str(number) in wanted]


def _started(pid: int) -> int:
    """Return when a process was started; 0 if it has ended. The numbers of processes that ended are given out again."""
    try:
        with open(f"/proc/{pid}/stat") as file:
            fields = file.read().rpartition(")")[2].split()
    except OSError:
        return 0
    return 0 if fields[0] in "ZX" else int(fields[19])


def run(gpus: str, allocation_dir: str) -> int:
    from paddock.common.gpus import GpuDriver, GpuInfo, GpuReading
    from paddock.runner import manifest
    from paddock.runner.journal import Journal
    from paddock.runner.loop import Runner

    class ScriptedDriver(GpuDriver):
        def __init__(self) -> None:
            self.sees_processes = ScriptedGpus(gpus).look().get("sure", False)

        def gpus(self) -> list[GpuInfo]:
            found = ScriptedGpus(gpus).look()["cards"]
            return [GpuInfo(one["id"], number, one["name"], one["total"]) for number, one in enumerate(found)]

        def read(self, gpu: GpuInfo) -> GpuReading | None:
            state = ScriptedGpus(gpus).look()
            one = state["cards"][gpu.number]
            used = sum(each["memory"] for each in one["of"].values())
            load = min(1.0, sum(each["load"] for each in one["of"].values()))
            told = {int(pid): each["memory"] for pid, each in one["of"].items()} if state["told"] else {}
            return GpuReading(used, load, told)

    return Runner(manifest.load(allocation_dir), Journal.create(allocation_dir), "scripted", ScriptedDriver()).run()


if __name__ == "__main__":
    sys.exit(run(*sys.argv[1:]))
