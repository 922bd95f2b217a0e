"""Train with PyTorch, and report the training by printed lines only.

    python train.py --lr 0.01 --optimizer adam --epochs 20

Paddock follows the lines `epoch 3/20 loss: 0.12 val_loss: 0.10 val_accuracy: 0.95` on standard output: any script that
prints `name: value` has curves. For a file instead of printed lines see ../lightning_csv or ../numpy_mlp.
"""

import argparse
import os
from pathlib import Path

import torch
from torch import nn


def arguments():
    parser = argparse.ArgumentParser(description="Learn which points are inside a ring.")
    parser.add_argument("--lr", type=float, default=0.01)
    parser.add_argument("--optimizer", choices=["sgd", "adam"], default="adam")
    parser.add_argument("--batch-size", type=int, default=64)
    parser.add_argument("--hidden", type=int, default=32)
    parser.add_argument("--dropout", type=float, default=0.0)
    parser.add_argument("--epochs", type=int, default=20)
    parser.add_argument("--seed", type=int, default=0)
    return parser.parse_args()


def made_points(count, seed):
    """Return points in the plane, and for each whether it is in the ring between radius 0.5 and 1."""
    points = torch.rand(count, 2, generator=torch.Generator().manual_seed(seed)) * 3 - 1.5
    radius = points.norm(dim=1)
    return points, ((radius > 0.5) & (radius < 1)).long()


def load(checkpoint, model, optimizer):
    """Return the epoch to start with: the one after the checkpoint, or the first."""
    if not checkpoint or not checkpoint.exists():
        return 1
    stored = torch.load(checkpoint)
    model.load_state_dict(stored["model"])
    optimizer.load_state_dict(stored["optimizer"])
    print(f"resuming from {checkpoint} after epoch {stored['epoch']}", flush=True)
    return stored["epoch"] + 1


def save(checkpoint, model, optimizer, epoch):
    """Write another file and rename it, so that a kill in the middle cannot leave half a checkpoint."""
    beside = checkpoint.with_suffix(".new")
    checkpoint.parent.mkdir(parents=True, exist_ok=True)
    torch.save({"model": model.state_dict(), "optimizer": optimizer.state_dict(), "epoch": epoch}, beside)
    beside.replace(checkpoint)


def main():
    args = arguments()
    torch.manual_seed(args.seed)
    # Paddock sets CUDA_VISIBLE_DEVICES: "cuda" is the GPU of this task.
    device = "cuda" if torch.cuda.is_available() else "cpu"
    x, y = (tensor.to(device) for tensor in made_points(4000, args.seed))
    x_val, y_val = (tensor.to(device) for tensor in made_points(1000, args.seed + 1))

    model = nn.Sequential(nn.Linear(2, args.hidden), nn.ReLU(), nn.Dropout(args.dropout), nn.Linear(args.hidden, 2)).to(
        device
    )
    kinds = {"sgd": torch.optim.SGD, "adam": torch.optim.Adam}
    optimizer = kinds[args.optimizer](model.parameters(), lr=args.lr)
    loss_of = nn.CrossEntropyLoss()

    # Paddock gives every task a folder that stays the same for all attempts; without Paddock there is no checkpoint.
    folder = os.environ.get("PADDOCK_CHECKPOINT_DIR")
    checkpoint = Path(folder) / "checkpoint.pt" if folder else None

    for epoch in range(load(checkpoint, model, optimizer), args.epochs + 1):
        model.train()
        total = 0.0
        # Seeded again every epoch: a resumed training sees the same order as an uninterrupted one.
        torch.manual_seed(args.seed * 100_003 + epoch)
        for batch in torch.randperm(len(x)).to(device).split(args.batch_size):
            optimizer.zero_grad()
            loss = loss_of(model(x[batch]), y[batch])
            loss.backward()
            optimizer.step()
            total += loss.item() * len(batch)

        model.eval()
        with torch.no_grad():
            scores = model(x_val)
            val_loss = loss_of(scores, y_val).item()
            val_accuracy = (scores.argmax(dim=1) == y_val).float().mean().item()
        # flush: otherwise Python holds the lines back until its buffer of some kilobytes is full.
        print(
            f"epoch {epoch}/{args.epochs} loss: {total / len(x):.4f} "
            f"val_loss: {val_loss:.4f} val_accuracy: {val_accuracy:.4f}",
            flush=True,
        )
        if checkpoint:
            save(checkpoint, model, optimizer, epoch)


if __name__ == "__main__":
    main()
