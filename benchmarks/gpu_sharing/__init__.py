"""What sharing a GPU gains, on a machine with an NVIDIA card. See docs/benchmarks.md."""
