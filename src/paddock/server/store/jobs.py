"""Jobs: insert, find, list and change them."""

import json
import time
from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import sqlalchemy as sa

from paddock.errors import AmbiguousId, NotFound
from paddock.models import (
    CodeInfo,
    Facets,
    Goal,
    Interpreter,
    Job,
    JobDetail,
    JobPage,
    JobPatch,
    JobSpec,
    LimitsRequest,
    NoWord,
    Objective,
    ObjectiveChoice,
    Packing,
    ScriptReport,
    TaskCounts,
    TaskState,
    Visibility,
    Waits,
)
from paddock.models.events import EventData, JobChange, JobRemoved
from paddock.models.spec import AUTO, MetricFiles
from paddock.runner import map_driver
from paddock.search.tasks import NewTask
from paddock.server.store import allocations, events, failures, metrics, reduces, repeats, trials
from paddock.server.store import attempts as attempt_rows
from paddock.server.store.estimates import NOTHING, Estimates, expected, to_come
from paddock.server.store.kept import fetch_kept
from paddock.server.store.rows import ALL_HEARD, Silent, clock_of, columns, fetch, model, moment, portions, storable
from paddock.server.store.sight import EVERYTHING, Sight
from paddock.server.store.tables import REMOVING, RUNNING, UNENDED, UNTOLD, attempts, jobs, tasks

SortKey = Literal["created", "-created", "name", "-name", "owner", "-owner"]
SPARK_POINTS = 30
ESTIMATE_SECONDS = 0.2  # after which a list of jobs shows estimates as they were
UNCHOSEN = ObjectiveChoice(by="auto", why="not chosen yet: no task has reported a metric", final=False)
MAX_WARNINGS = 20


@dataclass(frozen=True)
class NewJob:
    """A job to be inserted."""

    id: str
    owner: str
    spec: JobSpec
    script: ScriptReport | None
    code: CodeInfo
    interpreter: Interpreter
    tasks: Sequence[NewTask]
    warnings: list[str] = field(default_factory=list)
    digest: str | None = None
    program: str | None = None
    searching: bool = False
    unix_name: str | None = None  # as whom its tasks run; None: as the server's user
    folder: str | None = None  # in that person's home
    fleet: str | None = None  # the backend on whose hosts it has folders
    created_at: float = field(default_factory=time.time)
    rows: list[trials.Row] = field(init=False)  # its tasks, ready to be inserted

    def __post_init__(self) -> None:
        object.__setattr__(self, "rows", trials.prepared(self.id, self.tasks, self.created_at))


@dataclass(frozen=True, slots=True)
class JobRow:
    """A job as the engine and its search need it."""

    id: str
    owner: str
    spec: dict[str, Any]
    script: dict[str, Any] | None
    interpreter: dict[str, Any]
    metric: str
    goal: Goal
    digest: str | None
    program: str | None
    searching: bool
    search_until: float | None
    search_note: str | None
    adjusted: int
    choice: dict[str, Any] | None

    def job_spec(self) -> JobSpec:
        """Return the spec with the objective that counts now, where the spec leaves that open."""
        spec = JobSpec.model_validate(self.spec)
        return spec.with_objectives([self.objective()]) if spec.objective.metric == AUTO else spec

    def script_report(self) -> ScriptReport | None:
        return ScriptReport.model_validate(self.script) if self.script else None

    def objective(self) -> Objective:
        return Objective(metric=self.metric, goal=self.goal)


@dataclass(frozen=True, slots=True)
class FoundJob:
    """A job that somebody asked for, whose it is, and who sees it."""

    id: str
    owner: str
    visibility: Visibility


@dataclass(frozen=True, slots=True)
class ChangedJob:
    """A job with a change of hold or limits that was not passed on to its runners."""

    id: str
    held: bool
    adjusted: int  # the number of the change
    spec: dict[str, Any]


_ROWS = sa.select(*columns(JobRow, jobs.c))
_CHANGED = sa.select(*columns(ChangedJob, jobs.c)).where(UNTOLD, jobs.c.removing.is_(False))
_REMOVING = sa.select(jobs.c.id).where(REMOVING)
_FOUND = sa.select(*columns(FoundJob, jobs.c)).where(jobs.c.removing.is_(False))
_WHOLE_ID = _FOUND.where(jobs.c.id == sa.bindparam("job"))


def insert(c: sa.Connection, new: NewJob) -> None:
    """Insert a job, its tasks, their first attempts and the event."""
    now, spec = new.created_at, new.spec
    c.execute(
        sa.insert(jobs).values(
            id=new.id,
            owner=new.owner,
            name=spec.name,
            description=spec.description,
            tags=spec.tags,
            spec=spec.model_dump(mode="json"),
            script=new.script.model_dump(mode="json") if new.script else None,
            code=new.code.model_dump(mode="json"),
            interpreter=new.interpreter.model_dump(mode="json"),
            metric="" if spec.objective.metric == AUTO else spec.objective.metric,
            goal=spec.objective.goal,
            choice=UNCHOSEN.model_dump(mode="json") if spec.objective.metric == AUTO else None,
            warnings=new.warnings,
            created_at=now,
            digest=new.digest,
            program=new.program,
            searching=new.searching,
            priority=spec.priority,
            unix_name=new.unix_name,
            folder=new.folder,
            fleet=new.fleet,
            visibility=spec.visibility,
            notify=spec.notify,
            search_until=None if spec.search.time_budget is None else now + spec.search.time_budget,
        )
    )
    trials.insert(c, new.id, new.rows)
    events.write(c, new.id, JobChange(change="submitted", tasks=len(new.tasks)))


def find(c: sa.Connection, text: str, sight: Sight) -> FoundJob:
    """Return the only job that somebody may see whose id is `text`, or begins with it."""
    found = _with_id(c, text, sight) if text and storable(text) else []
    if not found:
        raise NotFound(f"There is no job {text!r}: `paddock ls` lists them.")
    if len(found) > 1:
        ids = ", ".join(one.id for one in found)
        raise AmbiguousId(f"{text!r} is the beginning of several jobs ({ids}): give more of the id.")
    return found[0]


def _with_id(c: sa.Connection, text: str, sight: Sight) -> list[FoundJob]:
    """Return the job with this id; otherwise the first of those whose ids begin with it."""
    whole = [FoundJob(*row) for row in c.execute(_WHOLE_ID, {"job": text})]  # nearly always, and in one quick step
    if whole and sight.sees(whole[0].owner, whole[0].visibility):
        return whole
    query = _FOUND.where(jobs.c.id.startswith(text, autoescape=True), sight.where)
    if c.dialect.name == "sqlite":  # it compares ids byte by byte, and has no index for LIKE
        query = query.where(jobs.c.id.between(text, text + "\uffff"))
    return fetch(c, FoundJob, query.order_by(jobs.c.id).limit(6))


def resolve(c: sa.Connection, text: str, sight: Sight) -> str:
    """Return the id of the only job that somebody may see whose id is `text`, or begins with it."""
    return find(c, text, sight).id


def existing(c: sa.Connection, job: str) -> str:
    """Return the id of a job; raise NotFound if it was removed since somebody looked."""
    return resolve(c, job, EVERYTHING)


def unseen(c: sa.Connection, ids: Collection[str], sight: Sight) -> set[str]:
    """Return those of these jobs that somebody may not see, or that do not exist."""
    if sight == EVERYTHING:
        return set()
    queries = (sa.select(jobs.c.id).where(jobs.c.id.in_(some), sight.where) for some in portions(list(ids)))
    return set(ids).difference(*(c.scalars(query) for query in queries))


def detail(
    c: sa.Connection,
    job: str,
    folder: str,
    silent: Silent = ALL_HEARD,
    waits: Mapping[str, Waits] | None = None,
    estimates: Estimates | None = None,
) -> JobDetail:
    """Return everything that is shown of a job.

    `silent` contains the allocations whose runners do not report, `waits` why jobs wait for the policy.
    """
    row = c.execute(sa.select(jobs).where(jobs.c.id == job)).one_or_none()
    if row is None:
        raise NotFound(f"There is no job {job!r}.")
    summary = _summaries(c, [row], silent, waits or {}, estimates)[0]
    newest = {"name": row.name, "description": row.description, "tags": row.tags, "priority": row.priority}
    newest |= {"visibility": row.visibility, "notify": row.notify}
    spec = JobSpec.model_validate(row.spec).model_copy(update=newest)
    return JobDetail(
        **summary.__dict__,
        spec=spec,
        packing=[Packing(gpu=gpu, **found) for gpu, found in sorted((row.packing or {}).items())],
        script=row.script or None,
        code=row.code,
        folder=folder,
        giving_way=allocations.giving_way(c, job),
        mapped=spec.script == map_driver.SCRIPT,
    )


def summary(
    c: sa.Connection, job: str, waits: Mapping[str, Waits] | None = None, estimates: Estimates | None = None
) -> Job | None:
    """Return a job as lists show it; None if there is no such job."""
    row = c.execute(sa.select(jobs).where(jobs.c.id == job)).one_or_none()
    return None if row is None else _summaries(c, [row], ALL_HEARD, waits or {}, estimates)[0]


def _value(c: sa.Connection, job: str, column: sa.Column[Any]) -> Any:
    """Return one column of a job; None if there is no such job."""
    return c.scalar(sa.select(column).where(jobs.c.id == job))


def page(
    c: sa.Connection,
    sight: Sight,
    *,
    q: str | None = None,
    state: TaskState | None = None,
    tag: str | None = None,
    owner: str | None = None,
    sort: SortKey = "-created",
    offset: int = 0,
    limit: int = 50,
    silent: Silent = ALL_HEARD,
    waits: Mapping[str, Waits] | None = None,
    estimates: Estimates | None = None,
) -> JobPage:
    """Return up to `limit` jobs from `offset` on that match all conditions, pinned ones first; and how many match.

    Jobs that somebody may not see neither appear nor count.
    """
    if not all(storable(text) for text in (q, tag, owner) if text):
        return JobPage(total=0, offset=offset, items=[])
    where: list[sa.ColumnElement[bool]] = [jobs.c.removing.is_(False), sight.where]
    if q:
        like = [column.icontains(q, autoescape=True) for column in (jobs.c.name, jobs.c.description, jobs.c.id)]
        where.append(sa.or_(*like))
    if state:
        where.append(sa.exists().where(tasks.c.job_id == jobs.c.id, tasks.c.state == state))
    if tag:
        where.append(_has_tag(tag))
    if owner:
        where.append(jobs.c.owner == owner)
    total = c.execute(sa.select(sa.func.count()).select_from(jobs).where(*where)).scalar_one()
    column = {"created": jobs.c.created_at, "name": sa.func.lower(jobs.c.name), "owner": jobs.c.owner}[sort.lstrip("-")]
    order = column.desc() if sort.startswith("-") else column.asc()
    rows = c.execute(
        sa.select(jobs).where(*where).order_by(jobs.c.pinned.desc(), order, jobs.c.id).offset(offset).limit(limit)
    ).all()
    return JobPage(total=total, offset=offset, items=_summaries(c, rows, silent, waits or {}, estimates))


def _has_tag(tag: str) -> sa.ColumnElement[bool]:
    """Return the condition that a job has this tag.

    It compares the JSON text, which is the same in every database; `replace` is case-sensitive and has no wildcards.
    Inside a tag a quote is preceded by a backslash, so a comma, a blank and a quote always begin a tag.
    """
    listed = sa.literal(", ") + sa.func.substr(sa.cast(jobs.c.tags, sa.Text), 2)
    return sa.func.replace(listed, f", {json.dumps(tag)}", "") != listed


def _summaries(
    c: sa.Connection,
    rows: Sequence[sa.Row[Any]],
    silent: Silent,
    decided: Mapping[str, Waits],
    estimates: Estimates | None = None,
) -> list[Job]:
    """Return jobs with all that follows from their tasks, by few queries per page and one small one per job."""
    ids = [row.id for row in rows]
    counts: dict[str, dict[str, int]] = defaultdict(dict)
    values: dict[str, list[float]] = defaultdict(list)
    extremes = (sa.func.min(tasks.c.best_value), sa.func.max(tasks.c.best_value))
    query = sa.select(tasks.c.job_id, tasks.c.state, sa.func.count(), *extremes).where(tasks.c.job_id.in_(ids))
    for job, state, count, *found in c.execute(query.group_by(tasks.c.job_id, tasks.c.state)):
        counts[job][state] = count
        values[job] += [value for value in found if value is not None]
    bests = {row.id: (max if row.goal is Goal.MAX else min)(values[row.id], default=None) for row in rows}
    repeated = {row.id: repeats.best(c, row.id, model(Objective, row)) for row in rows if _repeat(row) > 1}
    best_tasks = _best_tasks(c, {job: value for job, value in bests.items() if job not in repeated})
    lines = _sparklines(c, rows, best_tasks)
    reducing = reduces.due(c, [row.id for row in rows if row.spec.get("reduce")])
    ends = _endings(c, ids)
    now = clock_of(c).now()
    running = _running(c, [job for job in ids if TaskState.RUNNING in counts[job]], now)
    waits = dict(decided) | allocations.waiting(c, [job for job in ids if TaskState.SUBMITTED in counts[job]])
    no_word = _no_word(c, silent)
    open_ = [row.id for row in rows if TaskCounts(**counts[row.id]).unended or row.searching]
    estimated = (estimates or Estimates()).of_many(c, open_, now, waits, ESTIMATE_SECONDS)

    def summary(row: sa.Row[Any]) -> Job:
        of_states = TaskCounts(**counts[row.id])
        over = not of_states.unended and not row.searching and row.id not in reducing
        estimate = NOTHING if over else estimated.get(row.id, NOTHING)
        return model(
            Job,
            row,
            ended_at=moment(ends.get(row.id)) if over else None,
            objective=model(Objective, row),
            objective_choice=row.choice or {},
            counts=of_states,
            ended=over,
            to_come=to_come(row.searching, row.spec, of_states.total),
            **_best_configuration(c, row, repeated[row.id])
            if row.id in repeated
            else {
                "best_task": best_tasks.get(row.id),
                "best_value": bests[row.id],
                "sparkline": lines.get(best_tasks.get(row.id, ""), []),
            },
            seconds_left=estimate.left(now),
            expected_end=expected(estimate.done, now),
            **_quiet(row, running[row.id]),
            waits=(allocations.HELD if row.held else waits.get(row.id)) if of_states.submitted else None,
            no_word=no_word.get(row.id),
            failure=failures.of_job(c, row.id) if of_states.error else None,
            warnings=[*filter(None, (row.aside, (row.choice or {}).get("notice"))), *row.warnings],
        )

    return [summary(row) for row in rows]


def _running(c: sa.Connection, ids: Sequence[str], now: float) -> dict[str, list[attempt_rows.RunningPace]]:
    """Return by job the tasks that run."""
    found: dict[str, list[attempt_rows.RunningPace]] = defaultdict(list)
    for one in attempt_rows.running_paces(c, now, ids):
        found[one.job].append(one)
    return found


def _repeat(row: sa.Row[Any]) -> int:
    repeat: int = (row.spec.get("search") or {}).get("repeat") or 1
    return repeat


def _best_configuration(c: sa.Connection, row: sa.Row[Any], best: repeats.Repeated) -> dict[str, Any]:
    """Return what is shown of the best configuration of a job that runs each several times."""
    return {
        "configurations": best.configurations,
        "best_trial": best.trial,
        "best_value": best.mean,
        "best_spread": best.spread,
        "best_task": best.tasks[0] if best.tasks else None,
        "sparkline": repeats.mean_curve(c, best.tasks, row.metric, SPARK_POINTS) if best.tasks else [],
    }


def _quiet(row: sa.Row[Any], running: Sequence[attempt_rows.RunningPace]) -> dict[str, Any]:
    """Return when the running tasks of a job last reported something, and after which time that is shown."""
    expected = [one for one in running if row.metric or row.choice or one.reported]
    if not expected or len(expected) < len(running):
        return {}
    names = ("reported_at", "quiet_after")
    return {name: moment(max((getattr(one, name) or 0.0 for one in expected), default=None) or None) for name in names}


def waits_of(c: sa.Connection, job: str, decided: Mapping[str, Waits]) -> Waits | None:
    """Return why tasks of a job that have not started wait; `decided`: why jobs wait for the policy."""
    if _value(c, job, jobs.c.held):
        return allocations.HELD
    return allocations.waiting(c, [job]).get(job) or decided.get(job)


def _no_word(c: sa.Connection, silent: Silent) -> dict[str, NoWord]:
    """Return by job how many of its tasks run in silent allocations, and since when."""
    since: dict[str, list[float]] = defaultdict(list)
    for row in attempt_rows.running_in(c, silent):
        since[row.job_id].append(silent[row.allocation])
    return {job: NoWord(tasks=len(times), since=moment(min(times))) for job, times in since.items()}


def _best_tasks(c: sa.Connection, bests: dict[str, float | None]) -> dict[str, str]:
    """Return by job the first of its tasks that reached the best value."""
    found = {}
    for job, best in bests.items():
        if best is not None:
            query = sa.select(tasks.c.id).where(tasks.c.job_id == job, tasks.c.best_value == best)
            found[job] = c.execute(query.order_by(tasks.c.number).limit(1)).scalar_one()
    return found


def _sparklines(c: sa.Connection, rows: Sequence[sa.Row[Any]], best_tasks: dict[str, str]) -> dict[str, list[float]]:
    """Return by task a few points of its objective."""
    by_metric: dict[str, list[str]] = defaultdict(list)
    for row in rows:
        if row.id in best_tasks:
            by_metric[row.metric].append(best_tasks[row.id])
    found = [curve for metric, ids in by_metric.items() for curve in metrics.curves(c, ids, [metric], SPARK_POINTS)]
    return {curve.task: [value for value in curve.values if value is not None] for curve in found}


def _endings(c: sa.Connection, ids: list[str]) -> dict[str, float]:
    """Return by job when its last attempt ended."""
    query = sa.select(attempts.c.job_id, sa.func.max(attempts.c.ended_at)).where(attempts.c.job_id.in_(ids))
    rows = c.execute(query.group_by(attempts.c.job_id)).all()
    return {job: end for job, end in rows if end is not None}


def facets(c: sa.Connection, sight: Sight) -> Facets:
    """Return all owners and tags of the jobs that somebody may see."""
    rows = c.execute(sa.select(jobs.c.owner, jobs.c.tags).where(jobs.c.removing.is_(False), sight.where)).all()
    tags = {tag for row in rows for tag in row.tags}
    return Facets(owners=sorted({row.owner for row in rows}), tags=sorted(tags))


def _change(c: sa.Connection, job: str, event: EventData | None = None, **values: Any) -> None:
    """Change columns of a job, and record the event."""
    c.execute(sa.update(jobs).where(jobs.c.id == job).values(**values))
    if event:
        events.write(c, job, event)


def owner_of(c: sa.Connection, job: str) -> str | None:
    """Return whose job this is; None if there is no such job."""
    found: str | None = _value(c, job, jobs.c.owner)
    return found


def tags_of(c: sa.Connection, job: str) -> list[str]:
    found: list[str] = _value(c, job, jobs.c.tags)
    return found


def patch(c: sa.Connection, job: str, change: JobPatch) -> None:
    """Change the name, description, tags, visibility or notices of a job, or pin it."""
    values = change.model_dump(mode="json", exclude_none=True)
    if values:
        _change(c, job, JobChange(change="edited"), **values)


def hold(c: sa.Connection, job: str, *, held: bool = True, warning: str | None = None) -> bool:
    """Record that no further task of a job is to begin, or that tasks may begin again; return True if that is a change.

    The engine passes a change on to runners and backend. It always passes on a release: somebody may have held
    allocations on the backend itself.
    """
    change = sa.update(jobs).where(jobs.c.id == job)
    if held:
        change = change.where(jobs.c.held.is_(False))
    changed = bool(c.execute(change.values(held=held, adjusted=jobs.c.adjusted + 1)).rowcount)
    choice = _value(c, job, jobs.c.choice)
    if not held and choice and choice["notice"]:  # it was held for its objective: that is not done again
        _change(c, job, choice=choice | {"notice": None})
    if changed:
        events.write(c, job, JobChange(change="held" if held else "released"))
    if changed and warning:
        warn(c, job, warning)
    return changed


def limit(c: sa.Connection, job: str, change: LimitsRequest) -> None:
    """Give a job other limits, for the allocations that it has and those to come."""
    if change.priority is not None:
        _change(c, job, JobChange(change="limits"), priority=change.priority)
    if change.time_limit is None and change.nice is None:
        return
    spec = JobSpec.model_validate(_value(c, job, jobs.c.spec))
    asked = spec.resources
    slurm = asked.slurm.model_copy(update={"nice": asked.slurm.nice if change.nice is None else change.nice})
    resources = asked.model_copy(update={"time_limit": change.time_limit or asked.time_limit, "slurm": slurm})
    values = spec.model_copy(update={"resources": resources}).model_dump(mode="json")
    _change(c, job, JobChange(change="limits"), spec=values, adjusted=jobs.c.adjusted + 1)


def mark_metric(c: sa.Connection, job: str, pattern: str) -> None:
    """Add a pattern by which metrics are found in logs; the engine passes it on."""
    spec = JobSpec.model_validate(_value(c, job, jobs.c.spec))
    patterns = [*(one for one in spec.metrics.patterns if one != pattern), pattern]
    changed = spec.model_copy(update={"metrics": MetricFiles(**spec.metrics.model_dump() | {"patterns": patterns})})
    values = {"spec": changed.model_dump(mode="json"), "adjusted": jobs.c.adjusted + 1, "unsearched": True}
    _change(c, job, JobChange(change="edited"), **values)


def unsearched(c: sa.Connection, job: str | None = None) -> dict[str, list[str]]:
    """Return the patterns of this job, or of all, whose ended tasks' logs are to be searched for them."""
    query = sa.select(jobs.c.id, jobs.c.spec).where(jobs.c.unsearched, jobs.c.removing.is_(False))
    rows = c.execute(query if job is None else query.where(jobs.c.id == job))
    return {row.id: JobSpec.model_validate(row.spec).metrics.patterns for row in rows}


def mark_searched(c: sa.Connection, job: str, patterns: Sequence[str]) -> None:
    """Record that logs were searched for these patterns, unless there are others by now."""
    if unsearched(c, job).get(job) == patterns:
        _change(c, job, unsearched=False)


def warn(c: sa.Connection, job: str, text: str, instead_of: str | None = None) -> None:
    """Show a warning on a job, instead of an earlier one."""
    known = _value(c, job, jobs.c.warnings)
    if known is not None and text not in known:
        others = [one for one in known if one != instead_of]
        _change(c, job, JobChange(change="warned"), warnings=[*others, text][-MAX_WARNINGS:])


def warning(c: sa.Connection, job: str, about: str) -> str | None:
    """Return the warning on a job that contains `about`, if there is one."""
    return next((one for one in _value(c, job, jobs.c.warnings) or [] if about in one), None)


def change_warning(c: sa.Connection, job: str, about: str, text: str | None) -> None:
    """Show this warning instead of the one that contains `about`; None: show neither."""
    known = _value(c, job, jobs.c.warnings) or []
    before = warning(c, job, about)
    if text is not None:
        warn(c, job, text, instead_of=before)
    elif before is not None:
        _change(c, job, JobChange(change="warned"), warnings=[one for one in known if one != before])


def warn_of_lines(c: sa.Connection, job: str, allocation: str, count: int) -> None:
    """Show one warning per allocation with the number of lines of its journal that are not valid records."""
    whose = f" of the journal of allocation {allocation} "
    before = next((text for text in _value(c, job, jobs.c.warnings) or [] if whose in text), None)
    count += int(before.split(" ", 1)[0]) if before else 0
    one = count == 1
    what = "is not a valid record and was left out" if one else "are not valid records and were left out"
    warn(c, job, f"{count} line{'' if one else 's'}{whose}{what}", instead_of=before)


def set_aside(c: sa.Connection, job: str, why: str | None) -> None:
    """Show on a job why the engine cannot process it; None if it can again."""
    changed = c.execute(sa.update(jobs).where(jobs.c.id == job, jobs.c.aside.is_distinct_from(why)).values(aside=why))
    if changed.rowcount:
        events.write(c, job, JobChange(change="set aside" if why else "taken up"))


def not_passed_on(c: sa.Connection) -> list[ChangedJob]:
    """Return the jobs whose newest change has not been passed on to their runners."""
    return fetch_kept(c, ChangedJob, _CHANGED)


def mark_passed_on(c: sa.Connection, job: str, number: int) -> None:
    """Record that the change of this number was passed on to the runners of a job."""
    _change(c, job, told=number)


def mark_removing(c: sa.Connection, job: str) -> None:
    """Hide a job from everybody; the engine stops what runs, then deletes its rows and its folder."""
    _change(c, job, removing=True)
    c.execute(sa.update(tasks).where(tasks.c.job_id == job, tasks.c.state.in_(UNENDED)).values(stopping=True))
    events.write(c, job, JobRemoved())


def removing(c: sa.Connection) -> list[str]:
    """Return the jobs that are being removed."""
    return fetch_kept(c, str, _REMOVING)


def is_searching(c: sa.Connection, job: str) -> bool:
    """Return True if the search of a job will add further tasks."""
    return bool(_value(c, job, jobs.c.searching))


def running(c: sa.Connection) -> list[str]:
    """Return the jobs with a task that runs."""
    return list(c.scalars(sa.select(attempts.c.job_id).where(RUNNING).distinct()))


def adjustments(c: sa.Connection, ids: Sequence[str]) -> dict[str, int]:
    """Return by job the number of its last change."""
    rows = c.execute(sa.select(jobs.c.id, jobs.c.adjusted).where(jobs.c.id.in_(ids)))
    return {row.id: row.adjusted for row in rows}


def get(c: sa.Connection, job: str) -> JobRow:
    """Return a job that exists."""
    return launchable(c, [job])[job]


def code_of(c: sa.Connection, job: str) -> CodeInfo:
    """Return where the files of a job that exists came from."""
    return CodeInfo.model_validate(c.execute(sa.select(jobs.c.code).where(jobs.c.id == job)).scalar_one())


def launchable(c: sa.Connection, ids: Sequence[str]) -> dict[str, JobRow]:
    """Return by id those of these jobs that exist."""
    return {row.id: row for row in fetch(c, JobRow, _ROWS.where(jobs.c.id.in_(ids)))}
