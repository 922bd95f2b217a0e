"""Turn a space of hyperparameters into configurations to run."""

from paddock.search.expand import adaptive, expand, resolved, searcher, trials_at_once

__all__ = ["adaptive", "expand", "resolved", "searcher", "trials_at_once"]
