"""Learn the next character of the standard library's source, as the JSON object in the first argument says.

With "batches": without `paddock.elastic`, print after how many steps each batch size reaches the target, at the best of
some learning rates. Else one training: print a line per epoch.
"""

import json
import os
import signal
import sys
import sysconfig
from pathlib import Path
from typing import Any

import torch
from torch import nn

CONTEXT, LETTERS = 16, 64


class Text(torch.utils.data.Dataset):  # type: ignore[misc]
    """Windows of the text, taken as tensors at once."""

    def __init__(self, letters: Any, starts: Any) -> None:
        self.letters, self.starts = letters, starts

    def __len__(self) -> int:
        return len(self.starts)

    def __getitems__(self, indices: list[int]) -> tuple[Any, Any]:
        at = self.starts[torch.tensor(indices)]
        return self.letters[at[:, None] + torch.arange(CONTEXT)], self.letters[at + CONTEXT]


def made_data(count: int) -> tuple[Text, tuple[Any, Any]]:
    folder = Path(sysconfig.get_paths()["stdlib"])
    text = b"".join(path.read_bytes() for path in sorted(folder.glob("[a-m]*.py")))[:2_000_000]
    letters = torch.frombuffer(
        bytearray(min(max(byte - 32, 0), 95) * LETTERS // 96 for byte in text), dtype=torch.uint8
    )
    order = torch.randperm(len(letters) - CONTEXT, generator=torch.Generator().manual_seed(7))
    training = Text(letters.long(), order[:count])
    return training, Text(letters.long(), order[-5_000:]).__getitems__(list(range(5_000)))


def made_model(seed: int) -> Any:
    torch.manual_seed(seed)
    inner = nn.Linear(CONTEXT * 8, 64)
    return nn.Sequential(nn.Embedding(LETTERS, 8), nn.Flatten(), inner, nn.Tanh(), nn.Linear(64, LETTERS))


def loss_on(model: Any, data: tuple[Any, Any]) -> float:
    with torch.no_grad():
        return float(nn.functional.cross_entropy(model(data[0]), data[1]))


def grid(given: dict[str, Any]) -> None:
    training, validation = made_data(given["samples"])
    for batch in given["batches"]:
        found: list[tuple[int, float]] = []
        for factor in given["factors"]:
            model = made_model(given["seed"])
            optimizer = torch.optim.SGD(model.parameters(), lr=given["lr"] * factor)
            most = (
                min(given["most_samples"] // batch, *(steps for steps, _ in found))
                if found
                else given["most_samples"] // batch
            )
            order = torch.Generator().manual_seed(given["seed"])
            for step in range(1, most + 1):
                x, y = training.__getitems__(torch.randint(len(training), (batch,), generator=order).tolist())
                optimizer.zero_grad()
                nn.functional.cross_entropy(model(x), y).backward()
                optimizer.step()
                if step % max(1, 8192 // batch) == 0 and loss_on(model, validation) <= given["target"]:
                    found.append((step, factor))
                    break
        steps, factor = min(found, default=(None, None))
        print(json.dumps({"batch": batch, "steps": steps, "lr": factor and factor * given["lr"]}), flush=True)


def train(given: dict[str, Any]) -> None:
    from paddock import elastic

    training, validation = made_data(given["samples"])
    model = made_model(given["seed"])
    optimizer = torch.optim.SGD(model.parameters(), lr=given["lr"])
    run = elastic.Training(model, optimizer, seed=given["seed"], **given["run"])
    done = 0
    for epoch in run.epochs(given["epochs"]):
        for batch in run.batches(training, collate_fn=lambda x: x):
            run.step(batch, lambda x, y: nn.functional.cross_entropy(run.model(x), y))
            done += run.batch
            if given.get("decay"):  # to nothing: what it ends with is not the noise of the last steps
                optimizer.param_groups[0]["lr"] = given["lr"] * max(0.0, 1 - run.progress / given["epochs"])
            if run.rank == 0 and 0 < given.get("end_at", 0) <= done:
                os.kill(os.getpid(), signal.SIGTERM)
        loss = loss_on(model, validation)
        if run.rank == 0:
            told = {"epoch": epoch, "val_loss": loss, "batch": run.batch, "noise": run.noise, "samples": run.samples}
            print(json.dumps(told), flush=True)
        run.save(epoch, val_loss=loss)


if __name__ == "__main__":
    torch.set_num_threads(1)
    told = json.loads(sys.argv[1])
    grid(told) if "batches" in told else train(told)
