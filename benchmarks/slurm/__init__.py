"""Figures on a real Slurm, which is started for it: `python -m benchmarks.slurm` (root only)."""
