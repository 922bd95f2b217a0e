"""Test the page of a job with thousands of tasks: its table is loaded by window, and works as if it were not."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import SLEEPER, picture
from tests.support.server import ServerProcess, wait_for

Visit = Callable[..., Page]
TASKS = 3000


@pytest.fixture
def job(server: ServerProcess) -> str:
    """A job of which two tasks run and all others wait."""
    job = server.submit(SLEEPER, params={"n": list(range(TASKS)), "half": ["a"]}, name="many tasks")
    server.wait_state(job, "running", 2)
    return job


def reasons(server: ServerProcess, job: str) -> list[str | None]:
    """Why the job waits, a task as it is shown alone, and one of a list."""
    [row] = server.get(f"/jobs/{job}/tasks", numbers="9")["items"]
    return [one["waits"] and one["waits"]["reason"] for one in (server.get(f"/jobs/{job}"), server.task(job, 8), row)]


def rows(page: Page) -> list[str]:
    """The numbers of the tasks in sight, from the top."""
    links = page.get_by_role("table", name="Configurations").get_by_role("link").all()
    return [link.inner_text() for link in links]


def scroll(page: Page, part: float) -> None:
    table = page.get_by_role("table", name="Configurations")
    table.evaluate("(table, part) => { table.parentElement.scrollTop = table.parentElement.scrollHeight * part }", part)


def test_all_of_thousands_by_window(visit: Visit, server: ServerProcess, job: str) -> None:
    asked: list[str] = []
    page = visit(f"/jobs/{job}", prepare=lambda page: page.on("request", lambda r: asked.append(r.url)))
    expect(page.get_by_text(f"{TASKS:,} configurations").first).to_be_visible()
    table = page.get_by_role("table", name="Configurations")
    expect(table).to_have_attribute("aria-rowcount", str(TASKS + 1))

    # Rows come into sight, and only those are fetched.
    with page.expect_request(lambda r: f"-{TASKS}&" in r.url and "numbers=" in r.url):
        scroll(page, 1)
    last = table.get_by_role("row").filter(has=page.get_by_role("link", name=f"Task {TASKS}", exact=True))
    expect(last).to_contain_text("submitted")
    expect(page.get_by_label("Waiting")).to_be_visible()
    expect(last.get_by_role("cell").last).not_to_be_empty()  # why it waits
    wait_for(
        lambda: len(found := {*reasons(server, job)}) == 1 and None not in found,
        what="the job and its tasks to give the same reason",
    )
    fetched = [url for url in asked if f"/jobs/{job}/tasks?" in url]
    assert all("slim=true" in url and "numbers=" in url for url in fetched)

    # The server sorts and filters.
    scroll(page, 0)
    page.get_by_role("button", name="n", exact=True).click()
    page.get_by_role("button", name="n", exact=True).click()
    expect(table.get_by_role("link").first).to_have_text(str(TASKS))
    page.get_by_label("Filter configurations").fill("n<12 half=a")
    expect(page.get_by_text(f"12 of {TASKS:,} configurations").first).to_be_visible()
    expect(table.get_by_role("link").first).to_have_text("12")
    assert rows(page) == [str(n) for n in range(12, 0, -1)]

    # What is done to all that match reaches exactly those.
    page.get_by_label("Select all").check()
    expect(page.get_by_text("12 selected")).to_be_visible()
    columns = sum("tasks/columns" in url and "params" in url for url in asked)
    page.get_by_role("region", name="Configurations").get_by_role("button", name="Stop").click()
    page.get_by_role("dialog").get_by_role("button", name="Stop").click()
    expect(page.get_by_text("12 tasks will stop")).to_be_visible()
    wait_for(lambda: server.get(f"/jobs/{job}")["counts"]["stopped"] == 12, what="twelve tasks to stop")
    assert server.get(f"/jobs/{job}/tasks", q="state=stopped")["total"] == 12
    # Events changed these rows: all tasks were not fetched again.
    expect(table.get_by_text("stopped")).to_have_count(12)
    assert sum("tasks/columns" in url and "params" in url for url in asked) == columns

    # All are selected, those too that were never in sight.
    page.get_by_label("Filter configurations").fill("")
    expect(page.get_by_label("Select all")).not_to_be_checked()
    page.get_by_label("Select all").check()
    expect(page.get_by_text(f"{TASKS:,} selected")).to_be_visible()
    picture(page, "many-tasks")


def test_a_filter_in_the_address(visit: Visit, job: str) -> None:
    page = visit(f"/jobs/{job}?filter=n%3E2990&sort=-param.n")
    expect(page.get_by_text(f"9 of {TASKS:,} configurations").first).to_be_visible()
    expect(page.get_by_role("table", name="Configurations").get_by_role("link").first).to_have_text(str(TASKS))
