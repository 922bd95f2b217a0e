"""Keras' progress on standard output: `Epoch 3/100`, then a bar that is redrawn again and again."""

from __future__ import annotations

import re

from .base import Point

HEADER = re.compile(r"Epoch (\d+)/(\d+)$")
_BAR = re.compile(r"(\d+)/(\d+|Unknown)\s(?!\d\d:\d\d)(?:\s*(?:\[[=>.]*\]|━+|- ))?")
_METRIC = re.compile(r"([^\s:]+): ([-+]?(?:\d+(?:\.\d*)?(?:[eE][-+]?\d+)?|nan|inf))$")


class KerasBars:
    """Gives one point per epoch, from the bar as it was at the end.

    A message of a callback can come between the full bar and the one with the validation metrics, and `evaluate` draws
    its own bar after the last epoch. So a full bar waits for the next epoch, and is replaced only by one with more
    metrics.
    """

    def __init__(self) -> None:
        self.epoch: int | None = None
        self._waiting: dict[str, float] = {}

    def header(self, epoch: int) -> Point | None:
        point = self.flush()
        self.epoch = epoch
        return point

    def bar(self, line: str) -> Point | None:
        values = self._values(line) if self.epoch is not None else {}
        if not values or not set(values) > set(self._waiting):
            return None
        self._waiting = values
        return self.flush() if any(name.startswith("val_") for name in values) else None

    def flush(self) -> Point | None:
        """Return the point at the end of an epoch. Steps count from 0, as in Keras' own CSVLogger."""
        epoch, values = self.epoch, self._waiting
        self.epoch, self._waiting = None, {}
        return Point(epoch - 1, values) if epoch is not None and values else None

    def _values(self, line: str) -> dict[str, float]:
        bar = _BAR.match(line)
        if not bar:
            return {}
        parts = [_METRIC.match(part.strip()) for part in line.split(" - ")[1:]]
        values = {found[1]: float(found[2]) for found in parts if found}
        full = bar[2] in ("Unknown", bar[1]) or any(name.startswith("val_") for name in values)
        return values if full else {}


def is_bar(line: str) -> bool:
    return bool(_BAR.match(line))
