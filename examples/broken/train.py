"""Fail with the mistake that the paper on S-TFManager shows: TensorFlow is used but not imported.

    python train.py --batch_size 32

This shows how Paddock reports a failure: the task ends in the state `error`, and its page shows the last line,
`NameError: name 'tensorflow' is not defined`, and the log.
"""

import argparse

parser = argparse.ArgumentParser(description="Fails after a few lines, on purpose.")
parser.add_argument("--batch_size", type=int, default=32)
parser.add_argument("--learning_rate", type=float, default=0.001)
args = parser.parse_args()

print("loading the data", flush=True)
print(f"batch size {args.batch_size}, learning rate {args.learning_rate}", flush=True)
print("building the model", flush=True)

model = tensorflow.keras.Sequential()  # noqa: F821  (the mistake that this example shows)
