"""Find parameters that a script seems to ignore: tasks with different values of them have the same curve. Pure."""

import json
import math
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from paddock.models import Params

NOTICE = "identical curves"  # each notice contains this
MOST_NAMED = 3
ENOUGH_VALUES, ENOUGH_DIGITS = 3, 6  # a curve with fewer can be the same by chance


@dataclass(frozen=True)
class FinishedTask:
    """A task that finished, with its parameters and its curve: steps and values of the objective."""

    number: int
    params: Params
    curve: tuple[tuple[float, float], ...]


def notice(tasks: Sequence[FinishedTask]) -> str | None:
    """Return what to report about tasks with the same curve; None if there is nothing to report."""
    groups: dict[tuple[tuple[float, float], ...], list[FinishedTask]] = defaultdict(list)
    for one in tasks:
        if _telling(one.curve):
            groups[one.curve].append(one)
    for group in groups.values():
        differing = _varying(group)
        ignored = [name for name in differing if not _matters(name, tasks)]
        if len(group) > 1 and not differing:
            return (
                f"{_names(group)} repeat one configuration and have {NOTICE}: the script probably sets a fixed seed, "
                "so repeating it shows no spread."
            )
        if len(group) > 1 and ignored:
            names = _listed(ignored)
            return (
                f"{_names(group)} have different values of {names} but {NOTICE}: the script probably ignores {names}."
            )
    return None


def _telling(curve: tuple[tuple[float, float], ...]) -> bool:
    """Return True if two trainings would not come to the same curve by chance."""
    values = {value for _, value in curve if math.isfinite(value)}
    digits = sum(len(f"{abs(value):.15e}".partition("e")[0].replace(".", "").strip("0")) for value in values)
    return len(values) >= ENOUGH_VALUES or digits >= ENOUGH_DIGITS


def _varying(tasks: Sequence[FinishedTask]) -> list[str]:
    names = dict.fromkeys(name for one in tasks for name in one.params)
    return [name for name in names if len({_text(one.params.get(name)) for one in tasks}) > 1]


def _matters(name: str, tasks: Sequence[FinishedTask]) -> bool:
    """Return True if tasks that differ in nothing but this parameter have different curves."""
    curves: dict[str, set[tuple[tuple[float, float], ...]]] = defaultdict(set)
    for one in tasks:
        curves[_text({other: value for other, value in one.params.items() if other != name})].add(one.curve)
    return any(len(found) > 1 for found in curves.values())


def _text(value: object) -> str:
    return json.dumps(value, sort_keys=True)


def _names(tasks: Sequence[FinishedTask]) -> str:
    numbers = [str(one.number) for one in tasks]
    more = len(numbers) - MOST_NAMED
    return "Tasks " + _listed(numbers if more <= 1 else [*numbers[:MOST_NAMED], f"{more:,} others"])


def _listed(words: Sequence[str]) -> str:
    return " and ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)
