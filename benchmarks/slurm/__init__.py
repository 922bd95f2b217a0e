"""Figures on a real Slurm that the scripts start themselves: `python -m benchmarks.slurm` (root only)."""
