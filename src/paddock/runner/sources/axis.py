"""The x of a point: which column is its step, and how numbers are read."""

from __future__ import annotations

from typing import Iterable, Mapping

from .base import Point

EPOCHS = ("epoch", "epochs", "trainer/epoch")
STEPS = ("trainer/global_step", "global_step", "step", "steps", "_step", "iteration", "iterations", "iter", "batch")
# Loggers write these beside the values; they are no metrics.
CLOCKS = ("timestamp", "_timestamp", "wall_time", "wall time", "datetime")
_NOT_METRICS = frozenset(EPOCHS + STEPS + CLOCKS)
_EXACT = 2**53


def number(text: str) -> float | None:
    """Return the number in a cell; None for `NA`, blanks and text. `nan` and `inf` are numbers."""
    try:
        return None if "_" in text else float(text)
    except ValueError:
        return None


def tidy(x: float) -> float:
    """Return a step as an integer if it is one: 3, not 3.0."""
    return int(x) if x == x and abs(x) < _EXACT and x == int(x) else x


def is_metric(name: str) -> bool:
    return bool(name) and name.lower() not in _NOT_METRICS


def counts(names: Iterable[str]) -> bool:
    """Return True if one of these columns counts epochs or steps."""
    return any(name.lower() in EPOCHS or name.lower() in STEPS for name in names)


class XAxis:
    """Places the rows of one log on the x axis: by step, else by epoch, else by their order."""

    def __init__(self) -> None:
        self._rows = 0
        self._base = 0.0
        self._raw: float | None = None  # the last step as written
        self._of: float | None = None
        self._epoch: float | None = None  # of the last row with a step

    def point(self, row: Mapping[str, float]) -> Point | None:
        values = {name: value for name, value in row.items() if is_metric(name)}
        folded = {name.lower(): value for name, value in row.items()}
        step, epoch = self.place(_first(folded, STEPS), _first(folded, EPOCHS))
        return Point(step, values, epoch) if values else None

    def place(self, step: float | None, epoch: float | None, of: float | None = None) -> tuple[float, float | None]:
        """Return the x and the epoch if it differs. `of`: how many steps an epoch has, if the log contains that."""
        self._rows += 1
        if step is None and self._raw is None:
            return (tidy(epoch), None) if epoch is not None else (self._rows - 1, None)
        x = tidy(self._base + (self._raw or 0.0)) if step is None else self._continued(step, epoch, of)
        return x, tidy(epoch) if epoch is not None and epoch != x else None

    def _continued(self, step: float, epoch: float | None, of: float | None) -> float:
        """Return an x that continues where scripts count batches from 0 again in every epoch."""
        later = epoch is not None and self._epoch is not None and epoch > self._epoch
        again = epoch is None and of is not None and of == self._of  # a bar per epoch, which does not name it
        if (later or again) and self._raw is not None and step < self._raw:
            self._base += of if of is not None and self._raw - step < of else self._raw + 1
        self._epoch = self._epoch if epoch is None else epoch
        self._raw, self._of = step, of
        return tidy(self._base + step)


def _first(row: Mapping[str, float], names: Iterable[str]) -> float | None:
    for name in names:
        value = row.get(name)
        if value is not None and abs(value) < float("inf"):  # nan and inf are no steps
            return value
    return None
