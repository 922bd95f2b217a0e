"""`paddock.elastic`: equality when resized, noise against the critical batch, adapted against fixed batches.

`python -m benchmarks.elastic_helper noise arms` runs parts of it. Needs the training environment, which
tools/train_env.py makes; takes some minutes on two processors that do nothing else.
"""

import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

from paddock.runner import elastic

ROOT = Path(__file__).resolve().parents[2]
TASK = {"samples": 32_000, "lr": 0.4}
EPOCHS, SEEDS = 10, (1, 2)
GRID, FACTORS = (64, 256, 1024), (1, 2, 4, 0.5, 0.25)  # of the learning rate
ARMS: dict[str, dict[str, Any]] = {
    "fixed at 256": {},
    "adapted, linear": {"most": 2048, "lr": "linear"},
    "adapted, adascale": {"most": 2048, "lr": "adascale"},
}


class Bench:
    """Starts trainings as tasks are started, in a folder of its own."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        made = [sys.executable, str(ROOT / "tools" / "train_env.py")]
        self.python = subprocess.run(made, stdout=subprocess.PIPE, text=True, check=True).stdout.strip()
        package = folder / "lib" / "paddock"
        package.mkdir(parents=True)
        source = ROOT / "src" / "paddock" / "runner"
        for name, copied in (("__init__", "reporting"), ("reporting", "reporting"), ("elastic", "elastic")):
            shutil.copyfile(source / f"{copied}.py", package / f"{name}.py")

    def lines(self, given: dict[str, Any], name: str, world: int = 1) -> list[dict[str, Any]]:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        command = [self.python, str(Path(__file__).with_name("train.py")), json.dumps(given)]
        shared = {
            "PYTHONPATH": str(self.folder / "lib"), "PADDOCK_CHECKPOINT_DIR": str(self.folder / name),
            "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(port), "WORLD_SIZE": str(world), "OMP_NUM_THREADS": "1",
        }  # fmt: skip
        processes = [
            subprocess.Popen(
                command, env={**os.environ, **shared, "RANK": str(rank), "LOCAL_RANK": str(rank)}, text=True,
                stdout=subprocess.PIPE,
            )
            for rank in range(world)
        ]  # fmt: skip
        printed = [process.communicate()[0] for process in processes]
        if any(process.returncode not in (0, elastic.TOLD_TO_END) for process in processes):
            raise SystemExit(f"{name}: a process failed, see above")
        return [json.loads(line) for line in printed[0].splitlines() if line.startswith("{")]


def equality(bench: Bench) -> None:
    task = {**TASK, "seed": 1, "epochs": 5, "run": {"batch": 255}}
    whole = bench.lines(task, "whole")
    parts = []
    for world, end_at in ((1, 40_000), (2, 60_000), (1, 0)):
        parts += bench.lines({**task, "end_at": end_at}, "resized", world)
    apart = max(abs(a["val_loss"] - b["val_loss"]) for a, b in zip(whole, parts, strict=True))
    print(
        f"resized 1 -> 2 -> 1 in the middle of epochs: val_loss differs by at most {apart:.1e} in {len(whole)} epochs"
    )


def critical_batch(bench: Bench, target: float) -> tuple[float, dict[int, int]]:
    """Return the batch size at which steps and samples are both twice what they are at least."""
    asked = {**TASK, "seed": 1, "batches": GRID, "factors": FACTORS, "target": target, "most_samples": 1_000_000}
    steps = {one["batch"]: one["steps"] for one in bench.lines(asked, "grid") if one["steps"]}
    sizes = np.array(list(steps))
    # steps = fewest * (1 + critical / batch): a line over 1 / batch, each size counting alike
    counts = np.array(list(steps.values()), dtype=float)
    columns = np.stack([1 / counts, 1 / sizes / counts], axis=1)
    fewest, slope = np.linalg.lstsq(columns, np.ones(len(sizes)), rcond=None)[0]
    return slope / fewest, steps


def noise(bench: Bench) -> None:
    found = bench.lines({**TASK, "seed": 1, "epochs": EPOCHS, "run": {"batch": 256}}, "noise", 2)
    found = found[
        : EPOCHS // 2
    ]  # with a constant rate, what comes later may be lower by chance than other sizes ever get
    measured = [one["noise"] for one in found if one["noise"]]
    mean = len(measured) / sum(1 / value for value in measured)
    critical, steps = critical_batch(bench, found[-1]["val_loss"])
    if len(steps) < len(GRID):
        raise SystemExit(f"only these sizes came to val_loss {found[-1]['val_loss']:.3f}: {steps}; no critical batch")
    print(f"grid, steps to val_loss {found[-1]['val_loss']:.3f}: {steps}; critical batch {critical:.0f}")
    print(f"noise of 2 processes: {measured[0]:.0f} to {measured[-1]:.0f}, harmonic mean {mean:.0f}")
    print(f"noise / critical batch: {mean / critical:.2f}")


def arms(bench: Bench) -> None:
    for seed in SEEDS:
        base = None
        for name, options in ARMS.items():
            task = {**TASK, "seed": seed, "epochs": EPOCHS, "decay": True, "run": {"batch": 256, **options}}
            began = time.monotonic()
            found = bench.lines(task, f"{name} {seed}", 2)
            took, last = time.monotonic() - began, found[-1]
            base = last["val_loss"] if base is None else base
            sizes = [one["batch"] for one in found]
            change = next((one["epoch"] for one in found if one["batch"] != 256), "-")
            print(
                f"seed {seed}, {name}: val_loss {last['val_loss']:.4f} ({last['val_loss'] - base:+.4f}), "
                f"batch {sizes[0]} to {sizes[-1]}, first change in epoch {change}, "
                f"{last['samples']} samples, {took:.0f} s",
                flush=True,
            )


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(Path(folder))
        parts = (equality, noise, arms)
        for part in parts:
            if part.__name__ in (sys.argv[1:] or [one.__name__ for one in parts]):
                part(bench)


if __name__ == "__main__":
    main()
