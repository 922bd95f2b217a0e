"""From a spec and its script to what will run: the parameters that the script takes, the configurations. Pure.

Its cost is in the hands of whoever submits: what is not small is done in a process of its own, see `apart`.
"""

from dataclasses import dataclass

from pydantic import JsonValue

from paddock.errors import InvalidInput
from paddock.models import Convention, JobSpec, Method, Params, ScriptParam, ScriptReport
from paddock.models.script import same_name
from paddock.models.space import Block, Choices, Range, Space, key_of, shortened
from paddock.models.units import size_text
from paddock.program import commands
from paddock.program.inspection import inspect_source
from paddock.search import dimensions, expand, resolved, searcher
from paddock.search.base import Outcome, Trial
from paddock.search.dimensions import nest
from paddock.server.intake import apart

FIRST = 6  # so many of an adaptive search are shown before it begins
MIN_POPULATION = 4
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
    """Raises InvalidInput with the field at fault."""
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
    _refuse_pbt(spec)
    _refuse_aimless(spec)
    configurations = expand(spec.params, spec.search, asked.max_tasks) or _first(spec)
    if report:
        _refuse_misfits(spec, report)
    for number, params in enumerate(configurations, start=1):  # raises for what cannot be passed
        commands.build(spec, report, params, job="JOB", task=f"JOB-{number}", code_dir="code", interpreter=["python"])
    return Planned(spec, report, configurations)


def _extent(spec: JobSpec) -> int:
    """About how much there is to be gone through."""
    spaces = [*dimensions.leaves(spec.params).values(), *spec.params.values()]
    listed = sum(len(one.values) for one in spaces if isinstance(one, Choices))
    conditions = sum(map(len, (values for one in spaces for values in one.when.values())))
    widths = sum(map(dimensions.width, spec.params.values()))
    trials = 1 if spec.search.method is Method.GRID else spec.search.trials or 1
    count = dimensions.size(spec.params) if listed + conditions + widths <= SMALL_SPACE else None
    return listed + conditions + widths * max(trials, min(count or 1, SMALL_SPACE))


def _first(spec: JobSpec) -> list[Params]:
    """With which a search begins. Raises InvalidInput when its method cannot search this space."""
    ask = searcher(spec.params, spec.search, [objective.goal for objective in spec.objectives])
    history: list[Trial] = []
    while len(history) < min(FIRST, spec.search.trials or FIRST) and (found := ask.suggest(history)) is not None:
        history.append(Trial(len(history), found, Outcome.RUNNING))
    return [nest(trial.params, spec.params) for trial in history]


def _refuse_pbt(spec: JobSpec) -> None:
    if spec.search.method is not Method.PBT:
        return
    if spec.stop_early.method != "none":
        raise InvalidInput.at("stop_early.method", "pbt replaces poor tasks itself: leave early stopping out")
    if spec.search.trials is not None and spec.search.trials < MIN_POPULATION:
        message = f"a population has {MIN_POPULATION} or more: the worst quarter follows the best"
        raise InvalidInput.at("search.trials", message)


def _refuse_aimless(spec: JobSpec) -> None:
    learns = spec.search.method not in (Method.GRID, Method.RANDOM, Method.SOBOL)
    if (learns or spec.stop_early.method != "none") and not spec.objective.metric:
        message = "a search that learns, or stops tasks early, needs a metric to go by, such as val_loss"
        raise InvalidInput.at("objective", message)


def _report(spec: JobSpec, source: bytes | None) -> ScriptReport | None:
    if spec.script is None or source is None:
        return None
    report = inspect_source(source.decode("utf-8", errors="replace"), spec.script, list(spec.params))
    if spec.convention is Convention.AUTO:
        return report
    return report.model_copy(update={"convention": spec.convention})


def _with_types(spec: JobSpec, report: ScriptReport | None) -> JobSpec:
    """0..1 is a range of integers, unless the script says that the parameter is a float."""
    floats = {param.name for param in report.params if param.type == "float"} if report else set()

    def typed(name: str, space: Space) -> Space:
        if isinstance(space, Range) and space.type == "int" and space.step is None and name in floats:
            return space.model_copy(update={"type": "float"})
        return space

    return spec.model_copy(update={"params": {name: typed(name, space) for name, space in spec.params.items()}})


def _refuse_misfits(spec: JobSpec, report: ScriptReport) -> None:
    """Values that the script itself would refuse, and what it requires and is not given."""
    known = {same_name(param.flag or param.name): param for param in report.params}
    known |= {same_name(param.name): param for param in report.params}
    faults = {}
    given = set()
    for name, space in spec.params.items():
        param = known.get(same_name(name))
        message = _misfit(param, space) if param else None
        if message:
            faults[f"params.{name}"] = message
        if param:
            given.add(param.name)
    for param in report.params:
        if param.required and param.name not in given and report.convention is Convention.FLAGS:
            faults[f"params.{param.name}"] = "the script requires it"
    if faults:
        listed = "; ".join(f"{name.removeprefix('params.')}: {message}" for name, message in faults.items())
        raise InvalidInput(f"The parameters do not fit the script: {listed}.", fields=faults)


def _misfit(param: ScriptParam, space: Space) -> str | None:
    if param.required and space.when:
        return "the script requires it: it cannot have a condition"
    if isinstance(space, Block):
        scalar = param.type in ("int", "float", "bool") or bool(param.choices)
        return "the script does not take a list here" if scalar else None
    values: list[JsonValue] = space.values if isinstance(space, Choices) else [space.low]
    if isinstance(space, Range) and param.type == "int" and space.type != "int":
        return "the script takes an integer: give a range with integer ends"
    choices = {*map(key_of, param.choices or ()), *map(str, param.choices or ())}
    for value in values:
        if choices and key_of(value) not in choices and str(value) not in choices:
            return f"{shortened(repr(value))} is none of {shortened(', '.join(map(str, param.choices or ())), 2000)}"
        number = isinstance(value, (int, float)) and not isinstance(value, bool)
        if param.type in ("int", "float") and value is not None and not number:
            return f"the script takes a number, not {shortened(repr(value))}"
        if param.type == "int" and isinstance(value, float) and isinstance(space, Choices):
            return f"the script takes an integer, not {shortened(repr(value))}"
    return None
