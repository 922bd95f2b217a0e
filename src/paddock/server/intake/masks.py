"""Mask the values of a job's environment variables, which may be secrets, wherever a job is shown.

The mask names the job that has the value, so that a shown spec can be submitted again unchanged.
"""

import re
from collections.abc import Callable

from paddock.errors import InvalidInput, NotFound
from paddock.models import JobSpec

MASK = "…"
_OF_JOB = re.compile(rf"{MASK} as in job ([0-9a-z]{{1,64}})")


def masked(spec: JobSpec, job: str) -> JobSpec:
    """Return the spec of a job with masked values of variables."""
    return with_variables(spec, dict.fromkeys(spec.environment.variables, f"{MASK} as in job {job}"))


def filled(spec: JobSpec, variables: Callable[[str], dict[str, str]]) -> JobSpec:
    """Return the spec with values in place of masks. `variables` returns the variables of a job, or raises NotFound."""
    values = dict(spec.environment.variables)
    for name, value in values.items():
        of = _OF_JOB.fullmatch(value)
        if of is None and value.strip() != MASK:
            continue
        try:
            known = variables(of[1]).get(name) if of else None
        except NotFound:
            known = None
        if known is None:
            message = f"the value of {name} is masked, and no job here has it: give the value again"
            raise InvalidInput.at("environment.variables", message)
        values[name] = known
    return with_variables(spec, values)


def with_variables(spec: JobSpec, values: dict[str, str]) -> JobSpec:
    return spec.model_copy(update={"environment": spec.environment.model_copy(update={"variables": values})})
