"""Test that parameters reach scripts of all styles that need no package, each as a sweep of two."""

import pytest

from tests.support import style_runs
from tests.support.server import ServerProcess
from tests.support.styles import PLAIN


@pytest.mark.parametrize("style", PLAIN)
def test_the_parameters_reach_the_script(server: ServerProcess, style: str) -> None:
    style_runs.check(server, PLAIN[style])
