"""Measure the processor time of tests, with everything they start, per file (a plugin for pytest; root, cgroup v1).

$ pytest -p benchmarks.tests_cpu tests/browser
"""

import atexit
import os
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

GROUP = Path(f"/sys/fs/cgroup/cpuacct/paddock-tests-{os.getpid()}")
SHOWN = 25
_used: Counter[str] = Counter()


def _seconds() -> float:
    return int((GROUP / "cpuacct.usage").read_text()) / 1e9


def pytest_configure() -> None:
    GROUP.mkdir()
    # What this process starts from now on is in the group, too, whoever its parent becomes.
    (GROUP / "cgroup.procs").write_text(str(os.getpid()))
    atexit.register(_leave)  # after what the tests have registered: it ends the processes that serve them


def _leave() -> None:
    (GROUP.parent / "cgroup.procs").write_text(str(os.getpid()))
    with suppress(OSError):  # something of the tests still runs
        GROUP.rmdir()


def pytest_collection_finish() -> None:
    _used["(collection)"] = round(_seconds() * 1000)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[None]:
    before = _seconds()
    done = yield
    _used[item.nodeid.partition("::")[0]] += round((_seconds() - before) * 1000)
    return done


def pytest_unconfigure() -> None:
    for name, milliseconds in _used.most_common(SHOWN):
        print(f"{milliseconds / 1000:8.1f} s  {name}")
    print(f"{_seconds():8.1f} s  in all")
