"""A script that needs no time of its own to end and to begin, and what its resizes took."""

import json
import random
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.support.server import ServerProcess, wait_for

from benchmarks.measure import described

# A shell starts in milliseconds. It notes when it begins and when it is told to end, and ends at once.
SCRIPT = """
#!/bin/sh
notes="$PADDOCK_RESULTS_DIR/notes"
trap 'date "+term %s.%N" >> "$notes"; : > "$PADDOCK_CHECKPOINT_DIR/state"; exit 0' TERM
date "+start %s.%N" >> "$notes"
while :; do sleep 0.01; done
"""


@dataclass(frozen=True)
class Resized:
    """Seconds of one resize: until SIGTERM, and from then until the next attempt's first line."""

    until_told: float
    pause: float


def notes(folder: Path, what: str) -> list[float]:
    path = folder / "notes"
    lines = path.read_text().splitlines() if path.exists() else []
    return [float(line.split()[1]) for line in lines if line.startswith(what)]


def resizes(server: ServerProcess, sizes: Sequence[int], **resources: object) -> list[Resized]:
    """Resize a training to each of these sizes, one after the other, and return what each resize took."""
    spec = {"command": "sh train.sh", "resources": {"gpus": f"1..{max(sizes)}", **resources}, "yields": True}
    body = {"spec": spec, "files": {"train.sh": SCRIPT.lstrip()}}
    job = str(server.post("/jobs", body, 201)["id"])
    server.wait_state(job, "running")
    folder = Path(server.task(job)["folder"])
    wait_for(lambda: notes(folder, "start"), what="the first attempt to begin")
    found = []
    for number, gpus in enumerate(sizes, start=1):
        time.sleep(random.uniform(2, 3))  # at any moment of the engine's rounds
        asked = time.time()
        server.post(f"/tasks/{job}-1/resize", {"gpus": gpus})
        wait_for(lambda: notes(folder, "start")[number:], what=f"{gpus} GPUs")  # noqa: B023  (called at once)
        told, begun = notes(folder, "term")[number - 1], notes(folder, "start")[number]
        found.append(Resized(told - asked, begun - told))
    attempts = server.task(job)["attempts"]
    assert [one["size"] for one in attempts] == [1, *sizes], json.dumps(attempts)
    server.post(f"/jobs/{job}/stop")
    server.wait(job)
    return found


def report(what: str, found: Sequence[Resized], goal: float) -> None:
    print(f"{what}: {len(found)} resizes")
    print(f"  asked -> told to end (it trains): {described([one.until_told for one in found])}")
    print(f"  told to end -> next attempt begins (it does not train): {described([one.pause for one in found])}")
    both = [one.until_told + one.pause for one in found]
    print(f"  both: {described(both)} (goal: p95 under {goal:g} s)", flush=True)
