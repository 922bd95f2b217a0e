"""Read what the tasks of a campaign wrote about themselves, independent of Paddock: one file per task."""

import json
from dataclasses import dataclass
from pathlib import Path

# Goes on from its checkpoint. Every line is one write, so that nothing of it is ever torn or mixed. The lock is the
# kernel's word on whether another process of the same task is alive. No two attempts give a step the same value.
TRAIN = """
import argparse, fcntl, json, os, time
from paddock import report

parser = argparse.ArgumentParser()
parser.add_argument("--number", type=int, default=1)
parser.add_argument("--steps", type=int, default=20)
parser.add_argument("--seconds", type=float, default=0.5)
parser.add_argument("--witness")
args = parser.parse_args()
attempt = int(os.environ["PADDOCK_ATTEMPT"])
run = "%d-%d" % (os.getpid(), time.time_ns())
path = os.path.join(args.witness, os.environ["PADDOCK_TASK"])
file = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644)

def say(what, **more):
    line = {"what": what, "attempt": attempt, "run": run, "at": time.time(), **more}
    os.write(file, (json.dumps(line) + "\\n").encode())

try:
    fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
except OSError:
    say("beside")
say("start", number=args.number)
saved = os.path.join(os.environ["PADDOCK_CHECKPOINT_DIR"], "step")
first = int(open(saved).read()) if os.path.exists(saved) else 0
for step in range(first, args.steps):
    time.sleep(args.seconds)
    value = args.number + 1 / (step + 1) + attempt / 1000
    say("step", step=step, value=value)
    report(step=step, loss=value)
    with open(saved + ".new", "w") as new:
        new.write(str(step + 1))
    os.replace(saved + ".new", saved)
say("end")
"""


@dataclass(frozen=True)
class Line:
    what: str  # beside (another process of this task is alive), start, step, end
    attempt: int
    run: str  # of one process
    at: float
    step: int | None = None
    value: float | None = None
    number: int | None = None  # which configuration it is


def read(folder: Path) -> dict[str, list[Line]]:
    """Task -> what it said, in the order in which it was said."""
    return {
        path.name: [Line(**json.loads(line)) for line in path.read_text().splitlines()] for path in folder.iterdir()
    }
