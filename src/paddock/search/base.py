"""The types that all search methods use. A searcher takes the history and returns the next configuration.

A searcher has no state of its own: the same seed and the same history give the same suggestion, so that a search goes
on after a crash as if nothing had happened, and needs no database beside ours.
"""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from typing import Protocol

from pydantic import JsonValue

from paddock.models import Goal
from paddock.models.space import Choices, Range, key_of

# A configuration without its nesting: `lr`, `layers.count`, `layers.0.width`. What does not apply is not in it.
Configuration = dict[str, JsonValue]


@dataclass(frozen=True)
class Condition:
    """Holds if this parameter applies and has one of these values."""

    name: str
    values: tuple[JsonValue, ...]

    def holds(self, config: Configuration) -> bool:
        return self.name in config and key_of(config[self.name]) in self._keys

    @cached_property
    def _keys(self) -> frozenset[Hashable]:
        return frozenset(map(key_of, self.values))


@dataclass(frozen=True)
class Dimension:
    """One number or choice, which applies if all its conditions hold. Conditions name only dimensions before it."""

    name: str
    space: Choices | Range
    when: tuple[Condition, ...] = ()

    def applies(self, config: Configuration) -> bool:
        return all(condition.holds(config) for condition in self.when)


class Outcome(StrEnum):
    RUNNING = "running"  # waiting or running: its values are not known yet
    FINISHED = "finished"
    PRUNED = "pruned"
    FAILED = "failed"


@dataclass(frozen=True)
class Trial:
    """A suggested configuration and its result."""

    number: int
    params: Configuration
    outcome: Outcome
    values: tuple[float, ...] = ()  # one per objective; empty where nothing is known
    curve: tuple[tuple[float, float], ...] = ()  # the first objective by step
    times: tuple[float, ...] = ()  # the time of each point of the curve


class Searcher(Protocol):
    def suggest(self, history: Sequence[Trial]) -> Configuration | None:
        """Return the next configuration, or None when there are no others."""
        ...


@dataclass(frozen=True)
class Problem:
    """The space, the goals and the seed of a search."""

    dimensions: tuple[Dimension, ...]
    goals: tuple[Goal, ...]
    seed: int = 0
