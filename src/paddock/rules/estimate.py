"""The progress of tasks and the time that is left. Pure."""

import math
from dataclasses import dataclass

QUIET_SECONDS = 300.0  # a task that reports nothing for this long, or for two of its epochs, is shown as quiet


@dataclass(frozen=True)
class Pace:
    """The epochs of a running task. Scripts count from 0 or from 1: `base` is the first number."""

    epochs: int | None
    epoch: float | None
    epoch_at: float | None
    base: float | None
    attempt_first: float | None  # the first epoch that this attempt reported
    started_at: float | None
    first_at: float | None = None  # when this attempt reported its first epoch

    @property
    def done(self) -> float | None:
        """Return the number of epochs that are done."""
        if self.epoch is None or not math.isfinite(self.epoch):
            return None
        return self.epoch + 1 - min(max(0.0, self.base or 0.0), 1.0)

    @property
    def epochs_done(self) -> float | None:
        """Return how many of its epochs are done, as a count from 0 to all; None if their number is not known."""
        if self.done is None or not self.epochs or self.epochs <= 0:
            return None
        return min(max(self.done, 0.0), float(self.epochs))

    def progress(self) -> float | None:
        done = self.epochs_done
        return None if done is None or not self.epochs else done / self.epochs

    def seconds_left(self, now: float) -> float | None:
        """Return the seconds that are left at the pace of this attempt; an early stop may end it sooner.

        None if that is not known: also for a task that should have ended, or has reported nothing for too long.
        """
        per_epoch = self._per_epoch
        if self.done is None or not self.epochs or per_epoch is None or self.epoch_at is None:
            return None
        left = (self.epochs - self.done) * per_epoch - (now - self.epoch_at)
        return left if math.isfinite(left) and left > 0 and now <= (self.quiet_after or now) else None

    @property
    def steps(self) -> float:
        """Return the number of epochs between the first and the last report of this attempt: without its start-up."""
        if None in (self.epoch, self.epoch_at, self.attempt_first, self.first_at):
            return 0.0
        steps = (self.epoch or 0.0) - (self.attempt_first or 0.0)
        return steps if 0 < steps < math.inf and (self.epoch_at or 0.0) > (self.first_at or 0.0) else 0.0

    @property
    def epoch_seconds(self) -> float | None:
        """Return the seconds per epoch without the start-up; None as long as it has reported only one."""
        return self._per_epoch if self.steps else None

    @property
    def _per_epoch(self) -> float | None:
        """Return the seconds per epoch of this attempt; with its start-up, as long as it has reported only one."""
        if self.epoch is None or self.epoch_at is None or self.started_at is None:
            return None
        if self.steps and self.first_at is not None:
            return (self.epoch_at - self.first_at) / self.steps
        here = self.epoch - (self.attempt_first or 0) + 1
        if not here > 0 or self.epoch_at <= self.started_at:
            return None
        return (self.epoch_at - self.started_at) / here

    @property
    def reported_at(self) -> float | None:
        """Return when this attempt last reported something; its start if it has reported nothing."""
        if self.started_at is None or self.attempt_first is None or self.epoch_at is None:
            return self.started_at
        return max(self.epoch_at, self.started_at)

    @property
    def quiet_after(self) -> float | None:
        """Return the time after which to show that nothing is reported, unless something is reported before."""
        if self.reported_at is None:
            return None
        after = self.reported_at + max(QUIET_SECONDS, 2 * (self._per_epoch or 0.0))
        return after if math.isfinite(after) else None


def whole_seconds(pace: Pace, ended_at: float) -> tuple[float, float] | None:
    """Return how long an attempt that has ended would have taken for all of its epochs, and the share that it trained.

    None if that is not known.
    """
    if pace.started_at is None or not ended_at > pace.started_at:
        return None
    took, done = ended_at - pace.started_at, pace.epochs_done
    if done is None or not pace.epochs or not done > 0:
        return took, 1.0
    share = done / pace.epochs
    each = pace._per_epoch if pace.steps else took / done
    missing = (pace.epochs - done) * each if each is not None else 0.0
    return (took + missing, share) if math.isfinite(took + missing) else (took, 1.0)
