"""A submitted job, as the SDK hands it out."""

import time
from collections.abc import Sequence
from typing import TYPE_CHECKING

from paddock.errors import ServerUnreachable
from paddock.models import Curve, JobDetail, Task
from paddock.stream import AWAY_SECONDS, Patience

if TYPE_CHECKING:
    from paddock.client import Client

_FIRST_PAUSE, _LONGEST_PAUSE = 0.1, 2.0


class JobHandle:
    """`detail` is what was last seen; `refresh()` looks again."""

    def __init__(self, client: "Client", detail: JobDetail) -> None:
        self._client = client
        self.detail = detail

    def __repr__(self) -> str:
        counts = self.detail.counts
        return f"<Job {self.id} {self.detail.name!r}: {counts.total - counts.unended} of {counts.total} tasks ended>"

    @property
    def id(self) -> str:
        return self.detail.id

    def refresh(self) -> "JobHandle":
        self.detail = self._client.detail(self.id)
        return self

    def wait(self, timeout: float | None = None) -> "JobHandle":
        """Until every task has ended. Raises TimeoutError after `timeout` seconds; the job goes on then."""
        end = None if timeout is None else time.monotonic() + timeout
        pause = _FIRST_PAUSE
        patience = Patience(AWAY_SECONDS)
        while True:
            try:
                ended = self.refresh().detail.ended
                patience.reached()
            except ServerUnreachable as error:  # tasks go on while the server is away, and so does the waiting
                patience.missed(error)
                ended = False
            if ended:
                return self
            left = pause if end is None else end - time.monotonic()
            if left <= 0:
                raise TimeoutError(f"Job {self.id} has not ended after {timeout:g} s; it goes on.")
            time.sleep(min(pause, left))
            pause = min(pause * 1.5, _LONGEST_PAUSE)

    def best(self) -> Task | None:
        """The best task so far, by the job's objective; None while no task has a value."""
        best = self.refresh().detail.best_task
        return self._client.task(best) if best else None

    def tasks(self) -> list[Task]:
        return self._client.tasks(self.id)

    def stop(self) -> list[str]:
        return self._client.stop(self.id)

    def restart(self, *, failed: bool = False, resume: bool = False) -> list[str]:
        return self._client.restart(self.id, failed=failed, resume=resume)

    def hold(self) -> "JobHandle":
        """Begin no further task; what runs goes on."""
        self.detail = self._client.hold(self.id)
        return self

    def release(self) -> "JobHandle":
        self.detail = self._client.release(self.id)
        return self

    def limits(self, *, time_limit: int | str | None = None, nice: int | None = None) -> "JobHandle":
        """Another time limit, such as `4h`, or priority. Should the backend refuse, `detail.warnings` says so later."""
        self.detail = self._client.limits(self.id, time_limit=time_limit, nice=nice)
        return self

    def curves(self, metrics: Sequence[str] | None = None, *, points: int | None = None) -> list[Curve]:
        return self._client.curves(self.id, metrics, points=points)

    def remove(self) -> None:
        self._client.remove(self.id)
