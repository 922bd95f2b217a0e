"""Settings come from the environment, metrics go to a JSON-lines file."""

import json
import os

lr = float(os.environ.get("LR", "0.1"))
epochs = int(os.getenv("EPOCHS", 4))

weight = 5.0
with open("metrics.jsonl", "w") as file:
    for epoch in range(epochs):
        weight -= lr * 2 * weight
        file.write(json.dumps({"epoch": epoch, "val_loss": weight * weight, "acc": 1 / (1 + weight * weight)}) + "\n")
        file.flush()
