"""Test `make demo` without a terminal."""

import re
import subprocess
from pathlib import Path

ROOT = Path(__file__).parent.parent.parent


def _demo(home: Path) -> subprocess.CompletedProcess[str]:
    # Eight whole trainings take half a minute of a processor.
    command = ["make", "--no-print-directory", "demo", "PORT=0", f"DEMO_HOME={home}", "DEMO_ARGS=-p epochs=3"]
    return subprocess.run(
        command, cwd=ROOT, capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=900, check=False
    )


def test_demo_ends_after_the_sweep_and_says_what_was_best(tmp_path: Path) -> None:
    done = _demo(tmp_path / "home")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "8 finished" in done.stdout
    assert re.search(r"val_loss +AT EPOCH", done.stdout)
    assert re.search(r"http://127\.0\.0\.1:\d+/\?token=\S+", done.stdout)
    assert not (tmp_path / "home" / "server.json").exists()


def test_demo_says_why_it_cannot_start(tmp_path: Path) -> None:
    (tmp_path / "home").mkdir()
    (tmp_path / "home" / "settings.toml").write_text("prot = 1\n")
    done = _demo(tmp_path / "home")
    assert done.returncode != 0
    assert "prot" in done.stderr + done.stdout
