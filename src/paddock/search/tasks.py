"""Turn configurations into tasks."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from paddock.models import JobSpec, Params, ScriptReport
from paddock.models.script import same_name
from paddock.models.space import ParamSpace

_SEEDS = ("seed", "random_seed", "random_state", "rng_seed")
_EPOCHS = ("epochs", "n_epochs", "num_epochs", "max_epochs", "epoch", "nb_epochs", "total_epochs")


@dataclass(frozen=True)
class NewTask:
    params: Params
    epochs: int | None
    trial: int
    reduces: bool = False


def new_tasks(
    spec: JobSpec, script: ScriptReport | None, configurations: Sequence[Params], first_trial: int
) -> list[NewTask]:
    """Return the tasks of each configuration; repetitions have different seeds where the script takes a seed."""
    repeat = spec.search.repeat
    name = _seed_name(spec, script) if repeat > 1 else None
    return [
        NewTask(params | ({name: spec.search.seed + number} if name else {}), epochs_of(params, script), trial)
        for trial, params in enumerate(configurations, start=first_trial)
        for number in range(repeat)
    ]


def key_of(params: Params, space: Mapping[str, ParamSpace]) -> str:
    """Return a text that is equal for equal configurations, whatever their seeds."""
    return json.dumps({name: value for name, value in params.items() if name in space}, sort_keys=True)


def seed_of(spec: JobSpec, number: int) -> int:
    """Return the seed of the task of this number: repetitions of a configuration have different ones."""
    return spec.search.seed + (number - 1) % spec.search.repeat


def _seed_name(spec: JobSpec, script: ScriptReport | None) -> str | None:
    known = {same_name(param.name): param.name for param in script.params} if script else {}
    given = {same_name(name) for name in spec.params}
    return next((known[name] for name in _SEEDS if name in known and name not in given), None)


def epochs_of(params: Params, script: ScriptReport | None) -> int | None:
    """Return the number of epochs that a task will train, if a parameter or its default in the script contains it."""
    defaults = {param.name: param.default for param in script.params} if script else {}
    for name in _EPOCHS:
        value = params.get(name, defaults.get(name))
        if isinstance(value, (int, float)) and not isinstance(value, bool) and 0 < value < 2**31:
            return int(value)
    return None
