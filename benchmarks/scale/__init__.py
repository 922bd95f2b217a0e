"""Figures with 1,000 jobs, 10,000-task jobs and 100 nodes: `python -m benchmarks.scale`."""
