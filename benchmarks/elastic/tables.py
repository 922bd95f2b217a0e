"""What the simulated programs need: step times per size, and how the noise of their gradients grows.

The tables are made up, in the shape of what is published of such programs, and are no measurements. Per kind:

- computing a step takes `fixed + each * local` seconds, and the network takes longer between nodes than in one, more
  with each GPU; both overlap by an exponent. Every entry is then multiplied by a random factor (8 %), so that no
  formula, the one of `rules/profiles.py` neither, fits them exactly.
- the gradient noise scale grows along the training, in steps as where the learning rate falls. The worth of a sample
  in a batch of B is `(noise + first) / (noise + B)`.

`--tables FOLDER` reads others: one folder per kind with `scalability.csv` or `placements.csv`
(`num_nodes,num_replicas` or `placement`, `local_bsz,step_time`) and `validation-BATCH.csv` (`grad_sqr,grad_var`, of
batches of the smallest of these sizes). Every restart takes 30 s then.
"""

import csv
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path

import numpy as np

NODE = 4  # GPUs
NODES = 16
SIZES = (1, 2, *range(NODE, NODE * NODES + 1, NODE))
LOCALS = 2.0 ** np.arange(0, 14)


def nodes_of(gpus: int) -> int:
    return -(-gpus // NODE)


@dataclass(frozen=True)
class Kind:
    """A kind of program. `steps`: seconds by size and by samples per GPU (`LOCALS`); `noise` along the training."""

    name: str
    steps: dict[int, np.ndarray]
    noise: np.ndarray
    first: float
    most: float
    on_gpu: float
    restart: float
    common: tuple[float, ...]  # how common it is among jobs below 1, 10 and 100 GPU hours, and above

    def step(self, gpus: int, local: float, passes: float) -> float:
        """Return the seconds of a step, where all passes but the last send nothing."""
        one = np.interp(np.log2(local), np.log2(LOCALS), np.log(self.steps[1]))
        last = np.interp(np.log2(local), np.log2(LOCALS), np.log(self.steps[gpus]))
        return float((passes - 1) * np.exp(one) + np.exp(last))

    def noise_at(self, progress: float) -> float:
        return float(self.noise[min(int(progress * len(self.noise)), len(self.noise) - 1)])

    def goodput(self, gpus: int, batch: float, noise: float) -> float:
        """Return what it really trains per second, in samples of the first batch size."""
        local = max(batch / gpus, 1.0)
        passes = float(np.ceil(local / self.on_gpu - 1e-9))
        worth = (noise + self.first) / (noise + batch)
        return local * gpus / self.step(gpus, local / passes, passes) * worth


# name, fixed, each, near, more, far, more, overlap, noise from, to, first, most, on_gpu, restart, common
MADE = (
    ("small images", 0.02, 0.0004, 0.012, 0.001, 0.03, 0.0006, 2.0, 300, 4000, 128, 4096, 1024, 25, (5, 3, 0.5, 0)),
    ("large images", 0.04, 0.0045, 0.05, 0.004, 0.09, 0.001, 3.0, 2000, 40000, 256, 16384, 128, 50, (0, 1, 4, 6)),
    ("detection", 0.06, 0.030, 0.08, 0.006, 0.16, 0.002, 1.5, 30, 600, 16, 512, 16, 45, (0.5, 2, 3, 2)),
    ("speech", 0.05, 0.008, 0.06, 0.010, 0.18, 0.004, 1.3, 60, 900, 32, 640, 64, 40, (1.5, 3, 1, 0)),
    ("text", 0.03, 0.020, 0.10, 0.008, 0.35, 0.004, 2.0, 40, 1200, 24, 768, 24, 60, (1, 2, 3, 3)),
    ("recommendation", 0.008, 0.000004, 0.02, 0.004, 0.10, 0.003, 1.2, 500, 9000, 256, 8192, 8192, 15, (4, 1, 0, 0)),
)


def made() -> list[Kind]:
    """Return the kinds that were made up."""
    random, kinds = np.random.default_rng(19), []
    for name, fixed, each, near, more, far, far_more, overlap, low, high, first, most, on_gpu, restart, common in MADE:
        steps = {}
        for gpus in SIZES:
            base, slope = (near, more) if gpus <= NODE else (far, far_more)
            network = base + slope * (gpus - 2) if gpus > 1 else 0.0
            step = ((fixed + each * LOCALS) ** overlap + network**overlap) ** (1 / overlap)
            steps[gpus] = step * random.lognormal(0.0, 0.08)
        grown = np.geomspace(low, high, 60) ** 0.5 * np.repeat(np.geomspace(low, high, 3), 20) ** 0.5
        kinds.append(Kind(name, steps, grown, first, most, on_gpu, restart, common))
    return kinds


def read(folder: Path) -> list[Kind]:
    """Return the kinds of a folder of tables; how common each is goes by how long its steps take."""
    found = []
    for part in sorted(path for path in folder.iterdir() if path.is_dir()):
        times: dict[int, list[tuple[float, float]]] = defaultdict(list)
        for name in ("placements.csv", "scalability.csv"):
            for row in _rows(part / name):
                digits = [int(digit) for digit in row.get("placement", "")]
                gpus = sum(digits) or int(row["num_replicas"])
                nodes = len(digits) or int(row["num_nodes"])
                if nodes == nodes_of(gpus):
                    times[gpus].append((float(row["local_bsz"]), float(row["step_time"])))
        noise = {int(path.stem.split("-")[1]): _rows(path) for path in part.glob("validation-*.csv")}
        if 1 not in times or not noise:
            raise SystemExit(f"{part}: there are no step times of one GPU, or no validation-BATCH.csv")
        first, rows = min(noise), noise[min(noise)]
        scale = np.array([first * float(row["grad_var"]) / max(float(row["grad_sqr"]), 1e-12) for row in rows])
        largest = max(local for local, _ in times[1])
        steps = _filled({gpus: _over_locals(some) for gpus, some in times.items()})
        found.append(Kind(part.name, steps, np.maximum(scale, 1.0), first, max(noise), largest, 30.0, ()))
    if not found:
        raise SystemExit(f"{folder}: it contains no folders of tables")
    order = sorted(found, key=lambda one: one.goodput(1, one.first, one.noise_at(0.5)) / one.first)
    slow = {kind.name: 1 - rank / max(len(order) - 1, 1) for rank, kind in enumerate(order)}
    common = {name: (1.1 - part, 1.0, 0.1 + part, 0.1 + 2 * part) for name, part in slow.items()}
    return [Kind(**{**vars(one), "common": common[one.name]}) for one in found]


def _rows(path: Path) -> list[dict[str, str]]:
    if not path.exists():
        return []
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


def _over_locals(some: list[tuple[float, float]]) -> np.ndarray:
    """Return the steps at `LOCALS`: between those measured on a line in logarithms, beyond them by the sample."""
    means = {local: np.mean([step for one, step in some if one == local]) for local, _ in some}
    local, step = np.array(sorted(means)), np.array([means[one] for one in sorted(means)])
    inside = np.exp(np.interp(np.log(LOCALS), np.log(local), np.log(step)))
    found: np.ndarray = np.where(local[-1] < LOCALS, step[-1] * LOCALS / local[-1], inside)
    return found


def _filled(known: dict[int, np.ndarray]) -> dict[int, np.ndarray]:
    """Return the steps of all sizes: what was not measured lies between its neighbours, or is as the largest one."""
    sizes = sorted(known)
    table = np.log([known[size] for size in sizes])
    columns = [np.interp(np.log(SIZES), np.log(sizes), table[:, place]) for place in range(len(LOCALS))]
    return {size: np.exp([column[row] for column in columns]) for row, size in enumerate(SIZES)}
