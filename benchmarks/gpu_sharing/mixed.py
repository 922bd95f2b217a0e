"""Train a network whose memory depends on its parameters: a transformer, a convolutional or a plain net."""

import argparse

import torch
from torch import nn


class Transformer(nn.Module):  # type: ignore[misc, unused-ignore]
    def __init__(self, width: int, layers: int) -> None:
        super().__init__()
        self.embed = nn.Embedding(8192, width)
        layer = nn.TransformerEncoderLayer(width, 8, 4 * width, batch_first=True, norm_first=True)
        self.body = nn.TransformerEncoder(layer, layers, enable_nested_tensor=False)
        self.head = nn.Linear(width, 8192)

    def forward(self, tokens: torch.Tensor) -> torch.Tensor:
        found: torch.Tensor = self.head(self.body(self.embed(tokens)))
        return found.flatten(0, 1)


def convolutional(width: int, layers: int) -> nn.Module:
    parts: list[nn.Module] = [nn.Conv2d(3, width, 3, padding=1)]
    for _ in range(layers):
        parts += [nn.BatchNorm2d(width), nn.ReLU(), nn.Conv2d(width, width, 3, padding=1)]
    return nn.Sequential(*parts, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(width, 10))


def plain(width: int, layers: int) -> nn.Module:
    parts: list[nn.Module] = [nn.Linear(1024, width)]
    for _ in range(layers):
        parts += [nn.ReLU(), nn.Linear(width, width)]
    return nn.Sequential(*parts, nn.ReLU(), nn.Linear(width, 10))


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--model", choices=["transformer", "convolutional", "plain"], default="transformer")
    parser.add_argument("--width", type=int, default=256)
    parser.add_argument("--layers", type=int, default=4)
    parser.add_argument("--batch", type=int, default=16)
    parser.add_argument("--optimizer", choices=["adam", "sgd"], default="adam")
    parser.add_argument("--lr", type=float, default=1e-4)
    parser.add_argument("--steps", type=int, default=200)
    given = parser.parse_args()
    torch.manual_seed(0)
    torch.set_default_device("cuda")  # the weights too: on the processor their start would take longer than all else
    if given.model == "transformer":
        net: nn.Module = Transformer(given.width, given.layers)
        data = torch.randint(0, 8192, (given.batch, 256))
        labels = data.flatten()
    elif given.model == "convolutional":
        net = convolutional(given.width, given.layers)
        data = torch.randn(given.batch, 3, 32, 32)
        labels = torch.randint(0, 10, (given.batch,))
    else:
        net = plain(given.width, given.layers)
        data = torch.randn(given.batch, 1024)
        labels = torch.randint(0, 10, (given.batch,))
    kinds = {"adam": torch.optim.Adam, "sgd": torch.optim.SGD}
    optimizer = kinds[given.optimizer](net.parameters(), lr=given.lr)
    criterion = nn.CrossEntropyLoss()
    for epoch in range(1, 11):
        for _ in range(given.steps // 10):
            optimizer.zero_grad()
            with torch.autocast("cuda", torch.bfloat16):
                loss = criterion(net(data), labels)
            loss.backward()
            optimizer.step()
        print(f"epoch: {epoch} loss: {loss.item():.4f}", flush=True)


main()
