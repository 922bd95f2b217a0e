"""Map: halve an image and store it as an array. `python shrink.py INPUT.pgm OUTPUT.npy`"""

import sys

import numpy as np

source, target = sys.argv[1:]
with open(source, "rb") as file:
    _, width, height, _ = file.readline().split()
    image = np.frombuffer(file.read(), dtype=np.uint8).reshape(int(height), int(width))
small = image.reshape(image.shape[0] // 2, 2, image.shape[1] // 2, 2).mean(axis=(1, 3))
np.save(target, small)
