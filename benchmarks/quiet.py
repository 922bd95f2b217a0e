"""Measure a round of the engine in which 1,000 journals have nothing new, and what opening them safely costs."""

import os
import statistics
import time
from collections.abc import Callable

from benchmarks.workload import JOB, Bench, batch_of, bench, started
from paddock.common import files, layout
from paddock.server.engine import ingest
from paddock.server.engine.engine import Engine
from paddock.server.store import allocations

JOURNALS, ROUNDS = 1000, 30


def main() -> None:
    with bench(JOURNALS) as made:
        keys = _journals(made)
        engine = Engine(made.context.db, made.home, made.context.settings, [], lambda: None)
        while engine.round():
            pass
        folder = str(made.home.job(JOB).allocations)
        sizes = {key: os.stat(f"{folder}/{key}/journal.1.jsonl").st_size for key in keys}
        plain = _cost(lambda: _plain(folder, sizes))
        safe = _cost(lambda: _safe(folder, str(made.home.job(JOB).root), sizes))
        engine._asked = False
        ingest.QUIET_SECONDS, ingest.PAUSES = 0.0, (1e9, 1e9, 1e9)
        quiet = _cost(lambda: _round(engine, house=False))
        ingest.PAUSES = (0.0, 0.0, 0.0)
        whole = _cost(lambda: _round(engine, house=False))
        house = _cost(lambda: _round(engine, house=True))
        engine.close()
    print(f"{JOURNALS} journals read: {plain} with plain opens, {safe} with files.Folder")
    print(f"a quiet round of the engine: {quiet} (goal: 20 ms of CPU)")
    print(f"once per second one that reads all journals: {whole}; with all other steps: {house}")


def _journals(made: Bench) -> list[str]:
    batch = batch_of(made.home, f"{JOB}-a2", JOURNALS)
    with made.context.db.write() as c:
        allocations.close(c, f"{JOB}-a1.0")
        allocations.plan(c, JOB, "elsewhere", batch)
        allocations.submitted(c, batch.key, batch.keys)
    for key, record in zip(batch.keys, started(JOURNALS, time.time()), strict=True):
        made.home.job(JOB).allocation(key).mkdir()
        made.say([record], made.home.job(JOB).journal(key, 1))
    return batch.keys


def _cost(call: Callable[[], object]) -> str:
    used, took = [], []
    for _ in range(ROUNDS):
        cpu, clock = time.process_time(), time.perf_counter()
        call()
        used.append(time.process_time() - cpu)
        took.append(time.perf_counter() - clock)
    return f"{statistics.median(used) * 1000:.1f} ms of CPU ({statistics.median(took) * 1000:.1f} ms)"


def _round(engine: Engine, *, house: bool) -> None:
    engine._others_at = 0.0 if house else time.time()
    engine.round()


def _plain(folder: str, sizes: dict[str, int]) -> None:
    for key, size in sizes.items():
        descriptor = os.open(f"{folder}/{key}/journal.1.jsonl", os.O_RDONLY)
        os.pread(descriptor, 1_000_000, size)
        os.close(descriptor)


def _safe(folder: str, root: str, sizes: dict[str, int]) -> None:
    opened = files.Folder(folder, root)
    for key, size in sizes.items():
        opened.read(key, layout.journal("", 1), 1_000_000, size)
    opened.close()


if __name__ == "__main__":
    main()
