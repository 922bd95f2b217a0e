"""Train with six arguments in a fixed order and a CSV of Keras in a fixed place, as S-TFManager expects.

    python train.py JOB_ID TASK_ID BATCH_SIZE LEARNING_RATE EPOCHS EARLY_STOPPING

Scripts for S-TFManager run in Paddock unmodified: Paddock reads the order of the arguments in the script, and creates
results/<job>/<task>/ before the script starts. To run it by hand, create that folder yourself.

For a new script prefer ../keras_argparse: there every hyperparameter has a name.
"""

import sys

import numpy as np
from tensorflow import keras

job_id = sys.argv[1]
task_id = sys.argv[2]
batch_size = int(sys.argv[3])
learning_rate = float(sys.argv[4])
epochs = int(sys.argv[5])
early_stopping = int(sys.argv[6])


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


# S-TFManager's arguments have no place for a seed, so it is fixed here.
keras.utils.set_random_seed(0)
x_train, y_train = made_images(1000, seed=0)
x_val, y_val = made_images(250, seed=1)

model = keras.Sequential(
    [
        keras.Input((28, 28, 1)),
        keras.layers.Conv2D(8, 5, strides=2, activation="relu"),
        keras.layers.MaxPooling2D(2),
        keras.layers.Flatten(),
        keras.layers.Dense(4, activation="softmax"),
    ]
)
model.compile(keras.optimizers.Adam(learning_rate), "sparse_categorical_crossentropy", metrics=["accuracy"])
model.fit(
    x_train,
    y_train,
    batch_size=batch_size,
    epochs=epochs,
    validation_data=(x_val, y_val),
    verbose=2,  # one line an epoch: a progress bar in a log file is hard to read
    callbacks=[
        keras.callbacks.CSVLogger(f"results/{job_id}/{task_id}/{task_id}.csv"),
        keras.callbacks.EarlyStopping(patience=early_stopping),
    ],
)
