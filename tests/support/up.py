"""Start `paddock up` in a separate process, and call the command line as a person does."""

import io
import json
import os
import signal
import subprocess
from collections.abc import Iterator
from contextlib import chdir, contextmanager, redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unittest import mock

from paddock.cli import run
from paddock.client.client import Client
from tests.support.server import PATIENCE
from tests.support.warm import Warm

TINY = """
import argparse, sys, time
parser = argparse.ArgumentParser()
parser.add_argument("--lr", type=float, default=0.1)
parser.add_argument("--epochs", type=int, default=2)
parser.add_argument("--fail", type=int, default=0)
parser.add_argument("--sleep", type=float, default=0.0)
parser.add_argument("--note", default="")
args = parser.parse_args()
print("note", repr(args.note))
for epoch in range(args.epochs):
    print(f"epoch {epoch + 1}/{args.epochs} val_loss: {args.lr / (epoch + 1):.4f}", flush=True)
time.sleep(args.sleep)
sys.exit(args.fail)
"""


@dataclass(frozen=True)
class Done:
    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)

    @property
    def lines(self) -> list[Any]:
        return [json.loads(line) for line in self.out.splitlines()]


@dataclass(frozen=True)
class Cli:
    """Calls `paddock` with a home of its own, as a process: exit codes and purity of output are part of it."""

    home: Path
    folder: Path

    def __call__(self, *arguments: str, code: int | None = 0, **env: str) -> Done:
        with Warm(
            arguments,
            cwd=self.folder,
            env=self.environment(**env),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        ) as process:
            out, err = process.communicate(timeout=PATIENCE)
        result = Done(process.returncode, out.decode(), err.decode())
        assert code is None or result.code == code, (arguments, result)
        assert "Traceback" not in result.err, result.err
        return result

    def quick(self, *arguments: str, code: int | None = 0, **env: str) -> Done:
        """The same in this process: for the many cases that a process each would make slow."""
        out, err = (io.TextIOWrapper(io.BytesIO(), encoding="utf-8") for _ in range(2))
        with (
            mock.patch.dict(os.environ, self.environment(**env), clear=True),
            chdir(self.folder),
            redirect_stdout(out),
            redirect_stderr(err),
        ):
            status = run(arguments)
        texts = []
        for stream in (out, err):
            stream.seek(0)
            texts.append(stream.read())
        assert code is None or status == code, (arguments, status, texts)
        return Done(status, *texts)

    def complete(self, words: str, at: int) -> Done:
        """What bash would be offered for the word number `at`."""
        return self("x", code=None, _PADDOCK_COMPLETE="complete_bash", COMP_WORDS=words, COMP_CWORD=str(at))

    def environment(self, **env: str) -> dict[str, str]:
        clean = {name: value for name, value in os.environ.items() if not name.startswith("PADDOCK_")}
        return clean | {"PADDOCK_HOME": str(self.home), "COLUMNS": "80", "NO_COLOR": "1"} | env

    def script(self, text: str = TINY, name: str = "train.py") -> str:
        path = self.folder / name
        path.write_text(text)
        return str(path)

    def submit(self, *arguments: str) -> str:
        """Submits the tiny script on the CPU; the id of the job."""
        job: str = self.quick("submit", self.script(), "--gpus", "0", *arguments, "--json").json["id"]
        return job

    def wait(self, job: str) -> None:
        with Client(home=self.home) as client:
            client.job(job).wait(PATIENCE)


@contextmanager
def up(home: Path) -> Iterator[Path]:
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PADDOCK_")}
    fast = {"PADDOCK_RUNNER__GRACE_SECONDS": "1", "PADDOCK_LOCAL__SLOTS": "4"}
    home.mkdir(parents=True, exist_ok=True, mode=0o700)
    with open(home / "up.log", "wb") as log:
        process = Warm(
            ["--home", str(home), "up", "--port", "0", "--json"],
            env=environment | fast,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=log,
        )
        assert process.stdout is not None
        with process, process.stdout:
            try:
                assert json.loads(process.stdout.readline())["url"].startswith("http://127.0.0.1:")
                yield home
            finally:
                _stop_all(home)
                process.send_signal(signal.SIGINT)
                assert process.wait(PATIENCE) == 0, (home / "up.log").read_text()


def _stop_all(home: Path) -> None:
    """No runner shall outlive the tests."""
    with Client(home=home) as client:
        for job in client.jobs(limit=500).items:
            if not job.ended:
                client.stop(job.id)
                client.job(job.id).wait(PATIENCE)
