"""Make a submission of a script, a folder or a job file, and of changes to it."""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from paddock.client.collect import Collected, collect
from paddock.errors import InvalidInput
from paddock.models import JobSpec, jobfile
from paddock.settings import UploadSettings

# What is given replaces its alternatives in a job file.
_ALTERNATIVES = {"": ("script", "command"), "environment": ("python", "venv", "conda")}


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
    limits: UploadSettings | None = None,
) -> Bundle:
    """Read a source into a bundle. `changes` override fields of the spec; `environment` is for a spec that has none."""
    path, script = (Path(source) if source is not None else None), None
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
        spec, path, script = file.spec, file.source, file.script
    changes = changes or {}
    made = changed(spec or JobSpec(), changes, environment or {})
    if "script" in changes or (script is None and spec is not None and path is not None and path.is_dir()):
        script = made.script
    if path is None and made.script is not None:
        path, script = Path(made.script), None
    if path is None:
        if made.command is None:
            raise InvalidInput("There is nothing to run: give a script, a folder, a job file or a command.")
        return Bundle(made, Collected())
    code = collect(path, script, needs_script=made.command is None, limits=limits)
    return Bundle(made.model_copy(update={"script": code.script}), code)


def changed(spec: JobSpec, changes: Mapping[str, Any], environment: Mapping[str, str]) -> JobSpec:
    """Return the spec with these fields, and with this environment if it has none."""
    data = spec.model_dump(mode="json", exclude_defaults=True)
    if "objective" in changes:  # it may be several: those of the file go with the first of them
        data.pop("other_objectives", None)
    _merge(data, changes, "")
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
