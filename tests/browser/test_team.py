"""Test what people of a team do on the page: every browser context is another person's."""

import re
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.conftest import SLEEPER, choose, looks, move, visits
from tests.support.server import running, wait_for
from tests.support.team import ADMIN, ALICE, BOB, GUEST, PASSWORD, Team, team

Visit = Callable[..., Page]


@pytest.fixture(scope="module")
def people(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Team]:
    with team(tmp_path_factory.mktemp("team") / "home", local__slots=2, runner__grace_seconds=1) as made:
        yield made


@pytest.fixture
def visit(browser: Browser, people: Team) -> Iterator[Visit]:
    """Open a page that nobody has signed in to."""
    with visits(browser, people.server) as go:
        yield lambda path="/": go(path, signed_in=False)
    people.server.remove_jobs()


def sign_in(page: Page, name: str, password: str = PASSWORD) -> Page:
    page.get_by_role("textbox", name="Name").fill(name)
    page.get_by_role("textbox", name="Password").fill(password)
    page.get_by_role("button", name="Sign in").click()
    return page


def entered(page: Page, name: str) -> Page:
    """Sign in, and wait for the page that was wanted."""
    sign_in(page, name)
    expect(account(page, name)).to_be_visible()
    return page


def account(page: Page, name: str) -> Any:
    return page.get_by_role("button", name=f"Account of {name}")


def submit(people: Team, name: str, title: str, source: str = "print('val_loss: 1')", **spec: Any) -> str:
    """Submit a script as somebody; the id of the job."""
    body = {"spec": {"script": "train.py", "name": title, **spec}, "files": {"train.py": source}}
    answer = people.clients[name].post("/jobs", json=body)
    assert answer.status_code == 201, answer.text
    job: str = answer.json()["id"]
    return job


def test_who_signs_in_comes_to_where_they_wanted(visit: Visit, people: Team) -> None:
    job = submit(people, ALICE, "Where alice wanted to go")
    page = visit(f"/jobs/{job}")
    expect(page.get_by_role("heading", name="Sign in")).to_be_visible()
    looks(page, "team-sign-in")
    for name, password in ((ALICE, "not the password"), ("nobody-of-this-name", PASSWORD)):
        sign_in(page, name, password)
        expect(page.get_by_role("alert")).to_have_text("The name or the password is not right.")
    sign_in(page, ALICE)
    expect(page.get_by_role("heading", name="Where alice wanted to go")).to_be_visible()
    assert page.url.endswith(f"/jobs/{job}")
    account(page, ALICE).click()
    page.get_by_role("menuitem", name="Sign out").dispatch_event("click")
    expect(page.get_by_role("heading", name="Sign in")).to_be_visible()
    page.reload()
    expect(page.get_by_role("heading", name="Sign in")).to_be_visible()


def test_the_way_on_leads_nowhere_else(visit: Visit, people: Team) -> None:
    page = entered(visit("/sign-in?next=/hosts"), ALICE)
    expect(page.get_by_role("heading", name="Hosts")).to_be_visible()
    page = entered(visit("/sign-in?next=//evil.example/"), ALICE)
    expect(page.get_by_role("heading", name="Jobs", exact=True)).to_be_visible()
    assert page.url == f"{people.url}/"


def test_who_comes_back_from_a_provider_without_an_account_reads_why(visit: Visit) -> None:
    page = visit("/?sign_in_error=not_allowed")
    expect(page.get_by_role("alert")).to_contain_text("ask an admin of the team to invite you")
    expect(page.get_by_role("button", name="Sign in")).to_be_visible()


def test_the_servers_token_is_a_way_in(visit: Visit, people: Team) -> None:
    page = visit("/")
    page.get_by_role("button", name="Use the link’s token").click()
    field = page.get_by_role("textbox", name="Token or link")
    field.fill(people.server.token)
    field.press("Enter")
    expect(account(page, "server")).to_be_visible()
    move(page, "/profile")
    expect(page.get_by_text("There is no such page")).to_be_visible()


def test_too_many_tries_have_to_wait(visit: Visit, people: Team) -> None:
    people.add("tired")
    page = visit("/")
    status = 0
    while status != 429:
        with page.expect_response("**/api/v1/session") as answer:
            sign_in(page, "tired", "not the password")
        status = answer.value.status
    expect(page.get_by_role("alert")).to_contain_text(re.compile(r"Try again in \d+ s"))


def test_from_alone_to_a_team_and_its_second_member(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> None:
    home = tmp_path_factory.mktemp("alone") / "home"
    with running(home, owner="ann", local__slots=1) as server, visits(browser, server) as go:
        page = go("/")
        page.get_by_role("link", name="Settings").click()
        looks(page, "team-turn-on")
        page.get_by_role("button", name="Turn the team on…").click()
        page.get_by_role("dialog").get_by_role("button", name="Turn on").click()
        expect(page.get_by_role("heading", name="Set the team up")).to_be_visible()
        name = page.get_by_role("textbox", name="Name", exact=True)
        expect(name).to_have_value("ann")
        expect(name).not_to_be_editable()
        looks(page, "team-setup-1")
        link = page.url
        page.get_by_role("textbox", name="Full name").fill("Ann Other")
        _choose_password(page)
        page.get_by_role("button", name="Next").click()
        for number, step in enumerate(("Who may join", "Who runs the tasks", "Invite people"), start=2):
            expect(page.locator("[aria-current=step]")).to_have_text(step)
            assert "code" not in page.url
            looks(page, f"team-setup-{number}")
            if number < 4:
                page.get_by_role("button", name="Next").click()
        page.get_by_role("button", name="Make a link").click()
        invitation = page.get_by_role("status").locator("pre").inner_text()
        page.get_by_role("link", name="To the jobs").click()
        expect(account(page, "ann")).to_be_visible()

        second = go(invitation.removeprefix(server.url), signed_in=False)
        expect(second.get_by_role("heading", name="Welcome to Paddock")).to_be_visible()
        looks(second, "team-invited")
        second.get_by_role("textbox", name="Name", exact=True).fill("Not A Name")
        _choose_password(second)
        second.get_by_role("button", name="Join").click()
        expect(second.get_by_role("textbox", name="Name", exact=True)).to_have_attribute("aria-invalid", "true")
        second.get_by_role("textbox", name="Name", exact=True).fill("bea")
        second.get_by_role("button", name="Join").click()
        expect(account(second, "bea")).to_be_visible()

        for used in (link, invitation):
            third = go(used.removeprefix(server.url), signed_in=False)
            expect(third.get_by_role("heading", name="This link does not work")).to_be_visible()
        looks(third, "team-link-used")


def _choose_password(page: Page) -> None:
    page.get_by_role("textbox", name="New password").fill(PASSWORD)
    page.get_by_role("textbox", name="The same again").fill(PASSWORD)


def test_others_see_no_private_job_and_no_buttons(visit: Visit, people: Team) -> None:
    open_job = submit(people, ALICE, "Seen by all", SLEEPER)
    hidden = submit(people, ALICE, "Kept to herself", visibility="private")
    theirs = submit(people, BOB, "Of bob")
    alice = entered(visit("/"), ALICE)
    jobs = alice.get_by_role("list", name="Jobs")
    row = jobs.get_by_role("listitem").filter(has_text="Kept to herself")
    expect(row.get_by_role("img", name="private")).to_be_visible()
    looks(alice, "team-jobs")
    alice.get_by_role("combobox", name="Owner").click()
    alice.get_by_role("option", name="Mine").dispatch_event("click")
    expect(jobs.get_by_role("listitem")).to_have_count(2)

    bob = entered(visit("/"), BOB)
    jobs = bob.get_by_role("list", name="Jobs")
    expect(jobs.get_by_role("listitem")).to_have_count(2)
    expect(bob.get_by_text("Kept to herself")).to_have_count(0)
    move(bob, f"/jobs/{hidden}")
    expect(bob.get_by_text("There is no such job")).to_be_visible()
    move(bob, f"/jobs/{open_job}")
    actions = bob.get_by_role("group", name="Actions")
    expect(actions.get_by_role("button")).to_have_text(["More"])
    actions.get_by_role("button", name="More").click()
    expect(bob.get_by_role("menuitem", name="Compare with another job")).to_be_visible()
    for name in ("Edit", "Pin", "Extend", "Limits", "Remove", "Restart", "Make private"):
        expect(bob.get_by_role("menuitem", name=name)).to_have_count(0)
    bob.keyboard.press("Escape")
    looks(bob, "team-job-of-another")
    move(bob, f"/tasks/{open_job}-1")
    expect(bob.get_by_role("heading", name="Task 1")).to_be_visible()
    expect(bob.get_by_role("button", name="Stop")).to_have_count(0)
    move(bob, f"/jobs/{theirs}")
    expect(actions.get_by_role("button", name="Restart")).to_be_visible()

    # It appears, and goes again, without being loaded anew.
    move(bob, "/")
    expect(bob.get_by_text("Seen by all")).to_be_visible()
    move(alice, f"/jobs/{hidden}")
    choose(alice, "Show to the team")
    expect(bob.get_by_text("Kept to herself")).to_be_visible()
    choose(alice, "Make private")
    expect(bob.get_by_text("Kept to herself")).to_have_count(0)


def test_guests_only_look_and_admins_end_what_others_began(visit: Visit, people: Team) -> None:
    job = submit(people, ALICE, "Long one", SLEEPER)
    people.server.wait_state(job, "running")
    guest = entered(visit("/"), GUEST)
    expect(guest.get_by_text("Long one")).to_be_visible()
    expect(guest.get_by_role("link", name=re.compile("new job", re.I))).to_have_count(0)
    expect(guest.get_by_role("button", name="Actions for Long one")).to_have_count(0)
    move(guest, f"/tasks/{job}-1")
    expect(guest.get_by_role("heading", name="Task 1")).to_be_visible()
    expect(guest.get_by_role("tab", name="Files")).to_have_count(0)
    looks(guest, "team-task-guest")

    admin = entered(visit(f"/jobs/{job}"), ADMIN)
    actions = admin.get_by_role("group", name="Actions")
    expect(actions.get_by_role("button")).to_have_text(["Stop", "Hold", "More"])
    actions.get_by_role("button", name="Stop").click()
    admin.get_by_role("dialog").get_by_role("button", name="Stop").click()
    expect(admin.get_by_text("1 stopped").first).to_be_visible()
    expect(actions.get_by_role("button", name="Restart")).to_have_count(0)


def test_a_private_job_is_submitted_from_the_page(visit: Visit, people: Team) -> None:
    old = submit(people, ALICE, "Old one")
    page = entered(visit(f"/new?from={old}"), ALICE)
    page.get_by_role("textbox", name="Name", exact=True).fill("Private one")
    page.get_by_role("switch", name="Private").click()
    preview = page.get_by_role("region", name="Preview")
    expect(preview.get_by_text("1 task", exact=True)).to_be_visible()
    preview.get_by_role("button", name="Submit").click()
    page.wait_for_url(re.compile(rf"/jobs/(?!{old})[0-9a-z]{{8}}$"))
    expect(page.get_by_role("img", name="private")).to_be_visible()
    job = page.url.rpartition("/")[2]
    assert people.clients[BOB].get(f"/jobs/{job}").status_code == 404


def test_a_token_is_made_used_and_revoked(visit: Visit, people: Team) -> None:
    page = entered(visit("/"), ALICE)
    account(page, ALICE).click()
    page.get_by_role("menuitem", name="Profile").dispatch_event("click")
    page.get_by_role("button", name="Make a token").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_role("textbox", name="Name").fill("my laptop")
    dialog.get_by_role("combobox", name="Good for").click()
    page.get_by_role("option", name="Reading only").dispatch_event("click")
    dialog.get_by_role("button", name="Make").click()
    token = page.get_by_role("region", name="Tokens").get_by_role("status").locator("pre").inner_text()
    looks(page, "team-profile")
    with people.bearer(token) as client:
        assert client.get("/me").json()["name"] == ALICE
        assert client.post("/jobs", json={"spec": {"command": "true"}}).status_code == 403
        made = page.get_by_role("list", name="Tokens").get_by_role("listitem").filter(has_text="my laptop")
        made.get_by_role("button", name="Revoke").click()
        page.get_by_role("dialog").get_by_role("button", name="Revoke").click()
        expect(made).to_contain_text("revoked")
        assert client.get("/me").status_code == 401


def test_a_calendar_link_is_good_for_nothing_else(visit: Visit, people: Team) -> None:
    page = entered(visit("/profile"), ALICE)
    page.get_by_role("region", name="Calendar link").get_by_role("button", name="Make a link").click()
    dialog = page.get_by_role("dialog", name="Calendar link")
    dialog.get_by_role("button", name="Make the link").click()
    address = dialog.locator("pre").inner_text()
    assert address.startswith(f"{people.url}/api/v1/calendar.ics?token=pdk_")
    looks(page, "team-calendar-link")
    with people.stranger() as program:
        assert program.get(address).text.startswith("BEGIN:VCALENDAR")
    with people.bearer(address.partition("token=")[2]) as client:
        assert client.get("/me").status_code == client.get("/reservations").status_code == 403
    dialog.get_by_role("button", name="Close").click()
    made = page.get_by_role("list", name="Tokens").get_by_role("listitem").filter(has_text="Calendar link")
    expect(made).to_contain_text("Only the calendar’s address")


def test_a_session_that_is_ended_elsewhere_is_signed_out(visit: Visit, people: Team) -> None:
    people.add("cleo")
    first, second = entered(visit("/"), "cleo"), entered(visit("/"), "cleo")
    move(first, "/profile")
    sessions = first.get_by_role("list", name="Sessions").get_by_role("listitem")
    expect(sessions).to_have_count(2)
    expect(sessions.filter(has_text="this one")).to_have_count(1)
    sessions.get_by_role("button", name="End").click()
    expect(sessions).to_have_count(1)
    move(second, "/hosts")
    expect(second.get_by_role("heading", name="Sign in")).to_be_visible()
    expect(account(first, "cleo")).to_be_visible()


def test_a_password_and_a_time_zone_are_changed(visit: Visit, people: Team) -> None:
    people.add("dora")
    page = entered(visit("/profile"), "dora")
    old = page.get_by_role("textbox", name="Password so far")
    old.fill("not the password")
    for name in ("New password", "The same again"):
        page.get_by_role("textbox", name=name).fill("a new one of some length")
    page.get_by_role("button", name="Change the password").click()
    expect(page.get_by_role("alert")).to_contain_text("not changed")
    old.fill(PASSWORD)
    page.get_by_role("button", name="Change the password").click()
    expect(page.get_by_text("Your password is changed")).to_be_visible()
    page.get_by_role("combobox", name="Time zone").fill("Tokyo")
    page.get_by_role("option", name="Asia/Tokyo").dispatch_event("click")
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_text("Your profile is saved")).to_be_visible()
    since = page.get_by_role("list", name="Sessions").locator("time").first
    expect(since).to_have_attribute("title", re.compile(r"GMT\+9"))
    again = visit("/")
    sign_in(again, "dora", "a new one of some length")
    expect(account(again, "dora")).to_be_visible()


def test_admins_manage_people(visit: Visit, people: Team) -> None:
    page = entered(visit("/people"), ADMIN)
    page.get_by_role("button", name="Add an account").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_role("textbox", name="Name", exact=True).fill("emil")
    dialog.get_by_role("textbox", name="Full name").fill("Emil Example")
    dialog.get_by_role("textbox", name="First password").fill(PASSWORD)
    dialog.get_by_role("button", name="Add").click()
    row = page.get_by_role("row").filter(has_text="Emil Example")
    expect(row).to_contain_text("user")
    looks(page, "team-people")
    emil = entered(visit("/people"), "emil")
    expect(emil.get_by_role("row").filter(has_text="Emil Example")).to_be_visible()
    expect(emil.get_by_role("button", name="Add an account")).to_have_count(0)
    expect(emil.get_by_role("tab")).to_have_text(["Accounts", "Audit"])

    page.get_by_role("tab", name="Groups").click()
    page.get_by_role("button", name="Add a group").click()
    dialog.get_by_role("textbox", name="Name").fill("students")
    members = dialog.get_by_role("combobox", name="Members")
    members.fill("emil")
    expect(page.get_by_role("option")).to_have_count(1)  # the others are filtered out
    members.press("ArrowDown")  # a click may miss the list while it moves to its place
    members.press("Enter")
    expect(dialog.locator(".mantine-Pill-root")).to_have_text("emil")
    dialog.get_by_role("button", name="Add", exact=True).click()
    expect(page.get_by_role("row").filter(has_text="students")).to_contain_text("emil")
    looks(page, "team-groups")

    page.get_by_role("tab", name="Invitations").click()
    page.get_by_role("textbox", name="E-mail").fill("fay@example.org")
    page.get_by_role("button", name="Make a link").click()
    invitation = page.get_by_role("status").locator("pre").inner_text()
    invited = page.get_by_role("row").filter(has_text="fay@example.org")
    expect(invited).to_be_visible()
    looks(page, "team-invitations")
    invited.get_by_role("button", name="Revoke").click()
    expect(invited.get_by_role("button", name="Revoke")).to_have_count(0)
    refused = visit(invitation.removeprefix(people.url))
    expect(refused.get_by_role("heading", name="This link does not work")).to_be_visible()

    page.get_by_role("tab", name="Accounts").click()
    row.get_by_role("button", name="Actions for emil").click()
    page.get_by_role("menuitem", name="Deactivate").dispatch_event("click")
    page.get_by_role("dialog").get_by_role("button", name="Deactivate").click()
    expect(row).to_contain_text("deactivated")
    move(emil, "/hosts")
    expect(emil.get_by_role("heading", name="Sign in")).to_be_visible()

    page.get_by_role("tab", name="Audit").click()
    page.get_by_role("textbox", name="Act").fill("account.add")
    expect(page.get_by_role("row").filter(has_text="emil")).to_have_count(1)
    looks(page, "team-audit")
    page.get_by_role("tab", name="Team").click()
    expect(page.get_by_role("button", name="Turn the team off…")).to_be_visible()
    looks(page, "team-team")


def test_the_audit_has_older_pages(visit: Visit, people: Team) -> None:
    with people.bearer(people.server.token) as client:
        for number in range(60):
            body = {"name": f"group-{number}", "description": "made to fill a page", "members": []}
            assert client.post("/groups", json=body).status_code == 201
            assert client.delete(f"/groups/group-{number}").status_code == 204
    page = entered(visit("/people?tab=audit&act=group"), ADMIN)
    rows = page.get_by_role("region", name="Audit").get_by_role("row")
    expect(rows).to_have_count(101)
    page.get_by_role("button", name="Older").click()
    wait_for(lambda: rows.count() > 101, what="older entries")
