"""The Python SDK: `paddock.Client().submit("train.py", params={"lr": "0.1,0.01"}).wait().best()`."""

import math
import os
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal
from urllib.parse import quote

from pydantic_core import to_jsonable_python

from paddock import models, settings
from paddock.client.bundle import Bundle, bundle
from paddock.client.connection import Answer, Connection, understood
from paddock.client.events import events
from paddock.client.job import JobHandle
from paddock.client.logs import TaskLog
from paddock.client.mapping import Distribution, Wanted, mapped
from paddock.errors import InvalidInput, NotFound
from paddock.models.load import LoadReport, LoadSeries

__all__ = ["Client", "JobHandle"]

Source = str | os.PathLike[str] | Bundle | None

SUBMIT_SECONDS = 180.0  # the server tries the environment, and imports on a network file system are slow
PRUNE_SECONDS = 300.0  # folders are measured, and thousands of them renamed
_PAGE = 5000
_PYTHON = {"python": sys.executable} if sys.executable else {}
_ID = re.compile(r"[0-9A-Za-z]+(-[0-9]+)?")


class Client:
    """A Paddock server: that of the home, unless `url`, `token` or `home` (or PADDOCK_URL, ...) choose another one.

    Methods raise the errors of paddock.errors. Ids may be shortened as long as they are unique.
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

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        self._connection.close()

    @property
    def url(self) -> str:
        return self._connection.url

    @property
    def link(self) -> str:
        """The address with the token, for a browser. Raises unless it is certain that our server is there."""
        self._connection.reach()
        return f"{self.url}/?token={quote(self._connection.token or '')}"

    # --- submitting -------------------------------------------------------------------------------------------------

    def submit(self, source: Source = None, *, spec: models.JobSpec | None = None, **fields: Any) -> JobHandle:
        """Submit a script, a folder or a job file. `fields` are those of JobSpec; they override a job file or `spec`.

        If no environment is given, tasks run with the Python that runs this.
        """
        detail = self._post_bundle("/jobs", self.bundle(source, spec=spec, **fields), models.JobDetail)
        return JobHandle(self, detail)

    def preview(
        self, source: Source = None, *, spec: models.JobSpec | None = None, check: bool = False, **fields: Any
    ) -> models.Preview:
        """Return what `submit` would do. `check`: also ask the backend if it would accept the job, and when."""
        return self._post_bundle("/jobs/preview", self.bundle(source, spec=spec, **fields), models.Preview, check=check)

    def bundle(self, source: Source = None, *, spec: models.JobSpec | None = None, **fields: Any) -> Bundle:
        """Return what `submit` would send."""
        if isinstance(source, Bundle):
            return source
        return bundle(source, spec, fields, environment=_PYTHON, limits=self.upload_limits())

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
        """Run a command for each file of some patterns, as `paddock map` does. Returns None if all outputs exist.

        `fields` are those of JobSpec. Tasks need no GPU unless `resources` ask for one.
        """
        patterns = [inputs] if isinstance(inputs, str) else list(inputs)
        wanted = Wanted(
            command, patterns, None, output, suffix, reduce, per_task, tasks, Distribution(distribution), fresh
        )
        made = mapped(
            wanted,
            {"resources": {"gpus": 0}} | fields,
            environment=_PYTHON,
            limits=self.upload_limits(),
            max_tasks=self.max_tasks(),
        )
        return self.submit(made.bundle) if made.bundle is not None else None

    def max_tasks(self) -> int:
        """Return how many tasks a job may have, by the settings in the home; the server checks it again."""
        found = self._settings()
        return found.max_tasks if found else sys.maxsize

    def upload_limits(self) -> settings.UploadSettings:
        """Return the limits of a submission, by the settings in the home; the server checks them again."""
        found = self._settings()
        return found.upload if found else settings.UploadSettings()

    def _settings(self) -> settings.Settings | None:
        try:
            return settings.load(self._home)
        except InvalidInput:
            return None

    def _post_bundle(self, path: str, what: Bundle, model: type[Answer], **params: Any) -> Answer:
        parts = [("files", (name, data, "application/octet-stream")) for name, data in what.code.files.items()]
        # Fields go as parts as well, so that the request is multipart even when no file is taken along.
        fields = [("spec", (None, what.spec.model_dump_json())), ("code", (None, what.code.code.model_dump_json()))]
        return self._send("POST", path, model, params=params, files=[*fields, *parts], wait_seconds=SUBMIT_SECONDS)

    # --- jobs -------------------------------------------------------------------------------------------------------

    def jobs(
        self,
        *,
        q: str | None = None,
        state: models.TaskState | str | None = None,
        tag: str | None = None,
        owner: str | None = None,
        sort: str = "-created",
        offset: int = 0,
        limit: int = 50,
    ) -> models.JobPage:
        """Return one page of jobs, the newest first."""
        return self._get(
            "/jobs", models.JobPage, q=q, state=state, tag=tag, owner=owner, sort=sort, offset=offset, limit=limit
        )

    def job(self, job: str) -> JobHandle:
        return JobHandle(self, self.detail(job))

    def detail(self, job: str) -> models.JobDetail:
        return self._get(f"/jobs/{_path(job)}", models.JobDetail)

    def edit(
        self, job: str, *, name: str | None = None, description: str | None = None, tags: Sequence[str] | None = None
    ) -> models.JobDetail:
        patch = models.JobPatch(name=name, description=description, tags=list(tags) if tags is not None else None)
        return self._send("PATCH", f"/jobs/{_path(job)}", models.JobDetail, patch.model_dump(exclude_none=True))

    def remove(self, job: str) -> None:
        """Stop a job and delete it with its results, logs and checkpoints."""
        self._connection.request("DELETE", f"/jobs/{_path(job)}")

    def stop(self, job_or_task: str, tasks: Sequence[str] | None = None) -> list[str]:
        """Stop a task, a job, or some tasks of a job; return the ids of the tasks that are stopped."""
        if _is_task(job_or_task):
            return self._send("POST", f"/tasks/{_path(job_or_task)}/stop", models.Changed).tasks
        body = models.StopRequest(tasks=list(tasks) if tasks is not None else None)
        return self._send("POST", f"/jobs/{_path(job_or_task)}/stop", models.Changed, body.model_dump()).tasks

    def restart(
        self, job_or_task: str, tasks: Sequence[str] | None = None, *, failed: bool = False, resume: bool = False
    ) -> list[str]:
        """Run tasks that have ended again. `failed`: only those in error; `resume`: continue from the checkpoint."""
        if _is_task(job_or_task):
            job, _, number = job_or_task.rpartition("-")
            job_or_task, tasks = job, [number]
        body = models.RestartRequest(tasks=list(tasks) if tasks is not None else None, failed=failed, resume=resume)
        return self._send("POST", f"/jobs/{_path(job_or_task)}/restart", models.Changed, body.model_dump()).tasks

    def hold(self, job: str) -> models.JobDetail:
        """Start no further task, including tasks in the backend's queue. Running tasks go on."""
        return self._send("POST", f"/jobs/{_path(job)}/hold", models.JobDetail)

    def release(self, job: str) -> models.JobDetail:
        """Continue a held job."""
        return self._send("POST", f"/jobs/{_path(job)}/release", models.JobDetail)

    def limits(self, job: str, *, time_limit: int | str | None = None, nice: int | None = None) -> models.JobDetail:
        """Change the time limit (seconds, or text such as `4h`) or priority of present and future allocations.

        The backend is asked a little later; if it refuses, the job's `warnings` report it.
        """
        body = {name: value for name, value in (("time_limit", time_limit), ("nice", nice)) if value is not None}
        return self._send("POST", f"/jobs/{_path(job)}/limits", models.JobDetail, body)

    def search_report(self, job: str) -> models.SearchReport:
        """Return the trials of a job, the importance of its parameters, and what early stopping saved."""
        return self._get(f"/jobs/{_path(job)}/search", models.SearchReport)

    def extend(
        self,
        job: str,
        *,
        trials: int | None = None,
        time_budget: int | str | None = None,
        params: Mapping[str, Any] | None = None,
    ) -> models.JobDetail:
        """Extend a search: more trials, more time (seconds, or text such as `2h`), other values of parameters.

        This also continues a search that is over.
        """
        given = {"trials": trials, "time_budget": time_budget, "params": dict(params) if params else None}
        body = to_jsonable_python({name: value for name, value in given.items() if value is not None})
        return self._send("POST", f"/jobs/{_path(job)}/extend", models.JobDetail, body)

    def export(self, job: str, format: Literal["csv", "jsonl"] = "csv") -> str:
        """Return all tasks with parameters, states and best values, as text."""
        return self._connection.request("GET", f"/jobs/{_path(job)}/export", params={"format": format}).text

    # --- tasks ------------------------------------------------------------------------------------------------------

    def task(self, task: str) -> models.TaskDetail:
        return self._get(f"/tasks/{_path(task)}", models.TaskDetail)

    def parts(self, job: str) -> list[models.MapPart]:
        """Return the files of each task of a map; an empty list for other jobs."""
        return self._get(f"/jobs/{_path(job)}/parts", list[models.MapPart])

    def tasks(
        self, job: str, *, state: models.TaskState | str | None = None, sort: str = "number", limit: int | None = None
    ) -> list[models.Task]:
        """Return the tasks of a job, all of them unless there is a `limit`."""
        found: list[models.Task] = []
        wanted = math.inf if limit is None else limit
        while len(found) < wanted:
            size = int(min(_PAGE, wanted - len(found)))
            path = f"/jobs/{_path(job)}/tasks"
            page = self._get(path, models.TaskPage, state=state, sort=sort, offset=len(found), limit=size)
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
    ) -> list[models.Curve]:
        """Return the curves of a task (all metrics) or of a job (the objective), or those of some `metrics`.

        For a job, these are the curves of its first 1,000 tasks; `offset` and `limit` choose others.
        """
        kind = "tasks" if _is_task(job_or_task) else "jobs"
        given = {"attempt": attempt} if kind == "tasks" else {"offset": offset, "limit": limit}
        chosen: Any = {"metric": list(metrics) if metrics else None, "points": points} | given
        return self._get(f"/{kind}/{_path(job_or_task)}/metrics", list[models.Curve], **chosen)

    def metric_names(self, job: str) -> list[str]:
        return self._get(f"/jobs/{_path(job)}/metrics/names", list[str])

    # --- logs -------------------------------------------------------------------------------------------------------

    def log(self, task: str, *, attempt: int | None = None, tail: int | None = None) -> str:
        """Return what a task printed; `tail`: only this many lines from the end."""
        log = self.task_log(task, attempt)
        return (log.whole() if tail is None else log.tail(tail)).text

    def follow_log(self, task: str, *, attempt: int | None = None, offset: int = 0) -> Iterator[str]:
        """Return what a task prints while it prints it, until the attempt has ended."""
        return self.task_log(task, attempt).follow(offset)

    def task_log(self, task: str, attempt: int | None = None) -> TaskLog:
        """Return a log, to read it in parts."""
        return TaskLog(self._connection, _path(task), attempt)

    # --- the server -------------------------------------------------------------------------------------------------

    def events(self, job: str | None = None, last: int | None = None) -> Iterator[models.Event]:
        """Return events as they happen, after the event `last`. The stream is resumed after an interruption.

        An event with `data["change"] == "missed"` means that some were lost: fetch the present state.
        """
        return events(self._connection, job, last)

    def nodes(self) -> list[models.Node]:
        return self._get("/nodes", list[models.Node])

    def load(self) -> LoadReport:
        """Return how busy nodes are, what users and jobs use of them, and advice for running jobs."""
        return self._get("/load", LoadReport)

    def load_history(
        self, node: str | None = None, *, backend: str | None = None, minutes: float = 60.0
    ) -> list[LoadSeries]:
        """Return how busy nodes and their GPUs were."""
        return self._get("/load/history", list[LoadSeries], node=node, backend=backend, minutes=minutes)

    def health(self) -> models.Health:
        return self._get("/health", models.Health)

    def answers(self) -> bool:
        """Return True if the server answers now."""
        return self._connection.answers()

    def prune(
        self,
        *,
        dry_run: bool = False,
        jobs_days: float | None = None,
        attempts_days: float | None = None,
        journals_days: float | None = None,
        runners_days: float | None = None,
    ) -> models.PruneReport:
        """Delete what is older than this many days; the settings `keep` apply where none are given. See PruneRequest.

        `dry_run`: only report what would be deleted.
        """
        asked = models.PruneRequest(
            dry_run=dry_run,
            jobs_days=jobs_days,
            attempts_days=attempts_days,
            journals_days=journals_days,
            runners_days=runners_days,
        )
        return self._send("POST", "/prune", models.PruneReport, asked.model_dump(), wait_seconds=PRUNE_SECONDS)

    def version(self) -> models.Version:
        return self._get("/version", models.Version)

    def inspect(self, source: str | os.PathLike[str], params: Sequence[str] = ()) -> models.ScriptReport:
        """Return the parameters and metrics of a script. The script is read, not run."""
        path = Path(source)
        try:
            text = path.read_text(encoding="utf-8", errors="replace")
        except OSError as error:
            raise InvalidInput(f"{path} cannot be read ({error.strerror}): give another file.") from None
        body = models.InspectRequest(source=text, filename=path.name, params=list(params))
        return self._send("POST", "/scripts/inspect", models.ScriptReport, body.model_dump())

    # --- requests ---------------------------------------------------------------------------------------------------

    def _get(self, path: str, kind: type[Answer], **params: Any) -> Answer:
        return self._send("GET", path, kind, params={name: one for name, one in params.items() if one is not None})

    def _send(self, method: str, path: str, kind: type[Answer], body: Any = None, **options: Any) -> Answer:
        """Send a request with this `body` as JSON, and return the answer as this `kind`."""
        options |= {} if body is None else {"json": body}
        return understood(kind, self._connection.request(method, path, **options).content)


def _is_task(text: str) -> bool:
    return "-" in text


def _path(text: str) -> str:
    """Return an id as one segment of an address."""
    if not _ID.fullmatch(text):
        raise NotFound(f"{text!r} is not an id: `paddock ls` lists the jobs, `paddock tasks JOB` their tasks.")
    return text
