"""What "resumed" means on the server. What the runner does with it stands in docs/job-folder.md. Pure.

A resumed attempt continues from the checkpoint of the attempt before it; a plain one begins again from nothing. Every
attempt that follows by itself is resumed (a retry, the next step of a population), and so is a restart by a person who
asks for it. A first attempt, any other restart and a reduce that runs again are plain.

A plain attempt and those that resumed it are a chain. A task has the curves of its last chain, and its retries are
counted in it.
"""

from collections.abc import Iterable
from typing import Protocol, TypeVar

_REACHED = ("epoch", "epoch_at", "first_epoch", "last_value", "best_value", "best_epoch", "best_at", "others")


class _Attempt(Protocol):
    @property
    def resumed(self) -> bool: ...


A = TypeVar("A", bound=_Attempt)


def forgotten(*, resumed: bool) -> tuple[str, ...]:
    """Return the fields of a task that have no value when its next attempt begins."""
    return () if resumed else _REACHED


def last_chain(attempts: Iterable[A]) -> list[A]:
    """Return the attempts of the last chain, given those of one task in their order."""
    chain: list[A] = []
    for attempt in attempts:
        if not attempt.resumed:
            chain.clear()
        chain.append(attempt)
    return chain
