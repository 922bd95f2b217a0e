"""Test a map and a waiting job on the page: files are shown, and no terms of training."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from paddock.client.client import Client
from tests.browser.conftest import move, picture
from tests.support.server import ServerProcess, wait_for

Visit = Callable[..., Page]
COMMAND = "grep -qv bad {input} && cp {input} {output}; ok=$?; while [ ! -e go ]; do sleep 0.05; done; exit $ok"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in ("a", "b", "c", "d", "e"):
        (tmp_path / "photos").mkdir(exist_ok=True)
        (tmp_path / f"photos/{name}.txt").write_text("bad" if name == "c" else name)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def no_training(page: Page) -> None:
    expect(page.get_by_text(re.compile(r"\b(epoch|best|val_loss|configurations?|metrics?)\b", re.I))).to_have_count(0)


def test_a_map(visit: Visit, server: ServerProcess, folder: Path) -> None:
    with Client(server.url, token=server.token) as client:
        made = client.map(COMMAND, "photos/*.txt", "small", resources={"gpus": 0})
        assert made is not None
        page = visit(f"/jobs/{made.id}")
        table = page.get_by_role("region", name="Configurations")
        expect(table.get_by_text("photos/a.txt")).to_be_visible()
        expect(table.get_by_text("small/a.txt")).to_be_visible()
        no_training(page)
        wait_for(lambda: server.get(f"/jobs/{made.id}")["counts"]["running"] == 2, what="the node to be full")
        waits = server.submit("print(1)", name="Waits", objective="val_loss", resources={"gpus": 0})
        why = "when tasks that run there have ended"
        for path in (f"/jobs/{waits}", f"/tasks/{waits}-1", "/"):
            move(page, path)
            expect(page.get_by_text(why).first).to_be_visible()
        move(page, f"/jobs/{made.id}")
        expect(table.get_by_text("photos/a.txt")).to_be_visible()
        (folder / "go").touch()
        server.wait(made.id)
        expect(table.get_by_text("FilesFailed: exit code 1")).to_be_visible()
        no_training(page)
        picture(page, "map")
        page.get_by_label("Filter configurations").fill("photos/b")
        expect(table.get_by_text("photos/a.txt")).to_have_count(0)
        move(page, f"/tasks/{made.id}-3")
        expect(page.get_by_role("region", name="Summary").get_by_text("photos/c.txt")).to_be_visible()
        error = page.get_by_role("region", name="Error")
        expect(error.get_by_text("call paddock map again")).to_be_visible()
        expect(error.get_by_text("file 1 of 1:")).to_be_visible()
        expect(error.get_by_text("Traceback")).to_have_count(0)
        expect(page.get_by_role("region", name="Attempts").get_by_text("The command failed")).to_be_visible()
        no_training(page)
        picture(page, "map-task")
        server.wait(waits)

        many = client.map("cp {input} {output}", "photos/*.txt", "copies", per_task=3, resources={"gpus": 0})
        assert many is not None
        server.wait(many.id)
        move(page, f"/jobs/{many.id}")
        expect(page.get_by_text("photos/c.txt (+2)", exact=True)).to_be_visible()
        expect(page.get_by_text("3 of 3 files", exact=True)).to_be_visible()
        expect(page.get_by_role("region", name="Graphs").get_by_text("file_seconds").first).to_be_visible()
        picture(page, "map-several")
        move(page, f"/tasks/{many.id}-1")
        expect(page.get_by_text("file_seconds").first).to_be_visible()
        picture(page, "map-several-task")
        move(page, f"/jobs/{many.id}")
        actions = page.get_by_role("group", name="Actions")
        actions.get_by_role("button", name="More").click()
        expect(page.get_by_role("menuitem", name="Export as a CSV table")).to_be_visible()
        expect(page.get_by_text("Start from this job")).to_have_count(0)
        move(page, f"/new?from={many.id}")
        expect(
            page.get_by_text("paddock map 'cp {input} {output}' --input 'photos/*.txt' --output copies")
        ).to_be_visible()
        picture(page, "map-again")
        move(page, "/")
        expect(page.get_by_role("link", name="Waits")).to_be_visible()
        expect(page.get_by_text("lowest val_loss")).to_have_count(1)
        picture(page, "map-jobs")
