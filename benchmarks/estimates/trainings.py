"""Small real trainings on this machine, one after the other: how far off the time left is, half-way.

Each is a process that imports, makes its data (the start-up), and trains a network with numpy or (on a GPU) PyTorch.
"""

import statistics
import subprocess
import sys
import time

import numpy as np

from paddock.rules.durations import Lengths, PastRun, Prediction, TaskWork, Underway, adjusted, outlook
from paddock.rules.estimate import Pace, whole_seconds

EPOCHS = 24
BAR = 0.10
EPOCH = 0.3  # seconds, about
TRAINING = """
import sys, time
import numpy as np
rng = np.random.default_rng(0)
end = time.process_time() + 1.5  # it reads its data
while time.process_time() < end:
    x = rng.standard_normal((2000, 64))
y = np.sin(x @ rng.standard_normal((64, 1)))
a, b = rng.standard_normal((64, 256)) / 8, rng.standard_normal((256, 1)) / 16
for epoch in range(%d):
    for _ in range(int(sys.argv[1])):
        h = np.tanh(x @ a)
        e = h @ b - y
        b -= 1e-4 * h.T @ e
        a -= 1e-4 * x.T @ ((e @ b.T) * (1 - h * h))
    print(epoch, flush=True)
"""
ON_GPU = """
import sys
import torch
x = torch.randn(20000, 1024, device="cuda")
y = torch.randn(20000, 10, device="cuda")
net = torch.nn.Sequential(torch.nn.Linear(1024, 4096), torch.nn.ReLU(), torch.nn.Linear(4096, 10)).cuda()
optimizer = torch.optim.SGD(net.parameters(), lr=0.01)
for epoch in range(%d):
    for _ in range(int(sys.argv[1])):
        loss = (net(x) - y).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(epoch, loss.item(), flush=True)
"""


def training(steps: int, torch_python: str | None) -> tuple[float, list[float], float]:
    """Return when a training began, when each of its epochs was done, and when it ended."""
    began, ends = time.time(), []
    command = [torch_python, "-c", ON_GPU % EPOCHS] if torch_python else [sys.executable, "-c", TRAINING % EPOCHS]
    with subprocess.Popen([*command, str(steps)], stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        for _ in process.stdout:
            ends.append(time.time())
    return began, ends, time.time()


def main(count: int, torch_python: str | None = None) -> bool:
    errors: list[float] = []
    old: list[float] = []
    inside: list[bool] = []
    start_up: list[float] = []
    scores: list[float] = []
    runs: list[PastRun] = []
    _, ends, _ = training(4, torch_python)
    times = max(round(EPOCH / (ends[-1] - ends[0]) * (EPOCHS - 1)), 1)  # a fast machine does more
    for number in range(count):
        steps = (4, 8)[number % 2] * times
        began, ends, over = training(steps, torch_python)
        start_up.append((ends[0] - began) / (over - began))
        new = []
        for share in (0.25, 0.5, 0.75):
            now = began + share * (over - began)
            done = [end for end in ends if end <= now]
            if not done:
                continue
            last = len(done) - 1
            pace = Pace(EPOCHS, float(last), done[-1], 0.0, 0.0, began, done[0])
            work = TaskWork({"steps": steps}, EPOCHS)
            under = Underway(work, now - began, pace.seconds_left(now), pace.progress() or 0.0, pace.steps)
            [plain] = outlook(now, Lengths(runs), [under], []).running
            if plain is None:
                continue
            band = adjusted(now, plain, scores)
            inside.append(band.early <= over <= band.late)
            new.append(Prediction(now, plain).score(over))
            if share == 0.5:
                errors.append(abs(band.likely - over) / (over - now))
                before = Pace(EPOCHS, float(last), done[-1], 0.0, 0.0, began).seconds_left(now)
                old.append(abs((before or 0.0) - (over - now)) / (over - now))
        scores += new
        whole = whole_seconds(Pace(EPOCHS, EPOCHS - 1.0, ends[-1], 0.0, 0.0, began, ends[0]), over)
        assert whole is not None
        runs.append(PastRun(TaskWork({"steps": steps}, EPOCHS), *whole))
    half, ninety = np.quantile(errors, [0.5, 0.9])
    print(
        f"{count} trainings, {statistics.fmean(start_up):.0%} of their time before the first epoch is done: half-way, "
        f"error {half:.1%} (median), {ninety:.1%} (p90); the old rule: {np.median(old):.0%}, "
        f"{np.quantile(old, 0.9):.0%}; in the 80 % band: {np.mean(inside):.0%} of {len(inside)}",
        flush=True,
    )
    return bool(half <= BAR)
