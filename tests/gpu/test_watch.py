"""Test what an agent of an ordinary user sees of a real GPU on which two other users run something."""

import os
import shutil

import pytest
from benchmarks import gpu_watch


@pytest.mark.skipif(os.geteuid() != 0 or not shutil.which("setpriv"), reason="only root can become other users")
def test_owner_command_memory_temperature_and_power_through_the_agent() -> None:
    seen = gpu_watch.watch()
    assert gpu_watch.problems(seen) == []
    assert seen.pids["alice"] != seen.pids["bob"]
    assert seen.process("alice")["owner"] != seen.process("bob")["owner"]
    assert max(seen.appeared.values()) < 5.0
    assert seen.left < 5.0
    assert seen.look_ms < 50
