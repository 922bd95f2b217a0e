"""Test that tasks in container images use a real GPU, as the runner starts them: two that share it."""

from pathlib import Path

import pytest
from benchmarks import gpu_containers

ENGINES = gpu_containers.engines()


@pytest.mark.skipif(not ENGINES, reason="no Apptainer or Charliecloud is here (benchmarks/gpu_containers.py --pack)")
@pytest.mark.parametrize("engine", ENGINES or ["none"])
def test_two_tasks_in_an_image_share_the_gpu(engine: str, tmp_path: Path) -> None:
    assert gpu_containers.problems(gpu_containers.tried(engine, tmp_path)) == []
