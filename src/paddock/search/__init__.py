"""From a space of hyperparameters to the configurations to run."""

from paddock.search.expand import adaptive, expand, resolved, searcher, trials_at_once, varying

__all__ = ["adaptive", "expand", "resolved", "searcher", "trials_at_once", "varying"]
