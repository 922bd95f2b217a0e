"""Test what an agent reports of its node."""

import os
import signal
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from paddock.common import processes
from paddock.models.load import NodeSample
from tests.agents.support import LOADER, OLDEST, agent_pid, linked
from tests.agents.test_hostile_agent import hostile
from tests.support.nvidia_smi import install_nvidia_smi
from tests.support.server import wait_for

SHORT = (0.02, 0.05)


class Heard:
    """Reports, checked as the server checks them."""

    def __init__(self) -> None:
        self.samples: list[NodeSample] = []

    def __call__(self, given: Mapping[str, Any]) -> None:
        self.samples.append(NodeSample.model_validate(given))

    def more(self) -> NodeSample:
        """The next report that comes."""
        count = len(self.samples)
        wait_for(lambda: len(self.samples) > count)
        return self.samples[-1]


def with_gpus(folder: Path) -> dict[str, str]:
    return {"PATH": f"{folder}:{os.environ['PATH']}"}


def test_reports_come_until_nobody_wants_them_also_from_the_next_agent(tmp_path: Path) -> None:
    gpus = install_nvidia_smi(tmp_path / "bin", 2)
    gpus.strange(1, 3 * 2**30)
    heard = Heard()
    with linked(tmp_path / "root", pauses=SHORT, environment=with_gpus(tmp_path / "bin")) as link:
        assert not link.connected
        link.machine(0.3, heard)
        sample = heard.more()
        assert link.connected
        first, second = sample.cards
        assert sample.cores == os.cpu_count()
        assert (sample.processes or 0) > 2
        assert [one.id for one in sample.cards] == ["GPU-00000000", "GPU-00000001"]
        assert (first.memory, first.used, first.load) == (10**10 // 2**20 * 2**20, 0, 0.0)
        assert (second.temperature, second.power, second.power_limit) == (41.0, 100.5, None)
        [process] = second.processes
        assert (process.pid, process.memory, process.start) == (1, 3 * 2**30, processes.started(1))
        assert process.session == processes.session(1)
        os.kill(agent_pid(link), signal.SIGKILL)
        heard.more()
        link.machine(0, heard)
        pid = agent_pid(link)
        count = len(heard.samples)
        time.sleep(1.0)
        assert len(heard.samples) <= count + 1, "one may have been on its way"
        assert agent_pid(link) == pid


@pytest.mark.skipif(OLDEST is None, reason="needs Python 3.8")
def test_reports_of_the_oldest_python(tmp_path: Path) -> None:
    from paddock.agents.link import Link

    install_nvidia_smi(tmp_path / "bin", 1)
    heard = Heard()
    link = Link("tester", [str(OLDEST), *LOADER[1:]], str(tmp_path / "root"), environment=with_gpus(tmp_path / "bin"))
    try:
        link.machine(0.3, heard)
        assert len(heard.more().cards) == 1
    finally:
        link.close()


def test_a_driver_that_hangs_holds_up_no_request(tmp_path: Path) -> None:
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin/nvidia-smi").write_text("#!/bin/sh\necho asked > $0.asked\nexec sleep 30\n")
    (tmp_path / "bin/nvidia-smi").chmod(0o755)
    heard = Heard()
    with linked(tmp_path / "root", environment=with_gpus(tmp_path / "bin")) as link:
        link.machine(0.3, heard)
        wait_for((tmp_path / "bin/nvidia-smi.asked").exists)
        for number in range(20):
            assert link.append("a", number, b"x") == number + 1
        assert not heard.samples, "a node whose driver has not answered is not one without GPUs"
        assert link.run(["true"]).code == 0


@pytest.mark.parametrize(
    ("asked", "data", "why"),
    [
        (False, b'{"cores": 1}', "a report that nobody asked for"),
        (True, b"[1]", "not JSON"),
        (True, b"[" * 100_000, "not JSON"),
        (True, b'{"cores": -1}', "could not be taken"),
        (True, b'{"cores": 1, "people": [{"user": "a\\u001b"}]}', "could not be taken"),
    ],
)
def test_forged_reports_are_errors_of_this_link(asked: bool, data: bytes, why: str) -> None:
    heard = Heard()
    wait = 'send({"id": request()["id"]})' if asked else "request()"
    with hostile(f"hello(); {wait}; send({{'event': 'machine'}}, {data!r}); request(); stay()") as link:
        if asked:
            link.machine(1.0, heard)
        else:
            link.watch({"a": 0}, lambda *given: None, lambda *given: None)
        wait_for(lambda: why in (link.problem or ""))
        link.close()
    assert not heard.samples
