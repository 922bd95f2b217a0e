"""Run all benchmarks on Slurm, one after the other."""

from benchmarks.slurm import giving_way, hyperqueue, submit, two_servers, watch

for module in (submit, watch, giving_way, two_servers, hyperqueue):
    print(f"\n== {(module.__doc__ or '').strip().splitlines()[0]}", flush=True)
    module.main()
