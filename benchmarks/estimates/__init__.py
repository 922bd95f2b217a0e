"""Benchmarks of when tasks and jobs are expected to end."""
