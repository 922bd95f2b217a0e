"""Test that a real server says when a job will be done, and learns from how it ended."""

from datetime import UTC, datetime
from typing import Any

from paddock.server.store import predictions
from paddock.server.store.db import Database
from tests.support.server import ServerProcess, running, wait_for

EPOCHS = """
import time
for epoch in range(1, 9):
    time.sleep(0.5)
    print(f"Epoch {epoch}/8 loss: {1 / epoch}", flush=True)
"""


def test_when_a_job_is_done(tmp_path: Any) -> None:
    with running(tmp_path / "home", local__slots=1) as server:
        job = server.submit(EPOCHS, params={"n": [1, 2, 3]})
        band = wait_for(lambda: expected(server, job), what="when it is done")
        waiting = wait_for(lambda: server.task(job, 3)["expected_start"], what="when the last task starts")
        assert moment(waiting["early"]) <= moment(waiting["likely"]) <= moment(waiting["late"])
        [queued] = server.get("/queue", tasks=5)["items"]
        assert (queued["id"], queued["running"]) == (job, 1)
        assert queued["expected_end"] is not None and queued["tasks"][-1]["id"] == f"{job}-3"
        server.wait(job)
        ended = moment(server.get(f"/jobs/{job}")["ended_at"])
        assert moment(band["early"]) <= moment(band["likely"]) <= moment(band["late"])
        assert server.get(f"/jobs/{job}")["expected_end"] is None
        assert server.get("/queue")["items"] == []
        wait_for(lambda: learned(server, "job"), what="what is learned")
        assert ended <= datetime.now(UTC)


def expected(server: ServerProcess, job: str) -> Any:
    found = server.get(f"/jobs/{job}")
    assert not found["ended"], "it has ended without ever saying when"
    return found["expected_end"]


def learned(server: ServerProcess, kind: Any) -> list[float]:
    db = Database(f"sqlite:///{server.home.database}")
    try:
        with db.read() as c:
            return predictions.scores(c, "", None, kind)
    finally:
        db.close()


def moment(text: str) -> datetime:
    return datetime.fromisoformat(text)
