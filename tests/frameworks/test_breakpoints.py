"""Test breakpoint() in training scripts of real frameworks, answered by a person at a terminal."""

import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.person import PersonAtTerminal
from tests.support.server import ServerProcess, running

TORCH = """
import torch
model = torch.nn.Linear(4, 1)
optimiser = torch.optim.SGD(model.parameters(), lr=0.1)
torch.manual_seed(0)
for epoch in range(1, 4):
    loss = (model(torch.ones(8, 4)) - 1).pow(2).mean()
    if epoch == 2:
        breakpoint()
    loss.backward()
    optimiser.step()
    print(f"epoch {epoch} loss: {loss.item():.4f} lr: {optimiser.param_groups[0]['lr']}", flush=True)
"""
KERAS = """
import numpy, keras
class Stop(keras.callbacks.Callback):
    def on_epoch_end(self, epoch, logs):
        if epoch == 0:
            breakpoint()
        print("rate", float(self.model.optimizer.learning_rate), flush=True)
model = keras.Sequential([keras.Input((4,)), keras.layers.Dense(1)])
model.compile(optimizer=keras.optimizers.SGD(0.125), loss="mse")
model.fit(numpy.ones((32, 4)), numpy.ones(32), epochs=2, callbacks=[Stop()])
print("trained", flush=True)
"""


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServerProcess]:
    with running(tmp_path_factory.mktemp("breakpoints") / "home", local__slots=2) as made:
        yield made


@pytest.mark.parametrize(
    ("text", "variable", "shows", "change", "then"),
    [
        (TORCH, "loss.requires_grad", "True", "optimiser.param_groups[0]['lr'] = 0.5", "epoch 3 loss"),
        (KERAS, "sorted(logs)", "['loss']", "self.model.optimizer.learning_rate = 0.25", "rate 0.25"),
    ],
    ids=["torch", "keras"],
)
def test_a_training_is_looked_at_changed_and_goes_on(
    server: ServerProcess, train_python: str, text: str, variable: str, shows: str, change: str, then: str
) -> None:
    variables = {"TF_CPP_MIN_LOG_LEVEL": "3", "KERAS_HOME": str(server.home.root.parent / "keras")}
    environment = {"python": train_python, "variables": variables}
    job = server.submit(text, terminal=True, environment=environment, resources={"gpus": 0})
    server.wait_state(job, "running")
    clean = {name: value for name, value in os.environ.items() if not name.startswith("PADDOCK_")}
    env = clean | {"PADDOCK_HOME": str(Path(server.home.root))}
    with PersonAtTerminal([sys.executable, "-m", "paddock", "attach", f"{job}-1"], env) as me:
        me.sees("(Pdb)")
        me.type(f"p {variable}\r")
        me.sees(shows)
        me.sees("(Pdb)")
        me.type(f"{change}\r")
        me.sees("(Pdb)")
        me.type("c\r")
        me.sees(then)
        me.sees("has ended: exit code 0]")
        assert me.ends() == 0
    [task] = server.wait(job)
    assert (task["state"], task["attempt"]) == ("finished", 1)
    assert "loss" in server.task(job)["metrics"], server.log_of(job)
