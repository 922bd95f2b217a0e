"""Test single sign-on in a browser: from our page to a real provider, and back."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.conftest import looks, visits
from tests.support.team import ADMIN, Team, team
from tests.team.provider import PEOPLE, provider

CAROL = "user-1"
FONTS = "https://fonts.googleapis.com/"  # what the provider's own pages ask for: never fetched
Lab = tuple[Team, str]


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lab]:
    """A server whose provider knows carol, who may join as a member of `vision`, and dave; and the provider."""
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
            yield made, issuer


@pytest.fixture
def visit(browser: Browser, lab: Lab) -> Iterator[Callable[[str], Page]]:
    people, issuer = lab
    with visits(browser, people.server, issuer, FONTS) as go:
        yield lambda path: go(path, signed_in=False, prepare=lambda page: page.route(f"{FONTS}**", lambda r: r.abort()))


def at_the_provider(page: Page, login: str) -> None:
    page.get_by_role("link", name="Continue with Example University").click()
    page.get_by_role("textbox", name="Enter any login").fill(login)
    page.get_by_role("textbox", name="and password").fill("any")
    page.get_by_role("button", name="Sign-in").click()
    page.get_by_role("button", name="Continue").click()


def test_somebody_signs_in_at_the_provider_and_comes_to_where_they_wanted(
    visit: Callable[[str], Page], lab: Lab
) -> None:
    url = lab[0].url
    page = visit("/hosts")
    expect(page.get_by_role("heading", name="Sign in")).to_be_visible()
    looks(page, "team-single-sign-on")
    at_the_provider(page, CAROL)
    expect(page.get_by_role("heading", name="Hosts")).to_be_visible()
    expect(page.get_by_role("button", name="Account of carol")).to_be_visible()
    assert page.url == f"{url}/hosts"  # the page's key is not left in the address
    kinds = {cookie["name"].endswith("-pending"): cookie["sameSite"] for cookie in page.context.cookies(url)}
    assert kinds == {False: "Strict"}
    page.reload()
    expect(page.get_by_role("button", name="Account of carol")).to_be_visible()


def test_somebody_without_an_account_learns_why_and_joins_with_an_invitation(
    visit: Callable[[str], Page], lab: Lab
) -> None:
    page = visit("/")
    at_the_provider(page, "user-2")
    expect(page.get_by_role("alert")).to_contain_text("ask an admin of the team to invite you")
    looks(page, "team-single-sign-on-refused")
    page.goto(lab[0].clients[ADMIN].post("/invites", json={"role": "guest"}).json()["link"])
    expect(page.get_by_role("heading", name="Welcome to Paddock")).to_be_visible()
    looks(page, "team-invited-single-sign-on")
    page.get_by_role("link", name="Continue with Example University").click()
    page.get_by_role("button", name="Continue").click()  # still signed in there
    expect(page.get_by_role("button", name="Account of dave")).to_be_visible()
