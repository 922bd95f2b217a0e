"""What an estimate of a job of 1,000 tasks costs: 300 have ended, 16 run, the others wait; all of it from SQLite."""

import json
import statistics
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
import sqlalchemy as sa

from paddock.models import CodeInfo, Interpreter, JobSpec
from paddock.search.tasks import NewTask
from paddock.server.store import jobs
from paddock.server.store.db import Database
from paddock.server.store.estimates import Estimates

TASKS, ENDED, RUNNING = 1000, 300, 16
BAR = 0.02


def main() -> bool:
    rng = np.random.default_rng(0)
    with tempfile.TemporaryDirectory() as folder:
        db = Database(f"sqlite:///{Path(folder, 'paddock.db')}")
        db.migrate()
        now = time.time()
        found: list[dict[str, Any]] = [
            {"lr": float(10 ** rng.uniform(-5, -1)), "units": int(2 ** rng.integers(4, 11)), "act": "relu"}
            for _ in range(TASKS)
        ]
        new = jobs.NewJob(
            "k3v9x2ab", "ann", JobSpec(name="sweep", command="true"), None, CodeInfo(files=1, bytes=1),
            Interpreter(argv=["python"]), [NewTask(dict(one), 20, at) for at, one in enumerate(found, 1)],
        )  # fmt: skip
        with db.write() as c:
            jobs.insert(c, new)
            ended = f"number <= {ENDED}"
            runs = f"number > {ENDED} AND number <= {ENDED + RUNNING}"
            which = "task_id IN (SELECT id FROM tasks WHERE {})"
            for where, state, at in ((ended, "finished", 19), (runs, "running", 9)):
                reached = f"state = '{state}', epoch = {at}, epoch_at = {now}, first_epoch = 0"
                c.execute(sa.text(f"UPDATE tasks SET {reached} WHERE {where}"))
                times = f"started_at = {now - 100} - (id % 50), first_epoch = 0, first_epoch_at = {now - 90}"
                c.execute(sa.text(f"UPDATE attempts SET state = '{state}', {times} WHERE {which.format(where)}"))
            c.execute(sa.text(f"UPDATE attempts SET ended_at = {now} WHERE {which.format(ended)}"))
        took = []
        with db.read() as c:
            for _ in range(30):
                began = time.process_time()
                done = Estimates().of(c, "k3v9x2ab", now).done
                took.append(time.process_time() - began)
        assert done is not None, json.dumps(found[0])
        db.close()
    middle = statistics.median(took)
    print(f"{1000 * middle:.1f} ms of a core (median), {1000 * max(took[1:]):.1f} ms (worst)", flush=True)
    return middle <= BAR
