"""Test the form of a script with hundreds of options, and what another script leaves of it."""

import re
from collections.abc import Callable

from playwright.sync_api import Page, expect

from tests.browser.conftest import looks
from tests.browser.test_page import DROP, drop

GROUPS = ("Dataset", "Model", "Optimizer", "Learning rate schedule", "Augmentation", "Logging")
LARGE = (
    "import argparse\np = argparse.ArgumentParser()\n"
    + "".join(f"p.add_argument('--plain-{i}', type=int, default={i})\n" for i in range(60))
    + "".join(
        f"g{n} = p.add_argument_group({title!r})\n"
        + "".join(f"g{n}.add_argument('--{title.split()[0].lower()}-{i}', help='number {i}')\n" for i in range(60))
        for n, title in enumerate(GROUPS)
    )
    + "g2.add_argument('--opt', choices=['sgd', 'adamw'], default='sgd', help='the optimiser to use')\n"
    + "args = p.parse_args()\nprint('loss:', 1)\n"
)
OTHER = "LR = 0.1\nprint('loss:', LR)\n"


def test_a_form_of_hundreds_of_options(visit: Callable[..., Page]) -> None:
    page = visit("/new")
    drop(page, "train.py", LARGE)
    find = page.get_by_role("textbox", name="Find one of 421 parameters")
    expect(find).to_be_visible()
    assert page.locator("[data-field^='params.']").count() == 40, "groups are folded, and of the others 40 are shown"
    expect(page.get_by_role("button", name="Show 20 more")).to_be_visible()
    group = page.get_by_role("button", name=re.compile("^Optimizer"))
    expect(group).to_have_attribute("aria-expanded", "false")
    find.fill("optimiser to use")
    expect(page.locator("[data-field^='params.']")).to_have_count(1)
    page.get_by_role("button", name="opt: adamw").click()
    page.get_by_role("button", name="opt: sgd").click()
    expect(page.get_by_role("textbox", name="opt", exact=True)).to_have_value("adamw,sgd")
    find.fill("no such thing")
    expect(page.get_by_text("No parameter of the script contains")).to_be_visible()
    find.fill("")
    expect(group).to_have_text(re.compile("61, 1 given"))
    group.click()
    expect(page.get_by_role("textbox", name="opt", exact=True)).to_have_value("adamw,sgd")
    expect(page.get_by_role("region", name="Preview").get_by_text("2 tasks")).to_be_visible()
    looks(page, "new-job-large")

    page.get_by_role("textbox", name="Description").fill("mine")
    page.evaluate(DROP, ["form", "other.py", OTHER])  # anywhere on the page
    expect(page.get_by_role("textbox", name="LR", exact=True)).to_be_visible()
    expect(page.get_by_role("textbox", name="opt", exact=True)).to_have_count(0)
    expect(page.get_by_role("region", name="Preview").get_by_text("1 task", exact=True)).to_be_visible()
    expect(page.get_by_role("textbox", name="Description")).to_have_value("mine")
    expect(page.get_by_text("in a copy of the script, as constants at its top")).to_be_visible()
