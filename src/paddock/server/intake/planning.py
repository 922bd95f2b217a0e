"""Work out from a spec and its script what will run: which parameters the script takes, and the configurations. Pure.

The submission decides how much work that is: what is not small is done in a process of its own, see `apart`.
"""

from dataclasses import dataclass

from paddock.errors import InvalidInput
from paddock.models import Convention, JobSpec, Method, Params, ScriptReport
from paddock.models.space import Choices, Range, Space
from paddock.models.units import size_text
from paddock.program import commands
from paddock.program.inspection import inspect_source
from paddock.search import dimensions, expand, resolved, searcher
from paddock.search.base import Outcome, Trial
from paddock.search.dimensions import nest
from paddock.server.intake import apart, checks

FIRST = 6  # a preview of an adaptive search shows this many
MAX_SCRIPT = 1024**2
# What is no larger takes less time than the start of a process.
SMALL_SCRIPT = 32 * 1024
SMALL_SPACE = 5_000  # values that are listed, conditions, and numbers to be chosen


@dataclass(frozen=True)
class PlanInput:
    spec: JobSpec
    source: bytes | None  # of its script
    max_tasks: int

    @property
    def small(self) -> bool:
        return len(self.source or b"") <= SMALL_SCRIPT and _extent(self.spec) <= SMALL_SPACE


@dataclass(frozen=True)
class Planned:
    spec: JobSpec
    script: ScriptReport | None
    configurations: list[Params]  # all, or the first ones of a search that chooses them as results come in


def plan(asked: PlanInput) -> Planned:
    """Return what will run. Raise InvalidInput with the field at fault."""
    size = len(asked.source or b"")
    if size > MAX_SCRIPT:
        message = f"it has {size_text(size)}, and no more than {size_text(MAX_SCRIPT)} is read"
        raise InvalidInput(
            f"The script is too large: {message}. Keep data in files of its own, or give a command that starts it.",
            fields={"script": message},
        )
    if asked.small:
        return planned(asked)
    done: Planned = apart.run("paddock.server.intake.planning:planned", asked, "Working out this job")
    return done


def planned(asked: PlanInput) -> Planned:
    report = _report(asked.spec, asked.source)
    spec = _with_types(asked.spec, report)
    spec = spec.model_copy(update={"search": resolved(spec.params, spec.search)})
    checks.search(spec)
    configurations = expand(spec.params, spec.search, asked.max_tasks) or _first(spec)
    if report:
        checks.values(spec, report)
    for number, params in enumerate(configurations, start=1):  # raises for what cannot be passed
        commands.build(spec, report, params, job="JOB", task=f"JOB-{number}", code_dir="code", interpreter=["python"])
    return Planned(spec, report, configurations)


def _extent(spec: JobSpec) -> int:
    """Estimate how many values have to be examined."""
    spaces = [*dimensions.leaves(spec.params).values(), *spec.params.values()]
    listed = sum(len(one.values) for one in spaces if isinstance(one, Choices))
    conditions = sum(map(len, (values for one in spaces for values in one.when.values())))
    widths = sum(map(dimensions.width, spec.params.values()))
    trials = 1 if spec.search.method is Method.GRID else spec.search.trials or 1
    count = dimensions.size(spec.params) if listed + conditions + widths <= SMALL_SPACE else None
    return listed + conditions + widths * max(trials, min(count or 1, SMALL_SPACE))


def _first(spec: JobSpec) -> list[Params]:
    """Return the first configurations of a search. Raise InvalidInput if its method cannot search this space."""
    ask = searcher(spec.params, spec.search, [objective.goal for objective in spec.objectives])
    history: list[Trial] = []
    while len(history) < min(FIRST, spec.search.trials or FIRST) and (found := ask.suggest(history)) is not None:
        history.append(Trial(len(history), found, Outcome.RUNNING))
    return [nest(trial.params, spec.params) for trial in history]


def _report(spec: JobSpec, source: bytes | None) -> ScriptReport | None:
    if spec.script is None or source is None:
        return None
    report = inspect_source(source.decode("utf-8", errors="replace"), spec.script, list(spec.params))
    if spec.convention is Convention.AUTO:
        return report
    return report.model_copy(update={"convention": spec.convention})


def _with_types(spec: JobSpec, report: ScriptReport | None) -> JobSpec:
    """Make 0..1, a range of integers, one of floats where the script declares the parameter as float."""
    floats = {param.name for param in report.params if param.type == "float"} if report else set()

    def typed(name: str, space: Space) -> Space:
        if isinstance(space, Range) and space.type == "int" and space.step is None and name in floats:
            return space.model_copy(update={"type": "float"})
        return space

    return spec.model_copy(update={"params": {name: typed(name, space) for name, space in spec.params.items()}})
