"""Run all benchmarks on Slurm, one after the other."""

from benchmarks.slurm import hyperqueue, submit, watch

for module in (submit, watch, hyperqueue):
    print(f"\n== {(module.__doc__ or '').strip().splitlines()[0]}", flush=True)
    module.main()
