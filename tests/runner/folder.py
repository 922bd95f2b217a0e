"""Make a job folder as the engine would, and start runners on it."""

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

Record = dict[str, Any]
T = TypeVar("T")


class Folder:
    def __init__(self, root: Path, pyz: Path, python: str = sys.executable) -> None:
        self.root = root
        self.python = python
        self.job = "k3v9x2ab"
        self._pyz = pyz
        self._runners: list[subprocess.Popen[bytes]] = []
        for name in ("code", "claims", "allocations", "results"):
            (root / name).mkdir(parents=True)
        (root / "job.json").write_text("{}")

    def code(self, name: str, text: str) -> str:
        path = self.root / "code" / name
        path.write_text(text)
        return str(path)

    def add(self, task: str, *argv: str, attempt: int = 1, queue: str = "tasks.jsonl", **fields: Any) -> None:
        line = {
            "task": task,
            "attempt": attempt,
            "resume": False,
            "argv": argv,
            "env": {},
            "params": {},
            "epochs": None,
        }
        self.append(queue, json.dumps({**line, **fields}) + "\n")

    def deal(self, key: str, task: str, *argv: str, **fields: Any) -> None:
        self.add(task, *argv, queue=f"allocations/{key}/tasks.jsonl", **fields)

    def python_task(self, task: str, text: str, **fields: Any) -> None:
        self.add(task, sys.executable, self.code(f"{task}.py", text), **fields)

    def end(self) -> None:
        self.append("tasks.jsonl", '{"end": true}\n')

    def order(self, op: str, **fields: Any) -> None:
        self.append("control.jsonl", json.dumps({"op": op, **fields}) + "\n")

    def append(self, name: str, text: str | bytes) -> None:
        with open(self.root / name, "ab") as file:
            file.write(text if isinstance(text, bytes) else text.encode())

    def allocate(self, key: str = "a1.0", **settings: Any) -> Path:
        folder = self.root / "allocations" / key
        folder.mkdir()
        manifest = {
            "job": self.job,
            "job_dir": str(self.root),
            "slots": 1,
            "poll_seconds": 0.05,
            "usage_seconds": 0.2,
            "grace_seconds": 5.0,
            "idle_seconds": 0,
            "metrics": {"files": [], "stdout": True},
        }
        self.manifest(key).write_text(json.dumps({**manifest, **settings}))
        return folder

    def manifest(self, key: str = "a1.0") -> Path:
        return self.root / "allocations" / f"{key.rpartition('.')[0]}.manifest.json"

    def start(self, key: str = "a1.0", **env: str) -> subprocess.Popen[bytes]:
        return self.launch([str(self._pyz)], key, **env)

    def launch(self, program: list[str], key: str = "a1.0", **env: str) -> subprocess.Popen[bytes]:
        """Start a runner by another program than the archive."""
        folder = self.root / "allocations" / key
        with open(folder / "out.log", "ab") as out:
            argv = [self.python, "-I", "-S", *program, str(folder)]
            runner = subprocess.Popen(argv, stdout=out, stderr=out, env={**os.environ, **env})
        self._runners.append(runner)
        return runner

    def run(self, key: str = "a1.0", **env: str) -> list[Record]:
        """Everything that a runner reports, from its start to its good end."""
        assert self.start(key, **env).wait(120) == 0, self.complaints(key)
        return self.records(key)

    def complaints(self, key: str = "a1.0") -> str:
        return (self.root / "allocations" / key / "out.log").read_text()

    def records(self, key: str = "a1.0", number: int = 1) -> list[Record]:
        path = self.root / "allocations" / key / f"journal.{number}.jsonl"
        content = path.read_bytes() if path.exists() else b""
        return [json.loads(line) for line in content[: content.rfind(b"\n") + 1].splitlines()]

    def await_record(self, kind: str, task: str, key: str = "a1.0") -> Record:
        def found() -> Record | None:
            return next((r for r in self.records(key) if r["e"] == kind and r["task"] == task), None)

        return wait_for(found)

    def results(self, task: str) -> Path:
        return self.root / "results" / self.job / task

    def log(self, task: str, attempt: int = 1) -> str:
        return (self.results(task) / "attempts" / str(attempt) / "out.log").read_text()

    def close(self) -> None:
        for runner in self._runners:
            if runner.poll() is None:
                runner.kill()
            runner.wait()


def ended(records: list[Record], task: str) -> Record:
    [record] = [r for r in records if r["e"] == "ended" and r["task"] == task]
    return record


def kinds(records: list[Record]) -> list[str]:
    """Without those that come with time."""
    return [r["e"] for r in records if r["e"] not in ("usage", "node")]


def wait_for(probe: Callable[[], T | None], seconds: float = 120.0) -> T:
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        value = probe()
        if value:
            return value
        time.sleep(0.01)
    raise AssertionError("it did not happen")


def is_running(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False
