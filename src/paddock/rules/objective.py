"""Choose the objective of a job from the names of the metrics that its tasks report. Pure."""

from collections.abc import Iterable
from dataclasses import dataclass

from paddock.models.metric_names import VALIDATION, MetricName, meaning
from paddock.models.spec import Objective

SECONDS = "seconds"  # the training time, which needs no report of the script
SHARE = 4  # the choice is final when a task has done one of this many parts of its epochs
EPOCHS = 2  # and at least this many epochs
BLIND = 3  # a search is held after this many tasks without the objective
BLIND_ALONE = 2  # or after this many, if they are all that have begun
UNREPORTED = "The objective is missing: "  # notices about it begin with this
_WHOLE = frozenset(("total", "overall", "mean", "avg", "average", "epoch"))  # words that narrow nothing down


@dataclass(frozen=True)
class Choice:
    """The metric that was chosen, and why."""

    objective: Objective
    why: str


def choose(names: Iterable[str]) -> Choice | None:
    """Return the best objective among these metrics; None if no name reveals what it means.

    It depends on the set of names only. With more names it stays the same, or becomes one that ranks higher.
    """
    known = [(name, meaning(name)) for name in names]
    ranked = sorted((_rank(name, one), name, one) for name, one in known if one.goal is not None)
    if not ranked:
        return None
    _, name, found = ranked[0]
    return Choice(Objective(metric=name, goal=found.goal), f"{_described(found)}, chosen from what the tasks report")


def _rank(name: str, one: MetricName) -> tuple[int | str, ...]:
    validation = one.validation
    if validation is not None:
        tier = 0 if one.kind != "score" else 1
    elif one.training:
        tier = 5 if one.kind != "score" else 6
    else:
        tier = {"score": 2, "error": 3, "loss": 4}[one.kind or "loss"]
    place = VALIDATION.index(validation) if validation else 0
    # A value per epoch says more than one per step, and a plain name more than one with further words.
    doubtful = ("best" in one.words) + ("step" in one.words) + ("ema" in one.words)
    further = len([word for word in one.words if word not in _WHOLE])
    return tier, place, doubtful, one.kind == "error", one.preference, further, len(one.words), name.casefold()


def _described(one: MetricName) -> str:
    kind = one.kind or "loss"
    if one.validation is not None:
        which = "test" if one.validation.startswith("test") else "validation"
        return f"the {which} loss" if kind == "loss" else f"a {which} {kind}"
    if one.training or kind == "loss":
        return f"the training {kind}"
    return "a score" if kind == "score" else "an error"


def is_final(
    found: Choice | None, *, finished: bool = False, done: float | None = None, epochs: int | None = None
) -> bool:
    """Return True if a choice can be relied on: it is a validation loss, or a task has shown all that it reports.

    `finished`: a task has finished. `done`, `epochs`: how many epochs the furthest task has done, and of how many.
    """
    if found is None:
        return False
    one = meaning(found.objective.metric)
    if finished or (one.validation is not None and one.kind == "loss"):
        return True
    return done is not None and bool(epochs) and done >= max(EPOCHS, (epochs or 0) / SHARE)


def is_blind(without: int, begun: int, reported: int) -> bool:
    """Return True if a search learns nothing: enough of its tasks could have reported the objective, and none has.

    `without`: tasks that have finished, or trained for long enough, without it. `begun`: all tasks that have begun.
    `reported`: tasks that have reported it.
    """
    return reported == 0 and (without >= BLIND or (without >= BLIND_ALONE and without >= begun))


def missing(metric: str, names: Iterable[str], job: str) -> str:
    """Return a notice that names the metrics that there are, and what to do."""
    found = sorted(names)
    what = f"no task has reported {metric}" if metric else "no task has reported a metric that can be the objective"
    if not found:
        return (
            f"{what}, nor any other metric: print one, such as `val_loss: 0.3`, call `paddock.report`, or name the "
            "lines that contain one with `--metric-pattern REGEX`"
        )
    return f"{what}. There are: {listed(found)}. Choose one with `paddock objective {job} METRIC`, or in the page"


def unreported(metric: str, names: Iterable[str], numbers: bool, job: str) -> str | None:
    """Return a notice for a job of which a task has finished, and none has reported the objective.

    An empty `metric`: the objective is to be chosen. `numbers`: logs of finished tasks contain numbers.
    """
    found = sorted(names)
    if metric in found or not (found or metric or numbers):
        return None
    if not found and numbers:
        return (
            f"{UNREPORTED}no task has reported a metric, but logs contain numbers: select one in the log of a task in "
            "the page to make it a metric of all tasks, or submit again with `--metric-pattern REGEX`"
        )
    return UNREPORTED + missing(metric, found, job)


def listed(names: Iterable[str], most: int = 12) -> str:
    """Return names as a text, with the number of those that are left out."""
    found = list(names)
    return ", ".join(found[:most]) + (f" and {len(found) - most} more" if len(found) > most else "")
