"""Real TensorFlow: nothing is printed, scalars go to event files below `logs`."""

import argparse

import tensorflow as tf

parser = argparse.ArgumentParser()
parser.add_argument("--lr", type=float, default=0.1)
args = parser.parse_args()

train = tf.summary.create_file_writer("logs/train")
validation = tf.summary.create_file_writer("logs/validation")
weight = tf.Variable(5.0)
for epoch in range(4):
    with tf.GradientTape() as tape:
        loss = weight * weight
    weight.assign_sub(args.lr * tape.gradient(loss, weight))
    with train.as_default():
        tf.summary.scalar("epoch_loss", loss, step=epoch)
    with validation.as_default():
        tf.summary.scalar("epoch_loss", weight * weight, step=epoch)
train.flush()
validation.flush()
