"""Test notices in the page: the bell, what is shown when one comes, and the choice of where they go."""

from collections.abc import Callable

from playwright.sync_api import Page, expect

from tests.browser.conftest import looks
from tests.support.server import ServerProcess

Visit = Callable[..., Page]


def test_a_job_that_fails_rings_the_bell_and_leads_to_the_job(visit: Visit, server: ServerProcess) -> None:
    server.post("/me/notices/read", {})
    page = visit("/")
    expect(page.get_by_role("button", name="Notices")).to_be_visible()
    server.submit("import sys; sys.exit('no data')", name="rings the bell")
    bell = page.get_by_role("button", name="1 new notice")
    expect(bell).to_be_visible()
    expect(page.get_by_role("alert").get_by_text("rings the bell has failed")).to_be_visible()
    bell.click()
    expect(page.get_by_role("list", name="Notices").get_by_text("rings the bell has failed")).to_be_visible()
    looks(page, "notices")
    page.get_by_role("list", name="Notices").get_by_role("link", name="rings the bell has failed").click()
    expect(page.get_by_role("heading", name="rings the bell")).to_be_visible()
    expect(page.get_by_role("button", name="Notices")).to_be_visible()  # it is read


def test_where_notices_go_is_chosen_and_kept(visit: Visit, server: ServerProcess) -> None:
    page = visit("/settings")
    section = page.get_by_role("region", name="Notices")
    section.get_by_label("Another address").fill("nothing")
    section.get_by_role("button", name="Add").click()
    expect(section.get_by_text("not an address as apprise writes them")).to_be_visible()
    section.get_by_label("Another address").fill("ntfys://ntfy.example/my-topic")
    section.get_by_role("button", name="Add").click()
    row = section.get_by_role("row", name="ntfys://ntfy.example/my-topic")
    box = row.get_by_role("checkbox", name="A job has ended")
    expect(box).to_be_checked()
    with page.expect_response(lambda answer: answer.request.method == "PUT" and "/notices/choices" in answer.url):
        box.click()
    expect(box).not_to_be_checked()
    page.reload()
    expect(box).not_to_be_checked()
    expect(row.get_by_role("checkbox", name="Tasks fail")).to_be_checked()
    looks(page, "notice-settings")
    row.get_by_role("button", name="Remove").click()
    expect(row).to_have_count(0)
