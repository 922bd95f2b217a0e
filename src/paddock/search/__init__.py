"""From a space of hyperparameters to the configurations to run."""

from paddock.search.expand import DEFAULT_TRIALS, expand, method_of, varying

__all__ = ["DEFAULT_TRIALS", "expand", "method_of", "varying"]
