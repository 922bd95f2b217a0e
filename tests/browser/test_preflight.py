"""Test what the page shows before a job is submitted: modules and files that are missing, and what to do about them."""

import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

from playwright.sync_api import Page, expect

from tests.browser.conftest import looks
from tests.support.server import ServerProcess

SCRIPT = """
try:
    import only_here
except NameError:
    pass
print(open("data/a.csv").read(), open("other.csv").read())
"""


def test_what_is_missing_is_shown_and_mended(visit: Callable[..., Page], server: ServerProcess, tmp_path: Path) -> None:
    venv = tmp_path / "venv"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(venv)], check=True)
    (next(venv.glob("lib/python3*/site-packages")) / "only_here.py").write_text("")
    folder = tmp_path / "project"
    for name, text in {"train.py": SCRIPT, "data/a.csv": "inside", ".gitignore": "data/\n"}.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    page = visit("/new")
    box = page.locator("section[aria-label='Drop a training script or a folder here']").bounding_box()
    assert box is not None
    devtools = page.context.new_cdp_session(page)
    place = {"x": box["x"] + box["width"] / 2, "y": box["y"] + box["height"] / 2}
    data = {"items": [], "files": [str(folder)], "dragOperationsMask": 1}
    for kind in ("dragEnter", "dragOver", "drop"):
        devtools.send("Input.dispatchDragEvent", {"type": kind, **place, "data": data})
    panel = page.get_by_role("region", name="Before you submit")
    expect(panel).to_contain_text("only_here, imported in train.py, line 3")
    expect(panel).to_contain_text("data/a.csv, named in train.py, line 6, does not come along")
    expect(page.get_by_role("heading", name="Not ready yet")).to_be_visible()
    looks(page, "preflight")
    page.get_by_role("button", name="Submit", exact=True).click()
    assert server.get("/jobs")["total"] == 0
    expect(panel).to_be_focused()
    panel.get_by_role("button", name="Take along: data/a.csv").click()
    expect(panel).not_to_contain_text("data/a.csv")
    with page.expect_file_chooser() as chooser:
        panel.get_by_role("button", name="Choose file: other.csv").click()
    (tmp_path / "elsewhere.csv").write_text("chosen")
    chooser.value.set_files(tmp_path / "elsewhere.csv")
    expect(panel).not_to_contain_text("other.csv")
    page.get_by_role("button", name=re.compile("^Environment")).click()
    page.get_by_role("combobox", name="Python", exact=True).click()
    page.get_by_role("option", name="A virtual environment").dispatch_event("click")
    page.get_by_role("textbox", name="Folder of the environment").fill(str(venv))
    expect(panel).to_have_count(0)
    page.get_by_role("button", name="Submit", exact=True).click()
    page.wait_for_url(re.compile(r"/jobs/[0-9a-z]{8}"))
    job = server.get("/jobs")["items"][0]["id"]
    assert server.wait(job)[0]["state"] == "finished"
    assert server.log_of(job).strip() == "inside chosen"
