"""A submitted job and its tasks, as the SDK returns them."""

import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Any, Literal, TypeVar

from pydantic import PrivateAttr

from paddock.client.events import Outage
from paddock.client.trials import best_trials
from paddock.errors import NotFound, ServerUnreachable
from paddock.models import Curve, JobDetail, Objective, SearchReport, Task, TaskDetail, TaskState, TrialReport

if TYPE_CHECKING:
    from paddock.client.client import Client

Handle = TypeVar("Handle", "TaskHandle", "TaskDetailHandle")
_FIRST_PAUSE, _LONGEST_PAUSE = 0.1, 2.0


_CURVES = 1000  # per request
_PARTS_OF_TASK = ("id", "number", "state", "cause", "reason")
_FIGURES = ("epoch", "last_value", "best_value", "best_epoch", "seconds", "node", "peak_memory", "peak_gpu_memory")


class _Acts:
    """What can be done with a task."""

    id: str
    _client: "Client"

    def log(self, *, attempt: int | None = None, tail: int | None = None) -> str:
        """Return what the task printed; `tail`: only this many lines from the end."""
        return self._client.log(self.id, attempt=attempt, tail=tail)

    def follow_log(self) -> Iterator[str]:
        """Return what the task prints while it prints it, until it has ended."""
        return self._client.follow_log(self.id)

    def curve(self, metric: str, *, points: int | None = None) -> Curve:
        """Return one metric of the task: `steps` and `values`. Raises NotFound if the task has not reported it."""
        found = self._client.curves(self.id, [metric], points=points)
        if not found:
            known = ", ".join(curve.metric for curve in self._client.curves(self.id, points=2)) or "nothing"
            raise NotFound(f"Task {self.id} has not reported {metric!r}: it has reported {known}.")
        return found[0]

    def curves(self, metrics: Sequence[str] | None = None, *, points: int | None = None) -> list[Curve]:
        """Return some metrics of the task, or all of them."""
        return self._client.curves(self.id, metrics, points=points)

    def refresh(self) -> "TaskDetailHandle":
        """Return the task as it is now, with its attempts, command and metrics."""
        return handled(self._client, self._client.task(self.id), TaskDetailHandle)

    def stop(self) -> list[str]:
        return self._client.stop(self.id)

    def restart(self, *, resume: bool = False) -> list[str]:
        """Run the task again; `resume`: from its checkpoint."""
        return self._client.restart(self.id, resume=resume)

    def resize(self, gpus: int | Literal["auto"]) -> list[str]:
        """Let the task go on with another number of GPUs, within the range of its job; "auto": the server chooses."""
        return self._client.resize(self.id, gpus)


class TaskHandle(_Acts, Task):
    """A task of a job, with its log and its curves."""

    _client: "Client" = PrivateAttr()


class TaskDetailHandle(_Acts, TaskDetail):
    """A task with its attempts, command and metrics, with its log and its curves."""

    _client: "Client" = PrivateAttr()


def handled(client: "Client", task: Task, kind: type[Handle]) -> Handle:
    """Return a task as a `kind` of handle."""
    made = kind.model_construct(**task.__dict__)
    made._client = client
    return made


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

    @property
    def objective(self) -> Objective:
        """The first objective that counts, as last known. Assign `val_loss`, `val_acc:max` or `auto` to change it."""
        return self.detail.objective

    @objective.setter
    def objective(self, wanted: str | Sequence[str]) -> None:
        self.detail = self._client.change_objective(self.id, wanted)

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

    def best(self) -> TaskDetailHandle | None:
        """Return the best task so far by the job's first objective; None while no task has a value."""
        best = self.refresh().detail.best_task
        return handled(self._client, self._client.task(best), TaskDetailHandle) if best else None

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

    def tasks(
        self, *, state: TaskState | str | None = None, sort: str = "number", limit: int | None = None
    ) -> list[TaskHandle]:
        """Return the tasks, all of them unless there is a `limit`."""
        found = self._client.tasks(self.id, state=state, sort=sort, limit=limit)
        return [handled(self._client, task, TaskHandle) for task in found]

    def task(self, number: int) -> TaskDetailHandle:
        """Return the task of this number."""
        return handled(self._client, self._client.task(f"{self.id}-{number}"), TaskDetailHandle)

    def to_dataframe(self) -> Any:
        """Return a pandas data frame with one row per task: its state, parameters and figures.

        Parameters are columns of their own names; one that is named like another column is `param.NAME`.
        """
        return _dataframe([_row(task) for task in self.tasks()])

    def curves_dataframe(self, metrics: Sequence[str] | None = None) -> Any:
        """Return a pandas data frame of points: task, metric, step, value; the objective unless `metrics` are given."""
        rows: list[dict[str, Any]] = []
        for offset in range(0, self.refresh().detail.counts.total, _CURVES):
            for curve in self._client.curves(self.id, metrics, points=100_000, offset=offset, limit=_CURVES):
                both = zip(curve.steps, curve.values, strict=True)
                rows += [{"task": curve.task, "metric": curve.metric, "step": x, "value": y} for x, y in both]
        return _dataframe(rows, ["task", "metric", "step", "value"])

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


def _row(task: Task) -> dict[str, Any]:
    began, ended = task.started_at, task.ended_at
    took = {"seconds": (ended - began).total_seconds() if began and ended else None}
    own = {name: getattr(task, name) for name in _PARTS_OF_TASK} | {"state": str(task.state)}
    figures = {name: took[name] if name in took else getattr(task, name) for name in _FIGURES}
    params = {f"param.{name}" if name in own | figures else name: value for name, value in task.params.items()}
    return own | params | figures


def _dataframe(rows: Iterable[dict[str, Any]], columns: list[str] | None = None) -> Any:
    try:
        pandas = import_module("pandas")
    except ImportError:
        raise ImportError(
            "A data frame needs pandas, which is not installed here: `pip install pandas`. "
            "job.tasks() and job.curves() return the same without it."
        ) from None
    return pandas.DataFrame(list(rows), columns=columns)
