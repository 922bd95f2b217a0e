"""The route by which a number in a log becomes a metric."""

from fastapi import APIRouter

from paddock.common import patterns
from paddock.errors import InvalidInput
from paddock.models import Marked, MarkRequest
from paddock.models.spec import MetricFiles
from paddock.server.api import logs
from paddock.server.api.caller import By
from paddock.server.api.permissions import JobId
from paddock.server.api.server import At
from paddock.server.store import jobs, metrics, tasks

router = APIRouter()

SAMPLE = 500_000  # bytes at the end of a log in which matches are counted


@router.post("/{job}/metric-patterns")
def mark_metric(job: JobId, wanted: MarkRequest, at: At, by: By) -> Marked:
    """Make a number in a log a metric of the job: in the logs of its ended, running and later tasks.

    With `task` nothing is stored; the answer contains how many lines match.
    """
    pattern = wanted.pattern or _pattern(wanted)
    try:
        compiled = patterns.compiled(pattern)
    except ValueError as error:
        raise InvalidInput.at("line", f"{error}: write a pattern for this line") from None
    names = set(compiled.groupindex) - {*patterns.PLACES, "name", "value"}
    with at.db.read() as c:
        found = jobs.existing(c, job)
        spec = jobs.get(c, found).job_spec()
        taken = names & set(metrics.names_of_job(c, found)) if pattern not in spec.metrics.patterns else set()
        named = tasks.resolve_many(c, found, [wanted.task] if wanted.task else None, by.sight)
        task = tasks.get(c, named[0]) if named else None
    if taken:
        raise InvalidInput.at("name", f"there is a metric {min(taken)} already: take another name")
    if task is not None:
        # A pattern that a person has written is not searched for here: it may take very long.
        log = logs.Log(task.id, task.attempt, at.outposts.of(found))
        searched = None if wanted.pattern else log.read(-SAMPLE, SAMPLE)
        return Marked(pattern=pattern, matches=None if searched is None else _matches(pattern, searched[2]))
    MetricFiles.model_validate({"patterns": [*spec.metrics.patterns, pattern]})
    with at.change(by, "job.metric", found, {"pattern": pattern}) as c:
        jobs.mark_metric(c, found, pattern)
    return Marked(pattern=pattern)


def _pattern(wanted: MarkRequest) -> str:
    if not wanted.name:
        raise InvalidInput.at("name", "give the metric a name")
    if not 0 <= wanted.start < wanted.end <= len(wanted.line):
        raise InvalidInput.at("line", "mark a number in the line")
    try:
        float(wanted.line[wanted.start : wanted.end])
    except ValueError:
        raise InvalidInput.at("line", f"{wanted.line[wanted.start : wanted.end]!r} is no number: mark one") from None
    return patterns.for_number(wanted.line, wanted.start, wanted.end, wanted.name)


def _matches(pattern: str, sample: bytes) -> int:
    found = patterns.compiled(pattern)
    lines = sample.decode("utf-8", "replace").splitlines()
    return sum(found.search(line[: patterns.MAX_LINE]) is not None for line in lines)
