"""Run the benchmarks of when tasks and jobs are expected to end."""

import argparse
import sys

from benchmarks.estimates import cost, trainings

parser = argparse.ArgumentParser(prog="python -m benchmarks.estimates", description=__doc__)
parser.add_argument("--quick", action="store_true", help="2 seeds and 4 trainings rather than 12 of each")
parser.add_argument(
    "--gpu", metavar="PYTHON", help="only the trainings, on this machine's GPU, with this Python's PyTorch"
)
given = parser.parse_args()
if given.gpu:
    sys.exit(not trainings.main(12, given.gpu))

from benchmarks.estimates import sweeps  # noqa: E402  it reads tables that are not needed above

print(f"== {(sweeps.__doc__ or '').strip().splitlines()[0]}", flush=True)
close = sweeps.main(range(2 if given.quick else 12))
print(f"\n== {(trainings.__doc__ or '').strip().splitlines()[0]}", flush=True)
close = trainings.main(4 if given.quick else 12) and close
print(f"\n== {(cost.__doc__ or '').strip().splitlines()[0]}", flush=True)
cheap = cost.main()
sys.exit(not (close and cheap))
