"""Measure how long write transactions of large jobs block SQLite's one writer: other requests wait that long.

It prints the longest ones in CPU seconds, and in brackets in elapsed seconds: the machine may be busy with other work.
"""

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

import sqlalchemy as sa

from benchmarks import backlog
from benchmarks.workload import JOB, Bench, bench, started
from paddock.models import CodeInfo, ExtendRequest, JobSpec, Traits
from paddock.server.engine.engine import Engine
from paddock.server.intake import extension, submission
from paddock.server.store import attempts, jobs, tasks
from paddock.server.store.db import Database

TASKS, MORE = 20_000, 10_000
SHOWN = 2
_plain = Database.write
_held: list[tuple[float, float, str]] = []  # seconds of CPU, seconds, who


@contextmanager
def _timed(db: Database) -> Iterator[sa.Connection]:
    frame = sys._getframe(2)
    while frame.f_back and frame.f_code.co_filename.endswith(("contextlib.py", "apply.py", "db.py")):
        frame = frame.f_back
    who = f"{frame.f_globals['__name__']}.{frame.f_code.co_name}"
    began, used = time.perf_counter(), time.process_time()
    try:
        with _plain(db) as c:
            began, used = time.perf_counter(), time.process_time()
            yield c
    finally:
        _held.append((time.process_time() - used, time.perf_counter() - began, who))


@contextmanager
def _longest(what: str) -> Iterator[None]:
    _held.clear()
    began = time.perf_counter()
    yield
    seconds = time.perf_counter() - began
    longest = ", ".join(f"{used:.2f} ({held:.2f}) {who}" for used, held, who in sorted(_held, reverse=True)[:SHOWN])
    print(f"{what}: {seconds:.1f} s in all; of {len(_held)} writers: {longest}", flush=True)


def main() -> None:
    Database.write = _timed  # type: ignore[method-assign,assignment]
    try:
        with bench(1) as made:
            engine = Engine(made.context.db, made.home, made.context.settings, [], lambda: None)
            _measure(made, engine)
            engine.close()
    finally:
        Database.write = _plain  # type: ignore[method-assign]


def _measure(made: Bench, engine: Engine) -> None:
    db = made.context.db
    with _longest(f"{TASKS:,} tasks submitted"):
        large = _submit(made, {"a": list(range(TASKS // 100)), "b": list(range(100))})
    with _longest("and published"):
        _run(engine)
    with _longest(f"{MORE:,} tasks submitted"):
        random = _submit(made, {"lr": "0..1.5"}, search={"method": "random", "trials": MORE})
    with _longest(f"extended by {MORE:,}"):
        extension.extend(db, random, ExtendRequest(trials=MORE), made.context.settings)
    with _longest("and published"):
        _run(engine)
    with _longest("all stopped: the request"), db.write() as c:
        tasks.request_stop(c, large, None)
    with _longest("all stopped: the engine"):
        _run(engine)
    with db.write() as c:
        attempts.update_tasks(c, [{"id": f"{large}-{n + 1}", "state": "error"} for n in range(TASKS)])
    with _longest("all failed ones restarted: the request"), db.write() as c:
        tasks.restart(c, large, None, failed=True, resume=True)
    with _longest("all failed ones restarted: the engine"):
        _run(engine)
    made.say(started(1, time.time()))
    backlog.write(made.journal, f"{JOB}-1", 10_000_000)
    with _longest("10 MB of a journal"):
        _run(engine)
    with _longest("removed: the request"), db.write() as c:
        jobs.mark_removing(c, random)


def _submit(made: Bench, params: dict[str, object], **spec: object) -> str:
    given = JobSpec.model_validate({"command": "true", "params": params, **spec})
    settings = made.context.settings
    plan = submission.plan(given, {}, settings, [], Traits())
    return submission.accept(plan, CodeInfo(), "bench", made.home, made.context.db, settings)


def _run(engine: Engine) -> None:
    engine.wake()
    while engine.round():
        engine.wake()


if __name__ == "__main__":
    main()
