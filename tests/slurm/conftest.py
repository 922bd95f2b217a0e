"""Fixtures: real Slurm clusters, one of each kind per session (and per worker of pytest-xdist), started when needed."""

import os
import socket
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.slurm.cluster import Cluster, missing
from tests.slurm.support import Lab, end_jobs, lab
from tests.slurm.users import user_packages
from tests.support.user_packages import python_for
from tests.support.user_server import as_user

_started: list[Cluster] = []


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark every test here with `slurm`."""
    here = Path(__file__).parent
    for item in items:
        if here in item.path.parents:
            item.add_marker(pytest.mark.slurm)


@pytest.fixture(scope="session")
def cluster() -> Iterator[Cluster]:
    """Three nodes, with accounting."""
    with started_cluster() as made:
        yield made


@pytest.fixture(scope="session")
def bare_cluster() -> Iterator[Cluster]:
    """Three nodes, without accounting: a job that has ended is soon forgotten."""
    with started_cluster(accounting=False, min_job_age=2) as made:
        yield made


@pytest.fixture(scope="session")
def binding_cluster() -> Iterator[Cluster]:
    """One node as large as this machine, whose Slurm binds tasks to the cores that it gives them."""
    cores = len(os.sched_getaffinity(0))
    if cores < 2 or cores != os.cpu_count():
        pytest.skip("needs two cores, and all of this machine's")
    with started_cluster(nodes=1, cpus=cores, accounting=False, extra="TaskPlugin=task/affinity") as made:
        yield made


@pytest.fixture(scope="module")
def shared(cluster: Cluster, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lab]:
    """One server for the tests of a module."""
    with lab(tmp_path_factory.mktemp("lab"), cluster) as made:
        yield made


@pytest.fixture
def at(shared: Lab) -> Iterator[Lab]:
    """The server of the module, without the jobs of other tests."""
    yield shared
    end_jobs(shared)


@pytest.fixture(scope="session")
def python(cluster: Cluster) -> str:
    """An interpreter of our version that every user may run."""
    return python_for(as_user("alice"))


@pytest.fixture(scope="session")
def packages() -> Iterator[Path]:
    """Paddock and what it imports, in a folder that every user may read."""
    with user_packages() as made:
        yield made


@pytest.fixture(scope="module")
def user_folder(cluster: Cluster) -> Iterator[Path]:
    """A place for the homes of servers of users."""
    with tempfile.TemporaryDirectory(prefix="users-", dir=cluster.folder, ignore_cleanup_errors=True) as made:
        Path(made).chmod(0o755)
        yield Path(made)


@pytest.fixture(autouse=True)
def _tidied() -> Iterator[None]:
    """Leave the next test an empty queue and idle nodes."""
    yield
    for made in _started:
        made.clear()


@contextmanager
def started_cluster(**options: Any) -> Iterator[Cluster]:
    _require_slurm(accounting=options.get("accounting", True))
    with (
        _slot() as slot,
        tempfile.TemporaryDirectory(prefix="slurm-", dir="/tmp", ignore_cleanup_errors=True) as folder,
        Cluster(Path(folder), prefix=f"pdk{chr(ord('a') + slot)}", port=_port(slot), **options) as made,
    ):
        _started.append(made)
        yield made
        _started.remove(made)


def _require_slurm(*, accounting: bool = True) -> None:
    root, packages = os.geteuid() == 0, missing(accounting=accounting)
    if root and not packages:
        return
    why = f"please install {', '.join(packages)}" if root else "only root can start a Slurm: please run as root"
    (pytest.fail if root and os.environ.get("CI") else pytest.skip)(why)


def _port(slot: int) -> int:
    """Return the first of a slot's ports. All are below those that the system gives to outgoing connections."""
    return 20000 + 50 * slot


@contextmanager
def _slot() -> Iterator[int]:
    """Yield a number that no other cluster on this machine has, whichever worker or run of the tests started it."""
    for number in range(26):
        with socket.socket(socket.AF_UNIX) as lock:
            try:
                lock.bind(f"\0paddock-test-slurm-{number}")  # gone with this process, however that ends
                for port in range(_port(number), _port(number) + 5):
                    with socket.create_server(("127.0.0.1", port)):
                        pass
            except OSError:
                continue
            yield number
            return
    raise AssertionError("no ports are left for another Slurm")
