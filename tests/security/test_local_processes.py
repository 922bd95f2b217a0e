"""Test what the local backend starts, and what it finds running."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from paddock.backends import processes
from paddock.backends.local import LocalBackend
from paddock.common import processes as of_the_runner
from paddock.models import AllocationBatch, AllocationState, Place, Resources
from paddock.settings import LocalSettings
from tests.support.server import wait_for


def test_runners_do_not_inherit_what_is_the_servers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("PADDOCK_TOKEN", "PADDOCK_DATABASE", "paddock_database", "PADDOCK_BACKENDS__A__CONF"):
        monkeypatch.setenv(name, "hush")
    monkeypatch.setenv("ORDINARY", "yes")
    backend = LocalBackend(tmp_path / "queue", LocalSettings(slots=1, gpus=[]))
    (tmp_path / "k-a1.0").mkdir()
    folder = str(tmp_path / "k-a1")
    batch = AllocationBatch(key="k-a1", name="k", folder=folder, runner=["/usr/bin/env"], resources=Resources(cpus=1))
    batch = batch.model_copy(update={"places": [Place(node="here", devices=["0"])]})
    [one] = backend.submit(batch)
    wait_for(lambda: backend.poll([one])[one].state is AllocationState.ENDED, 120)
    seen = Path(batch.folder_of(0), "out.log").read_text()
    assert "hush" not in seen
    assert "ORDINARY=yes\n" in seen
    assert f"{processes.MARK}={one}\n" in seen


def test_a_process_whose_name_and_environment_are_no_text(tmp_path: Path) -> None:
    program = os.fsencode(tmp_path) + b"/\xff\xfe) Z"
    shutil.copy(b"/bin/sleep", program)
    environment = {processes.MARK.encode(): b"k-a1.0", b"OTHER": b"\xff\xfe"}
    with subprocess.Popen([program, "60"], env=environment) as process:
        wait_for(lambda: processes.marked("k-a1.0") == [process.pid], 120)
        assert processes.started(process.pid)
        assert of_the_runner.stat(process.pid)
        assert of_the_runner.variable(process.pid, processes.MARK) == "k-a1.0"
        assert of_the_runner.variable(process.pid, "OTHER") == "\udcff\udcfe"
        processes.kill_marked("k-a1.0")
        process.wait(120)
    assert processes.started(process.pid) is None
