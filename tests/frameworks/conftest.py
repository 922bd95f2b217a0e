"""Fixtures: an environment with real frameworks (tools/train_env.py), and a way to run the examples."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support.warm import WarmScript

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = ROOT / "examples"

# What an example imports, and what its framework then imports by and by.
MODULES = {"torch": "torch,torch._dynamo", "keras": "tensorflow,keras"}

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


def run_warm(python: str, command: list[str], cwd: Path, environ: dict[str, str]) -> subprocess.CompletedProcess[str]:
    """Run a script as `subprocess.run` does, where its framework has been imported already."""
    text = "".join(Path(part).read_text() for part in command if part.endswith(".py"))
    modules = next((modules for word, modules in MODULES.items() if word in text), "argparse")
    pipe = subprocess.PIPE
    with WarmScript(command, python, modules, cwd=cwd, env=environ, stdout=pipe, stderr=pipe) as process:
        out, err = process.communicate(timeout=300)
    return subprocess.CompletedProcess(command, process.returncode, out.decode(), err.decode())


@pytest.fixture
def train(tmp_path: Path, train_environ: dict[str, str]) -> Train:
    """Runs an example in the folder `work`: train(python, "pytorch", "--lr", 0.1, checkpoint=...)."""
    (tmp_path / "work").mkdir()

    def run(
        python: str, example: str, *args: object, checkpoint: Path | None = None, fails: bool = False
    ) -> subprocess.CompletedProcess[str]:
        environ = train_environ | ({"PADDOCK_CHECKPOINT_DIR": str(checkpoint)} if checkpoint else {})
        ended = run_warm(python, [str(EXAMPLES / example / "train.py"), *map(str, args)], tmp_path / "work", environ)
        assert (ended.returncode != 0) is fails, ended.stderr
        return ended

    return run
