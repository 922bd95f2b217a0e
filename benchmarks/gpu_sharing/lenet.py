"""Train LeNet-4 on generated data of the size of MNIST, in batches of 64, as the paper did.

`--hold` takes extra GPU memory.
"""

import argparse
import os

import torch
from torch import nn


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--hold", type=float, default=0.0, help="GiB of GPU memory to hold")
    parser.add_argument("--epochs", type=int, default=5)
    parser.add_argument("--lr", type=float, default=0.01)
    given = parser.parse_args()
    torch.manual_seed(0)
    held = torch.empty(int(given.hold * 2**30), dtype=torch.uint8, device="cuda")
    images = torch.randn(60_000, 1, 28, 28)
    labels = torch.randint(0, 10, (60_000,))
    net = nn.Sequential(
        *(nn.Conv2d(1, 4, 5), nn.Tanh(), nn.AvgPool2d(2)),
        *(nn.Conv2d(4, 16, 5), nn.Tanh(), nn.AvgPool2d(2)),
        *(nn.Flatten(), nn.Linear(256, 120), nn.Tanh(), nn.Linear(120, 10)),
    ).cuda()
    optimizer = torch.optim.SGD(net.parameters(), lr=given.lr)
    criterion = nn.CrossEntropyLoss()
    for epoch in range(1, given.epochs + 1):
        total = 0.0
        batches = torch.randperm(len(images)).split(64)
        for batch in batches:
            optimizer.zero_grad()
            loss = criterion(net(images[batch].cuda()), labels[batch].cuda())
            loss.backward()
            optimizer.step()
            total += loss.item()
        print(f"epoch: {epoch} loss: {total / len(batches):.4f}", flush=True)
    print(f"process {os.getpid()} is done, with {held.numel()} bytes held")


main()
