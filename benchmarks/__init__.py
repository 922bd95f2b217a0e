"""Scripts that measure and print figures: `make benchmarks` runs all of them, `python -m` runs one."""
