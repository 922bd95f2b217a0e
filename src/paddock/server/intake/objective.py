"""Change the objective of a job that was submitted."""

from difflib import get_close_matches

from paddock.errors import InvalidInput, NotFound
from paddock.models import JobSpec, Objective, ObjectiveChoice, ObjectiveReport, ObjectiveRequest
from paddock.models.spec import AUTO
from paddock.rules import objective as rule
from paddock.search import adaptive, searcher
from paddock.server.intake import checks
from paddock.server.store import jobs, objectives
from paddock.server.store.db import Connection, Database


def report(c: Connection, job: str) -> ObjectiveReport:
    """Return the objective of a job, and the metrics that it can be."""
    row = jobs.get(c, job)
    names = objectives.reported(c, job)
    choice = ObjectiveChoice.model_validate(row.choice or {})
    return ObjectiveReport(
        objectives=row.job_spec().objectives, choice=choice, metrics=[Objective(metric=name) for name in names]
    )


def change(db: Database, job: str, wanted: ObjectiveRequest) -> None:
    """Give a job other objectives. Raise InvalidInput that names the metrics that there are."""
    with db.read() as c:
        names = objectives.reported(c, job)
        finished, done, epochs = objectives.progress(c, job)
        spec = jobs.get(c, job).job_spec()
    asked = wanted.objective
    if not wanted.insist:
        _known(asked, names)
    choice = ObjectiveChoice(by="person", why="chosen by a person")
    counted = asked
    if [one.metric for one in asked] == [AUTO]:
        found = rule.choose(names)
        final = rule.is_final(found, finished=finished, done=done, epochs=epochs)
        choice = ObjectiveChoice(by="auto", why=found.why if found else jobs.UNCHOSEN.why, final=final)
        counted = [found.objective if found else Objective(metric="")]
    checks.search(spec.with_objectives(asked))
    if adaptive(spec.search):  # some methods have one objective only
        searcher(spec.params, spec.search, [one.goal for one in counted])
    with db.read() as c:  # before the transaction: of many tasks it takes long
        ended = objectives.figures_of_ended(c, job, counted)
    with db.write() as c:
        row = jobs.launchable(c, [job]).get(job)
        if row is None:
            raise NotFound(f"There is no job {job!r}.")
        newest = JobSpec.model_validate(row.spec).with_objectives(asked)
        objectives.change(c, job, counted, choice, newest, ended=ended)


def _known(asked: list[Objective], names: list[str]) -> None:
    """Refuse a metric that no task has reported, where tasks have reported others."""
    free = {*names, AUTO, rule.SECONDS, ""}
    for one in asked:
        if names and one.metric not in free:
            near = get_close_matches(one.metric, names, 1)
            like = f" Did you mean {near[0]}?" if near else ""
            message = f"no task has reported {one.metric}.{like} There are: {rule.listed(names, 40)}"
            raise InvalidInput.at("objective", message)
