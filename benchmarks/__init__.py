"""Scripts that measure and print figures. `make benchmarks` runs them all; each runs alone with python -m."""
