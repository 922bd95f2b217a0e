"""From a space of hyperparameters to the configurations to run."""

from paddock.search.expand import abreast, adaptive, expand, searcher, settled, varying

__all__ = ["abreast", "adaptive", "expand", "searcher", "settled", "varying"]
