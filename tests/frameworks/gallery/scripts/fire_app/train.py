"""Arguments by Fire: those of a function."""

import fire


def train(lr=0.1, epochs=4, name="run"):
    weight = 5.0
    for epoch in range(epochs):
        weight -= lr * 2 * weight
        print(f"epoch: {epoch} | accuracy: {1 / (1 + weight * weight):.4f} | f1: {0.9 / (1 + weight * weight):.4f}")


if __name__ == "__main__":
    fire.Fire(train)
