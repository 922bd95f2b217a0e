"""Allocations from Slurm."""
