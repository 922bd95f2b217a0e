"""Run all benchmarks of scale, one after the other."""

from benchmarks.scale import accept, claims, journals, points, rounds, routes, runner_calls

for module in (accept, rounds, points, routes, journals, claims, runner_calls):
    print(f"\n== {(module.__doc__ or '').strip().splitlines()[0]}", flush=True)
    module.main()
