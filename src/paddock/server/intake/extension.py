"""Extend a search: more trials, more time, new values of parameters."""

from dataclasses import dataclass
from typing import Any

from paddock.errors import Conflict, InvalidInput
from paddock.models import ExtendRequest, JobSpec, Method, Search
from paddock.models.space import ParamSpace
from paddock.search import adaptive, expand, searcher
from paddock.search.history import by_trial
from paddock.search.tasks import key_of, new_tasks
from paddock.server.store import jobs, trials
from paddock.server.store.db import Connection, Database
from paddock.server.store.rows import clock_of
from paddock.settings import Settings

TRIES = 10


def extend(db: Database, job: str, more: ExtendRequest, settings: Settings) -> None:
    """Extend the search of a job. Raise InvalidInput with the field at fault.

    The new tasks are computed outside the write transaction, and again if the job has changed meanwhile.
    """
    if more.trials is None and more.time_budget is None and not more.params:
        raise InvalidInput.at(
            "trials", "nothing is given: give a number of further trials, a time budget, or new values of parameters"
        )
    for _ in range(TRIES):
        with db.read() as c:
            wanted = _worked_out(c, job, more, settings)
        with db.write() as c:
            if trials.version(c, job) == wanted.version:
                trials.insert(c, job, wanted.rows)
                trials.go_on(c, job, wanted.spec, wanted.until, searching=wanted.searching)
                return
    raise Conflict("The search added tasks each time that its extension was worked out: try again.")


@dataclass(frozen=True)
class _Extension:
    version: tuple[int, int]
    rows: list[trials.Row]
    spec: dict[str, Any]
    until: float | None
    searching: bool


def _worked_out(c: Connection, job: str, more: ExtendRequest, settings: Settings) -> _Extension:
    version = trials.version(c, job)
    row = jobs.get(c, job)
    spec = JobSpec.model_validate(row.spec)
    if spec.search.method is Method.PBT:
        raise Conflict("The tasks of population-based training run side by side: none can be added later.")
    runs = trials.runs(c, job)
    space, search = _space(spec, more), _search(spec.search, more, len(by_trial(runs)))
    spec = spec.model_copy(update={"search": search, "params": space})
    configurations = expand(space, search, settings.max_tasks)
    rows: list[trials.Row] = []
    if adaptive(search):
        searcher(space, search, [objective.goal for objective in row.job_spec().objectives])
    else:
        known = {key_of(run.params, space) for run in runs}
        new = [params for params in configurations if key_of(params, space) not in known]
        if not more.params:  # the earlier ones may be those of another version, which drew others with this seed
            new = new[: more.trials or 0]
        if not new and more.time_budget is None:
            raise InvalidInput.at("params" if more.params else "trials", "the job has all these configurations")
        made = new_tasks(spec, row.script_report(), new, trials.last_trial(c, job) + 1)
        rows = trials.prepared(job, made, clock_of(c).now(), trials.last_number(c, job))
    until = row.search_until if more.time_budget is None else clock_of(c).now() + more.time_budget
    return _Extension(version, rows, spec.model_dump(mode="json"), until, adaptive(search))


def _search(search: Search, more: ExtendRequest, done: int) -> Search:
    if more.trials is None:
        return search
    if search.method is Method.GRID:
        raise InvalidInput.at("trials", "a grid runs all its combinations: give other values of parameters instead")
    return search.model_copy(update={"trials": max(search.trials or done, done) + more.trials})


def _space(spec: JobSpec, more: ExtendRequest) -> dict[str, ParamSpace]:
    unknown = next((name for name in more.params if name not in spec.params), None)
    if unknown is not None:
        raise InvalidInput.at(
            f"params.{unknown}", f"the job has no parameter {unknown}; it has: {', '.join(spec.params) or 'none'}"
        )
    return spec.params | more.params
