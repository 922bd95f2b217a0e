"""In the style of PyTorch's basic MNIST example: argparse, a loss every few batches, a sentence after each epoch."""

import argparse


def train(args, weight, epoch):
    batches = 4
    for batch_idx in range(batches):
        loss = weight * weight
        weight -= args.lr * 2 * weight / batches
        if batch_idx % args.log_interval == 0:
            done = batch_idx * args.batch_size
            total = batches * args.batch_size
            print(
                "Train Epoch: {} [{}/{} ({:.0f}%)]\tLoss: {:.6f}".format(
                    epoch, done, total, 100.0 * batch_idx / batches, loss
                )
            )
    return weight


def test(weight):
    test_loss = weight * weight
    correct, total = int(10000 / (1 + test_loss)), 10000
    print(
        "\nTest set: Average loss: {:.4f}, Accuracy: {}/{} ({:.0f}%)\n".format(
            test_loss, correct, total, 100.0 * correct / total
        )
    )


def main():
    parser = argparse.ArgumentParser(description="PyTorch MNIST Example")
    parser.add_argument("--batch-size", type=int, default=64, metavar="N", help="input batch size for training")
    parser.add_argument("--epochs", type=int, default=4, metavar="N", help="number of epochs to train (default: 4)")
    parser.add_argument("--lr", type=float, default=1.0, metavar="LR", help="learning rate (default: 1.0)")
    parser.add_argument("--no-accel", action="store_true", help="disables accelerator")
    parser.add_argument("--log-interval", type=int, default=2, metavar="N")
    args = parser.parse_args()
    weight = 5.0
    for epoch in range(1, args.epochs + 1):
        weight = train(args, weight, epoch)
        test(weight)


if __name__ == "__main__":
    main()
