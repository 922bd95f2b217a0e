"""Test the page with hosts over ssh, through a real server and real sshd."""

import json
import sys
from pathlib import Path

from playwright.sync_api import Browser, Page, expect

from tests.browser.conftest import SLEEPER, look, move, visits
from tests.support.server import ServerProcess, running, wait_for
from tests.support.sshd import NEEDS_SSHD, SshRig, ssh_hosts

pytestmark = NEEDS_SSHD
SETTINGS = """\
backend = "lab"
[backends.lab]
kind = "hosts"
hosts = ["gpu1", "gpu2"]
ssh = {ssh}
shared_home = true
slots = 2
look_seconds = 0.5
python = {python}
"""


def test_hosts_are_watched_attached_to_and_declared_lost(browser: Browser, tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir(mode=0o700)
    waits = {"backends.hosts.machine.SILENT_SECONDS": 3.0}
    with ssh_hosts(2, gpus=2) as ssh:
        text = SETTINGS.format(ssh=json.dumps(ssh.ssh), python=json.dumps(sys.executable))
        (home / "settings.toml").write_text(text)
        with running(home, runner__grace_seconds=1, waits=waits) as server, visits(browser, server) as visit:
            wait_for(lambda: _states(server) == {"gpu1": "up", "gpu2": "up"})
            page = visit("/hosts")
            for name in ("GPU load", "GPU memory", "Cores"):
                for host in ssh.names:
                    expect(page.get_by_role("region", name=f"{name}: {host}", exact=True)).to_have_count(1)
            host = _task(server, page)
            _lost(server, page, ssh, host)


def _states(server: ServerProcess) -> dict[str, str]:
    return {one["name"]: one["state"] for one in server.get("/hosts")}


def _task(server: ServerProcess, page: Page) -> str:
    """Look at a task that runs on a host; return the host."""
    job = server.submit(SLEEPER, retries={"node_failure": 1})
    server.wait_state(job, "running")
    host: str = server.get(f"/tasks/{job}-1/attempts")[0]["node"]
    move(page, f"/tasks/{job}-1")
    details = page.get_by_role("region", name="Details")
    expect(details.get_by_text(f"paddock attach {job}-1", exact=True)).to_be_visible()
    expect(page.get_by_role("table").get_by_role("cell", name=host)).to_be_visible()
    return host


def _lost(server: ServerProcess, page: Page, ssh: SshRig, host: str) -> None:
    """Declare a host lost that has stopped to answer; it comes back afterwards."""
    move(page, "/hosts")
    ssh[host].stop()
    try:
        row = page.get_by_role("list", name="Hosts of lab that take no work").get_by_role("listitem")
        expect(row.get_by_text(f"{host} has not answered since")).to_be_visible()
        expect(row.get_by_text("It keeps 1 allocation: nothing of it is started elsewhere")).to_be_visible()
        expect(page.get_by_role("region", name=f"Cores: {host}", exact=True).get_by_text("silent")).to_be_visible()
        look(page, "hosts-silent-1440-light")
        row.get_by_role("button", name="Declare lost").click()
        page.get_by_role("dialog").get_by_role("button", name="Declare lost").click()
        expect(row.get_by_text("lost", exact=True)).to_be_visible()
        expect(row.get_by_role("button", name="Declare lost")).to_have_count(0)
        assert _states(server)[host] == "lost"
    finally:
        ssh[host].resume()
    expect(row).to_have_count(0)
