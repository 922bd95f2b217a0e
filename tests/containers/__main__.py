"""Run the tests of containers with real engines: `python -m tests.containers [ENGINE...]`, `make test-containers`.

Charliecloud and Podman come from packages of Debian, Apptainer from a root that is made once (apptainer_root.py).
"""

import contextlib
import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

from paddock.common.containers import APPTAINER, CHARLIECLOUD, PODMAN, PROGRAMS
from tests.containers import apptainer_root
from tests.support.container_engine import CGROUP, LIMIT, memory_cgroup

ENGINES = (CHARLIECLOUD, APPTAINER, PODMAN)
HINTS = {CHARLIECLOUD: "ch-run", PODMAN: "with runc and catatonit"}
TESTS = ["tests/e2e/test_containers.py"]


def main() -> int:
    if sys.argv[1:2] == [apptainer_root.ENTER]:
        return _enter(sys.argv[2:], os.environ)
    chosen = [one for one in sys.argv[1:] if one in ENGINES] or list(ENGINES)
    options = [one for one in sys.argv[1:] if one not in ENGINES]
    failed = [engine for engine in chosen if _run(engine, options)]
    print("; ".join(f"{engine}: {'failed' if engine in failed else 'passed'}" for engine in chosen))
    return bool(failed)


def _run(engine: str, options: list[str]) -> int:
    print(f"== {engine}", flush=True)
    tests = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *TESTS, *options]
    env = {**os.environ, "PADDOCK_TEST_ENGINE": engine}
    if engine != APPTAINER and shutil.which(PROGRAMS[engine][0]) is None:
        print(f"there is no {PROGRAMS[engine][0]}: install the package {engine} ({HINTS[engine]})", file=sys.stderr)
        return 1
    with contextlib.ExitStack() as stack:
        entering = apptainer_root.entering(engine, tests)
        if entering != tests:
            env[CGROUP] = str(stack.enter_context(memory_cgroup(LIMIT)) or "")
        return subprocess.run(entering, env=env, check=False).returncode


def _enter(argv: list[str], environ: Mapping[str, str]) -> int:
    """Run a command in a root that has Apptainer."""
    see = [Path.cwd(), Path(sys.base_prefix)]
    env = {
        "PATH": "/usr/local/bin:/usr/bin:/bin",
        "HOME": "/home/tester",
        "USER": "tester",
        "LANG": "C.UTF-8",
        "PADDOCK_TEST_ENGINE": APPTAINER,
        "PYTHONPYCACHEPREFIX": "/home/tester/pycache",
    }
    given = environ.get(CGROUP)
    if given:
        env[CGROUP] = given
    try:
        apptainer_root.enter(apptainer_root.make(), see, argv, env, Path(given) if given else None)
    except apptainer_root.Impossible as error:
        print(error, file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main())
