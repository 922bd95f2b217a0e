"""Fixtures and helpers: a real Chromium, a real server, pictures and accessibility."""

import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, TimeoutError, expect, sync_playwright

from paddock.server.api import web
from tests.support.server import ServerProcess, running

expect.set_options(timeout=90_000)  # machines that run the tests may be busy

ROOT = Path(__file__).parent.parent.parent
SHOTS = ROOT / "screenshots"
AXE = ROOT / "web" / "node_modules" / "axe-core" / "axe.min.js"
SLEEPER = "import time; print('val_loss: 1', flush=True); time.sleep(600)"
LOOKS = [(1440, False), (390, True)]  # widths, and whether the page is dark

# Chromium takes one list only, so this one replaces the list of Playwright, and contains what matters of it. With
# the first two, each page would also render the popups of an address bar that nobody sees, for 40 % of all the time.
FEATURES_OFF = [
    "WebUIOmniboxPopup",
    "WebUIOmniboxAimPopup",
    "AvoidUnnecessaryBeforeUnloadCheckSync",
    "DestroyProfileOnBrowserClose",
    "HttpsUpgrades",
    "HttpsFirstBalancedModeAutoEnable",
    "MediaRouter",
    "PaintHolding",
    "ThirdPartyStoragePartitioning",
    "AvoidCorsURLLoaderRestartOnRedirect",
    "OptimizationHints",
    "NetworkTimeServiceQuerying",
    "PreconnectToSearch",
]
ARGUMENTS = [
    f"--disable-features={','.join(FEATURES_OFF)}",
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
    with visits(browser, server) as go:
        yield go


@contextmanager
def visits(browser: Browser, server: ServerProcess, *others: str) -> Iterator[Callable[..., Page]]:
    """Open a page as somebody who followed the link; every script error and foreign request is a failure.

    Every page has a context of its own, as if in another browser. `prepare` is called with it before it is loaded.
    `others`: addresses that are not foreign.
    """
    contexts: list[BrowserContext] = []
    faults: list[str] = []

    def go(path: str = "/", *, signed_in: bool = True, prepare: Callable[[Page], None] | None = None) -> Page:
        context = browser.new_context(
            viewport={"width": 1440, "height": 900},
            locale="en-US",
            timezone_id="Europe/Rome",
            color_scheme="light",
            reduced_motion="reduce",  # nobody waits for the end of a movement
        )
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(90_000)
        page.on("pageerror", lambda error: faults.append(f"script error: {error}"))
        page.on("console", lambda m: faults.append(f"console: {m.text}") if _bad(m.type, m.text) else None)
        page.on(
            "request",
            lambda r: (
                faults.append(f"foreign: {r.url}")
                if not r.url.startswith((server.url, "data:", "blob:", *others))
                else None
            ),
        )
        if prepare:
            prepare(page)
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


def move(page: Page, path: str) -> None:
    """Go to another page of Paddock as a link does, which costs a third of loading it."""
    page.evaluate("path => history.pushState(null, '', path)", path)


def choose(page: Page, item: str) -> None:
    """Choose something from the menu of a job. A notice may lie over it, and a new state of the job close it."""
    more = page.get_by_role("group", name="Actions").get_by_role("button", name="More")
    wanted = page.get_by_role("menuitem", name=item)
    for _ in range(20):
        more.click()
        with suppress(TimeoutError):
            wanted.dispatch_event("click", timeout=5_000)
            return
        page.keyboard.press("Escape")
    more.click()
    wanted.dispatch_event("click")


def dress(page: Page, width: int, dark: bool) -> None:
    page.set_viewport_size({"width": width, "height": 900})
    page.emulate_media(color_scheme="dark" if dark else "light", reduced_motion="reduce")


def picture(page: Page, name: str) -> None:
    """Keep a picture for people, of what is there when nothing loads any more."""
    expect(page.get_by_label("Loading", exact=True)).to_have_count(0)
    page.evaluate("() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")
    SHOTS.mkdir(exist_ok=True)
    page.screenshot(path=str(SHOTS / f"{name}.png"), full_page=True)


def look(page: Page, name: str) -> None:
    """Keep a picture, and fail if the page is hard to use for somebody or wider than the screen."""
    picture(page, name)
    assert not serious(page)
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth"), "wider than the screen"


def looks(page: Page, name: str) -> None:
    """Look at the page in all of `LOOKS`."""
    for width, dark in LOOKS:
        dress(page, width, dark)
        look(page, f"{name}-{width}-{'dark' if dark else 'light'}")


def serious(page: Page, part: str = "html") -> list[str]:
    """Return what axe finds in this part of the page that is serious or critical."""
    # The page's policy forbids added scripts; what the browser's own tools evaluate is not held to it.
    if page.evaluate("typeof axe") == "undefined":
        page.evaluate(_axe())
    wanted = "{resultTypes: ['violations'], preload: false}"
    found = page.evaluate(f"part => axe.run(part, {wanted}).then(found => found.violations)", part)
    return [
        f"{one['id']}: {one['help']} ({one['nodes'][0]['html'][:120]})"
        for one in found
        if one["impact"] in ("serious", "critical")
    ]


@cache
def _axe() -> str:
    return AXE.read_text()
