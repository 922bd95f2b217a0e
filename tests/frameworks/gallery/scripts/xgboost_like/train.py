"""In the style of gradient boosting: one line per round, metrics with their data set."""

import argparse

parser = argparse.ArgumentParser()
parser.add_argument("--eta", type=float, default=0.3, help="step size")
parser.add_argument("--num_round", type=int, default=6)
args = parser.parse_args()

weight = 5.0
for i in range(args.num_round):
    weight -= args.eta * 2 * weight
    print(f"[{i}]\ttrain-rmse:{abs(weight) * 0.9:.5f}\teval-rmse:{abs(weight):.5f}")
