"""Test the form of a script with hundreds of options, and what another script leaves of it."""

import re
from collections.abc import Callable

from playwright.sync_api import Page, expect

from tests.browser.conftest import looks
from tests.browser.test_page import DROP, drop
from tests.support.server import ServerProcess

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


def test_priority_and_room_for_others(visit: Callable[..., Page], server: ServerProcess) -> None:
    page = visit("/new")
    drop(page, "train.py", OTHER)
    page.get_by_role("button", name=re.compile("^Resources")).click()
    keeps = page.get_by_role("switch", name="Tasks keep the number of GPUs that they begin with")
    gpus = page.get_by_role("textbox", name="GPUs per task")
    gpus.fill("1..4")
    keeps.check()
    looks(page, "new-job-range")
    keeps.uncheck()
    gpus.fill("")
    expect(keeps).to_have_count(0)
    section = page.get_by_role("button", name=re.compile("^Priority and room for others"))
    expect(section).to_contain_text("the server’s defaults")
    section.click()
    priority = page.get_by_role("textbox", name="Priority", exact=True)
    priority.fill("500")
    expect(page.get_by_text("It must be less than or equal to 100", exact=True)).to_be_visible()
    priority.fill("-5")
    page.get_by_role("combobox", name="Makes room for others").click()
    page.get_by_role("option", name="At once, from a checkpoint").click()
    looks(page, "new-job-room")
    section.click()
    expect(section).to_contain_text("priority -5, makes room at once")
    page.get_by_role("region", name="Preview").get_by_role("button", name="Submit").click()
    page.wait_for_url(re.compile(r"/jobs/[0-9a-z]{8}"))
    spec = server.get(f"/jobs/{re.findall(r'/jobs/([0-9a-z]{8})', page.url)[0]}")["spec"]
    assert spec["priority"] == -5
    assert spec["elastic"] == {"give_way": "now", "keep": None, "keep_size": None}
