"""Test single sign-on in a browser: from our page to a real provider, and back."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, Route, expect

from tests.browser.conftest import looks
from tests.support.team import ADMIN, Team, team
from tests.team.provider import PEOPLE, provider

CAROL = "user-1"


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Team]:
    """A server whose provider knows carol, whom anybody in `vision` may be, and dave."""
    folder: Path = tmp_path_factory.mktemp("sso")
    dave = {"preferred_username": "dave"}
    people = {CAROL: PEOPLE[CAROL] | {"preferred_username": "carol"}, "user-2": dave}
    with provider(folder, people=people) as issuer:
        known = {"issuer": issuer, "client_id": "public", "groups_claim": "groups", "title": "Example University"}
        settings = {
            "PADDOCK_LOGIN__OIDC": json.dumps({"lab": known}),
            "PADDOCK_TEAM__JOIN_GROUPS": json.dumps(["vision"]),
        }
        with team(folder / "home", environment=settings, local__slots=1) as made:
            yield made


@contextmanager
def opened(browser: Browser, url: str) -> Iterator[Page]:
    """Open a page in a browser of its own, which reaches nothing but this machine."""

    def only_here(route: Route) -> None:
        if route.request.url.startswith("http://127.0.0.1:"):
            route.continue_()
        else:
            route.abort()  # the provider's page wants fonts from elsewhere

    context = browser.new_context(viewport={"width": 1440, "height": 900}, locale="en-US", reduced_motion="reduce")
    try:
        page = context.new_page()
        page.set_default_timeout(90_000)
        page.route("**/*", only_here)
        page.goto(url)
        yield page
        page.unroute_all(behavior="ignoreErrors")
    finally:
        context.close()


def at_the_provider(page: Page, login: str) -> None:
    page.get_by_role("link", name="Continue with Example University").click()
    page.get_by_role("textbox", name="Enter any login").fill(login)
    page.get_by_role("textbox", name="and password").fill("any")
    page.get_by_role("button", name="Sign-in").click()
    page.get_by_role("button", name="Continue").click()


def test_somebody_signs_in_at_the_provider_and_comes_to_where_they_wanted(browser: Browser, lab: Team) -> None:
    with opened(browser, f"{lab.url}/cluster") as page:
        expect(page.get_by_role("heading", name="Sign in")).to_be_visible()
        looks(page, "team-single-sign-on")
        at_the_provider(page, CAROL)
        expect(page.get_by_role("heading", name="Cluster")).to_be_visible()
        expect(page.get_by_role("button", name="Account of carol")).to_be_visible()
        assert page.url == f"{lab.url}/cluster"  # the page's key is not left in the address
        kinds = {cookie["name"].endswith("-pending"): cookie["sameSite"] for cookie in page.context.cookies(lab.url)}
        assert kinds == {False: "Strict"}
        page.reload()
        expect(page.get_by_role("button", name="Account of carol")).to_be_visible()


def test_somebody_without_an_account_learns_why_and_joins_with_an_invitation(browser: Browser, lab: Team) -> None:
    with opened(browser, f"{lab.url}/") as page:
        at_the_provider(page, "user-2")
        expect(page.get_by_role("alert")).to_contain_text("ask an admin of the team to invite you")
        looks(page, "team-single-sign-on-refused")
        link = lab.clients[ADMIN].post("/invites", json={"role": "guest"}).json()["link"]
        page.goto(link)
        expect(page.get_by_role("heading", name="Welcome to Paddock")).to_be_visible()
        looks(page, "team-invited-single-sign-on")
        page.get_by_role("link", name="Continue with Example University").click()
        page.get_by_role("button", name="Continue").click()  # still signed in there
        expect(page.get_by_role("button", name="Account of dave")).to_be_visible()
