"""Options by Typer, metrics in a CSV file in a folder of its own."""

from pathlib import Path
from typing import Annotated

import typer


def main(
    learning_rate: Annotated[float, typer.Option("--learning-rate", "-l", help="Step size")] = 0.1,
    epochs: int = 4,
    out: Path = Path("runs/latest"),
) -> None:
    out.mkdir(parents=True, exist_ok=True)
    weight = 5.0
    with open(out / "history.csv", "w") as file:
        file.write("epoch,train_mse,test_mse\n")
        for epoch in range(epochs):
            weight -= learning_rate * 2 * weight
            file.write(f"{epoch},{weight * weight * 0.9},{weight * weight}\n")
            file.flush()


if __name__ == "__main__":
    typer.run(main)
