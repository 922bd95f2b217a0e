"""Test the list of jobs: several at once, pins, saved views, why tasks failed; and jobs side by side."""

import re
from collections.abc import Callable

from playwright.sync_api import Page, expect

from tests.browser.conftest import SLEEPER, choose, looks
from tests.support.server import ServerProcess

Visit = Callable[..., Page]
TRAIN = """
import argparse
parser = argparse.ArgumentParser()
parser.add_argument("--lr", type=float)
parser.add_argument("--width", type=int, default=8)
args = parser.parse_args()
if args.lr > 0.5:
    raise RuntimeError(f"CUDA out of memory. Tried to allocate {args.lr} GiB")
for epoch in range(3):
    print(f"epoch {epoch + 1}/3 val_loss: {args.lr / (epoch + 1)} val_acc: {0.1 * epoch}", flush=True)
"""


def test_several_jobs_at_once(visit: Visit, server: ServerProcess) -> None:
    never = {"gpu_oom": 0, "user_error": 0}
    first = server.submit(TRAIN, name="first", params={"lr": "0.4,0.2,0.9,0.8"}, retries=never)
    second = server.submit(TRAIN, name="second", params={"lr": 0.1, "width": 16})
    third = server.submit(SLEEPER, name="third")
    server.wait(first)
    server.wait(second)
    page = visit("/")
    rows = page.get_by_role("list", name="Jobs").get_by_role("listitem")
    expect(rows).to_have_count(3)
    expect(rows.nth(2)).to_contain_text(re.compile(r"2 failed: RuntimeError: CUDA out of memory"))

    # By keyboard: the first row, Space, two rows down, Shift and Space. Then one of them off again by its box.
    rows.nth(0).get_by_role("link", name="third").focus()
    page.keyboard.press("Space")
    page.keyboard.press("End")
    page.keyboard.press("Shift+Space")
    bar = page.get_by_role("toolbar", name="Chosen jobs")
    expect(bar.get_by_text("3 chosen")).to_be_visible()
    page.get_by_label("Choose third").click()
    expect(bar.get_by_text("2 chosen")).to_be_visible()
    looks(page, "jobs-chosen")
    page.set_viewport_size({"width": 1440, "height": 900})

    bar.get_by_role("button", name="Tag").click()
    page.get_by_role("textbox", name="Add a tag").fill("night")
    page.keyboard.press("Enter")
    expect(page.get_by_role("button", name="night")).to_have_count(2)
    page.get_by_role("button", name="Undo").click()
    expect(page.get_by_role("button", name="night")).to_have_count(0)
    assert [server.get(f"/jobs/{job}")["tags"] for job in (first, second)] == [[], []]

    page.keyboard.press("Escape")
    expect(bar).to_have_count(0)
    rows.nth(2).get_by_role("button", name="Actions for first").click()
    page.get_by_role("menuitem", name="Pin").dispatch_event("click")
    expect(rows.nth(0)).to_contain_text("first")
    expect(rows.nth(0).get_by_label("pinned")).to_be_visible()

    # A view that is saved is there in another browser.
    page.get_by_role("textbox", name="Search jobs").fill("sec")
    expect(rows).to_have_count(1)
    page.get_by_role("button", name="Save this view").click()
    page.get_by_role("textbox", name="Name of the view").fill("only second")
    page.keyboard.press("Enter")
    expect(page.get_by_role("button", name="only second", exact=True)).to_have_attribute("aria-pressed", "true")
    page.get_by_role("button", name="All jobs").click()
    expect(rows).to_have_count(3)
    other = visit("/")
    other.get_by_role("button", name="only second", exact=True).click()
    expect(other.get_by_role("list", name="Jobs").get_by_role("listitem")).to_have_count(1)
    other.get_by_role("button", name="Delete the view only second").click()
    expect(other.get_by_role("button", name="only second", exact=True)).to_have_count(0)
    assert server.get("/views") == []

    # Stop asks once, and what has ended already stays as it is.
    page.get_by_label("Choose all jobs of this page").click()
    bar.get_by_role("button", name="Stop").click()
    dialog = page.get_by_role("dialog")
    expect(dialog.get_by_text("Stop 1 job?")).to_be_visible()
    dialog.get_by_role("button", name="Stop 1 job").click()
    assert [task["state"] for task in server.wait(third)] == ["stopped"]
    page.get_by_label("Choose first").click()
    page.get_by_label("Choose second").click()
    bar.get_by_role("button", name="Remove").click()
    dialog.get_by_role("button", name="Remove 1 job").click()
    expect(rows).to_have_count(2)
    assert server.client.get(f"/jobs/{third}").status_code == 404


def test_jobs_side_by_side(visit: Visit, server: ServerProcess) -> None:
    first = server.submit(TRAIN, name="first", params={"lr": "0.4,0.2"})
    second = server.submit(TRAIN, name="second", params={"lr": 0.1, "width": 16})
    server.wait(first)
    server.wait(second)
    page = visit(f"/jobs/{first}")
    choose(page, "Compare with another job")
    table = page.get_by_role("region", name="Comparison")
    expect(table.get_by_role("link", name="task 2")).to_be_visible()
    page.get_by_role("combobox", name="Add a job").fill("sec")
    page.get_by_role("option", name=re.compile("second")).dispatch_event("click")
    expect(table.get_by_role("link", name="second")).to_be_visible()
    page.wait_for_url(re.compile(f"job={first}&job={second}"))

    def row(name: str) -> list[str]:
        found = table.get_by_role("row").filter(has=page.get_by_role("rowheader", name=name, exact=True))
        return found.get_by_role("cell").all_inner_texts()

    for name in ("best val_loss", "lr", "width", "last val_loss", "best val_acc"):
        expect(table.get_by_role("rowheader", name=name, exact=True)).to_be_visible()
    assert row("lr") == ["0.2", "0.1"]
    assert row("width") == ["", "16"]
    assert row("best val_loss") == ["0.066667", "0.033333"]
    assert row("last val_loss") == ["0.066667", "0.033333"]
    assert row("best val_acc") == ["0.2", "0.2"]
    expect(page.get_by_text("first, task 2")).to_be_visible()
    looks(page, "compare")
    page.get_by_text("Best 3").click()
    expect(table.get_by_role("link", name="task 1", exact=True)).to_have_count(2)
    table.get_by_role("button", name="Leave out first").click()
    expect(table.get_by_role("columnheader", name="1 job")).to_be_visible()
    page.get_by_role("combobox", name="Metric").click()
    page.get_by_role("option", name="val_acc").dispatch_event("click")
    expect(page.get_by_role("region", name="val_acc")).to_be_visible()
