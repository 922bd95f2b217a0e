"""Make a home with an old version of Paddock and record it: jobs that have ended, wait, run, search or are held.

    python tests/recorded/old_home/make.py CHECKOUT

CHECKOUT is a clone of the repository at the old version; the Python that runs this script needs its dependencies. The
server and all runners are killed at the end, as by a power cut. What they leave is written beside this script:

- `database.sql`: the SQLite database, as the statements that make it again;
- `files.json`: all other files of the home as lines of text, its links and empty folders, the ids of the jobs by name;
- `runner.pyz`: the runner of that version, compressed, for the allocations that still wait.

Nothing recorded depends on the machine: the host name is changed in a namespace of our own, and three paths become
`@HOME@`, `@CODE@` and `@PYTHON@`. None of them may occur in a journal, as the database contains positions in journals.
Samples of the machine's load and events are left out: they would be too old anyway.
"""

import json
import os
import signal
import socket
import sqlite3
import subprocess
import sys
import tempfile
import time
import urllib.request
import zipfile
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
HOST = "node"
TOKEN = "the-token-of-a-recorded-home"
LEFT_OUT = ("backups", "paddock.db", "runners", "server.")  # beginnings of names in the home

SETTINGS = """\
owner = "me"
check_seconds = 60.0

[local]
slots = 8

[runner]
poll_seconds = 0.1
usage_seconds = 60.0
grace_seconds = 1.0

[keep]
journals_days = "forever"

[retries]
lost = 2
"""

# Goes on from its checkpoint. From epoch GATE_EPOCH on it waits for the file GATE, in these tasks and attempts.
TRAIN = """\
import argparse
import os
import time
from pathlib import Path

parser = argparse.ArgumentParser()
parser.add_argument("--lr", type=float, default=0.1)
parser.add_argument("--kind", default="plain")
parser.add_argument("--momentum", type=float, default=0.0)
parser.add_argument("--epochs", type=int, default=5)
parser.add_argument("--seconds", type=float, default=0.0)
parser.add_argument("--gate")
parser.add_argument("--gate_epoch", type=int, default=4)
parser.add_argument("--gate_task", type=int, default=1)
parser.add_argument("--gate_attempt", type=int, default=1)
args = parser.parse_args()

task, attempt = int(os.environ["PADDOCK_TASK"].rpartition("-")[2]), int(os.environ["PADDOCK_ATTEMPT"])
gated = args.gate and task >= args.gate_task and attempt >= args.gate_attempt
checkpoint = Path(os.environ["PADDOCK_CHECKPOINT_DIR"], "epoch")
done = int(checkpoint.read_text()) if checkpoint.exists() else 0
print("begins after epoch", done, flush=True)
for epoch in range(done + 1, args.epochs + 1):
    while gated and epoch >= args.gate_epoch and not Path(args.gate).exists():
        time.sleep(0.05)
    time.sleep(args.seconds)
    with open("log.csv", "a") as file:
        if not file.tell():
            file.write("epoch,loss,val_loss\\n")
        file.write(f"{epoch},{args.lr / epoch},{abs(args.lr - 0.03) + 1 / epoch}\\n")
    new = checkpoint.with_name("new")
    new.write_text(str(epoch))
    new.rename(checkpoint)
print("has finished", flush=True)
"""


def in_a_namespace() -> None:
    """Start again with a neutral host name."""
    if socket.gethostname() != HOST:
        root = [] if os.geteuid() == 0 else ["--map-root-user"]
        rename = ["sh", "-c", f'hostname {HOST} && exec "$@"', "sh"]
        os.execvp("unshare", ["unshare", *root, "--uts", *rename, sys.executable, *sys.argv])


def until(what: str, check: Callable[[], Any]) -> None:
    end = time.monotonic() + 120
    while not check():
        if time.monotonic() > end:
            raise SystemExit(f"gave up waiting: {what}")
        time.sleep(0.1)


class Old:
    """The old version, with a home and a folder to submit from."""

    def __init__(self, checkout: Path, folder: Path) -> None:
        self.home, self.code, self.python = folder / "home", folder / "code", sys.executable
        self.gate = self.home / "gate"
        self.home.mkdir(mode=0o700)
        self.code.mkdir()
        (self.code / "train.py").write_text(TRAIN)
        (self.home / "settings.toml").write_text(SETTINGS)
        (self.home / "token").write_text(TOKEN + "\n")
        (self.home / "token").chmod(0o600)
        path = f"{Path(self.python).parent}:/usr/bin:/bin"
        self.environment = {"PATH": path, "PYTHONPATH": str(checkout / "src"), "PADDOCK_HOME": str(self.home)}
        with open(folder / "server.log", "wb") as log:
            up = [self.python, "-m", "paddock", "up", "--port", "0"]
            self.server = subprocess.Popen(up, cwd=self.code, env=self.environment, stdout=log, stderr=log)
        until("the server", (self.home / "server.json").exists)
        self.url = json.loads((self.home / "server.json").read_text())["url"]

    def ask(self, method: str, path: str) -> Any:
        request = urllib.request.Request(f"{self.url}/api/v1{path}", method=method)
        request.add_header("Authorization", f"Bearer {TOKEN}")
        with urllib.request.urlopen(request) as answer:
            return json.load(answer)

    def submit(self, name: str, *arguments: str, gated: bool = True) -> str:
        """Submit the script; the id of the job."""
        gate = ["-p", f"gate={self.gate}"] if gated else []
        options = ["--name", name, "--gpus", "0", "--python", self.python, "--json"]
        argv = [self.python, "-m", "paddock", "submit", "train.py", *options, *gate, *arguments]
        done = subprocess.run(argv, check=False, cwd=self.code, env=self.environment, capture_output=True, text=True)
        if done.returncode:
            raise SystemExit(f"{argv}: {done.stdout}{done.stderr}")
        return str(json.loads(done.stdout)["id"])

    def tasks(self, job: str) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = self.ask("GET", f"/jobs/{job}/tasks")["items"]
        return found

    def states(self, job: str) -> list[str]:
        return [task["state"] for task in self.tasks(job)]

    def waits(self, job: str, *numbers: int, epoch: int = 3) -> bool:
        """Return True if these tasks wait at the gate and the server has read their points up to this epoch."""
        found = [task for task in self.tasks(job) if task["number"] in numbers]
        return len(found) == len(numbers) and all((t["state"], t["epoch"]) == ("running", epoch) for t in found)

    def power_cut(self) -> None:
        """Kill the server, then all that it has started: all of these have the home in their environment."""
        self.server.kill()
        self.server.wait()
        wanted = str(self.home).encode()
        for found in Path("/proc").glob("[0-9]*"):
            with suppress(OSError):
                if wanted in (found / "environ").read_bytes():
                    os.kill(int(found.name), signal.SIGKILL)


def fill(old: Old) -> dict[str, str]:
    """Make the jobs; their ids by their names. Each waits until the server has taken it up as far as it shall."""
    jobs = {"finished": old.submit("finished", "-p", "lr=0.3,0.03,0.003", "--tag", "old", gated=False)}
    until("the finished job", lambda: old.states(jobs["finished"]) == ["finished"] * 3)
    jobs["stopped"] = old.submit("stopped", "-p", "lr=0.3,0.03", "-p", "epochs=6")
    until("the tasks to stop", lambda: old.waits(jobs["stopped"], 1, 2))
    old.ask("POST", f"/jobs/{jobs['stopped']}/stop")
    until("the stopped job", lambda: old.states(jobs["stopped"]) == ["stopped"] * 2)
    jobs["search"] = old.submit(
        "search",
        *["-p", "lr=1e-3..1:log", "-p", "kind=plain,momentum", "-p", "gate_task=7"],
        *("-p", "momentum=0.1..0.9 if kind=momentum"),
        *["--search", "tpe", "--trials", "12", "--parallel", "1", "--seed", "1"],
    )
    jobs["population"] = old.submit(
        "population",
        *["-p", "lr=1e-3..1:log", "-p", "epochs=9", "-p", "seconds=0.5", "-p", "gate_epoch=5", "-p", "gate_attempt=2"],
        *["--search", "pbt", "--trials", "4", "--interval", "3", "--seed", "1"],
    )
    until("the search", lambda: old.waits(jobs["search"], 7))
    until("a successor", lambda: any(old.waits(jobs["population"], number, epoch=4) for number in (1, 2, 3, 4)))
    jobs["killed"] = old.submit("killed", "-p", "lr=0.3,0.03,0.003", "--parallel", "1", "--reduce", "ls {results}")
    until("the first task", lambda: old.waits(jobs["killed"], 1))
    jobs["held"] = old.submit("held", "-p", "lr=0.3,0.03", "--cpus", "4", gated=False)
    old.ask("POST", f"/jobs/{jobs['held']}/hold")
    allocations = [old.home / f"local/{jobs['held']}-a1.{number}.json" for number in (0, 1)]
    until("the hold", lambda: all(path.exists() and '"held": true' in path.read_text() for path in allocations))
    return jobs


def record(old: Old, jobs: dict[str, str]) -> None:
    places = {str(old.home): "@HOME@", str(old.code): "@CODE@", old.python: "@PYTHON@"}

    def neutral(text: str) -> str:
        for place, name in places.items():
            text = text.replace(place, name)
        return text

    with sqlite3.connect(old.home / "paddock.db") as database, sqlite3.connect(":memory:") as copy:
        database.backup(copy)
        copy.executescript("DELETE FROM events; DELETE FROM loads; VACUUM")
        (HERE / "database.sql").write_text(neutral("\n".join(copy.iterdump()) + "\n"))
    (runner,) = (old.home / "runners").iterdir()
    found: dict[str, Any] = {"jobs": jobs, "runner": runner.name, "folders": [], "links": {}, "files": {}}
    for path in sorted(old.home.rglob("*")):
        name = str(path.relative_to(old.home))
        if name.startswith(LEFT_OUT):
            continue
        if path.is_symlink():
            found["links"][name] = neutral(str(path.readlink()))
        elif path.is_dir():
            found["folders"] += [] if any(path.iterdir()) else [name]
        else:
            text = path.read_text()
            if name.rpartition("/")[2].startswith("journal.") and neutral(text) != text:
                raise SystemExit(f"a path in {name}")
            found["files"][name] = neutral(text).splitlines(keepends=True)
    (HERE / "files.json").write_text(json.dumps(found, indent=1) + "\n")
    with zipfile.ZipFile(runner) as source, zipfile.ZipFile(HERE / "runner.pyz", "w", zipfile.ZIP_DEFLATED) as target:
        for entry in source.infolist():
            target.writestr(entry, source.read(entry), zipfile.ZIP_DEFLATED, 9)


def main() -> None:
    in_a_namespace()
    with tempfile.TemporaryDirectory() as folder:
        old = Old(Path(sys.argv[1]).resolve(), Path(folder))
        try:
            jobs = fill(old)
        finally:
            old.power_cut()
        record(old, jobs)


if __name__ == "__main__":
    main()
