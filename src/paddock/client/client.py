"""The Python SDK: `paddock.Client().submit("train.py", params={"lr": "0.1,0.01"}).wait().best()`."""

import math
import os
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Literal, TypeVar
from urllib.parse import quote

from pydantic import BaseModel

from paddock import settings
from paddock.client.bundle import Bundle, bundle
from paddock.client.connection import Connection, understood
from paddock.client.events import events
from paddock.client.job import JobHandle
from paddock.client.logs import TaskLog
from paddock.client.mapping import Distribution, Wanted, mapped
from paddock.errors import InvalidInput, NotFound
from paddock.models import (
    Changed,
    Curve,
    Event,
    Health,
    InspectRequest,
    JobDetail,
    JobPage,
    JobPatch,
    JobSpec,
    MapPart,
    Node,
    Preview,
    PruneReport,
    PruneRequest,
    RestartRequest,
    ScriptReport,
    SearchReport,
    StopRequest,
    Task,
    TaskDetail,
    TaskPage,
    TaskState,
    Version,
)
from paddock.rules.load import LoadReport, LoadSeries

__all__ = ["Client", "JobHandle"]

Source = str | os.PathLike[str] | Bundle | None
Model = TypeVar("Model", bound=BaseModel)

SUBMIT_SECONDS = 180.0  # the server tries the environment, and `import` on a network file system takes its time
PRUNE_SECONDS = 300.0  # folders are measured, and thousands of them renamed
_PAGE = 5000
_ID = re.compile(r"[0-9A-Za-z]+(-[0-9]+)?")


class Client:
    """A Paddock server. Found by itself; `url`, `token` and `home` (or PADDOCK_URL, ...) choose another one.

    Errors are those of paddock.errors. Ids may be shortened as long as they are unique.
    """

    def __init__(
        self,
        url: str | None = None,
        token: str | None = None,
        home: str | os.PathLike[str] | None = None,
        timeout: float = 30.0,
    ) -> None:
        self._home = Path(home) if home is not None else None
        self._connection = Connection(url, token, self._home, timeout)

    def __enter__(self) -> "Client":
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        self._connection.close()

    @property
    def url(self) -> str:
        return self._connection.url

    @property
    def link(self) -> str:
        """For a browser: the address with the token. Only when it is certain that our server is there."""
        self._connection.check()
        return f"{self.url}/?token={quote(self._connection.token or '')}"

    # --- submitting -------------------------------------------------------------------------------------------------

    def submit(self, source: Source = None, *, spec: JobSpec | None = None, **fields: Any) -> JobHandle:
        """Submit a script, a folder or a job file. `fields` are those of JobSpec and win over a job file or `spec`.

        Without an environment, tasks run with the Python that runs this.
        """
        detail = self._post_bundle("/jobs", self.bundle(source, spec=spec, **fields), JobDetail)
        return JobHandle(self, detail)

    def preview(
        self, source: Source = None, *, spec: JobSpec | None = None, check: bool = False, **fields: Any
    ) -> Preview:
        """What `submit` would do. `check`: also ask the backend whether it would accept it, and when."""
        return self._post_bundle("/jobs/preview", self.bundle(source, spec=spec, **fields), Preview, check=check)

    def bundle(self, source: Source = None, *, spec: JobSpec | None = None, **fields: Any) -> Bundle:
        """What would be sent."""
        if isinstance(source, Bundle):
            return source
        python = {"python": sys.executable} if sys.executable else {}
        return bundle(source, spec, fields, environment=python, limits=self.upload_limits())

    def map(
        self,
        command: str,
        inputs: str | Sequence[str],
        output: str | None = None,
        *,
        suffix: str | None = None,
        reduce: str | None = None,
        per_task: int | None = None,
        tasks: int | None = None,
        distribution: Literal["block", "cyclic"] = "block",
        fresh: bool = False,
        **fields: Any,
    ) -> JobHandle | None:
        """A command for each file of some patterns, as `paddock map`. None: all outputs are there already.

        `fields` are those of JobSpec. Tasks need no GPU unless `resources` ask for one.
        """
        patterns = [inputs] if isinstance(inputs, str) else list(inputs)
        wanted = Wanted(
            command, patterns, None, output, suffix, reduce, per_task, tasks, Distribution(distribution), fresh
        )
        made = mapped(
            wanted,
            {"resources": {"gpus": 0}} | fields,
            environment={"python": sys.executable} if sys.executable else {},
            limits=self.upload_limits(),
            max_tasks=self.max_tasks(),
        )
        return self.submit(made.bundle) if made.bundle is not None else None

    def max_tasks(self) -> int:
        """As `upload_limits`: the server's own is what counts."""
        found = self._settings()
        return found.max_tasks if found else sys.maxsize

    def upload_limits(self) -> settings.UploadSettings:
        """Those of the server's home, which is mostly at hand; the server itself has the last word."""
        found = self._settings()
        return found.upload if found else settings.UploadSettings()

    def _settings(self) -> settings.Settings | None:
        try:
            return settings.load(self._home)
        except InvalidInput:
            return None

    def _post_bundle(self, path: str, what: Bundle, model: type[Model], **params: Any) -> Model:
        parts = [("files", (name, data, "application/octet-stream")) for name, data in what.code.files.items()]
        # Fields go as parts as well, so that the request is multipart even when no file is taken along.
        fields = [("spec", (None, what.spec.model_dump_json())), ("code", (None, what.code.code.model_dump_json()))]
        response = self._connection.request(
            "POST", path, params=params, files=[*fields, *parts], patience=SUBMIT_SECONDS
        )
        return understood(model, response.content)

    # --- jobs -------------------------------------------------------------------------------------------------------

    def jobs(
        self,
        *,
        q: str | None = None,
        state: TaskState | str | None = None,
        tag: str | None = None,
        owner: str | None = None,
        sort: str = "-created",
        offset: int = 0,
        limit: int = 50,
    ) -> JobPage:
        """One page of jobs, the newest first."""
        return self._get(
            "/jobs", JobPage, q=q, state=state, tag=tag, owner=owner, sort=sort, offset=offset, limit=limit
        )

    def job(self, job: str) -> JobHandle:
        return JobHandle(self, self.detail(job))

    def detail(self, job: str) -> JobDetail:
        return self._get(f"/jobs/{_path(job)}", JobDetail)

    def edit(
        self, job: str, *, name: str | None = None, description: str | None = None, tags: Sequence[str] | None = None
    ) -> JobDetail:
        patch = JobPatch(name=name, description=description, tags=list(tags) if tags is not None else None)
        return self._send("PATCH", f"/jobs/{_path(job)}", JobDetail, patch.model_dump(exclude_none=True))

    def remove(self, job: str) -> None:
        """Stop what runs and delete the job with its results, logs and checkpoints."""
        self._connection.request("DELETE", f"/jobs/{_path(job)}")

    def stop(self, job_or_task: str, tasks: Sequence[str] | None = None) -> list[str]:
        """Stop a task, a job, or some tasks of a job; returns the tasks concerned."""
        if _is_task(job_or_task):
            return self._send("POST", f"/tasks/{_path(job_or_task)}/stop", Changed).tasks
        body = StopRequest(tasks=list(tasks) if tasks is not None else None)
        return self._send("POST", f"/jobs/{_path(job_or_task)}/stop", Changed, body.model_dump()).tasks

    def restart(
        self, job_or_task: str, tasks: Sequence[str] | None = None, *, failed: bool = False, resume: bool = False
    ) -> list[str]:
        """Run again what has ended; `failed`: only what is in error; `resume`: go on from the checkpoint."""
        if _is_task(job_or_task):
            job, _, number = job_or_task.rpartition("-")
            job_or_task, tasks = job, [number]
        body = RestartRequest(tasks=list(tasks) if tasks is not None else None, failed=failed, resume=resume)
        return self._send("POST", f"/jobs/{_path(job_or_task)}/restart", Changed, body.model_dump()).tasks

    def hold(self, job: str) -> JobDetail:
        """Begin no further task, and keep what waits on the backend from starting. What runs goes on."""
        return self._send("POST", f"/jobs/{_path(job)}/hold", JobDetail)

    def release(self, job: str) -> JobDetail:
        """Let a held job go on."""
        return self._send("POST", f"/jobs/{_path(job)}/release", JobDetail)

    def limits(self, job: str, *, time_limit: int | str | None = None, nice: int | None = None) -> JobDetail:
        """Another time limit (seconds, or text such as `4h`) or priority, for allocations that there are and to come.

        The backend hears of it a little later; should it refuse, the job's `warnings` say so.
        """
        body = {name: value for name, value in (("time_limit", time_limit), ("nice", nice)) if value is not None}
        return self._send("POST", f"/jobs/{_path(job)}/limits", JobDetail, body)

    def search_report(self, job: str) -> SearchReport:
        """How the search of a job stands: its trials, the importance of its parameters, what early stopping saved."""
        return self._get(f"/jobs/{_path(job)}/search", SearchReport)

    def extend(
        self,
        job: str,
        *,
        trials: int | None = None,
        time_budget: int | str | None = None,
        params: Mapping[str, Any] | None = None,
    ) -> JobDetail:
        """More of a search: so many more trials, so much longer (seconds, or text such as `2h`), other values from
        now on of some parameters. Also when the search is over."""
        given = {"trials": trials, "time_budget": time_budget, "params": dict(params) if params else None}
        body = {name: _jsonable(value) for name, value in given.items() if value is not None}
        return self._send("POST", f"/jobs/{_path(job)}/extend", JobDetail, body)

    def export(self, job: str, format: Literal["csv", "jsonl"] = "csv") -> str:
        """All tasks with parameters, states and best values, as text."""
        return self._connection.request("GET", f"/jobs/{_path(job)}/export", params={"format": format}).text

    # --- tasks ------------------------------------------------------------------------------------------------------

    def task(self, task: str) -> TaskDetail:
        return self._get(f"/tasks/{_path(task)}", TaskDetail)

    def parts(self, job: str) -> list[MapPart]:
        """Of a map: the files of each task; of other jobs nothing."""
        return understood(list[MapPart], self._request("GET", f"/jobs/{_path(job)}/parts"))

    def tasks(
        self, job: str, *, state: TaskState | str | None = None, sort: str = "number", limit: int | None = None
    ) -> list[Task]:
        """The tasks of a job, all of them unless there is a `limit`."""
        found: list[Task] = []
        wanted = math.inf if limit is None else limit
        while len(found) < wanted:
            size = int(min(_PAGE, wanted - len(found)))
            path = f"/jobs/{_path(job)}/tasks"
            page = self._get(path, TaskPage, state=state, sort=sort, offset=len(found), limit=size)
            found += page.items
            if len(found) >= page.total or not page.items:
                break
        return found

    def curves(
        self,
        job_or_task: str,
        metrics: Sequence[str] | None = None,
        *,
        points: int | None = None,
        attempt: int | None = None,
        offset: int | None = None,
        limit: int | None = None,
    ) -> list[Curve]:
        """Of a task all metrics, of a job the objective, unless `metrics` says which.

        Of a job those of its first 1,000 tasks; `offset` and `limit` choose others.
        """
        kind = "tasks" if _is_task(job_or_task) else "jobs"
        found = self._request(
            "GET",
            f"/{kind}/{_path(job_or_task)}/metrics",
            metric=list(metrics) if metrics else None,
            points=points,
            attempt=attempt if kind == "tasks" else None,
            offset=offset if kind == "jobs" else None,
            limit=limit if kind == "jobs" else None,
        )
        return understood(list[Curve], found)

    def metric_names(self, job: str) -> list[str]:
        return understood(list[str], self._request("GET", f"/jobs/{_path(job)}/metrics/names"))

    # --- logs -------------------------------------------------------------------------------------------------------

    def log(self, task: str, *, attempt: int | None = None, tail: int | None = None) -> str:
        """What a task printed; `tail`: only the last so many lines."""
        log = self.task_log(task, attempt)
        return (log.whole() if tail is None else log.tail(tail)).text

    def follow_log(self, task: str, *, attempt: int | None = None, offset: int = 0) -> Iterator[str]:
        """What a task prints, as it prints it; ends with the attempt."""
        return self.task_log(task, attempt).follow(offset)

    def task_log(self, task: str, attempt: int | None = None) -> TaskLog:
        """To read a log in parts."""
        return TaskLog(self._connection, _path(task), attempt)

    # --- the server -------------------------------------------------------------------------------------------------

    def events(self, job: str | None = None, last: int | None = None) -> Iterator[Event]:
        """What changes, as it changes, after the event `last`. Comes back by itself after an interruption.

        An event with `data["change"] == "missed"` says that some were lost: fetch the present state.
        """
        return events(self._connection, job, last)

    def nodes(self) -> list[Node]:
        return understood(list[Node], self._request("GET", "/nodes"))

    def load(self) -> LoadReport:
        """How busy nodes are, what users and jobs use of them, and advice for what runs."""
        return self._get("/load", LoadReport)

    def load_history(
        self, node: str | None = None, *, backend: str | None = None, minutes: float = 60.0
    ) -> list[LoadSeries]:
        """How busy nodes and their GPUs were."""
        found = self._request("GET", "/load/history", node=node, backend=backend, minutes=minutes)
        return understood(list[LoadSeries], found)

    def health(self) -> Health:
        return self._get("/health", Health)

    def answers(self) -> bool:
        """Whether the server is there now."""
        return self._connection.answers()

    def prune(
        self,
        *,
        dry_run: bool = False,
        jobs_days: float | None = None,
        attempts_days: float | None = None,
        journals_days: float | None = None,
        runners_days: float | None = None,
    ) -> PruneReport:
        """Delete what is older than so many days, as the settings `keep` say where nothing is given; see PruneRequest.

        `dry_run`: only say what would go.
        """
        asked = PruneRequest(
            dry_run=dry_run,
            jobs_days=jobs_days,
            attempts_days=attempts_days,
            journals_days=journals_days,
            runners_days=runners_days,
        )
        answer = self._connection.request("POST", "/prune", json=asked.model_dump(), patience=PRUNE_SECONDS)
        return understood(PruneReport, answer.content)

    def version(self) -> Version:
        return self._get("/version", Version)

    def inspect(self, source: str | os.PathLike[str], params: Sequence[str] = ()) -> ScriptReport:
        """What reading a script tells: its parameters and metrics. It is not run."""
        path = Path(source)
        try:
            text = path.read_text(encoding="utf-8", errors="replace")
        except OSError as error:
            raise InvalidInput(f"{path} cannot be read: {error.strerror}.") from None
        body = InspectRequest(source=text, filename=path.name, params=list(params))
        return self._send("POST", "/scripts/inspect", ScriptReport, body.model_dump())

    # --- requests ---------------------------------------------------------------------------------------------------

    def _request(self, method: str, path: str, **params: Any) -> bytes:
        given = {name: value for name, value in params.items() if value is not None}
        return self._connection.request(method, path, params=given).content

    def _get(self, path: str, model: type[Model], **params: Any) -> Model:
        return understood(model, self._request("GET", path, **params))

    def _send(self, method: str, path: str, model: type[Model], body: Any = None) -> Model:
        options = {} if body is None else {"json": body}
        return understood(model, self._connection.request(method, path, **options).content)


def _jsonable(value: Any) -> Any:
    """Parameters may be given as they stand in a spec."""
    if isinstance(value, Mapping):
        return {name: _jsonable(one) for name, one in value.items()}
    return value.model_dump(mode="json") if isinstance(value, BaseModel) else value


def _is_task(text: str) -> bool:
    return "-" in text


def _path(text: str) -> str:
    """An id as one segment of an address."""
    if not _ID.fullmatch(text):
        raise NotFound(f"{text!r} is no id: `paddock ls` lists the jobs, `paddock tasks JOB` their tasks.")
    return text
