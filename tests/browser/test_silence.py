"""Test a runner that is stopped, on open pages: the note appears and disappears without a reload."""

import os
import re
import signal
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import dress, picture
from tests.support.server import ServerProcess, running

Visit = Callable[..., Page]
TRAIN = """
import time
for epoch in range(3):
    print(f"epoch {epoch + 1}/9 val_loss: {1 / (epoch + 1)}", flush=True)
time.sleep(600)
"""


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServerProcess]:
    settings = {"local__slots": 2, "runner__grace_seconds": 1, "runner__silence_seconds": 3}
    with running(tmp_path_factory.mktemp("silence") / "home", **settings) as server:
        yield server


def test_a_silent_task_is_marked_and_no_more_when_it_speaks(visit: Visit, server: ServerProcess) -> None:
    job = server.submit(TRAIN, params={"lr": [0.1, 0.2]}, name="still", resources={"slots": 2})
    for number in (1, 2):
        server.wait_state(job, "running", number)
    pid = server.task(job, 1)["attempts"][-1]["pid"]
    runner = int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])
    pages = {name: visit(path) for name, path in (("jobs", "/"), ("job", f"/jobs/{job}"), ("task", f"/tasks/{job}-1"))}
    for page in pages.values():
        expect(page.get_by_text("running").first).to_be_visible()
        expect(page.get_by_text(re.compile("no report", re.IGNORECASE))).to_have_count(0)
    os.kill(runner, signal.SIGSTOP)
    try:
        expect(pages["jobs"].get_by_text(re.compile(r"No report from .*since \d"))).to_be_visible()
        expect(pages["job"].get_by_label("No report")).to_contain_text(re.compile(r"No report from .* since \d"))
        expect(pages["job"].get_by_text(re.compile(r"^no report since \d")).first).to_be_visible()
        expect(pages["task"].get_by_label("No report")).to_contain_text(re.compile(r"from its runner since \d"))
        assert server.task(job)["state"] == "running"
        for name, page in pages.items():
            picture(page, f"silent-{name}")
        dress(pages["job"], 390, dark=True)
        expect(pages["job"].get_by_label("No report")).to_be_visible()
        picture(pages["job"], "silent-phone")
    finally:
        os.kill(runner, signal.SIGCONT)
    for page in pages.values():
        expect(page.get_by_text(re.compile("no report", re.IGNORECASE))).to_have_count(0)
        expect(page.get_by_text("running").first).to_be_visible()
