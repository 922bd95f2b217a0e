import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from paddock.runner.build import build
from tests.runner.folder import Folder

OLDEST = next(iter(sorted(Path.home().glob(".pyenv/versions/3.8*/bin/python"))), None)

# TEMPORARY
STUBS = {
    "paddock_runner/follow.py": """
class Follower:
    def __init__(self, *a): pass
    def poll(self): return []
    def close(self): return []
""",
    "paddock_runner/causes.py": """
def explain(log, code, sig, oom):
    return (None, None) if code == 0 else ("user_error", "exit %s signal %s oom %s" % (code, sig, oom))
""",
}


@pytest.fixture(scope="session")
def pyz(tmp_path_factory: pytest.TempPathFactory) -> Path:
    target = tmp_path_factory.mktemp("runner") / "runner.pyz"
    build(target)
    with zipfile.ZipFile(target, "a") as archive:
        for name, text in STUBS.items():
            if name not in archive.namelist():
                archive.writestr(name, text)
    return target


@pytest.fixture(params=["this", "oldest"])
def python(request: pytest.FixtureRequest) -> str:
    """Both ends of what the runner supports."""
    if request.param == "this":
        return sys.executable
    if OLDEST is None:
        pytest.skip("no Python 3.8 in ~/.pyenv/versions")
    return str(OLDEST)


@pytest.fixture
def folder(tmp_path: Path, pyz: Path) -> Iterator[Folder]:
    made = Folder(tmp_path / "job folder", pyz)
    yield made
    made.close()
