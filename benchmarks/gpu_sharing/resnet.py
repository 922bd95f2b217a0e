"""Train a network of the size of ResNet-18 on generated data of the size of CIFAR, in batches of 256.

One such training keeps a GPU busy.
"""

import argparse

import torch
from torch import nn


class Block(nn.Module):  # type: ignore[misc, unused-ignore]
    def __init__(self, before: int, after: int, stride: int) -> None:
        super().__init__()
        self.body = nn.Sequential(
            *(nn.Conv2d(before, after, 3, stride, 1, bias=False), nn.BatchNorm2d(after), nn.ReLU()),
            *(nn.Conv2d(after, after, 3, 1, 1, bias=False), nn.BatchNorm2d(after)),
        )
        same = stride == 1 and before == after
        self.way = nn.Identity() if same else nn.Conv2d(before, after, 1, stride, bias=False)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return torch.relu(self.body(x) + self.way(x))


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--epochs", type=int, default=6)
    parser.add_argument("--batch", type=int, default=256)
    given = parser.parse_args()
    torch.manual_seed(0)
    layers: list[nn.Module] = [nn.Conv2d(3, 64, 3, 1, 1, bias=False), nn.BatchNorm2d(64), nn.ReLU()]
    before = 64
    for after, stride in ((64, 1), (64, 1), (128, 2), (128, 1), (256, 2), (256, 1), (512, 2), (512, 1)):
        layers.append(Block(before, after, stride))
        before = after
    net = nn.Sequential(*layers, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(512, 10)).cuda()
    images = torch.randn(25_600, 3, 32, 32, device="cuda")
    labels = torch.randint(0, 10, (25_600,), device="cuda")
    optimizer = torch.optim.SGD(net.parameters(), lr=0.01)
    criterion = nn.CrossEntropyLoss()
    for epoch in range(1, given.epochs + 1):
        for batch in torch.randperm(len(images), device="cuda").split(given.batch):
            optimizer.zero_grad()
            loss = criterion(net(images[batch]), labels[batch])
            loss.backward()
            optimizer.step()
        print(f"epoch: {epoch} loss: {loss.item():.4f}", flush=True)


main()
