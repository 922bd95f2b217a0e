"""Paddock: an execution manager for training neural networks. See README.md."""

__version__ = "0.1.0"
