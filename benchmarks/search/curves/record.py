"""Record the learning curves of the examples: every configuration of a grid, trained to the end, once per seed.

    python benchmarks/search/curves/record.py numpy_mlp     (or pytorch)

Needs an environment in which the example runs. Writes NAME.jsonl beside this file, one training per line; benchmarks
replay these files instead of training again. A training of fewer epochs has the same curve, cut off.
"""

import contextlib
import csv
import io
import json
import math
import os
import re
import runpy
import sys
import tempfile
from itertools import product
from pathlib import Path

HERE = Path(__file__).parent
EXAMPLES = HERE.parents[2] / "examples"
METRICS = ("val_loss", "val_accuracy")
LINE = re.compile(r"(\w+): (\S+)")

GRIDS: dict[str, dict[str, list[object]]] = {
    "numpy_mlp": {
        "learning_rate": [2, 1, 0.3, 0.1, 0.03, 0.003],
        "batch_size": [16, 32, 128],
        "hidden": [16, 64],
    },
    "pytorch": {
        "lr": [1, 0.1, 0.03, 0.01, 0.003, 0.001],
        "optimizer": ["sgd", "adam"],
        "batch-size": [32, 64, 256],
    },
}
SEEDS = {"numpy_mlp": [0, 1, 2], "pytorch": [0, 1, 2]}
EXTRA = {"numpy_mlp": ["--epochs", "81", "--early_stopping", "0"], "pytorch": ["--epochs", "27", "--hidden", "64"]}


def train(example: str, argv: list[str]) -> dict[str, list[float | None]]:
    """Run the script unmodified, in a temporary folder, and return the metrics that it wrote."""
    printed, before = io.StringIO(), Path.cwd()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        try:
            sys.argv = ["train.py", *argv]
            with contextlib.redirect_stdout(printed):
                runpy.run_path(str(EXAMPLES / example / "train.py"), run_name="__main__")
            table = Path("metrics.csv")
            rows: list[dict[str, str]]
            if table.exists():
                with table.open(newline="") as file:
                    rows = list(csv.DictReader(file))
            else:
                rows = [dict(LINE.findall(line)) for line in printed.getvalue().splitlines()]
        finally:
            os.chdir(before)
    return {name: [_short(row[name]) for row in rows if name in row] for name in METRICS}


def _short(text: str) -> float | None:
    value = float(text)
    return float(f"{value:.4g}") if math.isfinite(value) else None


def main() -> None:
    os.environ.pop("PADDOCK_CHECKPOINT_DIR", None)
    for example in sys.argv[1:] or list(GRIDS):
        grid = GRIDS[example]
        with (HERE / f"{example}.jsonl").open("w") as file:
            for seed, values in product(SEEDS[example], product(*grid.values())):
                params = dict(zip(grid, values, strict=True))
                flags = [f"--{name}={value}" for name, value in params.items()]
                curves = train(example, [*flags, f"--seed={seed}", *EXTRA[example]])
                row = {"seed": seed, "params": params, **curves}
                file.write(json.dumps(row, separators=(",", ":")) + "\n")
                file.flush()


if __name__ == "__main__":
    main()
