"""In the style of PyTorch's ImageNet example: a positional argument, meters with averages, a line with a star."""

import argparse

parser = argparse.ArgumentParser(description="PyTorch ImageNet Training")
parser.add_argument("data", metavar="DIR", nargs="?", default="imagenet", help="path to dataset")
parser.add_argument("-a", "--arch", metavar="ARCH", default="resnet18", choices=["resnet18", "vgg11"])
parser.add_argument("--epochs", default=4, type=int, metavar="N", help="number of total epochs to run")
parser.add_argument("--lr", "--learning-rate", default=0.1, type=float, metavar="LR", dest="lr")
parser.add_argument("-e", "--evaluate", dest="evaluate", action="store_true")


class AverageMeter:
    def __init__(self, name, fmt):
        self.name, self.fmt = name, fmt
        self.sum = self.count = self.val = 0.0

    def update(self, val):
        self.val = val
        self.sum += val
        self.count += 1

    def __str__(self):
        fmtstr = "{name} {val" + self.fmt + "} ({avg" + self.fmt + "})"
        return fmtstr.format(name=self.name, val=self.val, avg=self.sum / self.count)


def main():
    args = parser.parse_args()
    print("=> creating model '{}'".format(args.arch))
    weight, batches = 5.0, 3
    for epoch in range(args.epochs):
        times, losses, top1 = AverageMeter("Time", ":6.3f"), AverageMeter("Loss", ":.4e"), AverageMeter("Acc@1", ":6.2f")
        for i in range(batches):
            losses.update(weight * weight)
            top1.update(100 / (1 + weight * weight))
            times.update(0.01)
            weight -= args.lr * 2 * weight / batches
            print("\t".join(["Epoch: [{}][{}/{}]".format(epoch, i + 1, batches), *map(str, (times, losses, top1))]))
        print(" *   Acc@1 {:.3f} Acc@5 {:.3f}".format(100 / (1 + weight * weight), 100 / (1 + weight * weight / 2)))


if __name__ == "__main__":
    main()
