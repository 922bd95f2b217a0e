"""Reads data from a folder beside its own, as it lies in the repository."""

import argparse
import json
import pathlib

parser = argparse.ArgumentParser()
parser.add_argument("--lr", type=float, default=0.1)
parser.add_argument("--data", default="../data/start.json")
args = parser.parse_args()

weight = json.loads((pathlib.Path(__file__).parent / args.data).read_text())["weight"]
for epoch in range(4):
    weight -= args.lr * 2 * weight
    print("epoch", epoch, "val_loss", round(weight * weight, 4))
