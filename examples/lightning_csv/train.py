"""Write the files that PyTorch Lightning's CSVLogger writes, without Lightning (only NumPy is needed).

    python train.py --lr 0.1 --max_epochs 20

With Lightning you write `Trainer(logger=CSVLogger("."))` and nothing else: Paddock finds
lightning_logs/version_0/metrics.csv by itself. Such a file is not a plain table. The training loss has one row per few
steps and validation has one row per epoch, so most cells are blank. When a metric appears for the first time, the whole
file is written again with one more column.
"""

import argparse
import csv
from pathlib import Path

import numpy as np


class MetricsFile:
    """Write metrics.csv as Lightning does: columns in alphabetical order, a blank cell where a row has no value."""

    def __init__(self):
        version = 0
        while Path(f"lightning_logs/version_{version}").exists():
            version += 1  # as Lightning does: a second run in the same folder overwrites nothing
        self.path = Path(f"lightning_logs/version_{version}/metrics.csv")
        self.path.parent.mkdir(parents=True)
        self.columns = []
        self.rows = []

    def log(self, **metrics):
        self.rows.append(metrics)
        columns = sorted({*self.columns, *metrics})
        if columns == self.columns:
            self.write("a", [metrics])
        else:
            self.columns = columns
            self.write("w", self.rows)

    def write(self, mode, rows):
        with self.path.open(mode, newline="") as file:
            table = csv.DictWriter(file, self.columns, restval="")
            if mode == "w":
                table.writeheader()
            table.writerows(rows)


def made_points(count, rng):
    """Return points on both sides of a curved line, with features that make the line straight."""
    x = rng.uniform(-1, 1, (count, 2))
    y = (x[:, 1] > np.sin(3 * x[:, 0])).astype(float)
    powers = [x[:, 0] ** power for power in range(6)]
    return np.stack([x[:, 1], *powers], axis=1), y


def evaluate(weights, x, y):
    probability = 1 / (1 + np.exp(-(x @ weights)))
    loss = -np.log(np.where(y == 1, probability, 1 - probability) + 1e-12).mean()
    return probability, float(loss), float(((probability > 0.5) == y).mean())


def main():
    parser = argparse.ArgumentParser(description="Logistic regression on generated points.")
    parser.add_argument("--lr", type=float, default=0.1)
    parser.add_argument("--batch_size", type=int, default=32)
    parser.add_argument("--max_epochs", type=int, default=20)
    parser.add_argument("--log_every_n_steps", type=int, default=10)
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()

    rng = np.random.default_rng(args.seed)
    x, y = made_points(2000, rng)
    x_val, y_val = made_points(500, rng)
    weights = np.zeros(x.shape[1])
    metrics = MetricsFile()
    step = 0
    for epoch in range(args.max_epochs):
        order = rng.permutation(len(x))
        for batch in np.split(order, range(args.batch_size, len(x), args.batch_size)):
            probability, train_loss, _ = evaluate(weights, x[batch], y[batch])
            weights -= args.lr * x[batch].T @ (probability - y[batch]) / len(batch)
            if (step + 1) % args.log_every_n_steps == 0:
                metrics.log(epoch=epoch, step=step, train_loss=train_loss)
            step += 1
        _, val_loss, val_acc = evaluate(weights, x_val, y_val)
        metrics.log(epoch=epoch, step=step - 1, val_loss=val_loss, val_acc=val_acc)
    print(f"done: see {metrics.path}")


if __name__ == "__main__":
    main()
