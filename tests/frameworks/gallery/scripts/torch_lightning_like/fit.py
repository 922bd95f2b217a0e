"""Real PyTorch: a module, an optimizer, Lightning's folders and its metrics.csv with gaps."""

import argparse
import csv
import os

import torch
from torch import nn

parser = argparse.ArgumentParser()
parser.add_argument("--optimizer.lr", dest="lr", type=float, default=0.1)
parser.add_argument("--trainer.max_epochs", dest="max_epochs", type=int, default=3)
args = parser.parse_args()

torch.manual_seed(0)
x = torch.randn(64, 4)
y = x.sum(dim=1, keepdim=True)
model = nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=args.lr)
folder = os.path.join("lightning_logs", "version_0")
os.makedirs(folder)
with open(os.path.join(folder, "metrics.csv"), "w", newline="") as file:
    writer = csv.DictWriter(file, ["epoch", "step", "train_loss", "val_loss"])
    writer.writeheader()
    step = 0
    for epoch in range(args.max_epochs):
        for begin in range(0, 48, 16):
            loss = nn.functional.mse_loss(model(x[begin : begin + 16]), y[begin : begin + 16])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            writer.writerow({"epoch": epoch, "step": step, "train_loss": loss.item()})
            step += 1
        with torch.no_grad():
            val_loss = nn.functional.mse_loss(model(x[48:]), y[48:])
        writer.writerow({"epoch": epoch, "step": step - 1, "val_loss": val_loss.item()})
        file.flush()
