"""In the style of timm: a parser for a config file before the parser with groups, logging, a summary in CSV."""

import argparse
import csv
import logging
import os

import yaml

config_parser = parser = argparse.ArgumentParser(description="Training Config", add_help=False)
parser.add_argument("-c", "--config", default="", type=str, metavar="FILE", help="YAML config file with defaults")

parser = argparse.ArgumentParser(description="PyTorch ImageNet Training")
group = parser.add_argument_group("Model parameters")
group.add_argument("--model", default="resnet50", type=str, metavar="MODEL", help="Name of model to train")
group.add_argument("--drop", type=float, default=0.0, metavar="PCT", help="Dropout rate (default: 0.)")
group = parser.add_argument_group("Optimizer parameters")
group.add_argument("--opt", default="sgd", type=str, metavar="OPTIMIZER", choices=["sgd", "adamw"])
group.add_argument("--lr", type=float, default=None, metavar="LR", help="learning rate, overrides lr-base if set")
group.add_argument("--epochs", type=int, default=4, metavar="N")
group = parser.add_argument_group("Miscellaneous parameters")
group.add_argument("--output", default="output", type=str, metavar="PATH", help="path to output folder")

_logger = logging.getLogger("train")


def _parse_args():
    args_config, remaining = config_parser.parse_known_args()
    if args_config.config:
        with open(args_config.config) as f:
            parser.set_defaults(**yaml.safe_load(f))
    return parser.parse_args(remaining)


def main():
    logging.basicConfig(level=logging.INFO, format="%(message)s")
    args = _parse_args()
    os.makedirs(args.output, exist_ok=True)
    weight = 5.0
    with open(os.path.join(args.output, "summary.csv"), "w", newline="") as f:
        writer = csv.DictWriter(f, ["epoch", "train_loss", "eval_loss", "eval_top1", "lr"])
        writer.writeheader()
        for epoch in range(args.epochs):
            loss = weight * weight
            _logger.info(
                f"Train: {epoch} [{0:>4d}/{10} ({0:>3.0f}%)]  Loss: {loss:#.3g} ({loss:#.3g})  "
                f"Time: 0.010s, 100.00/s  (0.010s, 100.00/s)  LR: {args.lr:.3e}  Data: 0.001 (0.001)"
            )
            weight -= args.lr * 2 * weight
            loss = weight * weight
            _logger.info(f"Test: [{9:>4d}/{9}]  Time: 0.010 (0.010)  Loss: {loss:>7.3f} ({loss:>6.3f})")
            top1 = 100 / (1 + loss)
            writer.writerow(
                {"epoch": epoch, "train_loss": loss, "eval_loss": loss, "eval_top1": top1, "lr": args.lr}
            )
            f.flush()
    _logger.info("*** Best metric: {0} (epoch {1})".format(top1, args.epochs - 1))


if __name__ == "__main__":
    main()
