"""Run a short kill campaign; `make chaos` runs the long one."""

from tests.chaos.__main__ import options, run
from tests.slurm.conftest import _require_slurm


def test_a_few_faults_under_a_small_sweep() -> None:
    _require_slurm()
    asked = ["--seed", "1", "--faults", "6", "--tasks", "36", "--pause", "2", "--silence", "10", "--minutes", "8"]
    assert run(options(asked)) == 0
