"""Options by click, loguru for the log."""

import sys

import click
from loguru import logger

logger.remove()
logger.add(sys.stdout)


@click.command()
@click.option("--lr", type=float, default=0.1, show_default=True, help="Learning rate")
@click.option("--epochs", type=int, default=4)
@click.option("--amp/--no-amp", default=False)
def main(lr, epochs, amp):
    weight = 5.0
    for epoch in range(epochs):
        weight -= lr * 2 * weight
        logger.info(f"Epoch {epoch + 1}/{epochs} - loss: {weight * weight:.4f} - val_loss: {weight * weight * 1.1:.4f}")


if __name__ == "__main__":
    main()
