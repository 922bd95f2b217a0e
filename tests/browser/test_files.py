"""Test files, images and notes of a task, and the code of a job with its differences, on the page."""

from collections.abc import Callable

from playwright.sync_api import Page, expect

from tests.browser.conftest import looks, move
from tests.security.test_task_files import SCRIPT
from tests.support.server import ServerProcess, wait_for

Visit = Callable[..., Page]
MORE = SCRIPT + "\nprint('one more line')\n"
NOTE = "# Good run\n<img src=x onerror=alert(1)> **bold** [run](javascript:alert(1)) [docs](https://docs.example/a)"


def test_files_of_a_task_and_code_of_a_job(visit: Visit, server: ServerProcess) -> None:
    first = server.submit(SCRIPT, name="First", resources={"gpus": 0})
    second = server.submit(MORE, name="Second", resources={"gpus": 0}, description="Longer, with **care**")
    server.wait(first)
    server.wait(second)
    page = visit(f"/tasks/{first}-1")
    page.get_by_role("button", name="Add a note").click()
    page.get_by_label("Note", exact=True).get_by_role("textbox").fill(NOTE)
    page.get_by_role("button", name="Save").click()
    note = page.get_by_role("region", name="Note")
    expect(note.get_by_role("heading", name="Good run")).to_be_visible()
    expect(note.locator("strong")).to_have_text("bold")
    expect(note.locator("img")).to_have_count(0)
    expect(note.locator("a")).to_have_count(1)
    expect(note.locator("a")).to_have_attribute("rel", "noopener noreferrer nofollow")
    assert server.get(f"/tasks/{first}-1")["note"] == NOTE
    # Somebody else writes another one: the page follows.
    server.client.patch(f"/tasks/{first}-1", json={"note": "from elsewhere"})
    expect(note.get_by_text("from elsewhere")).to_be_visible()

    page.get_by_role("tab", name="Files").click()
    images = page.get_by_role("region", name="Images")
    expect(images.get_by_text("samples/sample_*.png · 20")).to_be_visible()
    expect(images.get_by_text("epoch*/plot.png · 12")).to_be_visible()
    expect(images.get_by_text("resnet50.png")).to_be_visible()
    slider = images.get_by_role("slider", name="Step")
    slider.focus()
    slider.press("Home")
    expect(images.get_by_text("samples/sample_*.png · 0")).to_be_visible()
    loaded = "() => [...document.querySelectorAll('li img')].every(one => one.naturalWidth === 4)"
    wait_for(lambda: page.evaluate(loaded), what="the images")
    images.get_by_role("button", name="Enlarge samples/sample_*.png · 0").click()
    expect(page.get_by_role("dialog").get_by_alt_text("sample_0000.png")).to_be_visible()
    page.keyboard.press("Escape")

    files = page.get_by_role("region", name="Files", exact=True)
    files.get_by_role("button", name="Working folder").click()
    files.get_by_role("button", name="log.csv", exact=True).click()
    shown = page.get_by_role("region", name="File", exact=True)
    expect(shown.get_by_role("columnheader", name="val_loss")).to_be_visible()
    expect(shown.get_by_role("cell", name="0.25")).to_be_visible()
    looks(page, "files")
    files.get_by_role("button", name="summary.json").click()
    expect(shown.get_by_text('"best": 0.25')).to_be_visible()
    files.get_by_role("button", name="page.html").click()
    expect(shown.get_by_text("<script>alert(1)</script>")).to_be_visible()
    files.get_by_role("button", name="Checkpoint").click()
    with page.expect_download() as saved:
        files.get_by_role("link", name="Download model.pt").click()
    assert saved.value.path().stat().st_size == 1_280_000
    with page.expect_download() as saved:
        files.get_by_role("link", name="Download folder").click()
    assert saved.value.suggested_filename == f"{first}-1-checkpoint.tar.gz"

    move(page, f"/jobs/{second}")
    expect(page.locator("strong", has_text="care")).to_be_visible()
    page.get_by_role("tab", name="Code").click()
    code = page.get_by_role("region", name="Code", exact=True)
    expect(code.get_by_text("print('one more line')")).to_be_visible()
    expect(page.get_by_role("region", name="How it runs").get_by_text("train.py")).to_be_visible()
    looks(page, "code")
    page.get_by_role("combobox", name="Compare with another job").click()
    page.get_by_role("option", name="First").dispatch_event("click")
    differences = page.get_by_role("region", name="Differences", exact=True)
    expect(differences.get_by_text("+print('one more line')")).to_be_visible()
    looks(page, "code-diff")
