"""Test a number that is marked in the log of a task and becomes a metric."""

import re
from collections.abc import Callable

from playwright.sync_api import Page, expect

from tests.browser.conftest import dress, picture
from tests.support.server import ServerProcess

TRAIN = """
for turn in range(5):
    print(f"turn {turn} gave {turn + 0.5} points", flush=True)
"""
# Selects the number of the second line, as a double click does.
SELECT = """element => {
  const text = element.querySelector('[data-text]').firstChild;
  document.getSelection().setBaseAndExtent(text, 12, text, 15);
}"""


def test_a_number_of_the_log_becomes_a_metric(visit: Callable[..., Page], server: ServerProcess) -> None:
    job = server.submit(TRAIN, name="odd lines")
    server.wait_state(job, "finished")
    page = visit(f"/tasks/{job}-1")
    expect(page.get_by_text("the log contains numbers")).to_be_visible()
    line = page.get_by_role("log").locator("[data-index='1']")
    expect(line).to_contain_text("turn 1 gave 1.5 points")
    line.evaluate(SELECT)
    page.get_by_role("button", name="Make this a metric").click()
    dialog = page.get_by_role("dialog")
    expect(dialog.get_by_label("Name")).to_have_value("gave")
    dialog.get_by_label("Name").fill("score")
    expect(dialog.get_by_text("5 lines at the end of this log match")).to_be_visible()
    picture(page, "mark-number")
    dress(page, 390, dark=True)
    picture(page, "mark-number-narrow")
    dress(page, 1440, dark=False)
    dialog.get_by_role("button", name="Make it a metric").click()
    expect(page.get_by_text("score is a metric now")).to_be_visible()
    expect(page.get_by_text(re.compile(r"^score$")).first).to_be_visible()
    expect(dialog).to_have_count(0)
