"""Fixtures: a real Chromium and a real server."""

import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect, sync_playwright

from paddock.server.api import web
from tests.support.server import ServerProcess, running

expect.set_options(timeout=90_000)  # machines that run the tests may be busy

ROOT = Path(__file__).parent.parent.parent
SHOTS = ROOT / "screenshots"
ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    chromium = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    problem = None if chromium else "no chromium found: install it, on Debian with `apt install chromium`"
    if not (web.DIST / "index.html").is_file():
        problem = "the page is not built: run `make web`"
    if problem:
        (pytest.fail if os.environ.get("CI") else pytest.skip)(problem)
    if _open:  # tests elsewhere use this fixture, too, and a process can have but one
        yield _open[0]
        return
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=ARGUMENTS)
        _open.append(browser)
        yield browser
        _open.clear()
        browser.close()


_open: list[Browser] = []


@pytest.fixture(scope="package")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServerProcess]:
    with running(tmp_path_factory.mktemp("browser") / "home", local__slots=2, runner__grace_seconds=1) as server:
        yield server


@pytest.fixture
def server(shared: ServerProcess) -> Iterator[ServerProcess]:
    """Without any job."""
    yield shared
    shared.remove_jobs()


@pytest.fixture
def visit(browser: Browser, server: ServerProcess) -> Iterator[Callable[..., Page]]:
    """Open a page as somebody who followed the link; every script error and foreign request is a failure."""
    contexts: list[BrowserContext] = []
    faults: list[str] = []

    def go(path: str = "/", *, width: int = 1440, dark: bool = False, signed_in: bool = True) -> Page:
        context = browser.new_context(
            viewport={"width": width, "height": 900},
            locale="en-US",
            timezone_id="Europe/Rome",
            color_scheme="dark" if dark else "light",
        )
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(90_000)
        page.on("pageerror", lambda error: faults.append(f"script error: {error}"))
        page.on("console", lambda m: faults.append(f"console: {m.text}") if _bad(m.type, m.text) else None)
        page.on(
            "request",
            lambda r: (
                faults.append(f"foreign: {r.url}") if not r.url.startswith((server.url, "data:", "blob:")) else None
            ),
        )
        token = f"{'&' if '?' in path else '?'}token={server.token}" if signed_in else ""
        page.goto(server.url + path + token)
        return page

    yield go
    for context in contexts:
        for page in context.pages:  # what a test answers in place of the server may be under way
            page.unroute_all(behavior="ignoreErrors")
        context.close()
    assert not faults, faults


def _bad(kind: str, text: str) -> bool:
    # Signing in and lost connections are told by the network too.
    expected = ("Failed to load resource", "ERR_", "Unable to preload", "dynamically imported module")
    return kind == "error" and not any(part in text for part in expected)
