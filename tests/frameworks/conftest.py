"""An environment with real frameworks, made once and kept (tools/train_env.py), and a way to run the examples."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = ROOT / "examples"

Train = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture(scope="session")
def train_python() -> str:
    """The python that has TensorFlow and PyTorch. The first call on a machine takes minutes."""
    made = subprocess.run(
        [sys.executable, str(ROOT / "tools" / "train_env.py")], stdout=subprocess.PIPE, text=True, check=True
    )
    return made.stdout.strip()


@pytest.fixture
def train_environ(tmp_path: Path) -> dict[str, str]:
    """Variables for a script that runs without Paddock."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("PADDOCK_")}
    # Keras writes a file of its own into the home folder unless told where else.
    return kept | {"TF_CPP_MIN_LOG_LEVEL": "3", "KERAS_HOME": str(tmp_path / "keras")}


@pytest.fixture
def train(tmp_path: Path, train_environ: dict[str, str]) -> Train:
    """Runs an example in the folder `work`: train(python, "pytorch", "--lr", 0.1, checkpoint=...)."""
    (tmp_path / "work").mkdir()

    def run(
        python: str, example: str, *args: object, checkpoint: Path | None = None, fails: bool = False
    ) -> subprocess.CompletedProcess[str]:
        ended = subprocess.run(
            [python, str(EXAMPLES / example / "train.py"), *map(str, args)],
            cwd=tmp_path / "work",
            env=train_environ | ({"PADDOCK_CHECKPOINT_DIR": str(checkpoint)} if checkpoint else {}),
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )
        assert (ended.returncode != 0) is fails, ended.stderr
        return ended

    return run
