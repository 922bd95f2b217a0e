"""Fixtures: one control plane per session, only in `make test-kubernetes`."""

import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.kubernetes.cluster import NODES, Cluster

WANTED = "PADDOCK_TEST_KUBERNETES"


def pytest_ignore_collect(collection_path: Path) -> bool | None:
    """Leave these tests to `make test-kubernetes`: the control plane takes minutes to build."""
    return True if collection_path.name.startswith("test_") and not os.environ.get(WANTED) else None


@pytest.fixture(scope="session")
def cluster() -> Iterator[Cluster]:
    """The control plane and two nodes."""
    with tempfile.TemporaryDirectory(prefix="paddock-kubernetes-") as folder:
        made = Cluster(Path(folder))
        try:
            made.start()
            for node in NODES:
                made.start_kubelet(node)
            yield made
        finally:
            made.stop()
