"""Run all benchmarks, one after the other."""

from benchmarks import accept, backlog, curves, ingest, latency, load, page, quiet, readers, throughput, writers

for module in (accept, throughput, latency, ingest, quiet, writers, backlog, readers, curves, load, page):
    print(f"\n== {(module.__doc__ or '').strip().splitlines()[0]}", flush=True)
    module.main()
