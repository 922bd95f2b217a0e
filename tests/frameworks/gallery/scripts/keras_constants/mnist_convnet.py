"""In the style of a Keras code example: constants at the top, no arguments, what `fit` prints."""

import keras
import numpy as np
from keras import layers

NUM_CLASSES = 3
INPUT_SHAPE = (8,)
LEARNING_RATE = 1e-3
BATCH_SIZE = 32
EPOCHS = 3

generator = np.random.default_rng(0)
x_train = generator.normal(size=(128, *INPUT_SHAPE)).astype("float32")
y_train = keras.utils.to_categorical(np.argmax(x_train[:, :NUM_CLASSES], axis=1), NUM_CLASSES)

keras.utils.set_random_seed(0)
model = keras.Sequential([keras.Input(shape=INPUT_SHAPE), layers.Dense(NUM_CLASSES, activation="softmax")])
optimizer = keras.optimizers.SGD(learning_rate=LEARNING_RATE)
model.compile(loss="categorical_crossentropy", optimizer=optimizer, metrics=["accuracy"])
model.fit(x_train, y_train, batch_size=BATCH_SIZE, epochs=EPOCHS, validation_split=0.25)
