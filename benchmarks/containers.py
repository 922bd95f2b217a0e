"""Print how much later a program begins in a container than without one: `python -m benchmarks.containers [IMAGE]`.

Without an image, a small one is made. Needs Charliecloud (ch-run) or Apptainer; no root.
"""

import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from tests.support import image as images

from paddock.common import containers

TIMES = 21


def seconds(argv: list[str], env: dict[str, str]) -> float:
    began = time.perf_counter()
    subprocess.run(argv, env=env, check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter() - began


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        image = sys.argv[1] if len(sys.argv) > 1 else str(images.make(Path(folder, "image")))
        given = containers.ContainerImage(image)
        env = dict(os.environ)
        before = containers.wrapped(given, [], "/", env, {})
        plain, inside = [], []
        for _ in range(TIMES):  # in turns: the machine may be busy
            plain.append(seconds(["/bin/sh", "-c", "true"], dict(os.environ)))
            inside.append(seconds([*before, "/bin/sh", "-c", "true"], env))
    print(f"{Path(before[0]).name}, {TIMES} starts each, in turns")
    for name, found in (("without", plain), ("in the image", inside)):
        print(f"{name:>13}: median {statistics.median(found) * 1000:.1f} ms, worst {max(found) * 1000:.1f} ms")
    print(f"   more: {(statistics.median(inside) - statistics.median(plain)) * 1000:.1f} ms (bar: 500 ms)")


if __name__ == "__main__":
    main()
