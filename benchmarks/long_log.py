"""Measure how a log of 300 MB is read: until the metrics at its very end are stored, and how large the runner gets."""

import tempfile
import time
from pathlib import Path

from tests.support.server import ServerProcess, running, wait_for

MEGABYTES = 300
SCRIPT = """
import os, sys
print("runner", os.getppid(), flush=True)
chat = "INFO some line of a chatty library, the 12th: all is well = fine\\n" * 1000
written = step = 0
while written < int(os.environ["PADDOCK_PARAM_BYTES"]):
    written += sys.stdout.write(chat + "step %d loss: %.6f acc: 0.5\\n" % (step, 1 / (step + 1)))
    step += 1
print("epoch 1 val_loss: 0.125", flush=True)
"""


def follow(server: ServerProcess, megabytes: int) -> tuple[str, float, float]:
    """Run a task that prints this much; return its job, how long its end took to be known, and the runner's memory."""
    began = time.perf_counter()
    job = server.submit(SCRIPT, params={"bytes": megabytes * 1_000_000})
    wait_for(lambda: server.get(f"/tasks/{job}-1")["log_bytes"] > 0, what="the task to print")
    runner = int(server.log_of(job).split()[1])
    peak = 0.0

    def ended() -> bool:
        nonlocal peak
        peak = max(peak, _peak(runner))
        return bool(server.get(f"/tasks/{job}-1")["ended_at"])

    wait_for(ended, seconds=900, what="the end of the task")
    return job, time.perf_counter() - began, peak


def _peak(pid: int) -> float:
    """Return the largest memory that a process has had so far, in MB; 0 if it is gone."""
    try:
        lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    except OSError:
        return 0.0
    return next((int(line.split()[1]) for line in lines if line.startswith("VmHWM")), 0) / 1024


def main() -> None:
    with tempfile.TemporaryDirectory() as folder, running(Path(folder) / "home", local__slots=1) as server:
        job, seconds, peak = follow(server, MEGABYTES)
        [curve] = server.get(f"/tasks/{job}-1/metrics", metric="val_loss")
        [losses] = server.get(f"/tasks/{job}-1/metrics", metric="loss")
        bytes_ = server.get(f"/tasks/{job}-1")["log_bytes"]
    print(f"a log of {bytes_ / 1e6:.0f} MB: the task and its last metric were known after {seconds:.1f} s")
    print(f"last value {curve['values'][-1]}, {len(losses['values'])} points of the loss")
    print(f"the runner had {peak:.0f} MB at most")


if __name__ == "__main__":
    main()
