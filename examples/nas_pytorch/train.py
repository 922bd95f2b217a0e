"""Build a network from the parameters of the task and train it with PyTorch, for a search over architectures.

    python train.py                                  the network of LAYERS
    PADDOCK_PARAMS=params.json python train.py       another one: {"lr": 0.01, "layers": [{"type": "conv", ...}, ...]}

search.yaml defines the space of networks, and Paddock searches for those that are accurate and small. The data are
generated: noisy images of four shapes.
"""

import json
import os
from pathlib import Path

import torch
from torch import nn
from torch.nn import functional
from torch.utils.data import DataLoader, TensorDataset

try:
    from paddock import report  # in a task it can always be imported, in every environment
except ImportError:

    def report(**values):
        """Do nothing: without Paddock, the printed lines are enough."""


SIZE, SHAPES = 16, 4
ACTIVATIONS = {"relu": nn.ReLU, "gelu": nn.GELU, "tanh": nn.Tanh}
LAYERS = [
    {"type": "conv", "width": 8, "activation": "relu"},
    {"type": "pool"},
    {"type": "conv", "width": 16, "activation": "relu", "dropout": 0.1},
    {"type": "pool"},
    {"type": "conv", "width": 16, "activation": "relu", "skip": 3},
]


def made_images(count, seed):
    """Return noisy images of four shapes (square, diamond, upright cross, slanted cross) and their labels."""
    source = torch.Generator().manual_seed(seed)
    labels = torch.randint(SHAPES, (count,), generator=source)
    radius = torch.randint(3, 6, (count, 1, 1), generator=source)
    row, column = torch.randint(5, SIZE - 5, (2, count, 1, 1), generator=source)
    down, across = (torch.arange(SIZE)[:, None] - row).abs(), (torch.arange(SIZE) - column).abs()
    near, far = torch.minimum(down, across), torch.maximum(down, across)
    shapes = [far == radius, down + across == radius, (near == 0) & (far <= radius), (down == across) & (far <= radius)]
    images = torch.stack(shapes)[labels, torch.arange(count)].float()
    return (images + 0.4 * torch.randn(images.shape, generator=source)).unsqueeze(1), labels


def built(layer, inputs):
    """Return the module of one layer, and its number of output channels."""
    if layer["type"] == "pool":
        return nn.MaxPool2d(2, ceil_mode=True), inputs  # ceil_mode: an image of one pixel stays as it is
    width = layer["width"]
    if layer["type"] == "conv":
        convolution = [nn.Conv2d(inputs, width, 3, padding=1)]
    elif layer["type"] == "separable":
        each = nn.Conv2d(inputs, inputs, 3, padding=1, groups=inputs, bias=False)  # each channel separately
        convolution = [each, nn.Conv2d(inputs, width, 1)]
    else:
        raise ValueError(f"a layer is conv, separable or pool, not {layer['type']!r}")
    activation, dropout = ACTIVATIONS[layer["activation"]](), nn.Dropout(layer.get("dropout", 0))
    return nn.Sequential(*convolution, activation, dropout), width


class Network(nn.Module):
    """Run these layers, then take the largest value per channel and compute a score per shape.

    A layer with a `skip` adds the output of that earlier layer to its own. Where the two differ in their channels, a
    convolution of one pixel goes between; where they differ in size, the larger one is averaged.
    """

    def __init__(self, layers):
        super().__init__()
        self.skips = [layer.get("skip") for layer in layers]
        self.layers, self.shortcuts = nn.ModuleList(), nn.ModuleList()
        widths = []
        for layer, skip in zip(layers, self.skips, strict=True):
            module, width = built(layer, widths[-1] if widths else 1)
            alike = skip is None or widths[skip] == width
            self.layers.append(module)
            self.shortcuts.append(nn.Identity() if alike else nn.Conv2d(widths[skip], width, 1, bias=False))
            widths.append(width)
        self.scores = nn.Linear(widths[-1], SHAPES)

    def forward(self, x):
        outputs = []
        for layer, shortcut, skip in zip(self.layers, self.shortcuts, self.skips, strict=True):
            x = layer(x)
            if skip is not None:
                x = x + shortcut(functional.adaptive_avg_pool2d(outputs[skip], x.shape[-2:]))
            outputs.append(x)
        return self.scores(x.amax(dim=(2, 3)))


def train(model, optimizer, batches, device):
    model.train()
    total = 0.0
    for x, y in batches:
        x, y = x.to(device), y.to(device)
        optimizer.zero_grad()
        loss = functional.cross_entropy(model(x), y)
        loss.backward()
        optimizer.step()
        total += loss.item() * len(x)
    return total / len(batches.dataset)


@torch.no_grad()
def evaluate(model, batches, device):
    model.eval()
    loss, right = 0.0, 0
    for x, y in batches:
        x, y = x.to(device), y.to(device)
        scores = model(x)
        loss += functional.cross_entropy(scores, y, reduction="sum").item()
        right += (scores.argmax(dim=1) == y).sum().item()
    return loss / len(batches.dataset), right / len(batches.dataset)


def load(checkpoint, model, optimizer):
    """Return how many epochs are done."""
    if not checkpoint or not checkpoint.exists():
        return 0
    stored = torch.load(checkpoint)
    model.load_state_dict(stored["model"])
    optimizer.load_state_dict(stored["optimizer"])
    print(f"resuming after epoch {stored['epoch']}", flush=True)
    return stored["epoch"]


def save(checkpoint, model, optimizer, epoch):
    """Write another file and rename it, so that a kill in the middle cannot leave half a checkpoint."""
    beside = checkpoint.with_suffix(".new")
    checkpoint.parent.mkdir(parents=True, exist_ok=True)
    torch.save({"model": model.state_dict(), "optimizer": optimizer.state_dict(), "epoch": epoch}, beside)
    beside.replace(checkpoint)


def main():
    path = os.environ.get("PADDOCK_PARAMS")
    params = json.loads(Path(path).read_text()) if path else {}
    layers = params.get("layers", LAYERS)
    lr = params.get("lr", 0.01)
    batch_size = params.get("batch_size", 32)
    epochs = params.get("epochs", 8)
    seed = params.get("seed", 0)

    torch.manual_seed(seed)
    # Paddock sets CUDA_VISIBLE_DEVICES: "cuda" is the GPU of this task.
    device = "cuda" if torch.cuda.is_available() else "cpu"
    training = DataLoader(TensorDataset(*made_images(1000, seed)), batch_size, shuffle=True)
    validation = DataLoader(TensorDataset(*made_images(500, seed + 1)), 500)
    model = Network(layers).to(device)
    optimizer = torch.optim.Adam(model.parameters(), lr)
    weights = sum(weight.numel() for weight in model.parameters())
    print(f"a network of {len(layers)} layers with {weights} weights", flush=True)

    # Paddock gives every task a folder that stays the same for all attempts; without Paddock there is no checkpoint.
    folder = os.environ.get("PADDOCK_CHECKPOINT_DIR")
    checkpoint = Path(folder) / "checkpoint.pt" if folder else None
    for epoch in range(load(checkpoint, model, optimizer) + 1, epochs + 1):
        torch.manual_seed(seed * 100_003 + epoch)  # a resumed training sees the same order as one that was not
        loss = train(model, optimizer, training, device)
        val_loss, val_acc = evaluate(model, validation, device)
        print(f"epoch {epoch}/{epochs} loss: {loss:.4f} val_loss: {val_loss:.4f} val_acc: {val_acc:.4f}", flush=True)
        if epoch == 1:
            report(epoch=epoch, params=weights)
        report(epoch=epoch, loss=loss, val_loss=val_loss, val_acc=val_acc)
        if checkpoint:
            save(checkpoint, model, optimizer, epoch)


if __name__ == "__main__":
    main()
