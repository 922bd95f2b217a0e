"""Train a small network in plain NumPy, for population-based training. By hand:

    python train.py --learning_rate 0.03 --epochs 30

No single learning rate is best here: with a large one the network learns fast but stays inaccurate (the data are
noisy), with a small one it becomes accurate but takes long. Population-based training finds a schedule from large to
small by itself: every few epochs the worst tasks continue from copies of the checkpoints of the best ones, with a
slightly different learning rate.

A script must only save a checkpoint after every epoch, and take its hyperparameters from its arguments, not from the
checkpoint, which may come from another task.
"""

import argparse
import os
from pathlib import Path

import numpy as np


def arguments():
    parser = argparse.ArgumentParser(description="Learn a curve from noisy points.")
    parser.add_argument("--learning_rate", type=float, default=0.03)
    parser.add_argument("--epochs", type=int, default=30)
    parser.add_argument("--steps", type=int, default=2000, help="steps per epoch, each with new points")
    parser.add_argument("--seed", type=int, default=0)
    return parser.parse_args()


def curve(x):
    return np.sin(3 * x)


def new_network(rng, hidden=16):
    """Return the weights of 1 -> hidden -> 1, as a dictionary that np.savez can store."""
    return {
        "w": rng.normal(0, 2, (1, hidden)),
        "b": rng.normal(0, 2, hidden),
        "v": np.zeros((hidden, 1)),
        "c": np.zeros(1),
    }


def forward(network, x):
    hidden = np.tanh(x @ network["w"] + network["b"])
    return hidden, hidden @ network["v"] + network["c"]


def train(network, rate, steps, rng):
    """Do one epoch of stochastic gradient descent; return the mean loss on the noisy points."""
    x = rng.uniform(-1, 1, (steps, 8, 1))
    y = curve(x) + rng.normal(0, 1, x.shape)
    total = 0.0
    for points, wanted in zip(x, y, strict=True):
        hidden, found = forward(network, points)
        back = (found - wanted) / len(points)
        inner = (back @ network["v"].T) * (1 - hidden**2)
        network["v"] -= rate * (hidden.T @ back)
        network["c"] -= rate * back.sum(axis=0)
        network["w"] -= rate * (points.T @ inner)
        network["b"] -= rate * inner.sum(axis=0)
        total += float((back * (found - wanted)).sum())
    return total / steps


def save(checkpoint, network, epoch):
    """Write another file and rename it, so that neither a kill nor a copy in the middle gives half a checkpoint."""
    checkpoint.parent.mkdir(parents=True, exist_ok=True)
    beside = checkpoint.with_name("checkpoint.new.npz")
    np.savez(beside, **network, epoch=epoch)
    os.replace(beside, checkpoint)


def main():
    args = arguments()
    network = new_network(np.random.default_rng(args.seed))
    done = 0

    # Paddock gives every task a folder that stays the same for all attempts; without Paddock there is no checkpoint.
    folder = os.environ.get("PADDOCK_CHECKPOINT_DIR")
    checkpoint = Path(folder) / "checkpoint.npz" if folder else None
    if checkpoint and checkpoint.exists():
        with np.load(checkpoint) as stored:
            network = {name: stored[name] for name in network}
            done = int(stored["epoch"])
        print(f"resuming after epoch {done} with a learning rate of {args.learning_rate}", flush=True)

    x = np.linspace(-1, 1, 1000)[:, None]
    for epoch in range(done + 1, args.epochs + 1):
        # One generator per epoch, from seed and epoch: a resumed training sees the same points as an uninterrupted one.
        loss = train(network, args.learning_rate, args.steps, np.random.default_rng([args.seed, epoch]))
        val_loss = float(((forward(network, x)[1] - curve(x)) ** 2).mean())  # without noise
        # The checkpoint first: when Paddock reads that an epoch is done, its weights can be copied.
        if checkpoint:
            save(checkpoint, network, epoch)
        print(f"epoch {epoch}/{args.epochs} loss: {loss:.6f} val_loss: {val_loss:.6f}", flush=True)


if __name__ == "__main__":
    # Too high a learning rate may end in infinities. That is a result that the curve shows, not an error.
    np.seterr(all="ignore")
    main()
