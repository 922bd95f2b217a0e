"""Test every page at two widths, light and dark: axe finds nothing serious; pictures are kept for people."""

from collections.abc import Callable
from pathlib import Path

from playwright.sync_api import Page, expect

from tests.browser.conftest import ROOT, SHOTS
from tests.support.server import ServerProcess

Visit = Callable[..., Page]

AXE = ROOT / "web" / "node_modules" / "axe-core" / "axe.min.js"
EXAMPLES = ROOT / "examples"
LOOKS = [(1440, False), (390, True)]


def _fill(server: ServerProcess) -> tuple[str, str]:
    sample = server.get("/samples")[0]["submission"]
    sample["spec"]["params"]["epochs"] = {"values": [15]}
    good = server.post("/jobs", sample, 201)["id"]
    source = (EXAMPLES / "broken" / "train.py").read_text()
    bad = server.submit(source, name="Fails on purpose", params={"batch_size": "64,32"})
    server.wait(good)
    server.wait(bad)
    return good, bad


def dress(page: Page, width: int, dark: bool) -> None:
    """As wide and as dark as this."""
    page.set_viewport_size({"width": width, "height": 900})
    page.emulate_media(color_scheme="dark" if dark else "light")


def serious(page: Page) -> list[str]:
    # The page's policy forbids added scripts; what the browser's own tools evaluate is not held to it.
    page.evaluate(AXE.read_text())
    found = page.evaluate("axe.run(document, {resultTypes: ['violations']})")
    return [
        f"{one['id']}: {one['help']} ({one['nodes'][0]['html'][:120]})"
        for one in found["violations"]
        if one["impact"] in ("serious", "critical")
    ]


def test_pages_are_accessible_and_pictured(visit: Visit, server: ServerProcess) -> None:
    findings: dict[str, list[str]] = {}
    SHOTS.mkdir(exist_ok=True)

    def look(name: str, path: str, text: str) -> None:
        page.goto(server.url + path)
        for width, dark in LOOKS:  # to load each of them anew would take most of the time
            dress(page, width, dark)
            expect(page.get_by_text(text).first).to_be_visible()
            page.wait_for_timeout(600)
            picture = f"{name}-{width}-{'dark' if dark else 'light'}"
            page.screenshot(path=str(SHOTS / f"{picture}.png"), full_page=True)
            found = serious(page)
            if found:
                findings[picture] = found

    page = visit("/", signed_in=False)
    look("sign-in", "/", "token")
    page = visit("/")
    look("jobs-empty", "/", "sample")
    good, bad = _fill(server)
    look("jobs", "/", "Two spirals")
    look("job", f"/jobs/{good}", "configurations")
    look("job-parallel", f"/jobs/{good}?view=parallel", "configurations")
    look("job-scatter", f"/jobs/{good}?view=scatter", "configurations")
    look("job-search", f"/jobs/{good}?view=search", "History of")
    look("task", f"/tasks/{good}-3", "Attempts")
    look("task-failed", f"/tasks/{bad}-1", "NameError")
    look("new-job", "/new", "Drop a training script")
    look("new-job-from", f"/new?from={good}", "8 tasks")
    look("cluster", "/cluster", "CPU slots")
    assert not findings, findings


def test_pages_are_as_the_policy_says(server: ServerProcess, visit: Visit) -> None:
    page = visit("/")
    answer = page.goto(server.url)
    assert answer is not None
    assert "script-src 'self'" in answer.headers["content-security-policy"]
    assert page.locator("script:not([src])").count() == 0
    assert Path(AXE).is_file()
