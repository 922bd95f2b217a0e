"""An agent of this very user, without sudo: the same loader, program and protocol."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from paddock.agents import loader
from paddock.agents.link import Link

LOADER = [sys.executable, "-IS", str(loader.__file__)]


OLDEST = next(iter(sorted(Path.home().glob(".pyenv/versions/3.8*/bin/python"))), None)


@contextmanager
def linked(root: Path, **options: Any) -> Iterator[Link]:
    """A link to an agent whose root is this folder."""
    link = Link("tester", LOADER, str(root), **options)
    try:
        yield link
    finally:
        link.close()


def agent_pid(link: Link) -> int:
    """Return the process of the agent that runs now."""
    link.hello()
    pid = int(os.fsdecode(link.run(["sh", "-c", "echo $PPID"]).out))
    assert pid > 1
    return pid


class Taken:
    """What arrived of watched files. Every byte must come once and in order."""

    def __init__(self) -> None:
        self.files: dict[str, bytes] = {}
        self.failed: dict[str, OSError] = {}
        self.calls = 0

    def grown(self, path: str, offset: int, data: bytes) -> None:
        have = self.files.get(path, b"")
        assert offset == len(have), f"{path}: {offset} comes after {len(have)}"
        self.files[path] = have + data
        self.calls += 1

    def fail(self, path: str, error: OSError) -> None:
        self.failed[path] = error
