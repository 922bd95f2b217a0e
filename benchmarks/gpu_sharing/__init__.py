"""Figures of sharing a GPU, on a machine with an NVIDIA GPU. See docs/benchmarks.md."""
