"""Job files: a whole job in YAML or TOML, as people keep it beside their code.

Its fields are those of JobSpec, and `source`: a script or folder to take along, relative to the job file, or `job ID`
for the files of a job as the server has them. Without `source`, the script is relative to the job file, and comes with
the modules that it imports.
"""

import math
import os
import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import Any

import yaml
from pydantic import BaseModel, ValidationError

from paddock.errors import InvalidInput, in_words
from paddock.models import JobSpec, Objective, Resources, SlurmResources, space, units, yaml12
from paddock.models.metric_names import Goal, goal_of

MAX_BYTES = 4 * 1024**2
MAX_PARTS = 500_000
SUFFIXES = (".yaml", ".yml", ".toml")
_OF_JOB = re.compile(r"job ([0-9a-z]{1,64})")
_HIDDEN = {"Choices", "Range", "function-before[_coerce(), union[Choices,Range]]"}


@dataclass(frozen=True)
class JobFile:
    spec: JobSpec
    source: Path | None = None
    script: str | None = None  # of the source, where that is a folder
    job: str | None = None  # the job that has the files


def is_jobfile(path: Path) -> bool:
    return path.suffix.lower() in SUFFIXES and not path.is_dir()


def load(path: Path) -> JobFile:
    """Read a job file. Raise InvalidInput that names the file, the field and what to do."""
    try:
        if path.stat().st_size > MAX_BYTES:
            raise InvalidInput(f"{path} is larger than {units.size_text(MAX_BYTES)}: is it a job file?")
        text = path.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise InvalidInput(f"{path} cannot be read: {error.strerror}.") from None
    except UnicodeDecodeError:
        raise InvalidInput(f"{path} is not UTF-8 text: save it as UTF-8.") from None
    data = _parse(text, path)
    source = data.pop("source", None)
    if source is not None and not (isinstance(source, str) and source):
        raise _wrong(path, {"source": "write the path of a script or a folder, relative to this file"})
    folder = path.absolute().parent
    spec = _anchored(validated(data, str(path)), folder)
    if source is not None and (of := _OF_JOB.fullmatch(source)):
        return JobFile(spec, job=of[1])
    if source is not None:
        return JobFile(spec, folder / Path(source).expanduser(), spec.script)
    return JobFile(spec, folder / Path(spec.script).expanduser()) if spec.script else JobFile(spec)


def validated(data: Any, where: str = "The job") -> JobSpec:
    """Return a JobSpec. Raise InvalidInput with the fields as they are named in the file."""
    try:
        return JobSpec.model_validate(data)
    except ValidationError as error:
        raise _wrong(where, _fields(error)) from None


def dump(spec: JobSpec, job: str | None = None) -> str:
    """Return YAML that is read as an equal spec; fields with their default are left out. `job` has its files."""
    data = spec.model_dump(mode="json", exclude_defaults=True)
    if data.pop("other_objectives", None):
        data["objective"] = [_objective(one) for one in spec.objectives]
    elif "objective" in data:
        data["objective"] = _objective(spec.objective)
    if spec.search.time_budget:
        data["search"]["time_budget"] = units.clock(spec.search.time_budget)
    for name, only in (("search", "method"), ("stop_early", "method"), ("elastic", "give_way")):
        if list(data.get(name, ())) == [only]:
            data[name] = data[name][only]
    if "params" in data:
        data["params"] = {name: space.plain(one) for name, one in spec.params.items()}
    if "resources" in data:
        data["resources"] |= _measures(spec.resources)
    data = {"source": f"job {job}"} | data if job else data
    return yaml12.dump(data) if data else "{}\n"


def loads(text: str) -> JobSpec:
    """Read what `dump` wrote; the source of the files is left out."""
    data = _parse(text, Path("job.yaml"))
    data.pop("source", None)
    return validated(data, "The job")


# --- reading --------------------------------------------------------------------------------------------------------


def _parse(text: str, path: Path) -> dict[str, Any]:
    try:
        data = tomllib.loads(text) if path.suffix.lower() == ".toml" else yaml12.load(text)
    except tomllib.TOMLDecodeError as error:
        raise InvalidInput(f"{path} is not valid TOML: {error}.") from None
    except yaml.YAMLError as error:
        raise InvalidInput(f"{path} is not valid YAML: {_yaml_error(error)}.") from None
    except RecursionError:  # of tomllib
        raise InvalidInput(f"{path} is not valid: {yaml12.TOO_DEEP}.") from None
    except ValueError as error:  # such as an integer of more than 4300 digits
        raise InvalidInput(f"{path} cannot be read: {error}.") from None
    if not isinstance(data, dict) or not all(isinstance(key, str) for key in data):
        raise InvalidInput(f"{path} is not a job file: write fields such as `script: train.py` and `params:`.")
    strange = {}
    for count, (name, one, depth) in enumerate(_parts(data)):
        if count > MAX_PARTS or depth > yaml12.MAX_DEPTH:  # an alias may even be inside of what it stands for
            why = yaml12.TOO_DEEP if depth > yaml12.MAX_DEPTH else f"it has more than {MAX_PARTS:,} values"
            raise InvalidInput(f"{path} is not valid: {why}.")
        if message := _strange(one):
            strange[name] = message
    if strange:
        raise _wrong(path, strange)
    return data


def _parts(data: Any) -> Iterator[tuple[str, Any, int]]:
    """Yield all values in the data with their names and depths; the target of an alias counts each time."""
    left = [("", data, 0)]
    while left:
        name, one, depth = left.pop()
        yield name, one, depth
        if isinstance(one, dict | list):
            inside = one.items() if isinstance(one, dict) else enumerate(one)
            found = [(f"{name}.{key}" if name else str(key), value, depth + 1) for key, value in inside]
            left += reversed(found)


def _yaml_error(error: Exception) -> str:
    if isinstance(error, yaml.MarkedYAMLError) and error.problem_mark is not None:
        mark = error.problem_mark
        return f"line {mark.line + 1}, column {mark.column + 1}: {error.problem}"
    return " ".join(str(error).split())


def _strange(value: Any) -> str | None:
    """Return what is wrong with a value that a file can contain and a submission cannot, such as a date."""
    if isinstance(value, float) and not math.isfinite(value):
        return "it is not a finite number: write it in quotes to pass it as text"
    if value is not None and not isinstance(value, (dict, list, str, bool, int, float)):
        return f"it is a {type(value).__name__}: write it in quotes to pass it as text"
    return None


def _anchored(spec: JobSpec, folder: Path) -> JobSpec:
    """Make paths of environments and images absolute, from the folder of the job file; names such as python3 stay."""
    given = spec.environment
    made = {}
    for name in ("python", "venv", "conda"):
        value = getattr(given, name)
        if value and (name == "venv" or os.sep in value):
            made[name] = absolute(value, folder)
    spec = spec.model_copy(update={"environment": given.model_copy(update=made)}) if made else spec
    container = spec.resources.container
    if container is None or not (container.image.startswith((".", "~")) or (folder / container.image).exists()):
        return spec
    container = container.model_copy(update={"image": absolute(container.image, folder)})
    return spec.model_copy(update={"resources": spec.resources.model_copy(update={"container": container})})


def absolute(path: str, folder: Path) -> str:
    """Return an absolute path. Links stay: Python finds its virtual environment by the path that it is started with."""
    return os.path.abspath(folder / Path(path).expanduser())  # noqa: PTH100


def _wrong(where: Path | str, fields: dict[str, str]) -> InvalidInput:
    listed = "; ".join(f"{name}: {message}" for name, message in list(fields.items())[:5])
    return InvalidInput(f"{where} is not valid: {listed}" + ("" if listed.endswith("?") else "."), fields=fields)


def _fields(error: ValidationError) -> dict[str, str]:
    fields: dict[str, str] = {}
    for detail in error.errors()[:100]:  # what was meant instead takes long to find
        loc = [str(part) for part in detail["loc"] if str(part) not in _HIDDEN and part != "[key]"]
        message = in_words(detail)
        if detail["type"] == "extra_forbidden":
            message = _unknown(loc)
        elif detail["type"] == "greater_than_equal" and loc[-1] == "time_limit":
            message = "it must be at least 1m"
        elif detail["loc"][-1:] == ("[key]",):
            message = f"this name cannot be used ({message})"
        fields.setdefault(".".join(loc) or "job", message)
    return fields


def _unknown(loc: list[str]) -> str:
    model: type[BaseModel] = JobSpec
    for part in loc[:-1]:
        info = model.model_fields.get(part)
        if info is None or not isinstance(info.annotation, type) or not issubclass(info.annotation, BaseModel):
            return "there is no such field"
        model = info.annotation
    known = list(model.model_fields) + (["source"] if model is JobSpec else [])
    known += list(SlurmResources.model_fields) if model is Resources else []
    near = get_close_matches(loc[-1], known, 1)
    return f"there is no such field; did you mean {near[0]}?" if near else f"there is no such field: {', '.join(known)}"


# --- writing --------------------------------------------------------------------------------------------------------


def _objective(objective: Objective) -> str:
    plain = objective.goal is Goal.MIN is goal_of(objective.metric) and ":" not in objective.metric
    return objective.metric if plain else f"{objective.metric}:{objective.goal.value}"


def _measures(resources: Resources) -> dict[str, str]:
    """Return memory and time limit as people write them: 16G, 4:00:00."""
    made = {}
    if resources.time_limit:
        made["time_limit"] = units.clock(resources.time_limit)
    for size, unit in ((1024**3, "G"), (1024**2, "M")):
        if resources.memory and resources.memory % size == 0:
            made.setdefault("memory", f"{resources.memory // size}{unit}")
    return made
