"""Test that a real browser goes to a real provider, and comes back to where it wanted."""

import json
import re
from pathlib import Path

from playwright.sync_api import Browser, Page, expect

from tests.browser.conftest import looks, visits
from tests.support.team import team
from tests.team.provider import provider

FONTS = "https://fonts.googleapis.com/"  # what the provider's own pages ask for: never fetched
PEOPLE = {"user-1": {"preferred_username": "carol", "name": "Carol Example", "groups": ["vision"]}}


def _at_the_provider(page: Page, login: str) -> None:
    """Sign in on the pages of the provider, which asks for consent as well."""
    page.get_by_placeholder("Enter any login").fill(login)
    page.get_by_placeholder("and password").fill("any")
    page.get_by_role("button", name="Sign-in").click()
    page.get_by_role("button", name="Continue").click()


def test_somebody_signs_in_at_a_provider_and_comes_back(browser: Browser, tmp_path: Path) -> None:
    with provider(tmp_path, people=PEOPLE) as issuer:
        known = {"issuer": issuer, "client_id": "public", "groups_claim": "groups", "title": "The lab"}
        settings = {
            "PADDOCK_LOGIN__OIDC": json.dumps({"lab": known}),
            "PADDOCK_TEAM__JOIN_GROUPS": json.dumps(["vision"]),
        }
        with team(tmp_path / "home", environment=settings) as lab, visits(browser, lab.server, issuer, FONTS) as go:
            page = go(
                "/cluster", signed_in=False, prepare=lambda page: page.route(f"{FONTS}**", lambda route: route.abort())
            )
            button = page.get_by_role("link", name="Continue with The lab")
            expect(button).to_be_visible()
            looks(page, "team-sign-in-provider")
            button.click()
            page.wait_for_url(re.compile(re.escape(issuer)))
            _at_the_provider(page, "user-1")
            expect(page.get_by_role("button", name="Account of carol")).to_be_visible()
            expect(page.get_by_role("heading", name="Cluster")).to_be_visible()
            assert page.url == f"{lab.url}/cluster"
