"""Test what docs/elastic.md says of Keras: the lines there let a training go on with another number of devices."""

import json
import re
from pathlib import Path

import pytest

from tests.frameworks.conftest import ROOT, run_warm

# The processor as several devices, and data.
BEFORE = """
import os, sys
import numpy as np, tensorflow as tf, keras
replicas, epochs = map(int, sys.argv[1:])
one = tf.config.LogicalDeviceConfiguration()
tf.config.set_logical_device_configuration(tf.config.list_physical_devices("CPU")[0], [one] * replicas)
mirrored = tf.distribute.MirroredStrategy
tf.distribute.MirroredStrategy = lambda: mirrored([f"CPU:{n}" for n in range(replicas)])
keras.utils.set_random_seed(0)
x = np.random.default_rng(0).normal(size=(1000, 8)).astype("float32")
y = np.tanh(x.sum(axis=1, keepdims=True))

def made_model():
    model = keras.Sequential([keras.Input((8,)), keras.layers.Dense(16, "tanh"), keras.layers.Dense(1)])
    model.compile(keras.optimizers.SGD(0.05), "mse")
    return model

"""
AFTER = """
import json
print(json.dumps([strategy.num_replicas_in_sync, *made.history["loss"]]))
"""


@pytest.mark.frameworks
def test_the_lines_for_keras_keep_the_curve_when_the_number_of_devices_changes(
    train_python: str, train_environ: dict[str, str], tmp_path: Path
) -> None:
    page = (ROOT / "docs" / "elastic.md").read_text()
    found = re.search(r"```python\n(strategy = .*?)```", page, re.DOTALL)
    assert found
    (tmp_path / "keras_lines.py").write_text(BEFORE + found[1] + AFTER)

    def losses(name: str, replicas: int, epochs: int) -> list[float]:
        environ = train_environ | {"PADDOCK_CHECKPOINT_DIR": str(tmp_path / name), "CUDA_VISIBLE_DEVICES": ""}
        command = [str(tmp_path / "keras_lines.py"), str(replicas), str(epochs)]
        ended = run_warm(train_python, command, tmp_path, environ)
        assert ended.returncode == 0, ended.stderr
        used, *values = json.loads(ended.stdout.splitlines()[-1])
        assert used == replicas
        return list(map(float, values))

    whole = losses("whole", 1, 4)
    parts = [*losses("parts", 1, 2), *losses("parts", 2, 4)]
    assert whole[-1] < 0.8 * whole[0]
    assert parts == pytest.approx(whole, abs=1e-5)
