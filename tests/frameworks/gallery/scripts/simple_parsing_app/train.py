"""Arguments by simple-parsing, a table that is printed with tabs."""

from dataclasses import dataclass

from simple_parsing import ArgumentParser


@dataclass
class HParams:
    """Hyper-parameters"""

    learning_rate: float = 0.1  # Learning rate of the optimizer
    epochs: int = 4  # How long


parser = ArgumentParser()
parser.add_arguments(HParams, dest="hparams")
hparams = parser.parse_args().hparams

weight = 5.0
for epoch in range(1, hparams.epochs + 1):
    weight -= hparams.learning_rate * 2 * weight
    print(f"epoch {epoch} loss {weight * weight * 0.9:.4f} dev_loss {weight * weight:.4f}")
