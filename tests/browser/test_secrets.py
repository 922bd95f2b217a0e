"""Test variables with secret values: a job can be submitted again, and the page never shows the values."""

import re
from collections.abc import Callable

from playwright.sync_api import Page, expect

from tests.browser.conftest import picture
from tests.support.server import ServerProcess

Visit = Callable[..., Page]
SECRET = "hf_w3Zt9-not-for-the-page"
TRAIN = "import os\nprint('key', os.environ['API_KEY'][::-1], os.environ['MODE'], flush=True)\nprint('val_loss: 1')\n"


def test_a_job_with_masked_variables_is_submitted_again(visit: Visit, server: ServerProcess) -> None:
    given = {"API_KEY": SECRET, "MODE": "fast"}
    first = server.submit(TRAIN, name="with a key", environment={"variables": given})
    server.wait(first)
    page = visit(f"/jobs/{first}")
    page.get_by_role("link", name="Start from this job").click()
    more = page.get_by_role("button", name=re.compile("Environment"))
    more.click()
    field = page.get_by_role("textbox", name="Variables")
    expect(field).to_have_value(f"API_KEY=… as in job {first}\nMODE=… as in job {first}")
    expect(page.get_by_text(f"… stands for the value in job {first}")).to_be_visible()
    # What is given as a variable is not asked for again.
    expect(page.get_by_role("textbox", name="API_KEY")).to_have_attribute("placeholder", "as in the variables below")
    preview = page.get_by_role("region", name="Preview")
    expect(preview.get_by_text("1 task", exact=True)).to_be_visible()
    field.scroll_into_view_if_needed()
    picture(page, "masked")

    field.fill(f"API_KEY=… as in job {first}\nMODE=slow")
    preview.get_by_role("button", name="Submit").click()
    page.wait_for_url(re.compile(rf"/jobs/(?!{first})[0-9a-z]{{8}}$"))
    second = page.url.rpartition("/")[2]
    server.wait(second)
    assert server.log_of(second).splitlines()[0] == f"key {SECRET[::-1]} slow"
    assert SECRET not in page.content()
    assert SECRET not in server.client.get(f"/jobs/{second}").text


def test_a_mask_that_stands_for_nothing_is_told_at_its_field(visit: Visit, server: ServerProcess) -> None:
    first = server.submit(TRAIN, name="with a key", environment={"variables": {"API_KEY": SECRET, "MODE": "x"}})
    server.wait(first)
    page = visit(f"/new?from={first}")
    page.get_by_role("button", name=re.compile("Environment")).click()
    field = page.get_by_role("textbox", name="Variables")
    field.fill("API_KEY=… as in job zzzzzzzz\nMODE=x")
    told = page.get_by_text("the value of API_KEY is masked, and no job here has it: give the value again").first
    expect(told).to_be_visible()
    picture(page, "masked-wrong")
