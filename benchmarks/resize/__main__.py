"""Measure what Paddock adds to a resize, locally and on an idle Slurm: the script takes no time to save and start."""

import argparse
import json
import os
import tempfile
from pathlib import Path

from tests.slurm.conftest import started_cluster
from tests.slurm.support import lab
from tests.support.server import running

from benchmarks.resize.rig import report, resizes
from paddock.settings import SlurmSettings

ROUNDS = 10
LOCAL_GOAL, SLURM_GOAL = 2.0, 5.0


def main() -> None:
    argparse.ArgumentParser(prog="python -m benchmarks.resize", description=__doc__).parse_args()
    for gpus, how in ((4, "locally, with room for the next size"), (2, "locally, on its own GPUs")):
        named = json.dumps([str(number) for number in range(gpus)])
        with tempfile.TemporaryDirectory() as folder, running(Path(folder) / "home", local__gpus=named) as server:
            report(how, resizes(server, [2, 1] * ROUNDS), LOCAL_GOAL)
    if os.geteuid() == 0:
        usual = SlurmSettings()
        paces = {"poll_seconds": usual.poll_seconds, "rest_seconds": usual.rest_seconds}
        with (
            tempfile.TemporaryDirectory() as folder,
            started_cluster(accounting=False) as cluster,
            lab(Path(folder), cluster, slurm=paces) as at,
        ):
            report("on an idle Slurm", resizes(at.server, [2, 1] * ROUNDS), SLURM_GOAL)


if __name__ == "__main__":
    main()
