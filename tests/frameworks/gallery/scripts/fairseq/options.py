"""The options of train.py."""

import argparse


def get_parser():
    parser = argparse.ArgumentParser(allow_abbrev=False)
    parser.add_argument("--seed", default=1, type=int, metavar="N", help="pseudo random number generator seed")
    add_optimization_args(parser)
    return parser


def add_optimization_args(parser):
    group = parser.add_argument_group("optimization")
    group.add_argument("--lr", default=0.25, type=float, metavar="LR", help="learning rate")
    group.add_argument("--max-epoch", "--me", default=4, type=int, metavar="N", help="stop training at this epoch")
