"""The Python SDK: `paddock.submit("train.py", lr=[0.1, 0.01]).wait().best()`."""

from __future__ import annotations

import math
import os
import re
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, Literal, TypeAlias
from urllib.parse import quote

from paddock import models
from paddock.client.connection import Answer, Connection, understood
from paddock.client.http import FormPart
from paddock.client.logins import PERSONAL
from paddock.errors import InvalidInput, NotFound

# Methods that need more than a request import it themselves: `paddock ls` should not wait for it.
if TYPE_CHECKING:
    from paddock.client.attach import AttachCommand
    from paddock.client.bundle import Bundle
    from paddock.client.calendar import CalendarCalls
    from paddock.client.fetching import Fetched
    from paddock.client.hosts import HostCalls
    from paddock.client.job import JobHandle
    from paddock.client.logs import TaskLog
    from paddock.client.rules import RuleCalls
    from paddock.client.team import TeamCalls
    from paddock.client.violations import ViolationCalls
    from paddock.models.load import LoadReport, LoadSeries
    from paddock.settings import Settings, UploadSettings

Source: TypeAlias = "str | os.PathLike[str] | Bundle | None"

SUBMIT_SECONDS = 180.0  # the server tries the environment, and imports on a network file system are slow
PRUNE_SECONDS = 300.0  # folders are measured, and thousands of them renamed
_PAGE = 5000
_PYTHON = {"python": sys.executable} if sys.executable else {}
_ID = re.compile(r"[0-9A-Za-z]+(-[0-9]+)?")


class Client:
    """A Paddock server: the one that `url`, `token` or `home` (or PADDOCK_URL, ...) choose.

    Without them it is the one that `paddock login` signed in to, one's own in ~/.paddock, or that of the machine.

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

    def __enter__(self) -> Client:
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
        """The address for a browser, with the server's own token. Raises unless it is certain that our server is there.

        Who is signed in as a person gets the address alone: a browser asks for the name and the password.
        """
        self._connection.reach()
        token, page = self._connection.token, self._connection.page
        return f"{page}/" if token is None or token.startswith(PERSONAL) else f"{page}/?token={quote(token)}"

    @property
    def team(self) -> TeamCalls:
        """The people of the server: accounts, groups, invitations, one's own tokens, the audit."""
        from paddock.client.team import TeamCalls

        return TeamCalls(self._connection)

    @property
    def hosts(self) -> HostCalls:
        """The machines that the server reaches by ssh."""
        from paddock.client.hosts import HostCalls

        return HostCalls(self._connection)

    @property
    def calendar(self) -> CalendarCalls:
        """The GPUs that can be reserved, and their reservations."""
        from paddock.client.calendar import CalendarCalls

        return CalendarCalls(self._send, self._connection)

    @property
    def rules(self) -> RuleCalls:
        """The access rules, and the quotas."""
        from paddock.client.rules import RuleCalls

        return RuleCalls(self._connection)

    @property
    def violations(self) -> ViolationCalls:
        """Processes on GPUs that others have reserved."""
        from paddock.client.violations import ViolationCalls

        return ViolationCalls(self._connection)

    # --- submitting -------------------------------------------------------------------------------------------------

    def submit(
        self,
        source: Source = None,
        *,
        spec: models.JobSpec | None = None,
        include: Sequence[str] = (),
        force: bool = False,
        **fields: Any,
    ) -> JobHandle:
        """Submit a script, a notebook, a folder or a job file. `fields` override the others.

        A name that is a field of JobSpec (`objective`, `resources`, ...) is that field; any other name is a parameter:
        `submit("train.py", lr=[0.1, 0.01], objective="val_loss")`. If no environment is given, tasks run with the
        Python that runs this. `include` names further files to take along. `force`: submit even if the environment
        lacks modules that the script imports.
        """
        made = self.bundle(source, spec=spec, include=include, **fields)
        return self._handle(self._post_bundle("/jobs", made, models.JobDetail, force=force))

    def again(self, job: str, *, include: Sequence[str] = (), force: bool = False, **fields: Any) -> JobHandle:
        """Submit a job again, with the code as it was then. `fields` are those of JobSpec that shall differ."""
        from paddock.client.bundle import bundle

        old = self.detail(job)
        made = bundle(None, old.spec, fields, include=include, limits=self.upload_limits(), job=old.id)
        return self.submit(made, force=force)

    def preview(
        self, source: Source = None, *, spec: models.JobSpec | None = None, check: bool = False, **fields: Any
    ) -> models.Preview:
        """Return what `submit` would do. `check`: also ask the backend if it would accept the job, and when."""
        return self._post_bundle("/jobs/preview", self.bundle(source, spec=spec, **fields), models.Preview, check=check)

    def preflight(
        self, source: Source = None, *, spec: models.JobSpec | None = None, include: Sequence[str] = (), **fields: Any
    ) -> models.Preflight:
        """Return which modules the environment lacks, and which files the program names and does not bring."""
        made = self.bundle(source, spec=spec, include=include, **fields)
        return self._post_bundle("/jobs/preflight", made, models.Preflight)

    def environments(self, near: str | os.PathLike[str] | None = None) -> list[models.FoundEnvironment]:
        """Return the Python environments on the node of the server, those of the folder `near` first."""
        where = os.path.abspath(near) if near is not None else None  # noqa: PTH100
        return self._get("/environments", lambda: list[models.FoundEnvironment], near=where)

    def bundle(
        self, source: Source = None, *, spec: models.JobSpec | None = None, include: Sequence[str] = (), **fields: Any
    ) -> Bundle:
        """Return what `submit` would send."""
        from paddock.client.bundle import Bundle, bundle, with_params

        if isinstance(source, Bundle):
            return source
        changes = with_params(fields)
        return bundle(source, spec, changes, environment=_PYTHON, include=include, limits=self.upload_limits())

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
        from paddock.client.mapping import Distribution, Wanted, mapped

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

    def upload_limits(self) -> UploadSettings:
        """Return the limits of a submission, by the settings in the home; the server checks them again."""
        from paddock.settings import UploadSettings

        found = self._settings()
        return found.upload if found else UploadSettings()

    def _settings(self) -> Settings | None:
        from paddock import settings

        try:
            return settings.load(self._home)
        except InvalidInput:
            return None

    def attach_command(
        self, point: models.AttachPoint, mode: Literal["shell", "terminal"], argv: Sequence[str] = ()
    ) -> AttachCommand:
        """Return the command that attaches to a task from this machine. Raise Conflict if this machine cannot."""
        from paddock.client import attach

        return attach.command(point, mode, argv, self._settings())

    def _post_bundle(self, path: str, what: Bundle, model: type[Answer], **params: Any) -> Answer:
        texts = {"spec": what.spec.model_dump_json(), "code": what.code.code.model_dump_json()}
        form = [FormPart(name, text.encode()) for name, text in texts.items()]
        form += [FormPart("files", data, filename=name) for name, data in what.code.files.items()]
        return self._send("POST", path, lambda: model, params=params, form=form, wait_seconds=SUBMIT_SECONDS)

    # --- jobs -------------------------------------------------------------------------------------------------------

    def jobs(
        self,
        *,
        q: str | None = None,
        state: models.TaskState | str | None = None,
        tag: str | None = None,
        owner: str | None = None,
        mine: bool = False,
        sort: str = "-created",
        offset: int = 0,
        limit: int = 50,
    ) -> models.JobPage:
        """Return one page of jobs, the newest first; `mine`: only those of whoever asks."""
        return self._get(
            "/jobs",
            lambda: models.JobPage,
            q=q,
            state=state,
            tag=tag,
            owner=owner,
            mine=mine or None,
            sort=sort,
            offset=offset,
            limit=limit,
        )

    def job(self, job: str) -> JobHandle:
        return self._handle(self.detail(job))

    def _handle(self, detail: models.JobDetail) -> JobHandle:
        from paddock.client.job import JobHandle

        return JobHandle(self, detail)

    def detail(self, job: str) -> models.JobDetail:
        return self._get(f"/jobs/{_path(job)}", lambda: models.JobDetail)

    def edit(
        self,
        job: str,
        *,
        name: str | None = None,
        description: str | None = None,
        tags: Sequence[str] | None = None,
        pinned: bool | None = None,
        visibility: models.Visibility | str | None = None,
    ) -> models.JobDetail:
        tagged = list(tags) if tags is not None else None
        given = {"name": name, "description": description, "tags": tagged, "pinned": pinned, "visibility": visibility}
        patch = {field: value for field, value in given.items() if value is not None}
        return self._send("PATCH", f"/jobs/{_path(job)}", lambda: models.JobDetail, patch)

    def notices(self, *, new: bool = False, limit: int = 50, before: int | None = None) -> models.NoticePage:
        """Return one's own notices, newest first; `new`: only those that are not read."""
        given = {"new": new, "limit": limit} | ({} if before is None else {"before": before})
        return self._get("/me/notices", lambda: models.NoticePage, **given)

    def read_notices(self, *, up_to: int | None = None) -> models.NoticePage:
        """Mark one's own notices as read: all, or those up to this id."""
        return self._send("POST", "/me/notices/read", lambda: models.NoticePage, {"up_to": up_to})

    def bulk(self, act: str, jobs: Sequence[str], tag: str | None = None) -> list[models.BulkResult]:
        """Do the same to several jobs: stop, remove, hold, release, pin, unpin, tag or untag. Each is reported."""
        body = {"act": act, "jobs": list(jobs), "tag": tag}
        return self._send("POST", "/jobs/bulk", lambda: list[models.BulkResult], body)

    def views(self) -> list[models.SavedView]:
        """Return the saved views of the list of jobs."""
        return self._get("/views", lambda: list[models.SavedView])

    def remove(self, job: str) -> None:
        """Stop a job and delete it with its results, logs and checkpoints."""
        self._connection.request("DELETE", f"/jobs/{_path(job)}")

    def stop(self, job_or_task: str, tasks: Sequence[str] | None = None) -> list[str]:
        """Stop a task, a job, or some tasks of a job; return the ids of the tasks that are stopped."""
        if _is_task(job_or_task):
            return self._send("POST", f"/tasks/{_path(job_or_task)}/stop", lambda: models.Changed).tasks
        body = {"tasks": list(tasks) if tasks is not None else None}
        return self._send("POST", f"/jobs/{_path(job_or_task)}/stop", lambda: models.Changed, body).tasks

    def restart(
        self, job_or_task: str, tasks: Sequence[str] | None = None, *, failed: bool = False, resume: bool = False
    ) -> list[str]:
        """Run tasks that have ended again. `failed`: only those in error; `resume`: continue from the checkpoint."""
        if _is_task(job_or_task):
            job, _, number = job_or_task.rpartition("-")
            job_or_task, tasks = job, [number]
        body = {"tasks": list(tasks) if tasks is not None else None, "failed": failed, "resume": resume}
        return self._send("POST", f"/jobs/{_path(job_or_task)}/restart", lambda: models.Changed, body).tasks

    def resize(self, job_or_task: str, gpus: int | Literal["auto"]) -> list[str]:
        """Let a task, or all running tasks of a job, go on with another number of GPUs, within the job's range.

        They keep it then. With "auto" the server chooses it from now on.
        """
        whose = "tasks" if _is_task(job_or_task) else "jobs"
        path = f"/{whose}/{_path(job_or_task)}/resize"
        return self._send("POST", path, lambda: models.Changed, {"gpus": gpus}).tasks

    def hold(self, job: str) -> models.JobDetail:
        """Start no further task, including tasks in the backend's queue. Running tasks go on."""
        return self._send("POST", f"/jobs/{_path(job)}/hold", lambda: models.JobDetail)

    def release(self, job: str) -> models.JobDetail:
        """Continue a held job."""
        return self._send("POST", f"/jobs/{_path(job)}/release", lambda: models.JobDetail)

    def limits(
        self, job: str, *, time_limit: int | str | None = None, nice: int | None = None, priority: int | None = None
    ) -> models.JobDetail:
        """Change the priority of a job, or the limits of its present and future allocations.

        `time_limit` is in seconds, or a text such as `4h`. The backend is asked for time limit and nice value a little
        later; if it refuses, the job's `warnings` report it.
        """
        given = {"time_limit": time_limit, "nice": nice, "priority": priority}
        body = {name: value for name, value in given.items() if value is not None}
        return self._send("POST", f"/jobs/{_path(job)}/limits", lambda: models.JobDetail, body)

    def objective(self, job: str) -> models.ObjectiveReport:
        """Return the objective of a job, why it is that, and the metrics that tasks report."""
        return self._get(f"/jobs/{_path(job)}/objective", lambda: models.ObjectiveReport)

    def change_objective(self, job: str, objective: str | Sequence[str], *, insist: bool = False) -> models.JobDetail:
        """Change the objective of a job, such as `val_loss`, `val_acc:max`, `auto`, or several for a Pareto front.

        Best values are computed again from the stored points. `insist`: accept a metric that no task has reported.
        """
        wanted = [objective] if isinstance(objective, str) else list(objective)
        body = {"objective": wanted, "insist": insist}
        return self._send("PUT", f"/jobs/{_path(job)}/objective", lambda: models.JobDetail, body)

    def search_report(self, job: str) -> models.SearchReport:
        """Return the trials of a job, the importance of its parameters, and what early stopping saved."""
        return self._get(f"/jobs/{_path(job)}/search", lambda: models.SearchReport)

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
        from pydantic_core import to_jsonable_python

        given = {"trials": trials, "time_budget": time_budget, "params": dict(params) if params else None}
        body = to_jsonable_python({name: value for name, value in given.items() if value is not None})
        return self._send("POST", f"/jobs/{_path(job)}/extend", lambda: models.JobDetail, body)

    def export(
        self, job: str, format: Literal["csv", "jsonl"] = "csv", *, what: Literal["tasks", "curves"] = "tasks"
    ) -> str:
        """Return all tasks with parameters, states and the last and best value of every metric, as text.

        `what="curves"`: all points of all metrics.
        """
        query = {"format": format, "what": what}
        return self._connection.request("GET", f"/jobs/{_path(job)}/export", params=query).text

    # --- tasks ------------------------------------------------------------------------------------------------------

    def task(self, task: str) -> models.TaskDetail:
        return self._get(f"/tasks/{_path(task)}", lambda: models.TaskDetail)

    def where(self, task: str) -> models.AttachPoint:
        """Return where a running task can be attached to; see `paddock attach`."""
        return self._get(f"/tasks/{_path(task)}/attach", lambda: models.AttachPoint)

    def queue(self, tasks: int = 0) -> models.QueuePage:
        """Return the jobs that run or wait, with up to so many waiting tasks of each, and when they begin and end."""
        return self._get(f"/queue?tasks={tasks}", lambda: models.QueuePage)

    def plan(self, asked: models.PlanRequest) -> models.JobsPlan:
        """Return what the cluster would do with some jobs if nothing else ran there. Nothing is submitted."""
        body = asked.model_dump(mode="json")
        return self._send("POST", "/plan", lambda: models.JobsPlan, body, wait_seconds=SUBMIT_SECONDS)

    def parts(self, job: str) -> list[models.MapPart]:
        """Return the files of each task of a map; an empty list for other jobs."""
        return self._get(f"/jobs/{_path(job)}/parts", lambda: list[models.MapPart])

    def tasks(
        self, job: str, *, state: models.TaskState | str | None = None, sort: str = "number", limit: int | None = None
    ) -> list[models.Task]:
        """Return the tasks of a job, all of them unless there is a `limit`."""
        found: list[models.Task] = []
        wanted = math.inf if limit is None else limit
        while len(found) < wanted:
            size = int(min(_PAGE, wanted - len(found)))
            path = f"/jobs/{_path(job)}/tasks"
            page = self._get(path, lambda: models.TaskPage, state=state, sort=sort, offset=len(found), limit=size)
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
        return self._get(f"/{kind}/{_path(job_or_task)}/metrics", lambda: list[models.Curve], **chosen)

    def metric_names(self, job: str) -> list[str]:
        return self._get(f"/jobs/{_path(job)}/metrics/names", lambda: list[str])

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
        from paddock.client.logs import TaskLog

        return TaskLog(self._connection, _path(task), attempt)

    # --- files and notes --------------------------------------------------------------------------------------------

    def files(self, task: str, path: str = "", *, offset: int = 0, limit: int = 500) -> models.FilePage:
        """Return entries of the results folder of a task, or of a folder in it: `work`, `checkpoint`, `attempts/1`."""
        query: dict[str, Any] = {"path": path, "offset": offset, "limit": limit}
        return self._get(f"/tasks/{_path(task)}/files", lambda: models.FilePage, **query)

    def images(self, task: str) -> models.ImageList:
        """Return the images that a task has written, by series and step."""
        return self._get(f"/tasks/{_path(task)}/files/images", lambda: models.ImageList)

    def download(
        self, task: str, path: str = "", to: str | os.PathLike[str] | None = None, *, replace: bool = False
    ) -> Path:
        """Save a file that a task has written, or a folder as a .tar.gz file; return where it is.

        `to` is a file or a folder; the working folder when not given. `replace`: a file that exists is replaced.
        """
        from paddock.client import downloads

        address, target = f"/tasks/{_path(task)}/files/download", None if to is None else Path(to)
        return downloads.save(self._connection, address, path, task, target, replace=replace)

    def fetch(
        self,
        task: str,
        to: str | os.PathLike[str] = ".",
        *,
        path: str = "",
        replace: bool = False,
        progress: Callable[[Fetched], None] = lambda _: None,
    ) -> Fetched:
        """Copy the folder of a task, or a folder in it, into a new folder in `to` that has the name of the task.

        It is there when all of it has arrived; links are left out. `replace`: instead of a folder that exists.
        """
        from paddock.client import fetching

        task = self.task(task).id  # its whole id names the folder
        address = f"/tasks/{_path(task)}/files/download"
        return fetching.fetch(self._connection, address, path, task, Path(to), replace=replace, progress=progress)

    def write_file(self, task: str, path: str, file: BinaryIO) -> None:
        """Write a file of a task, or a folder as tar.gz, into an open file."""
        from paddock.client import downloads

        with self._connection.stream(f"/tasks/{_path(task)}/files/download", path=path) as answer:
            downloads.copy(answer.parts(), file, answer.headers.get("Content-Length"))

    def diff(self, before: str, after: str) -> models.JobDiff:
        """Return what differs from one job to another: code and settings."""
        return self._get(f"/jobs/{_path(before)}/diff/{_path(after)}", lambda: models.JobDiff)

    def note(self, job_or_task: str, text: str | None = None) -> str:
        """Return the note of a task, or the description of a job; `text`: write it."""
        if not _is_task(job_or_task):
            return (self.detail(job_or_task) if text is None else self.edit(job_or_task, description=text)).description
        if text is None:
            return self.task(job_or_task).note
        body = {"note": text}
        return self._send("PATCH", f"/tasks/{_path(job_or_task)}", lambda: models.TaskDetail, body).note

    # --- the server -------------------------------------------------------------------------------------------------

    def events(self, job: str | None = None, last: int | None = None) -> Iterator[models.Event]:
        """Return events as they happen, after the event `last`. The stream is resumed after an interruption.

        An event with `data["change"] == "missed"` means that some were lost: fetch the present state.
        """
        from paddock.client.events import events

        return events(self._connection, job, last)

    def nodes(self) -> list[models.Node]:
        return self._get("/nodes", lambda: list[models.Node])

    def load(self) -> LoadReport:
        """Return how busy nodes are, what users and jobs use of them, and advice for running jobs."""
        from paddock.models.load import LoadReport

        return self._get("/load", lambda: LoadReport)

    def load_history(
        self, node: str | None = None, *, backend: str | None = None, minutes: float = 60.0
    ) -> list[LoadSeries]:
        """Return how busy nodes and their GPUs were."""
        from paddock.models.load import LoadSeries

        return self._get("/load/history", lambda: list[LoadSeries], node=node, backend=backend, minutes=minutes)

    def health(self) -> models.Health:
        return self._get("/health", lambda: models.Health)

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
        asked = {
            "dry_run": dry_run,
            "jobs_days": jobs_days,
            "attempts_days": attempts_days,
            "journals_days": journals_days,
            "runners_days": runners_days,
        }
        return self._send("POST", "/prune", lambda: models.PruneReport, asked, wait_seconds=PRUNE_SECONDS)

    def version(self) -> models.Version:
        return self._get("/version", lambda: models.Version)

    def inspect(self, source: str | os.PathLike[str], params: Sequence[str] = ()) -> models.ScriptReport:
        """Return the parameters and metrics of a script. The script is read, not run."""
        from paddock.client.inspecting import sources

        text, name, _, files = sources(Path(source))
        body = {"source": text, "filename": name, "params": list(params), "files": files}
        return self._send("POST", "/scripts/inspect", lambda: models.ScriptReport, body)

    # --- requests ---------------------------------------------------------------------------------------------------

    def _get(self, path: str, kind: Callable[[], type[Answer]], /, **params: Any) -> Answer:
        return self._send("GET", path, kind, params={name: one for name, one in params.items() if one is not None})

    def _send(
        self, method: str, path: str, kind: Callable[[], type[Answer]], body: Any = None, **options: Any
    ) -> Answer:
        """Send a request with this `body` as JSON, and return the answer as what `kind` returns."""
        return self._understood(kind, self._connection.request(method, path, body=body, **options).content)

    def _understood(self, kind: Callable[[], type[Answer]], content: bytes) -> Answer:
        return understood(kind(), content)


def _is_task(text: str) -> bool:
    return "-" in text


def _path(text: str) -> str:
    """Return an id as one segment of an address."""
    if not _ID.fullmatch(text):
        raise NotFound(f"{text!r} is not an id: `paddock ls` lists the jobs, `paddock tasks JOB` their tasks.")
    return text
