"""A module of a package: it imports its neighbours by relative imports."""

import argparse

from .model import Model


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--lr", type=float, default=0.1)
    parser.add_argument("--epochs", type=int, default=4)
    args = parser.parse_args()
    model = Model()
    for epoch in range(args.epochs):
        print(f"epoch {epoch}: val_loss = {model.step(args.lr):.4f}")


if __name__ == "__main__":
    main()
