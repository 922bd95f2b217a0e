"""Make a submission of a script, a folder or a job file, and of changes to it."""

import difflib
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from paddock.client import left_out
from paddock.client.collect import Collected, collect, collect_named
from paddock.errors import InvalidInput
from paddock.models import CodeInfo, JobSpec, jobfile
from paddock.models.resources import in_sections
from paddock.models.space import Choices
from paddock.program.value_text import CONFIG_SUFFIXES
from paddock.settings import UploadSettings

THERE = {"there": "."}  # the working folder: where the script is
# What is given replaces its alternatives in a job file.
_ALTERNATIVES = {"": ("script", "module", "command"), "environment": ("python", "venv", "conda")}


@dataclass(frozen=True)
class Bundle:
    spec: JobSpec
    code: Collected

    @property
    def warnings(self) -> list[str]:
        return self.code.warnings


def bundle(
    source: str | os.PathLike[str] | None = None,
    spec: JobSpec | None = None,
    changes: Mapping[str, Any] | None = None,
    *,
    environment: Mapping[str, str] | None = None,
    include: Sequence[str] = (),
    limits: UploadSettings | None = None,
    job: str | None = None,
) -> Bundle:
    """Read a source into a bundle. `changes` override fields of the spec; `environment` is for a spec that has none.

    `include` names further files and folders to take along, relative to the source. `job` is the job whose files are
    taken, as the server has them.
    """
    path, script, folder = (Path(source) if source is not None else None), None, Path.cwd()
    if path is not None and jobfile.is_jobfile(path.expanduser()):
        if spec is not None:
            raise InvalidInput(
                "There are a job file and a spec: give one, not both.", fields={"spec": f"{path} is a job file"}
            )
        file = jobfile.load(path.expanduser())
        if file.source and not file.source.exists():
            where = f"there is no {file.source}: paths in a job file are relative to the folder of the job file"
            hint = "correct the path, or name the folder of the script in the job file, as `source: FOLDER`"
            raise InvalidInput.at("source", f"{where}; {hint}")
        folder = path.expanduser().absolute().parent
        spec, path, script, job = file.spec, file.source, file.script, file.job
    changes = changes or {}
    made = changed(spec or JobSpec(), changes, environment or {})
    if "script" in changes or (script is None and spec is not None and path is not None and path.is_dir()):
        script = made.script
    if path is None and made.script is not None and made.module is None and job is None:
        path, script = Path(made.script), None
    if made.workdir is not None:
        there = folder if path is None else path.expanduser() if path.is_dir() else path.expanduser().parent
        made = made.model_copy(update={"workdir": jobfile.absolute(THERE.get(made.workdir, made.workdir), there)})
    if path is None and job is not None:
        more = collect_named("", folder, include=include, limits=limits)
        return Bundle(made, replace(more, code=CodeInfo(job=job)))
    if path is None:
        named = f"-m {made.module}" if made.module else made.command
        if named is None:
            raise InvalidInput("There is nothing to run: give a script, a folder, a job file or a command.")
        code = collect_named(named, folder, include=include, limits=limits)
        return Bundle(made.model_copy(update={"script": None}), _told(code, made, folder, limits))
    needed = made.command is None and made.module is None
    if needed and not path.is_dir():
        include = [*include, *_config_values(made, path.expanduser().parent)]
    code = collect(path, script, needs_script=needed, include=include, limits=limits)
    return Bundle(made.model_copy(update={"script": code.script}), _told(code, made, _top(path, code.script), limits))


def _top(source: Path, script: str | None) -> Path:
    """Return the folder in which the paths of collected files begin."""
    whole = Path(os.path.abspath(source.expanduser()))  # noqa: PTH100 - links are kept
    return whole if whole.is_dir() or script is None else whole.parents[script.count("/")]


def _told(code: Collected, spec: JobSpec, folder: Path, limits: UploadSettings | None) -> Collected:
    """Return what was collected with warnings about files that the program names, unless it runs where they are."""
    if spec.workdir is not None:
        return code
    scripts = [code.script] if code.script else [name for name in code.files if name in (spec.command or "").split()]
    return left_out.with_warnings(code, scripts, folder, limits or UploadSettings())


def _config_values(spec: JobSpec, folder: Path) -> list[str]:
    """Return the values of parameters that are configuration files in the folder of the script."""
    values = [value for space in spec.params.values() if isinstance(space, Choices) for value in space.values]
    texts = [value for value in values if isinstance(value, str) and value.lower().endswith(CONFIG_SUFFIXES)]
    return [text for text in texts if not Path(text).is_absolute() and (folder / text).is_file() and ".." not in text]


def with_params(fields: Mapping[str, Any]) -> dict[str, Any]:
    """Return fields of a JobSpec: names that are none of its fields become parameters."""
    named = {name: value for name, value in fields.items() if name not in JobSpec.model_fields}
    for name in named:
        if near := difflib.get_close_matches(name, JobSpec.model_fields, 1, 0.85):
            hint = f"write {near[0]}, or params={{'{name}': ...}} if it is a parameter of the script"
            raise InvalidInput.at(name, f"it is close to a field of a job, {near[0]}: {hint}", name)
    given = {name: value for name, value in fields.items() if name in JobSpec.model_fields}
    if twice := named.keys() & dict(given.get("params") or {}).keys():
        raise InvalidInput.at("params", f"{min(twice)} is given twice: as a name, and in params", "params")
    params = {**(given.get("params") or {}), **named}
    return given | ({"params": {name: _values(value) for name, value in params.items()}} if params else {})


def _values(given: Any) -> Any:
    """Return numpy arrays and scalars, tuples, sets and ranges as the plain values that a spec has."""
    if hasattr(given, "tolist"):
        return given.tolist()
    plain = isinstance(given, str | bytes | Mapping | list) or hasattr(given, "model_dump")
    return list(given) if isinstance(given, Iterable) and not plain else given


def changed(spec: JobSpec, changes: Mapping[str, Any], environment: Mapping[str, str]) -> JobSpec:
    """Return the spec with these fields, and with this environment if it has none."""
    data = spec.model_dump(mode="json", exclude_defaults=True)
    if "objective" in changes:  # it may be several: those of the file go with the first of them
        data.pop("other_objectives", None)
    try:  # so that a name replaces the same one of the file, in whichever form
        resources = in_sections(changes.get("resources", {}))
    except ValueError as error:
        raise InvalidInput.at("resources", str(error)) from None
    _merge(data, {**changes, "resources": resources}, "")
    if isinstance(data.get("resources"), dict) and data["resources"].get("container"):
        environment = {}  # the image brings its own
    chosen = data.setdefault("environment", {})
    if isinstance(chosen, dict) and not any(chosen.get(name) for name in _ALTERNATIVES["environment"]):
        chosen |= environment
    return jobfile.validated(data)


def _merge(data: dict[str, Any], changes: Mapping[str, Any], name: str) -> None:
    """Merge nested tables field by field and parameters one by one; replace all else."""
    several = _ALTERNATIVES.get(name, ())
    if any(changes.get(one) is not None for one in several):
        for one in several:
            data.pop(one, None)
    for key, value in changes.items():
        value = value.model_dump(mode="json") if hasattr(value, "model_dump") else value
        if isinstance(value, Mapping) and isinstance(data.get(key), dict) and name != "params":
            _merge(data[key], value, key)
        else:
            data[key] = dict(value) if isinstance(value, Mapping) else value
