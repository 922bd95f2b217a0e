"""The best trials of a report. Imported by commands that import no model."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from paddock.models import SearchReport, TrialReport


def best_trials(report: SearchReport, count: int | None = None) -> list[TrialReport]:
    """Return trials that have values, best first; with several objectives, the Pareto front by the first of them."""
    sign = 1 if report.objectives[0].goal == "min" else -1
    several = len(report.objectives) > 1
    found = [(trial.values[0], trial) for trial in report.history if trial.front or not several]
    known = [(sign * value, trial.trial, trial) for value, trial in found if value is not None]
    return [trial for *_, trial in sorted(known, key=lambda one: one[:2])][:count]
