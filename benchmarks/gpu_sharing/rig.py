"""Run tasks by hand, or through Paddock's runner as the server would. Standard library only.

The server is not needed for these figures, and its dependencies are not on every machine with a GPU: the job folder is
written here, and `known` carries over what the server would store for the next job.
"""

import json
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
sys.path.insert(0, str(ROOT / "src"))

from paddock.common import gpus  # noqa: E402
from paddock.runner import build  # noqa: E402
from paddock.runner.sharing import mps  # noqa: E402

Params = dict[str, Any]


@dataclass
class Result:
    seconds: float
    done: int
    failed: int
    attempts: int = 0
    packing: dict[str, Any] = field(default_factory=dict)
    samples: list[tuple[Params, int]] = field(default_factory=list)  # parameters of a task, and the bytes it needed
    retries: int = 0
    cpu_seconds: float = 0.0  # of the runner itself
    memory: int = 0
    task_seconds: float = 0.0  # all tasks together
    task_cpu: float = 0.0  # of a core, all tasks together; by hand only


def options(params: Params) -> list[str]:
    return [text for name, value in params.items() for text in (f"--{name}", str(value))]


def by_hand(
    script: str, args: list[str], tasks: int, at_once: int, *, service: bool, each: list[Params] | None = None
) -> Result:
    """Run up to `at_once` tasks at the same time, with or without MPS. A task that fails is not tried again.

    `each` has the parameters of each task, if they differ.
    """
    shared = mps.Mps()
    if service:
        problem = shared.start()
        if problem:
            raise SystemExit(f"no MPS: {problem}")
        time.sleep(1)
    environment = {**os.environ, "OMP_NUM_THREADS": "1", **shared.environment}
    running: list[subprocess.Popen[bytes]] = []
    left, codes = tasks, []
    before, started = _children_cpu(), time.monotonic()
    while left or running:
        while left and len(running) < at_once:
            own = options(each[tasks - left]) if each else []
            left -= 1
            command = [sys.executable, str(HERE / script), *args, *own]
            running.append(
                subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            )
        time.sleep(0.05)
        codes += [one.returncode for one in running if one.poll() is not None]
        running = [one for one in running if one.returncode is None]
    seconds = time.monotonic() - started
    spent = _children_cpu() - before
    shared.stop()
    return Result(seconds, codes.count(0), len(codes) - codes.count(0), task_cpu=spent)


def _children_cpu() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def through_the_runner(
    script: str,
    args: list[str],
    tasks: int,
    per_gpu: int | str,
    known: dict[str, Any] | None = None,
    each: list[Params] | None = None,
) -> Result:
    """Run all tasks in one allocation with one GPU. Attempts to retry are published as the engine does it."""
    folder = Path(tempfile.mkdtemp(prefix="paddock-bench-"))
    job = folder / "job"
    for name in ("code", "claims", "results", "allocations/a.0"):
        (job / name).mkdir(parents=True)
    (job / "job.json").write_text("{}")
    build.build(folder / "runner.pyz")
    manifest = {
        "job": "bench",
        "job_dir": str(job),
        "slots": 48 if per_gpu == "auto" else per_gpu,
        "idle_seconds": 3.0,
        "metrics": {"files": [], "stdout": True},
        "gpus": {"task": 1, "per": per_gpu, "known": known or {}},
    }
    (job / "allocations/a.manifest.json").write_text(json.dumps(manifest))
    argv = [sys.executable, str(HERE / script), *args]
    lines = {}
    for number in range(tasks):
        own = each[number] if each else {}
        line = {"resume": False, "env": {}, "params": own, "epochs": None, "argv": [*argv, *options(own)]}
        lines[f"bench-{number + 1}"] = line
    with open(job / "tasks.jsonl", "a") as file:
        file.writelines(json.dumps({"task": task, "attempt": 1, **line}) + "\n" for task, line in lines.items())
    environment = {**os.environ, "CUDA_VISIBLE_DEVICES": os.environ.get("CUDA_VISIBLE_DEVICES", "0")}
    started = time.monotonic()
    runner = subprocess.Popen(
        [sys.executable, "-I", "-S", str(folder / "runner.pyz"), str(job / "allocations/a.0")], env=environment
    )
    try:
        result = _follow(job, runner, lines)
    finally:
        if runner.poll() is None:
            runner.terminate()
            runner.wait()
    result.seconds = result.seconds - started
    if os.environ.get("KEEP"):
        shutil.copy(job / "allocations/a.0/journal.1.jsonl", Path(os.environ["KEEP"]) / f"{folder.name}.jsonl")
    shutil.rmtree(folder, ignore_errors=True)
    return result


def _follow(job: Path, runner: subprocess.Popen[bytes], lines: dict[str, dict[str, Any]]) -> Result:
    """Follow the journal until no task will run again; `seconds` is the time of the last end."""
    result = Result(0.0, 0, 0)
    journal, offset = job / "allocations/a.0/journal.1.jsonl", 0
    while result.done + result.failed < len(lines):
        if runner.poll() is not None:
            raise SystemExit(f"the runner ended: {(job / 'allocations/a.0').iterdir()}")
        time.sleep(0.05)
        text = journal.read_text() if journal.exists() else ""
        end = text.rfind("\n") + 1
        for record in map(json.loads, text[offset:end].splitlines()):
            _take(result, record, job, lines)
        offset = end
        result.cpu_seconds, result.memory = _cost(runner.pid) or (result.cpu_seconds, result.memory)
    with open(job / "tasks.jsonl", "a") as file:
        file.write('{"end": true}\n')
    return result


def _take(result: Result, record: dict[str, Any], job: Path, lines: dict[str, dict[str, Any]]) -> None:
    if os.environ.get("VERBOSE") and (record["e"] == "packing" or record.get("cause")):
        print("  ", record, flush=True)
    if record["e"] == "packing":
        result.packing = record
    if record["e"] == "started":
        result.attempts += 1
        result.task_seconds -= record["at"]
    if record["e"] != "ended":
        return
    result.task_seconds += record["at"]
    result.seconds = time.monotonic()
    if record.get("gpu_need"):
        result.samples.append((lines[record["task"]]["params"], record["gpu_need"]))
    if record["exit"] == 0:
        result.done += 1
    elif record.get("again"):
        result.retries += 1
        again = {"task": record["task"], "attempt": record["attempt"] + 1, "room": record["again"]}
        with open(job / "tasks.jsonl", "a") as file:
            file.write(json.dumps({**again, **lines[record["task"]]}) + "\n")
    else:
        result.failed += 1
        print("   failed:", record["cause"], record["reason"])


def _cost(pid: int) -> tuple[float, int] | None:
    """Return the CPU seconds and the bytes of memory of a process."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return None
    if int(fields[21]) == 0:
        return None
    seconds = (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    return seconds, int(fields[21]) * os.sysconf("SC_PAGE_SIZE")


def gpu_name() -> str:
    found = gpus.find_driver().gpus()
    return f"{found[0].name}, {found[0].memory / 2**30:.0f} GiB" if found else "no GPU"
