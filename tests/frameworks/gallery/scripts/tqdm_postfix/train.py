"""A bar of tqdm per epoch, with what it has to say behind it, and nothing else."""

import argparse

from tqdm import tqdm


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--lr", type=float, default=0.1)
    parser.add_argument("--epochs", type=int, default=4)
    args = parser.parse_args()
    weight = 5.0
    for epoch in range(args.epochs):
        with tqdm(range(20), desc=f"Epoch {epoch + 1}/{args.epochs}") as bar:
            for _ in bar:
                weight -= args.lr * 2 * weight / 20
                bar.set_postfix(loss=weight * weight, acc=1 / (1 + weight * weight))


if __name__ == "__main__":
    main()
