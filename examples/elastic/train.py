"""Train with `paddock.elastic`: any number of GPUs, also another one after each start, and the same result.

    paddock submit examples/elastic/train.py --gpus 2 --launcher torchrun -p lr=0.1,0.3

Ended in the middle, it goes on within the epoch from its checkpoint, on more or fewer GPUs, with the same samples in
each step. With `--most 1024` the batch grows where that is faster. Each task of Paddock has `paddock.elastic`; to run
this by hand, use an environment with Paddock, or import a copy of the file. See docs/elastic.md.
"""

import argparse

import torch
from torch import nn

from paddock import elastic


def arguments():
    parser = argparse.ArgumentParser(description="Learn which points are inside a ring.")
    parser.add_argument("--lr", type=float, default=0.1)
    parser.add_argument("--batch", type=int, default=64, help="samples of a step, on all GPUs together")
    parser.add_argument("--most", type=int, default=0, help="up to which the batch may grow; 0: it stays")
    parser.add_argument("--epochs", type=int, default=10)
    parser.add_argument("--seed", type=int, default=0)
    return parser.parse_args()


def made_points(count, seed):
    """Return points in the plane, and for each whether it is in the ring between radius 0.5 and 1."""
    points = torch.rand(count, 2, generator=torch.Generator().manual_seed(seed)) * 3 - 1.5
    radius = points.norm(dim=1)
    return points, ((radius > 0.5) & (radius < 1)).long()


def main():
    args = arguments()
    torch.manual_seed(args.seed)
    data = torch.utils.data.TensorDataset(*made_points(4000, args.seed))
    model = nn.Sequential(nn.Linear(2, 32), nn.ReLU(), nn.Linear(32, 2))
    optimizer = torch.optim.SGD(model.parameters(), lr=args.lr, momentum=0.9)
    run = elastic.Training(model, optimizer, batch=args.batch, most=args.most or None, seed=args.seed)
    x_val, y_val = (tensor.to(run.device) for tensor in made_points(1000, args.seed + 1))
    loss_of = nn.CrossEntropyLoss()

    for epoch in run.epochs(args.epochs):  # those that are left
        for batch in run.batches(data):  # this GPU's part of each step
            run.step(batch, lambda x, y: loss_of(run.model(x), y))
        with torch.no_grad():
            scores = model(x_val)  # not run.model, which may wait for the other processes
            val_loss = loss_of(scores, y_val).item()
            val_accuracy = (scores.argmax(dim=1) == y_val).float().mean().item()
        if run.rank == 0:
            print(f"epoch {epoch}/{args.epochs} val_loss: {val_loss:.4f} val_accuracy: {val_accuracy:.4f}", flush=True)
        run.save(epoch, val_loss=val_loss, val_accuracy=val_accuracy)  # and reports them; ends here if told to


if __name__ == "__main__":
    main()
