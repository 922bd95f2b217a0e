"""Build a network from the parameters of the task and train it with Keras, for a search over architectures.

    python train.py                                  the network of LAYERS
    PADDOCK_PARAMS=params.json python train.py       another one: {"lr": 0.01, "layers": [{"type": "conv", ...}, ...]}

search.yaml defines the space of networks, and Paddock searches for those that are accurate and small. The data are
generated: noisy images of four shapes.
"""

import json
import os
from pathlib import Path

import keras
import numpy as np
from keras import layers as kl

try:
    from paddock import report  # in a task it can always be imported, in every environment
except ImportError:

    def report(**values):
        """Do nothing: without Paddock, the printed lines are enough."""


SIZE, SHAPES = 16, 4
LAYERS = [
    {"type": "conv", "width": 8, "activation": "relu"},
    {"type": "pool"},
    {"type": "conv", "width": 16, "activation": "relu", "dropout": 0.1},
    {"type": "pool"},
    {"type": "conv", "width": 16, "activation": "relu", "skip": 3},
]


def made_images(count, seed):
    """Return noisy images of four shapes (square, diamond, upright cross, slanted cross) and their labels."""
    rng = np.random.default_rng(seed)
    labels = rng.integers(0, SHAPES, count)
    radius = rng.integers(3, 6, (count, 1, 1))
    row, column = rng.integers(5, SIZE - 5, (2, count, 1, 1))
    down, across = np.abs(np.arange(SIZE)[:, None] - row), np.abs(np.arange(SIZE) - column)
    near, far = np.minimum(down, across), np.maximum(down, across)
    shapes = [far == radius, down + across == radius, (near == 0) & (far <= radius), (down == across) & (far <= radius)]
    images = np.stack(shapes)[labels, np.arange(count)] + rng.normal(0, 0.4, (count, SIZE, SIZE))
    return images[..., None].astype("float32"), labels


def applied(layer, x):
    """Return the output of one layer."""
    if layer["type"] == "pool":
        return kl.MaxPooling2D(2, padding="same")(x)  # "same": an image of one pixel stays as it is, without an error
    kinds = {"conv": kl.Conv2D, "separable": kl.SeparableConv2D}
    if layer["type"] not in kinds:
        raise ValueError(f"a layer is conv, separable or pool, not {layer['type']!r}")
    x = kinds[layer["type"]](layer["width"], 3, padding="same", activation=layer["activation"])(x)
    return kl.Dropout(layer.get("dropout", 0))(x)


def added(x, earlier):
    """Add a skip connection. If sizes differ, average first; if widths differ, use a convolution of one pixel."""
    if earlier.shape[1] != x.shape[1]:
        earlier = kl.AveragePooling2D(earlier.shape[1] // x.shape[1])(earlier)
    if earlier.shape[-1] != x.shape[-1]:
        earlier = kl.Conv2D(x.shape[-1], 1, use_bias=False)(earlier)
    return kl.Add()([x, earlier])


def network(layers):
    """Return a network of these layers, with the largest value per channel and a probability per shape at its end.

    A layer with a `skip` adds the output of that earlier layer to its own.
    """
    x = images = keras.Input((SIZE, SIZE, 1))
    outputs = []
    for layer in layers:
        x = applied(layer, x)
        if layer.get("skip") is not None:
            x = added(x, outputs[layer["skip"]])
        outputs.append(x)
    x = kl.GlobalMaxPooling2D()(x)
    return keras.Model(images, kl.Dense(SHAPES, activation="softmax")(x))


class Report(keras.callbacks.Callback):
    """Report the metrics of each epoch to Paddock and, once, how many weights the network has."""

    def on_epoch_end(self, epoch, logs=None):
        if epoch == 0:
            report(epoch=1, params=self.model.count_params())
        report(epoch=epoch + 1, **(logs or {}))


def main():
    path = os.environ.get("PADDOCK_PARAMS")
    params = json.loads(Path(path).read_text()) if path else {}
    layers = params.get("layers", LAYERS)
    lr = params.get("lr", 0.01)
    batch_size = params.get("batch_size", 32)
    epochs = params.get("epochs", 8)
    seed = params.get("seed", 0)

    keras.utils.set_random_seed(seed)
    model = network(layers)
    model.compile(
        keras.optimizers.Adam(lr),
        keras.losses.SparseCategoricalCrossentropy(),
        metrics=[keras.metrics.SparseCategoricalAccuracy(name="acc")],
    )
    print(f"a network of {len(layers)} layers with {model.count_params()} weights", flush=True)

    callbacks = [Report()]
    # Paddock gives every task a folder that stays the same for all attempts; without Paddock there is no backup.
    if "PADDOCK_CHECKPOINT_DIR" in os.environ:
        # Its own subfolder: Keras expects that nothing else is there.
        backup = os.path.join(os.environ["PADDOCK_CHECKPOINT_DIR"], "backup")
        # double_checkpoint: keep the previous backup, in case the process is killed while it writes one.
        # delete_checkpoint=False: resuming a training that had ended does nothing instead of starting again.
        callbacks.append(keras.callbacks.BackupAndRestore(backup, double_checkpoint=True, delete_checkpoint=False))

    model.fit(
        *made_images(1000, seed),
        batch_size=batch_size,
        epochs=epochs,
        validation_data=made_images(500, seed + 1),
        verbose=2,  # one line per epoch: a progress bar in a log file is hard to read
        callbacks=callbacks,
    )


if __name__ == "__main__":
    main()
