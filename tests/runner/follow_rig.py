"""Make the folders of a task with a follower on them, and collect the curves from its records."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from paddock.runner.sources.follower import Follower

Record = dict[str, Any]
Curves = dict[str, list[tuple[float, float]]]


class Rig:
    def __init__(self, tmp_path: Path) -> None:
        self.task = tmp_path / "results" / "k3v9x2ab" / "k3v9x2ab-1"
        self.work = self.task / "work"
        self.attempt = self.task / "attempts" / "1"
        for folder in (self.work, self.attempt, self.task / "checkpoint"):
            folder.mkdir(parents=True, exist_ok=True)
        (self.work / "results").symlink_to("../../..")
        self.log = self.attempt / "out.log"
        self.records: list[Record] = []
        self.follower: Follower | None = None

    def start(
        self,
        *patterns: str,
        stdout: bool = True,
        resume: bool = False,
        epochs: int | None = None,
        marked: list[str] | None = None,
        objective: str = "",
    ) -> Rig:
        self.records = []
        folders = (str(self.task), str(self.work), str(self.attempt))
        self.follower = Follower(*folders, list(patterns), stdout, resume, epochs, marked=marked, objective=objective)
        return self

    def write(self, name: str, content: str | bytes) -> Path:
        """Anew, in the working folder."""
        return self._put(name, content, "wb")

    def append(self, name: str, content: str | bytes) -> Path:
        return self._put(name, content, "ab")

    def say(self, content: str | bytes) -> None:
        """On standard output."""
        self._put(str(self.log), content, "ab")

    def _put(self, name: str, content: str | bytes, mode: str) -> Path:
        path = self.work / name
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open(mode) as f:
            f.write(content.encode() if isinstance(content, str) else content)
        return path

    def replace(self, name: str, content: str) -> None:
        """By another file of that name."""
        other = self.write(name + ".tmp", content)
        os.replace(other, self.work / name)

    def poll(self) -> list[Record]:
        assert self.follower
        new = self.follower.poll()
        self.records += new
        return new

    def close(self, well: bool = False) -> list[Record]:
        assert self.follower
        new = self.follower.close(well)
        self.records += new
        return new

    @property
    def curves(self) -> Curves:
        """What the engine has after these records."""
        curves: Curves = {}
        for record in self.records:
            for name, value in record.get("v", {}).items():
                curves.setdefault(name, []).append((record["step"], value))
            for name in record.get("names", []):
                curves.pop(name, None)
        return curves

    @property
    def warnings(self) -> list[str]:
        return [record["text"] for record in self.records if record["e"] == "warning"]

    @property
    def resets(self) -> list[str]:
        return [name for record in self.records if record["e"] == "reset" for name in record["names"]]
