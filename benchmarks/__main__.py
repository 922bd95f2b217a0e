"""Run all benchmarks, one after the other."""

from benchmarks import accept, curves, ingest, latency, load, page, throughput

for module in (accept, throughput, latency, ingest, curves, load, page):
    print(f"\n== {(module.__doc__ or '').strip().splitlines()[0]}", flush=True)
    module.main()
