"""Arguments by tyro from nested dataclasses, JSON lines on standard output."""

import dataclasses
import json

import tyro


@dataclasses.dataclass
class Optimizer:
    lr: float = 0.1
    """Learning rate."""


@dataclasses.dataclass
class Args:
    optimizer: Optimizer = dataclasses.field(default_factory=Optimizer)
    epochs: int = 4
    """Number of epochs."""


def main(args: Args) -> None:
    weight = 5.0
    for epoch in range(args.epochs):
        weight -= args.optimizer.lr * 2 * weight
        loss = weight * weight
        print(json.dumps({"epoch": epoch, "train": {"loss": loss * 0.9}, "val": {"loss": loss, "acc": 1 / (1 + loss)}}))


if __name__ == "__main__":
    main(tyro.cli(Args))
