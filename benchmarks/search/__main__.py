"""Run the benchmarks of the search methods."""

import argparse
import sys

from benchmarks.search import convergence, stopping, suggest, tables

parser = argparse.ArgumentParser(prog="python -m benchmarks.search", description=__doc__)
parser.add_argument("--quick", action="store_true", help="3 seeds rather than 10")
parser.add_argument("--first", type=int, default=0, help="the first seed")
parser.add_argument("--workers", type=int, default=2, help="processes at a time")
given = parser.parse_args()

print(f"== {(suggest.__doc__ or '').strip()}", flush=True)
fast = suggest.main()
print(f"\n== {(convergence.__doc__ or '').strip()}", flush=True)
converged = convergence.main()
print(f"\n== {(stopping.__doc__ or '').strip().splitlines()[0]}", flush=True)
stopping.main()
print(f"\n== {(tables.__doc__ or '').strip().splitlines()[0]}", flush=True)
good = tables.main(range(given.first, given.first + (3 if given.quick else 10)), given.workers)
sys.exit(not (fast and converged and good))
