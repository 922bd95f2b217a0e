"""How far a task is and how long it will take. Pure."""

import math
from dataclasses import dataclass


@dataclass(frozen=True)
class Pace:
    """What is known of a running task's epochs. Scripts count from 0 or from 1: `base` says which."""

    epochs: int | None
    epoch: float | None
    epoch_at: float | None
    base: float | None
    attempt_first: float | None  # the first epoch that this attempt reported
    started_at: float | None

    @property
    def done(self) -> float | None:
        """How many epochs are done."""
        if self.epoch is None or not math.isfinite(self.epoch):
            return None
        return self.epoch + 1 - min(max(0.0, self.base or 0.0), 1.0)

    def progress(self) -> float | None:
        if self.done is None or not self.epochs or self.epochs <= 0:
            return None
        return min(max(self.done / self.epochs, 0.0), 1.0)

    def seconds_left(self, now: float) -> float | None:
        """By the pace of this attempt so far; an early stop may end it sooner."""
        if self.done is None or not self.epochs or self.epoch_at is None or self.started_at is None:
            return None
        here = (self.epoch or 0) - (self.attempt_first or 0) + 1
        if not here > 0 or self.epoch_at <= self.started_at:
            return None
        per_epoch = (self.epoch_at - self.started_at) / here
        left = (self.epochs - self.done) * per_epoch - (now - self.epoch_at)
        return max(left, 0.0) if math.isfinite(left) else None


def job_seconds_left(waiting: int, running_left: list[float | None], mean_duration: float | None) -> float | None:
    """The waiting tasks, dealt to as many places as run now, after the running ones."""
    known = [left for left in running_left if left is not None]
    places = max(len(running_left), 1)
    if waiting == 0:
        return max(known) if known and len(known) == len(running_left) else None
    if mean_duration is None:
        return None
    ahead = sum(known) + (len(running_left) - len(known)) * mean_duration / 2
    return (ahead + waiting * mean_duration) / places
