"""Test the objective on the page: chosen, shown with the reason, and changed."""

import re
from collections.abc import Callable

from playwright.sync_api import Page, expect

from tests.browser.conftest import looks, move, picture, serious
from tests.browser.test_page import drop
from tests.support.server import ServerProcess, wait_for

Visit = Callable[..., Page]

TRAIN = """
import argparse
parser = argparse.ArgumentParser()
parser.add_argument("--lr", type=float)
args = parser.parse_args()
for epoch in (1, 2, 3):
    print(f"epoch {epoch}/3 loss: {args.lr / epoch:.4f} valid_loss: {1 - args.lr / epoch:.4f} acc: {args.lr:.4f}")
"""


def test_the_objective_is_chosen_and_changed(visit: Visit, server: ServerProcess) -> None:
    page = visit("/new")
    drop(page, "train.py", TRAIN)
    expect(page.get_by_text("chosen from what the script reports")).to_be_visible()
    job = server.submit(TRAIN, name="Chosen", params={"lr": [0.1, 0.2, 0.4]})
    server.wait(job)
    move(page, f"/jobs/{job}")
    expect(page.get_by_text("Best valid_loss").first).to_be_visible()
    expect(page.get_by_text("the validation loss, chosen from what the tasks report")).to_be_visible()
    expect(page.get_by_text("0.6", exact=True).first).to_be_visible()
    change = page.get_by_role("button", name="Change the objective")
    change.click()
    dialog = page.get_by_role("dialog", name="Objective")
    metric = dialog.get_by_label("Metric", exact=True).first
    expect(metric).to_have_value("valid_loss")
    metric.fill("nothing")
    dialog.get_by_role("button", name="Save").click()
    expect(dialog.get_by_text("There are: acc, loss, valid_loss")).to_be_visible()
    looks(page, "objective")
    assert serious(page) == []
    metric.fill("acc")
    expect(dialog.get_by_label("Goal", exact=True).first).to_have_value("as large as possible")
    dialog.get_by_role("button", name="Save").click()
    expect(dialog).to_have_count(0)
    expect(page.get_by_text("Best acc").first).to_be_visible()
    expect(page.get_by_role("link", name="task 3").first).to_be_visible()
    rows = page.get_by_role("region", name="Configurations")
    expect(rows.get_by_text("0.4").first).to_be_visible()
    assert server.get(f"/jobs/{job}")["objective"] == {"metric": "acc", "goal": "max"}


def test_a_search_that_waits_for_its_objective_says_so(visit: Visit, server: ServerProcess) -> None:
    search = {"method": "tpe", "trials": 6}
    job = server.submit(TRAIN, params={"lr": "0.1..0.9"}, search=search, objective="val_loss", parallel=1)
    wait_for(lambda: server.get(f"/jobs/{job}")["held"])
    page = visit(f"/jobs/{job}")
    expect(
        page.get_by_text(re.compile("Held: no task has reported val_loss. There are: acc, loss, valid_loss"))
    ).to_be_visible()
    page.get_by_role("button", name="Change the objective").click()
    dialog = page.get_by_role("dialog", name="Objective")
    dialog.get_by_role("button", name="Choose automatically").click()
    expect(page.get_by_text("Best valid_loss").first).to_be_visible()
    expect(page.get_by_text("Held: no task has reported")).to_have_count(0)
    server.wait(job)
    assert server.get(f"/jobs/{job}")["counts"]["finished"] == 6


def test_other_metrics_have_a_direction_and_a_note_is_marked(visit: Visit, server: ServerProcess) -> None:
    job = server.submit(TRAIN, name="First", params={"lr": [0.1, 0.2]})
    other = server.submit(TRAIN, name="Second", params={"lr": [0.3, 0.4]})
    for one in (job, other):
        server.wait(one)
    page = visit(f"/compare?job={job}&job={other}")
    table = page.get_by_role("region", name="Comparison")
    expect(table.get_by_role("rowheader", name="best acc")).to_be_visible()
    expect(table.get_by_role("rowheader", name="best loss", exact=True)).to_be_visible()
    expect(table.get_by_text(re.compile("smallest|largest"))).to_have_count(0)
    picture(page, "compare-directions")

    move(page, f"/jobs/{job}")
    mark = page.get_by_role("img", name="Task 2 has a note")
    expect(page.get_by_role("link", name="Task 2", exact=True)).to_be_visible()
    expect(mark).to_have_count(0)
    server.client.patch(f"/tasks/{job}-2", json={"note": "the one to keep"}).raise_for_status()
    expect(mark).to_be_visible()
    picture(page, "noted-task")
    page.set_viewport_size({"width": 390, "height": 800})
    page.get_by_role("button", name="Change the objective").click()
    dialog = page.get_by_role("dialog", name="Objective")
    dialog.get_by_role("button", name="Another objective").click()
    widths = [box["width"] for field in dialog.get_by_label("Metric").all() if (box := field.bounding_box())]
    assert min(widths) > 200, "as wide as the dialog"
    picture(page, "objective-narrow")


def test_warnings_about_a_script_are_shown_once(visit: Visit) -> None:
    for width in (390, 1400):
        page = visit("/new")
        page.set_viewport_size({"width": width, "height": 900})
        drop(page, "train.py", "print('hello')")
        expect(page.get_by_text("No metric source was found")).to_have_count(1)
        expect(page.get_by_role("heading", name="1 task")).to_be_visible()
        expect(page.get_by_text("No metric source was found")).to_have_count(1)
