"""A submitted job, as the SDK returns it."""

import time
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from paddock.client.events import Outage
from paddock.errors import ServerUnreachable
from paddock.models import Curve, Goal, JobDetail, SearchReport, Task, TrialReport

if TYPE_CHECKING:
    from paddock.client.client import Client

_FIRST_PAUSE, _LONGEST_PAUSE = 0.1, 2.0


class JobHandle:
    """A job; `detail` is its last known state, and `refresh()` fetches it again."""

    def __init__(self, client: "Client", detail: JobDetail) -> None:
        self._client = client
        self.detail = detail

    def __repr__(self) -> str:
        counts = self.detail.counts
        ended = f"{counts.total - counts.unended} of {counts.total} tasks ended"
        return f"<Job {self.id} {self.detail.name!r}: {ended}{', more to come' if self.detail.searching else ''}>"

    @property
    def id(self) -> str:
        return self.detail.id

    def refresh(self) -> "JobHandle":
        self.detail = self._client.detail(self.id)
        return self

    def wait(self, timeout: float | None = None) -> "JobHandle":
        """Wait until every task has ended and none is to come.

        Raises TimeoutError after `timeout` seconds; the job goes on.
        """
        end = None if timeout is None else time.monotonic() + timeout
        pause = _FIRST_PAUSE
        outage = Outage()
        while True:
            try:
                ended = self.refresh().detail.ended
                outage.end()
            except ServerUnreachable as error:  # tasks go on while the server is away, and so does the waiting
                outage.go_on(error)
                ended = False
            if ended:
                return self
            left = pause if end is None else end - time.monotonic()
            if left <= 0:
                raise TimeoutError(f"Job {self.id} has not ended after {timeout:g} s; it goes on.")
            time.sleep(min(pause, left))
            pause = min(pause * 1.5, _LONGEST_PAUSE)

    def best(self) -> Task | None:
        """Return the best task so far by the job's first objective; None while no task has a value."""
        best = self.refresh().detail.best_task
        return self._client.task(best) if best else None

    def best_trials(self, count: int | None = None) -> list[TrialReport]:
        """Return the best configurations, best first; with several objectives, the Pareto front."""
        return best_trials(self.search_report(), count)

    def search_report(self) -> SearchReport:
        """Return the trials, the importance of parameters, and what early stopping saved."""
        return self._client.search_report(self.id)

    def extend(
        self,
        *,
        trials: int | None = None,
        time_budget: int | str | None = None,
        params: Mapping[str, Any] | None = None,
    ) -> "JobHandle":
        """Extend the search: more trials, more time (such as `2h`), or other values of parameters."""
        self.detail = self._client.extend(self.id, trials=trials, time_budget=time_budget, params=params)
        return self

    def tasks(self) -> list[Task]:
        return self._client.tasks(self.id)

    def stop(self) -> list[str]:
        return self._client.stop(self.id)

    def restart(self, *, failed: bool = False, resume: bool = False) -> list[str]:
        return self._client.restart(self.id, failed=failed, resume=resume)

    def hold(self) -> "JobHandle":
        """Start no further task; tasks that run go on."""
        self.detail = self._client.hold(self.id)
        return self

    def release(self) -> "JobHandle":
        self.detail = self._client.release(self.id)
        return self

    def limits(self, *, time_limit: int | str | None = None, nice: int | None = None) -> "JobHandle":
        """Change the time limit, such as `4h`, or priority. If the backend refuses, `detail.warnings` reports it."""
        self.detail = self._client.limits(self.id, time_limit=time_limit, nice=nice)
        return self

    def curves(self, metrics: Sequence[str] | None = None, *, points: int | None = None) -> list[Curve]:
        return self._client.curves(self.id, metrics, points=points)

    def remove(self) -> None:
        self._client.remove(self.id)


def best_trials(report: SearchReport, count: int | None = None) -> list[TrialReport]:
    """Return trials that have values, best first; with several objectives, the Pareto front by the first of them."""
    sign = 1 if report.objectives[0].goal is Goal.MIN else -1
    several = len(report.objectives) > 1
    found = [(trial.values[0], trial) for trial in report.history if trial.front or not several]
    known = [(sign * value, trial.trial, trial) for value, trial in found if value is not None]
    return [trial for *_, trial in sorted(known, key=lambda one: one[:2])][:count]
