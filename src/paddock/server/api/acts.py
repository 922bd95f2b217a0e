"""Record what people do to jobs, in the transaction of what they do: in the audit, and for the owner of the job."""

import time
from collections.abc import Mapping
from typing import Any

from paddock.server.api.caller import Caller
from paddock.server.notify.tell import needs_attention
from paddock.server.store import audit, jobs
from paddock.server.store.db import Connection, Database
from paddock.settings import Settings

READ_SECONDS = 3600.0  # one entry of the audit stands for what an admin reads of a job in this time
_MOST = 10_000
_TOLD = {
    "job.stop": "stopped this job",
    "job.hold": "held this job",
    "job.release": "released this job",
    "job.limits": "changed the limits of this job",
    "job.resize": "resized the tasks of this job",
    "task.stop": "stopped task {}",
    "task.resize": "resized task {}",
}


def record(
    c: Connection, settings: Settings, by: Caller, act: str, object: str, detail: Mapping[str, Any] | None = None
) -> None:
    """Write who did this to a job or a task; if that is somebody else's, show it on the job and tell its owner."""
    if not by.team:
        return
    audit.write(c, by, act, act.partition(".")[0], object, detail)
    job = object.partition("-")[0]
    if act in _TOLD and jobs.owner_of(c, job) != by.name:
        what = f"{by.name} {_TOLD[act].format(object)}"
        jobs.warn(c, job, what)
        needs_attention(c, settings, job, what, time.time())


class AuditedReads:
    """Writes into the audit which admin has read files, logs or code of somebody else's job: once per hour."""

    def __init__(self, db: Database) -> None:
        self._db = db
        self._known: dict[tuple[str, str], float] = {}

    def record(self, by: Caller, job: str, owner: str) -> None:
        """Record that somebody reads a job of this owner. Outside of any transaction: this one writes."""
        if not by.team or by.name == owner or by.sight.name is not None:
            return
        now, key = time.monotonic(), (by.name, job)
        if now - self._known.get(key, -READ_SECONDS) < READ_SECONDS:
            return
        with self._db.write() as c:
            audit.write(c, by, "job.read", "job", job, {"owner": owner})
        if len(self._known) >= _MOST:
            self._known.clear()
        self._known[key] = now
