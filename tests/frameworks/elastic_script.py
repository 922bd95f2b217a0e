"""A training for the tests of `paddock.elastic`: started once per process, told by its environment what to do.

Prints a line of JSON per epoch, by the first process. `END_AT` is how many samples are done when the process `END_RANK`
gets SIGTERM, as a real one would, in the middle of an epoch.
"""

import io
import json
import os
import signal

import torch
from torch import nn

from paddock import elastic

SAMPLES = 16 * 63 + 1  # the last step of an epoch has one sample, so a second process has none


def die_in_save(number: int) -> None:
    """Have this process killed in the middle of writing its so-many-th checkpoint."""
    whole, saved = torch.save, []

    def half(state: object, file: io.BufferedWriter) -> None:
        saved.append(1)
        whole(state, file)
        if len(saved) == number:
            file.flush()
            os.truncate(file.fileno(), file.tell() // 2)
            os.kill(os.getpid(), signal.SIGKILL)

    torch.save = half


def main() -> None:
    torch.set_num_threads(1)
    torch.manual_seed(0)
    if "DIE_IN_SAVE" in os.environ:
        die_in_save(int(os.environ["DIE_IN_SAVE"]))
    given = json.loads(os.environ.get("ELASTIC", "{}"))
    x = torch.randn(SAMPLES, 8)
    y = (x @ torch.randn(8, 1) + 0.5 * torch.randn(SAMPLES, 1)).tanh()
    model = nn.Sequential(nn.Linear(8, 16), nn.Tanh(), nn.Linear(16, 1))
    kinds = {
        "sgd": lambda: torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.5),
        "adam": lambda: torch.optim.AdamW(model.parameters(), lr=0.01),
    }
    optimizer = kinds[given.pop("optimizer", "sgd")]()
    epochs, scale = given.pop("epochs", 4), torch.optim.lr_scheduler.LambdaLR(optimizer, lambda epoch: 0.9**epoch)
    end_at, end_rank = int(os.environ.get("END_AT", "-1")), int(os.environ.get("END_RANK", "0"))
    run = elastic.Training(model, optimizer, batch=given.pop("batch", 63), also={"schedule": scale}, **given)
    fails = float(os.environ.get("TOO_MANY", "0"))

    held = float(os.environ.get("HOLDS", "0"))  # bytes per sample, of the GPU

    def loss_of(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        if held:
            torch.empty(int(held * len(x)), dtype=torch.uint8, device=run.device)
        if fails and len(x) > fails:
            raise torch.cuda.OutOfMemoryError("made by the test")
        return nn.functional.mse_loss(run.model(x), y)

    done = 0
    for epoch in run.epochs(epochs):
        for batch in run.batches(torch.utils.data.TensorDataset(x, y)):
            run.step(batch, loss_of)
            done += run.batch
            if 0 <= end_at <= done and run.rank == end_rank:
                end_at = -1
                os.kill(os.getpid(), signal.SIGTERM)
        scale.step()
        with torch.no_grad():
            loss = nn.functional.mse_loss(model(x.to(run.device)), y.to(run.device)).item()
        if run.rank == 0:
            weights = [value for weights in model.parameters() for value in weights.flatten().tolist()]
            print(
                json.dumps(
                    {
                        "epoch": epoch,
                        "loss": loss,
                        "weights": weights,
                        "batch": run.batch,
                        "noise": run.noise,
                        "progress": run.progress,
                    }
                ),
                flush=True,
            )
        run.save(epoch, loss=loss)


if __name__ == "__main__":
    main()
