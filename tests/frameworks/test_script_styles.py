"""Test that parameters reach scripts that use parsers of other packages, each as a sweep of two."""

from collections.abc import Iterator

import pytest

from tests.support import style_runs
from tests.support.server import ServerProcess, running
from tests.support.styles import WITH_PACKAGES

pytestmark = pytest.mark.frameworks


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServerProcess]:
    with running(tmp_path_factory.mktemp("styles") / "home", local__slots=2) as server:
        yield server


@pytest.mark.parametrize("style", WITH_PACKAGES)
def test_the_parameters_reach_the_script(server: ServerProcess, train_python: str, style: str) -> None:
    style_runs.check(server, WITH_PACKAGES[style], environment={"python": train_python})
