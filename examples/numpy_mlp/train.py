"""Train a small network in plain NumPy to separate two spirals.

Start here: it needs no framework and no GPU, and a whole sweep takes seconds. By hand:

    python train.py --learning_rate 0.3 --batch_size 32 --epochs 80

The script does not know Paddock. Paddock reads the argparse options to find the hyperparameters, and follows
metrics.csv to draw the curves. One thing is worth copying into your own script: with the checkpoint, an interrupted
training goes on where it stopped instead of starting again.
"""

import argparse
import csv
import os
from itertools import pairwise
from pathlib import Path

import numpy as np


def arguments():
    parser = argparse.ArgumentParser(description="Train a small network on two spirals.")
    parser.add_argument("--learning_rate", type=float, default=0.3)
    parser.add_argument("--batch_size", type=int, default=32)
    parser.add_argument("--hidden", type=int, default=64, help="width of both hidden layers")
    parser.add_argument("--epochs", type=int, default=80)
    parser.add_argument(
        "--early_stopping", type=int, default=20, help="epochs without a better val_loss; 0: never stop"
    )
    parser.add_argument("--seed", type=int, default=0)
    return parser.parse_args()


def two_spirals(count, rng):
    """Return `count` points in the plane, and for each the spiral that it is on."""
    label = rng.integers(0, 2, count)
    along = np.sqrt(rng.random(count))  # the root spreads the points evenly over the arms
    angle = along * 3 * np.pi + label * np.pi
    points = np.stack([along * np.cos(angle), along * np.sin(angle)], axis=1)
    return points + rng.normal(0, 0.02, points.shape), label


def new_network(hidden, rng):
    """Return weights and biases of 2 -> hidden -> hidden -> 2, as a flat dictionary that np.savez can store."""
    sizes = [2, hidden, hidden, 2]
    network = {}
    for layer, (inputs, outputs) in enumerate(pairwise(sizes)):
        network[f"w{layer}"] = rng.normal(0, np.sqrt(2 / inputs), (inputs, outputs))
        network[f"b{layer}"] = np.zeros(outputs)
    return network


def forward(network, x):
    """Return the activations of every layer (needed to go backward) and the logarithms of the class probabilities."""
    first = np.maximum(x @ network["w0"] + network["b0"], 0)
    second = np.maximum(first @ network["w1"] + network["b1"], 0)
    scores = second @ network["w2"] + network["b2"]
    scores = scores - scores.max(axis=1, keepdims=True)
    return [x, first, second], scores - np.log(np.exp(scores).sum(axis=1, keepdims=True))


def gradients(network, x, y):
    activations, log_probability = forward(network, x)
    back = np.exp(log_probability)
    back[np.arange(len(y)), y] -= 1
    back /= len(y)
    found = {}
    for layer in (2, 1, 0):
        found[f"w{layer}"] = activations[layer].T @ back
        found[f"b{layer}"] = back.sum(axis=0)
        back = (back @ network[f"w{layer}"].T) * (activations[layer] > 0)
    return found


def evaluate(network, x, y):
    log_probability = forward(network, x)[1]
    accuracy = (log_probability.argmax(axis=1) == y).mean()
    return float(accuracy), float(-log_probability[np.arange(len(y)), y].mean())


def checkpoint_file():
    """Return the file in the folder that Paddock gives every task; None without Paddock."""
    folder = os.environ.get("PADDOCK_CHECKPOINT_DIR")
    return Path(folder) / "checkpoint.npz" if folder else None


def save(path, network, **progress):
    """Write another file and rename it, so that a kill in the middle cannot leave half a checkpoint."""
    path.parent.mkdir(parents=True, exist_ok=True)
    beside = path.with_name("checkpoint.new.npz")
    np.savez(beside, **network, **progress)
    beside.replace(path)


def main():
    args = arguments()
    x, y = two_spirals(4000, np.random.default_rng(args.seed))
    x_val, y_val = two_spirals(1000, np.random.default_rng(args.seed + 1))
    network = new_network(args.hidden, np.random.default_rng(args.seed + 2))
    first_epoch, best, waited = 0, np.inf, 0

    checkpoint = checkpoint_file()
    if checkpoint and checkpoint.exists():
        stored = np.load(checkpoint)
        network = {name: stored[name] for name in network}
        first_epoch, best, waited = int(stored["epoch"]) + 1, float(stored["best"]), int(stored["waited"])
        print(f"resuming from {checkpoint} at epoch {first_epoch + 1}")

    # In the current folder: Paddock gives every task its own. A resumed training goes on in the same file; a new one
    # begins a new file.
    with open("metrics.csv", "a" if first_epoch else "w", newline="") as file:
        table = csv.writer(file)
        if not first_epoch:
            table.writerow(["epoch", "accuracy", "loss", "val_accuracy", "val_loss"])
        for epoch in range(first_epoch, args.epochs):
            # One generator per epoch: a resumed training sees the same order as an uninterrupted one.
            order = np.random.default_rng([args.seed, epoch]).permutation(len(x))
            for batch in np.split(order, range(args.batch_size, len(x), args.batch_size)):
                for name, gradient in gradients(network, x[batch], y[batch]).items():
                    network[name] = network[name] - args.learning_rate * gradient

            accuracy, loss = evaluate(network, x, y)
            val_accuracy, val_loss = evaluate(network, x_val, y_val)
            table.writerow([epoch, accuracy, loss, val_accuracy, val_loss])
            file.flush()  # otherwise the curve would appear only when a buffer of some kilobytes is full
            print(f"epoch {epoch + 1}/{args.epochs} loss: {loss:.4f} val_loss: {val_loss:.4f}", flush=True)

            best, waited = (val_loss, 0) if val_loss < best else (best, waited + 1)
            if checkpoint:
                save(checkpoint, network, epoch=epoch, best=best, waited=waited)
            if args.early_stopping and waited >= args.early_stopping:
                print(f"no better val_loss for {waited} epochs: stopping early")
                break


if __name__ == "__main__":
    # Too high a learning rate may end in infinities. That is a result that the curve shows, not an error.
    np.seterr(all="ignore")
    main()
