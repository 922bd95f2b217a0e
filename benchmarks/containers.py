"""Print how much later a program begins in a container than without one: `python -m benchmarks.containers [ENGINE...]`.

With every engine that is here; Apptainer also from the root of tests/containers (root only), where both are measured.
"""

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from tests.containers import apptainer_root
from tests.support import container_engine

from paddock.common import containers

TIMES = 21
SAYS = ["/bin/sh", "-c", "echo begun"]
BAR = 500  # milliseconds
MEASURE = "--measure"


def seconds(argv: list[str], env: dict[str, str]) -> float:
    """Return how long it takes until a program prints something."""
    began = time.perf_counter()
    with subprocess.Popen(argv, env=env, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        said = process.stdout.readline()
        took = time.perf_counter() - began
    if process.returncode or not said:
        raise SystemExit(f"{argv[0]} failed with {process.returncode}")
    return took


def measure() -> dict[str, list[float]]:
    """Return the seconds of starts without a container and with the engine of PADDOCK_TEST_ENGINE, in turns."""
    found: dict[str, list[float]] = {"without": [], "inside": []}
    with tempfile.TemporaryDirectory() as folder, container_engine.prepared(Path(folder)) as image:
        env = dict(os.environ)
        before = containers.wrapped(containers.ContainerImage(image, container_engine.ENGINE), [], "/", env, {})
        for _ in range(TIMES):  # in turns: the machine may be busy
            found["without"].append(seconds(SAYS, dict(os.environ)))
            found["inside"].append(seconds([*before, *SAYS], env))
    return found


def main() -> int:
    if sys.argv[1:] == [MEASURE]:
        print(json.dumps(measure()))
        return 0
    print(
        f"{TIMES} starts of a shell each, in turns, until it prints; milliseconds: median, worst; the bar is {BAR} more"
    )
    late = False
    for engine in sys.argv[1:] or containers.PROGRAMS:
        argv = apptainer_root.entering(engine, [sys.executable, "-m", "benchmarks.containers", MEASURE])
        env = {**os.environ, "PADDOCK_TEST_ENGINE": engine}
        done = subprocess.run(argv, env=env, stdout=subprocess.PIPE, text=True, check=False)
        if done.returncode:
            print(f"{engine:>13}: not measured")
            continue
        found = json.loads(done.stdout.splitlines()[-1])
        plain, inside = ([1000 * one for one in found[name]] for name in ("without", "inside"))
        more = statistics.median(inside) - statistics.median(plain)
        late = late or more > BAR
        shown = [f"{statistics.median(one):.1f}, {max(one):.1f}" for one in (plain, inside)]
        print(f"{engine:>13}: without {shown[0]}; in the image {shown[1]}; {more:.0f} more")
    return late


if __name__ == "__main__":
    sys.exit(main())
