"""The progress of tasks and the time that is left. Pure."""

import math
from dataclasses import dataclass


@dataclass(frozen=True)
class Pace:
    """The epochs of a running task. Scripts count from 0 or from 1: `base` is the first number."""

    epochs: int | None
    epoch: float | None
    epoch_at: float | None
    base: float | None
    attempt_first: float | None  # the first epoch that this attempt reported
    started_at: float | None

    @property
    def done(self) -> float | None:
        """Return the number of epochs that are done."""
        if self.epoch is None or not math.isfinite(self.epoch):
            return None
        return self.epoch + 1 - min(max(0.0, self.base or 0.0), 1.0)

    def progress(self) -> float | None:
        if self.done is None or not self.epochs or self.epochs <= 0:
            return None
        return min(max(self.done / self.epochs, 0.0), 1.0)

    def seconds_left(self, now: float) -> float | None:
        """Return the seconds that are left at the pace of this attempt; an early stop may end it sooner."""
        if self.done is None or not self.epochs or self.epoch_at is None or self.started_at is None:
            return None
        here = (self.epoch or 0) - (self.attempt_first or 0) + 1
        if not here > 0 or self.epoch_at <= self.started_at:
            return None
        per_epoch = (self.epoch_at - self.started_at) / here
        left = (self.epochs - self.done) * per_epoch - (now - self.epoch_at)
        return max(left, 0.0) if math.isfinite(left) else None


def job_seconds_left(waiting: int, running_left: list[float | None], mean_duration: float | None) -> float | None:
    """Return the seconds until all tasks end, if as many run at a time as now."""
    known = [left for left in running_left if left is not None]
    places = max(len(running_left), 1)
    if waiting == 0:
        return max(known) if known and len(known) == len(running_left) else None
    if mean_duration is None:
        return None
    ahead = sum(known) + (len(running_left) - len(known)) * mean_duration / 2
    return (ahead + waiting * mean_duration) / places
