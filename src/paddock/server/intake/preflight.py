"""Look at a submission before it is queued: the modules that its environment lacks, the files that it does not bring.

Nothing of the user's code is run or imported: the code is read, and the environment's Python is asked where its modules
are.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Protocol

from paddock.errors import MissingModules, UnusableEnvironment
from paddock.models import Container, FoundEnvironment, Interpreter, JobSpec, Needed, Preflight
from paddock.program import environment, environments, needs, notebook, packages
from paddock.server.intake import apart, checks, defaults, planning, snapshot
from paddock.server.intake.planning import SMALL_SCRIPT
from paddock.settings import Settings

SHOWN = 5
BETTER = 3


class Program(Protocol):
    """What is looked at: a plan, or what a plan would be made of."""

    @property
    def spec(self) -> JobSpec: ...
    @property
    def files(self) -> dict[str, bytes]: ...
    @property
    def interpreter(self) -> Interpreter: ...


@dataclass(frozen=True)
class Sketch:
    spec: JobSpec
    files: dict[str, bytes]
    interpreter: Interpreter


def sketch(
    spec: JobSpec, files: Mapping[str, bytes], settings: Settings, on: environment.Workbench | None = None
) -> Sketch:
    """Return what can be looked at before the parameters of a job are right. Raise InvalidInput if there is nothing."""
    kept = snapshot.checked(files, settings.upload)
    spec = checks.script_or_command(spec, kept)
    kept, _ = planning.with_program(spec.script, kept)
    container = defaults.resolve(spec.resources, settings).container
    spec = spec.model_copy(update={"resources": spec.resources.model_copy(update={"container": container})})
    return Sketch(spec, kept, environment.find(spec.environment, settings.python, on, container))


def needs_of(made: Program) -> needs.Needs:
    """Return what a program needs. A command needs what the scripts need that it names."""
    script = made.spec.script
    words = (made.spec.command or "").replace("{code}/", "").replace("'", " ").replace('"', " ").split()
    named = [script] if script else [word.removeprefix("./") for word in words]
    scripts = [one for one in named if one in made.files and notebook.script_name(one).endswith(".py")]
    roots = [*dict.fromkeys(str(above) for one in scripts for above in PurePosixPath(one).parents), *packages.ROOTS]
    code = {name: data for name, data in made.files.items() if name.endswith(".py")}
    only = dict.fromkeys(made.files, b"") | code
    if sum(map(len, code.values())) <= SMALL_SCRIPT:
        return read((only, scripts, roots))
    found: needs.Needs = apart.run(
        "paddock.server.intake.preflight:read", (only, scripts, roots), "Reading what the program imports"
    )
    return found


def read(asked: tuple[dict[str, bytes], list[str], list[str]]) -> needs.Needs:
    return needs.of(*asked)


def is_checked(made: Program) -> bool:
    """Return True if the job's Python can be asked for modules: it is not clear which Python a command starts."""
    return made.spec.command is None or not made.spec.environment.setup


def look(
    made: Program, near: str | None, seconds: float, *, setup: bool, on: environment.Workbench | None = None
) -> Preflight:
    """Return what can be said about a plan. `near`: where the code came from. `setup` false: run no set-up lines.

    `on`: where the job would run, if not as the user of the server; then no other environments are looked for.
    """
    found, container = needs_of(made), made.spec.resources.container
    report = Preflight(files=found.files if made.spec.workdir is None else [])
    names = [one.name for one in found.modules]
    if not names:
        return report
    if not is_checked(made) or (made.spec.environment.setup and not setup):
        return report.model_copy(update={"unchecked": "the set-up lines may change it"})
    try:
        python = environment.check(
            made.spec.environment, made.interpreter, seconds, modules=names, on=on, container=container
        )
    except UnusableEnvironment as unusable:
        return report.model_copy(update={"unchecked": unusable.message})
    except environment.NotLookedInto as why:
        return report.model_copy(update={"unchecked": str(why)})
    missing = missing_of(found, python)
    better = _better(missing, near) if missing and on is None and container is None else []
    refused = refusal(missing, python, container)
    more = {"missing": missing, "better": better, "held": refused.message if refused else None}
    return report.model_copy(update={"interpreter": python.argv[0], "python": python.version, **more})


def tried(
    made: Program, seconds: float, *, force: bool, on: environment.Workbench | None = None
) -> tuple[Interpreter, list[str]]:
    """Return the interpreter, tried once, and warnings. Raise MissingModules unless `force`."""
    found, container = needs_of(made), made.spec.resources.container
    script = made.spec.command is None
    names = [one.name for one in found.modules] if is_checked(made) else []
    start = script or bool(names)
    try:
        python = environment.check(
            made.spec.environment, made.interpreter, seconds, python=start, modules=names, on=on, container=container
        )
    except environment.NotLookedInto as why:
        return made.interpreter, [f"The image was not looked into: {why}."]
    missing = missing_of(found, python)
    error = refusal(missing, python, container)
    if error is not None and not force:
        raise error
    texts = [f"{one.name} is missing in {python.argv[0]}: {one.where} imports it." for one in missing]
    return python.model_copy(update={"missing": []}), texts[:SHOWN]


def missing_of(found: needs.Needs, python: Interpreter) -> list[Needed]:
    """Return the modules that are missing. `paddock` is brought along; of a path that changes, nothing is certain."""
    lacking = {*python.missing} - {"paddock"}
    sure = not found.open_ended
    return [one.model_copy(update={"certain": one.certain and sure}) for one in found.modules if one.name in lacking]


def refusal(missing: list[Needed], python: Interpreter, container: Container | None = None) -> MissingModules | None:
    certain = [one for one in missing if one.certain]
    if not certain:
        return None
    listed = ", ".join(f"{one.name} ({one.where})" for one in certain[:SHOWN])
    more = f" and {len(certain) - SHOWN} more" if len(certain) > SHOWN else ""
    which = f"{python.argv[0]} (Python {python.version})" + (f" of the image {container.image}" if container else "")
    return MissingModules.at("environment", f"{which} has no {listed}{more}")


def _better(missing: list[Needed], near: str | None) -> list[FoundEnvironment]:
    folder = Path(near) if near else None
    known = environments.find(folder.parent if folder and folder.suffix else folder)
    names = [one.name for one in missing if one.certain] or [one.name for one in missing]
    return [one for one in known if environments.has(one, names)][:BETTER]
