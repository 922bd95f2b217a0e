"""Test the graphs and the table of a job together: metrics, groups, brushes, colours, columns."""

from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Page, expect

from tests.support.server import ServerProcess

Visit = Callable[..., Page]

# The smallest loss is 0.0111: the limits of its log axis are those that uPlot's own ticks do not end for.
TRAIN = """
import argparse
parser = argparse.ArgumentParser()
parser.add_argument("--lr", type=float, default=0.1)
parser.add_argument("--optimizer", default="adam")
args = parser.parse_args()
best = args.lr if args.optimizer == "adam" else args.lr / 2
for epoch in range(1, 5):
    print(f"epoch: {epoch} val_loss: {0.0111 + (4 - epoch) * args.lr} val_accuracy: {best + epoch / 100}")
"""


@pytest.fixture
def job(server: ServerProcess) -> Iterator[str]:
    job = server.submit(TRAIN, params={"lr": "0.1,0.2,0.4", "optimizer": "adam,sgd"}, resources={"slots": 2})
    server.wait(job)
    yield job


def curves(page: Page, metric: str, count: int) -> None:
    words = f"{count} curve{'' if count == 1 else 's'}"
    expect(page.get_by_role("img", name=f"{metric}: {words}", exact=True)).to_be_visible()


def test_curves_and_table_show_the_same(visit: Visit, job: str) -> None:
    page = visit(f"/jobs/{job}?log=1")
    curves(page, "val_loss", 6)

    page.get_by_role("button", name="Metrics: val_loss").click()
    page.get_by_role("checkbox", name="val_accuracy", exact=True).check()
    page.keyboard.press("Escape")
    curves(page, "val_accuracy", 6)
    curves(page, "val_loss", 6)

    page.get_by_role("button", name="Options").click()
    with page.expect_response(lambda answer: "/metrics?" in answer.url and "times=true" in answer.url):
        page.get_by_role("combobox", name="Across").click()
        page.get_by_role("option", name="Time since the start").dispatch_event("click")
    page.keyboard.press("Escape")

    # The same colour in the legend and in the table; a click in the legend hides a curve in all graphs.
    entry = page.get_by_role("button", name="1: lr 0.1 · optimizer adam")
    drawn = entry.locator("span").evaluate("one => getComputedStyle(one).borderTopColor")
    row = page.locator(f"tr[data-id='{job}-1']")
    dot = row.get_by_role("link", name="Task 1", exact=True).locator("xpath=preceding-sibling::span")
    assert dot.evaluate("one => getComputedStyle(one).backgroundColor") == drawn
    entry.click()
    expect(entry).to_have_attribute("aria-pressed", "false")

    # Beside the pointer are the values of all curves.
    plot = page.get_by_role("img", name="val_accuracy: 6 curves")
    box = plot.bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    for number in range(2, 7):
        expect(plot.get_by_text(f"{number}: lr")).to_be_visible()
    expect(plot.get_by_text("1: lr")).to_have_count(0)
    entry.click()

    # The last value of a metric is a column, and the table is sorted by it.
    page.get_by_role("button", name="Columns").click()
    page.get_by_role("checkbox", name="Last val_accuracy").check()
    page.keyboard.press("Escape")
    header = page.get_by_role("columnheader", name="Last val_accuracy")
    header.get_by_role("button").click()
    expect(page.locator("tbody tr[data-id]").first).to_have_attribute("data-id", f"{job}-2")
    expect(page.locator(f"tr[data-id='{job}-2']").get_by_text("0.09", exact=True)).to_be_visible()

    page.get_by_role("button", name="Options").click()
    page.get_by_role("combobox", name="Group by").click()
    page.get_by_role("option", name="optimizer").dispatch_event("click")
    page.keyboard.press("Escape")
    curves(page, "val_accuracy", 2)

    # What is brushed in parallel coordinates is left in the table and in the curves, and the address has it.
    page.get_by_text("Parallel", exact=True).click()
    plot = page.get_by_role("img", name="Parallel coordinates of 6")
    box = plot.bounding_box()
    assert box is not None
    middle = box["x"] + box["width"] / 2  # the axis of the optimizer: adam is below
    page.mouse.move(middle, box["y"] + box["height"] * 0.55)
    page.mouse.down()
    page.mouse.move(middle, box["y"] + box["height"] * 0.8, steps=3)
    page.mouse.up()
    expect(page.get_by_text("3 of 6 configurations").last).to_be_visible()
    assert "brush=optimizer%3Dadam" in page.url
    expect(page.locator("tbody tr[data-id]")).to_have_count(3)
    page.get_by_text("Curves", exact=True).click()
    curves(page, "val_accuracy", 1)
    page.get_by_role("button", name="Remove the brush of optimizer").click()
    curves(page, "val_accuracy", 2)
