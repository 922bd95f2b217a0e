"""Start a real server in a separate process, for tests that use its REST API."""

import json
import os
import signal
import ssl
import subprocess
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx2

from paddock.paths import Home
from tests.support.database import new_database
from tests.support.warm import WAITS, Warm

ENDED = {"finished", "error", "stopped", "pruned"}


PATIENCE = 120.0  # a machine that is busy with other tests is slow, not wrong


def wait_for(condition: Callable[[], Any], seconds: float = PATIENCE, what: str = "") -> Any:
    """The first true answer. Fails, with the last answer, when there is none in time."""
    begun = time.monotonic()
    while True:
        answer = condition()
        if answer:
            return answer
        waited = time.monotonic() - begun
        assert waited < seconds, f"not within {seconds} s: {what or condition}; last answer: {answer!r}"
        # Each look costs the server something, and the machine is small.
        time.sleep(min(0.02 + waited / 20, 0.5))


class ServerProcess:
    """`paddock up` on a free port, with a client for its API. `environment` is for other programs than Paddock.

    `waits`: how long Paddock waits for something, where no setting controls it, by the name of the constant.
    """

    def __init__(
        self,
        home: Path,
        *,
        environment: Mapping[str, str] | None = None,
        waits: Mapping[str, float] | None = None,
        **settings: Any,
    ) -> None:
        self.home = Home(home)
        self._environment = {f"PADDOCK_{name.upper()}": str(value) for name, value in settings.items()}
        if waits:
            self._environment[WAITS] = json.dumps({f"paddock.{name}": seconds for name, seconds in waits.items()})
        self._environment |= environment or {}
        self.process: subprocess.Popen[bytes] | None = None
        self.verify = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)  # most have no certificate; this one is made quickly
        self.client = httpx2.Client(verify=self.verify)

    def start(self, port: int = 0) -> "ServerProcess":
        self.home.root.mkdir(parents=True, exist_ok=True)
        self.home.server.unlink(missing_ok=True)
        if not self.home.database.exists() and "PADDOCK_DATABASE" not in self._environment:
            new_database(self.home.database)
        self.log = open(self.home.root / "server.log", "ab")  # noqa: SIM115
        clean = {name: value for name, value in os.environ.items() if not name.startswith("PADDOCK_")}
        self.process = Warm(
            ["--home", str(self.home.root), "up", "--port", str(port)],
            env=clean | self._environment,
            stdin=subprocess.DEVNULL,
            stdout=self.log,
            stderr=self.log,
        )
        about = json.loads(wait_for(self._announced, what="the server's address"))
        self.url = about["url"]
        self.token = self.home.read_token() or ""
        self.client.close()
        self.client = httpx2.Client(
            base_url=f"{self.url}/api/v1",
            headers={"Authorization": f"Bearer {self.token}"},
            timeout=PATIENCE,
            verify=self.verify,
        )
        return self

    def _announced(self) -> str | None:
        assert self.process is not None
        if self.process.poll() is not None:
            raise AssertionError(f"the server ended: {self.output()}")
        return self.home.server.read_text() if self.home.server.exists() else None

    def output(self) -> str:
        return (self.home.root / "server.log").read_text()

    def kill(self) -> None:
        """As by kill -9 or a power cut: no chance to tidy up."""
        assert self.process is not None
        self.process.kill()
        self.process.wait()
        self.log.close()

    def stop(self) -> int:
        assert self.process is not None
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
        code = self.process.wait(PATIENCE)
        self.log.close()
        self.client.close()
        return code

    # --- the API in short -----------------------------------------------------------------------------------------

    def get(self, path: str, /, **query: Any) -> Any:
        answer = self.client.get(path, params=query)
        assert answer.status_code == 200, answer.text
        return answer.json()

    def post(self, path: str, body: Any = None, status: int = 200) -> Any:
        answer = self.client.post(path, json=body)
        assert answer.status_code == status, answer.text
        return answer.json()

    def submit(self, source: str, *, params: dict[str, Any] | None = None, **spec: Any) -> str:
        """Submit a script given as text; the id of the job."""
        whole = {"script": "train.py", "params": params or {}, **spec}
        if params and not any(word in source for word in ("argparse", "argv")):
            whole.setdefault("convention", "env")  # many tests have parameters only to have several tasks
        job: str = self.post("/jobs", {"spec": whole, "files": {"train.py": source}}, 201)["id"]
        return job

    def tasks(self, job: str) -> list[dict[str, Any]]:
        items: list[dict[str, Any]] = self.get(f"/jobs/{job}/tasks")["items"]
        return items

    def task(self, job: str, number: int = 1) -> dict[str, Any]:
        found: dict[str, Any] = self.get(f"/tasks/{job}-{number}")
        return found

    def wait(self, job: str, seconds: float = PATIENCE) -> list[dict[str, Any]]:
        """Until all tasks have ended."""
        wait_for(lambda: self.get(f"/jobs/{job}")["ended"], seconds, f"the end of job {job}")
        return self.tasks(job)

    def wait_state(self, job: str, state: str, number: int = 1, seconds: float = PATIENCE) -> dict[str, Any]:
        wait_for(lambda: self.task(job, number)["state"] == state, seconds, f"{job}-{number} to be {state}")
        return self.task(job, number)

    def remove_jobs(self) -> None:
        """Leaves the next test a server that runs, has no jobs, and of whose jobs nothing runs."""
        assert self.process is not None
        if self.process.poll() is not None:
            self.kill()
            self.start()
        for job in self.get("/jobs", limit=500)["items"]:
            assert self.client.delete(f"/jobs/{job['id']}").status_code == 204
        # The folder of a job stays until its last runner has ended.
        wait_for(lambda: not any(self.home.jobs.iterdir()), what="the jobs to be gone")

    def log_of(self, job: str, number: int = 1, attempt: int | None = None) -> str:
        query = {"attempt": attempt} if attempt else {}
        return self.client.get(f"/tasks/{job}-{number}/log", params=query).text


@contextmanager
def running(home: Path, **settings: Any) -> Iterator[ServerProcess]:
    server = ServerProcess(home, **settings).start()
    try:
        yield server
    finally:
        _end_all(server)


def _end_all(server: ServerProcess) -> None:
    """Stop every job, so that no runner outlives the test, then the server."""
    assert server.process is not None
    if server.process.poll() is None:
        for job in server.get("/jobs", limit=500)["items"]:
            if not job["ended"]:
                server.post(f"/jobs/{job['id']}/stop")
                server.wait(job["id"])
    server.stop()
