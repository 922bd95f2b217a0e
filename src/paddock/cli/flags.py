"""Read values of options: parameters, variables, retries, environments."""

import math
import os
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from paddock.errors import InvalidInput
from paddock.models.states import Cause


def params(given: Sequence[str] | None) -> dict[str, Any]:
    """Read `-p lr=0.1,0.01`."""
    from paddock.models import space

    found: dict[str, Any] = {}
    for name, text in _pairs(given, "-p", "lr=0.1,0.01", "params").items():
        try:
            found[name] = space.parse(text)
        except ValueError as error:
            raise InvalidInput.at(f"params.{name}", _message(error), f"Parameter {name}") from None
    return found


def _message(error: ValueError) -> str:
    details = getattr(error, "errors", None)  # pydantic's own
    text = str(details()[0]["msg"]) if callable(details) else str(error)
    return text.removeprefix("Value error, ").rstrip(".")


def notify(given: str | None) -> tuple[str, ...] | None:
    """Read `--notify ended,failed`, `all` or `none`: that is an empty tuple, as an empty list means "not given"."""
    if given is None:
        return None
    from paddock.models.notices import OF_JOBS

    words = [word.strip() for word in given.split(",") if word.strip()]
    if words in (["all"], ["none"]):
        return OF_JOBS if words == ["all"] else ()
    unknown = next((word for word in words if word not in OF_JOBS), None)
    if unknown is not None or not words:
        known = ", ".join(OF_JOBS)
        raise InvalidInput.at("notify", f"{unknown or given!r} is no kind: write {known}, all or none", "--notify")
    return tuple(words)


def variables(given: Sequence[str] | None) -> dict[str, str]:
    """Read `--env NAME=VALUE`."""
    return _pairs(given, "--env", "CUDA_CACHE_DISABLE=1", "environment.variables")


def retries(given: Sequence[str] | None) -> dict[str, int]:
    """Read `--retry CAUSE=N`."""
    found = {}
    for cause, text in _pairs(given, "--retry", "preempted=5", "retries").items():
        if cause not in set(Cause):
            raise InvalidInput.at("retries", f"{cause!r} is not a cause: write one of {', '.join(Cause)}", "--retry")
        if not text.isascii() or not text.isdigit():
            raise InvalidInput.at(
                f"retries.{cause}",
                f"{text!r} is not a number of retries: write a whole number, such as 3",
                f"--retry {cause}",
            )
        found[cause] = int(text)
    return found


def gpus(given: str | None) -> float | str | None:
    """Read `--gpus 2`, `--gpus 0.25` or `--gpus 1..4`."""
    if given is None or ".." in given:
        return given
    try:
        found = float(given)
        if not 0 <= found < math.inf:
            raise ValueError
    except ValueError:
        raise InvalidInput.at(
            "resources.gpus", f"{given!r} is no number of GPUs: write 2, 0.25 or 1..4", "--gpus"
        ) from None
    return int(found) if found.is_integer() else found


def _pairs(given: Sequence[str] | None, flag: str, example: str, field: str) -> dict[str, str]:
    found: dict[str, str] = {}
    for text in given or []:
        name, equals, value = text.partition("=")
        name = name.strip()
        if not equals or not name:
            raise InvalidInput.at(field, f"write {flag} NAME=VALUE, for example {flag} {example}, not {text!r}")
        if name in found:
            raise InvalidInput.at(f"{field}.{name}", "it is given twice", f"{flag} {name}")
        found[name] = value
    return found


def path(given: str | None) -> str | None:
    """Return an absolute path, as the server's working folder is another one."""
    return _absolute(given) if given else None


def paths(given: Sequence[str] | None) -> list[str] | None:
    return [_absolute(one) for one in given] if given else None


def image(given: str | None) -> str | None:
    """Return an image with an absolute path, if it is a file or folder here; other names are for the engine."""
    return path(given) if given and (given.startswith((".", "~")) or Path(given).exists()) else given


def path_or_name(given: str | None) -> str | None:
    return path(given) if given and os.sep in given else given


def python(given: str | None) -> str | None:
    """Return the interpreter that the shell would start."""
    return path(given) if given and os.sep in given else given and (shutil.which(given) or given)


def of_shell() -> dict[str, str]:
    """Return the environment that is active in the shell, or else the Python that the shell would find."""
    if folder := os.environ.get("VIRTUAL_ENV"):
        return {"venv": folder}
    if folder := os.environ.get("CONDA_PREFIX"):
        return {"conda": folder}
    found = shutil.which("python3") or shutil.which("python")
    return {"python": _absolute(found)} if found else {}


def _absolute(path: str) -> str:
    from paddock.models.jobfile import absolute

    return absolute(path, Path.cwd())
