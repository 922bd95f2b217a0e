"""Make a tree of small grey images (PGM) to map over: photos/<kind>/<number>.pgm."""

import os

import numpy as np

rng = np.random.default_rng(0)
for kind in ("stripes", "noise"):
    os.makedirs(f"photos/{kind}", exist_ok=True)
    for number in range(6):
        image = rng.integers(0, 256, (64, 64), dtype=np.uint8)
        if kind == "stripes":
            image[:, :: number + 2] = 255
        with open(f"photos/{kind}/{number}.pgm", "wb") as file:
            file.write(b"P5 64 64 255\n" + image.tobytes())
