"""Start a cluster for measuring, and count the calls of its commands."""

import os
import shutil
import tempfile
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.slurm.cluster import Cluster

COMMANDS = ("sbatch", "squeue", "scancel", "scontrol", "sacct", "sinfo", "srun")


class Calls:
    """Wrappers of Slurm's commands, first on the PATH, that write one line per call."""

    def __init__(self, folder: Path) -> None:
        self._log = folder / "calls"
        self._log.touch()
        for name in COMMANDS:
            real = shutil.which(name)
            wrapper = folder / name
            wrapper.write_text(f'#!/bin/bash\necho "$EPOCHREALTIME {name}" >> {self._log}\nexec {real} "$@"\n')
            wrapper.chmod(0o755)
        os.environ["PATH"] = f"{folder}:{os.environ['PATH']}"

    def take(self) -> Counter[str]:
        """Return the calls since the last time."""
        found = Counter(name for _, name in self.made())
        self._log.write_text("")
        return found

    def made(self) -> list[tuple[float, str]]:
        """Return when each command was called since the last `take`, in seconds since 1970."""
        lines = [line.split() for line in self._log.read_text().splitlines()]
        return [(float(at.replace(",", ".")), name) for at, name in lines]


@contextmanager
def cluster(nodes: int = 2, cpus: int = 8, nice: int = 0, **more: Any) -> Iterator[tuple[Cluster, Calls]]:
    """Yield a cluster without accounting: its daemons would use the two cores of a small machine."""
    path = os.environ["PATH"]
    with tempfile.TemporaryDirectory(prefix="slurm-", dir="/tmp", ignore_cleanup_errors=True) as folder:
        root = Path(folder)
        root.chmod(0o755)
        wrappers = root / "bin"
        wrappers.mkdir()
        options: dict[str, Any] = {
            "nodes": nodes,
            "cpus": cpus,
            "memory": 1000 * cpus,
            "nice": nice,
            "accounting": False,
            "max_array_size": 10001,
        } | more
        with Cluster(root / "c", prefix="bench", port=21900, **options) as made:
            os.environ |= made.environment
            try:
                yield made, Calls(wrappers)
            finally:
                os.environ["PATH"] = path


def described(calls: Counter[str]) -> str:
    return f"{calls.total()} ({', '.join(f'{count} {name}' for name, count in sorted(calls.items()))})"
