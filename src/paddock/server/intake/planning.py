"""Work out from a spec and its script what will run: which parameters the script takes, and the configurations. Pure.

The submission decides how much work that is: what is not small is done in a process of its own, see `apart`.
"""

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from paddock.errors import InvalidInput
from paddock.models import Convention, JobSpec, Method, Params, ScriptReport
from paddock.models.space import Choices, Range, Space
from paddock.models.units import size_text
from paddock.program import commands, notebook, packages
from paddock.program.inspection import RELEVANT_SUFFIXES, inspect_source
from paddock.search import dimensions, expand, resolved, searcher
from paddock.search.base import Outcome, Trial
from paddock.search.dimensions import nest
from paddock.server.intake import apart, checks

FIRST = 6  # a preview of an adaptive search shows this many
MAX_SCRIPT = 1024**2
MAX_FILE_SIZE = 256 * 1024  # of files that are read together with a script
MAX_FILES_SIZE = 4 * 1024**2
# What is no larger takes less time than the start of a process.
SMALL_SCRIPT = 32 * 1024
SMALL_SPACE = 5_000  # values that are listed, conditions, and numbers to be chosen


@dataclass(frozen=True)
class PlanInput:
    spec: JobSpec
    source: bytes | None  # of its script
    max_tasks: int
    names: frozenset[str] = frozenset()  # of all submitted files
    files: Mapping[str, bytes] = field(default_factory=dict)  # those that are read together with the script

    @property
    def small(self) -> bool:
        modules = sum(len(data) for name, data in self.files.items() if name.endswith(".py"))
        size = len(self.source or b"") + modules // 4  # most are not imported
        return size <= SMALL_SCRIPT and _extent(self.spec) <= SMALL_SPACE


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


def with_program(script: str | None, files: Mapping[str, bytes]) -> tuple[dict[str, bytes], list[str]]:
    """Return the files with the script that is made of a notebook, and what is worth knowing about it."""
    if script is None or not notebook.is_notebook(script):
        return dict(files), []
    asked = (files[script], script)
    large = len(files[script]) > MAX_SCRIPT
    made: notebook.Converted = (
        apart.run("paddock.server.intake.planning:converted", asked, "Reading the notebook")
        if large
        else converted(asked)
    )
    return {**files, notebook.script_name(script): made.source.encode()}, made.warnings


def converted(asked: tuple[bytes, str]) -> notebook.Converted:
    return notebook.convert(*asked)


def planned(asked: PlanInput) -> Planned:
    report = _report(asked)
    spec = _with_types(asked.spec, report)
    spec = spec.model_copy(update={"search": resolved(spec.params, spec.search)})
    checks.search(spec)
    configurations = expand(spec.params, spec.search, asked.max_tasks) or _first(spec)
    if report:
        checks.values(spec, report)
        if spec.convention is not Convention.ENV:
            checks.unknown(spec, report)
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


def relevant(files: Mapping[str, bytes], script: str) -> dict[str, bytes]:
    """Return the files that are read together with a script: modules and configurations, up to a total size."""
    left = MAX_FILES_SIZE
    found: dict[str, bytes] = {}
    for name in sorted(files, key=lambda name: (name.count("/"), name)):
        size = len(files[name])
        wanted = name.lower().endswith(RELEVANT_SUFFIXES) and name != script
        if wanted and size <= min(left, MAX_FILE_SIZE):
            found[name] = files[name]
            left -= size
    return found


def _report(asked: PlanInput) -> ScriptReport | None:
    spec = asked.spec
    if spec.script is None or asked.source is None:
        return None
    script = notebook.script_name(spec.script)
    files: dict[str, str] = {script: ""}  # a script in another encoding has no constants that could be changed
    for name, data in {**asked.files, script: asked.source}.items():
        with suppress(UnicodeDecodeError):
            files[name] = data.decode()
    chosen = {
        name: space.values[0]
        for name, space in spec.params.items()
        if isinstance(space, Choices) and len(space.values) == 1 and isinstance(space.values[0], str)
    }
    source = asked.source.decode("utf-8", errors="replace")
    report = inspect_source(source, script, list(spec.params), files, chosen)
    checks.startable(script, report)
    report = _in_package(report, script, spec.module, asked.source, asked.names)
    if spec.convention in (Convention.AUTO, report.convention):
        return report
    # The person insists: what was found is used for its names and types only.
    in_files = spec.convention in (Convention.CONFIG, Convention.CONSTANTS)
    params = [param for param in report.params if (param.place is not None) is in_files]
    return report.model_copy(update={"convention": spec.convention, "params": params, "words": [], "open_ended": True})


def _in_package(
    report: ScriptReport, script: str, given: str | None, source: bytes, names: frozenset[str]
) -> ScriptReport:
    """Add how a script that imports from its own folders is started. `given`: its module, where the user names it."""
    tree = packages.parsed(source) if script.lower().endswith(".py") else None
    if tree is None:
        return report
    level = packages.relative_level(tree) if given is None else 0
    module = packages.module_of(script, level, names) if level else None
    found: dict[str, Any] = {"module": module, "python_path": packages.extra_roots(script, tree, names)}
    if level and module is None:
        text = (
            f"{script} has relative imports (`from {'.' * level}`), which need a package around it: submit the folder "
            "above its package, with names that Python can import."
        )
        found["warnings"] = [*report.warnings, text]
    return report.model_copy(update=found)


def _with_types(spec: JobSpec, report: ScriptReport | None) -> JobSpec:
    """Make 0..1, a range of integers, one of floats where the script declares the parameter as float."""
    floats = {param.name for param in report.params if param.type == "float"} if report else set()

    def typed(name: str, space: Space) -> Space:
        if isinstance(space, Range) and space.type == "int" and space.step is None and name in floats:
            return space.model_copy(update={"type": "float"})
        return space

    return spec.model_copy(update={"params": {name: typed(name, space) for name, space in spec.params.items()}})
