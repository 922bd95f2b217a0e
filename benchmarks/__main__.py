"""Run all benchmarks, one after the other."""

from benchmarks import (
    accept,
    agent,
    backlog,
    booking,
    calendar,
    cli_start,
    curves,
    hosts,
    ingest,
    latency,
    load,
    log_lines,
    long_log,
    monitor,
    page,
    permissions,
    quiet,
    readers,
    team,
    throughput,
    writers,
)

MODULES = (
    accept,
    throughput,
    latency,
    ingest,
    quiet,
    writers,
    backlog,
    readers,
    curves,
    load,
    monitor,
    log_lines,
    long_log,
    page,
    calendar,
    booking,
    cli_start,
    team,
    permissions,
    agent,
    hosts,
)
for module in MODULES:
    print(f"\n== {(module.__doc__ or '').strip().splitlines()[0]}", flush=True)
    module.main()
