"""Train with Keras, with named arguments, and go on after an interruption.

    python train.py --learning_rate 0.003 --batch_size 64 --epochs 20

Two things differ from ../keras_stfmanager: argparse gives every hyperparameter a name, and BackupAndRestore lets a task
that was stopped, or lost its node, go on at the epoch that it had reached.
"""

import argparse
import os

import keras
import numpy as np

parser = argparse.ArgumentParser(description="Train a small convolutional network on generated images.")
parser.add_argument("--learning_rate", type=float, default=0.003)
parser.add_argument("--batch_size", type=int, default=64)
parser.add_argument("--filters", type=int, default=8)
parser.add_argument("--epochs", type=int, default=20)
parser.add_argument("--early_stopping", type=int, default=5, help="epochs without a better val_loss before stopping")
parser.add_argument("--seed", type=int, default=0)
args = parser.parse_args()


def made_images(count, seed):
    """Return noisy 28x28 images of four kinds (horizontal bar, vertical bar, cross, square) and their labels."""
    rng = np.random.default_rng(seed)
    images = rng.normal(0, 0.5, (count, 28, 28, 1))
    labels = rng.integers(0, 4, count)
    for image, label in zip(images, labels, strict=True):
        row, column = rng.integers(8, 20, 2)
        if label in (0, 2):
            image[row, column - 8 : column + 8] += 1
        if label in (1, 2):
            image[row - 8 : row + 8, column] += 1
        if label == 3:
            image[row - 3 : row + 3, column - 3 : column + 3] += 1
    return images.astype("float32"), labels


keras.utils.set_random_seed(args.seed)
x_train, y_train = made_images(1000, seed=args.seed)
x_val, y_val = made_images(250, seed=args.seed + 1)

model = keras.Sequential(
    [
        keras.Input((28, 28, 1)),
        keras.layers.Conv2D(args.filters, 5, strides=2, activation="relu"),
        keras.layers.MaxPooling2D(2),
        keras.layers.Flatten(),
        keras.layers.Dense(4, activation="softmax"),
    ]
)
model.compile(keras.optimizers.Adam(args.learning_rate), "sparse_categorical_crossentropy", metrics=["accuracy"])

callbacks = [keras.callbacks.EarlyStopping(patience=args.early_stopping)]
resuming = False
# Paddock gives every task a folder that stays the same for all attempts; without Paddock there is no backup.
if "PADDOCK_CHECKPOINT_DIR" in os.environ:
    # Its own subfolder: Keras expects that nothing else is there.
    backup = os.path.join(os.environ["PADDOCK_CHECKPOINT_DIR"], "backup")
    resuming = os.path.exists(backup)
    # double_checkpoint: keep the previous backup, in case the process is killed while it writes one.
    # delete_checkpoint=False: resuming a training that had ended does nothing instead of starting again.
    callbacks.append(keras.callbacks.BackupAndRestore(backup, double_checkpoint=True, delete_checkpoint=False))
# A resumed training goes on in the same file; a new one begins a new file.
callbacks.append(keras.callbacks.CSVLogger("training.csv", append=resuming))

model.fit(
    x_train,
    y_train,
    batch_size=args.batch_size,
    epochs=args.epochs,
    validation_data=(x_val, y_val),
    verbose=2,  # one line per epoch: a progress bar in a log file is hard to read
    callbacks=callbacks,
)
