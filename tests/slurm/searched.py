"""The script that test_search.py submits."""

import argparse
import time

parser = argparse.ArgumentParser()
parser.add_argument("--x", type=float)
parser.add_argument("--epochs", type=int)
args = parser.parse_args()
for epoch in range(1, args.epochs + 1):
    time.sleep(0.3)
    print(f"epoch {epoch}/{args.epochs} loss: {args.x**2 + 0.1 / epoch:.5f}", flush=True)
