"""Reduce: put all small images into one file, by name. `python merge.py FOLDER ALL.npz`"""

import pathlib
import sys

import numpy as np

folder, target = sys.argv[1:]
found = sorted(pathlib.Path(folder).rglob("*.npy"))
np.savez_compressed(target, **{str(path.relative_to(folder).with_suffix("")): np.load(path) for path in found})
print(f"{len(found)} images in {target}")
