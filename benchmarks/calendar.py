"""Measure the calendar with 64 GPUs x 7 days and 450 reservations, frames while one drags, and its overview."""

import random
import shutil
import statistics
import tempfile
import time
from pathlib import Path

from playwright.sync_api import Page, sync_playwright
from tests.browser.conftest import ARGUMENTS
from tests.support.reservations import add_devices, add_reservation
from tests.support.server import ServerProcess, running

from benchmarks.measure import described
from paddock.rules.use import HourSums
from paddock.server.store import device_use
from paddock.server.store.db import Database

HOSTS, GPUS, RESERVATIONS, WEEKS = 8, 8, 450, 12
HOUR, DAY = 3600.0, 86_400.0
PEOPLE = ["alice", "bob", "carol", "dave", "erin", "frank"]

# From an event of the mouse until the frame that shows it is painted.
WATCH = """
() => {
  window.frames_ms = [];
  const channel = new MessageChannel();
  const waiting = [];
  channel.port1.onmessage = () => window.frames_ms.push(performance.now() - waiting.shift());
  document.addEventListener('pointermove', (event) => {
    waiting.push(event.timeStamp);
    requestAnimationFrame(() => channel.port2.postMessage(null));
  }, true);
}
"""


def main() -> None:
    with (
        tempfile.TemporaryDirectory() as folder,
        running(Path(folder) / "home", local__slots=1, owner="alice") as server,
        sync_playwright() as playwright,
    ):
        _fill(server)
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=ARGUMENTS)
        page = browser.new_page(locale="en-US", viewport={"width": 1440, "height": 1900})
        page.set_default_timeout(60_000)
        page.goto(f"{server.url}/calendar?token={server.token}")
        page.locator("[data-box]").first.wait_for()
        times = [_until(page, f"{server.url}/calendar", "[data-box]") for _ in range(5)]
        boxes = page.locator("[data-box]").count()
        print(f"{HOSTS * GPUS} GPUs x 7 days, {RESERVATIONS} reservations ({boxes} boxes drawn), page loaded anew:")
        print(f"  interactive after {statistics.median(times):.2f} s (median of 5; goal 1 s)")
        print(f"  another week: {_turned(page):.3f} s from the click")
        print(f"  a frame while one drags: {described(_dragged(page))} (goal 0.050 s)")
        drawn, tab = f"canvas[data-drawn='{WEEKS * 168}']", f"tab=overview&weeks={WEEKS}"
        times = [_opened(page, server.url, drawn) for _ in range(5)]
        print(f"overview of {WEEKS} weeks: {statistics.median(times):.2f} s after the click (median of 5; goal 0.5 s)")
        times = [_until(page, f"{server.url}/calendar?{tab}", drawn) for _ in range(5)]
        print(f"  page loaded anew: {statistics.median(times):.2f} s")
        began = time.perf_counter()
        size = len(server.client.get("/overview", params={"weeks": WEEKS}).content)
        print(f"  of which the server answers {size / 1e6:.1f} MB in {time.perf_counter() - began:.2f} s")
        browser.close()


def _fill(server: ServerProcess) -> None:
    """Write 450 reservations of this week, about as many of each week before, and hours of measured load."""
    db = Database(f"sqlite:///{server.home.database}")
    chance = random.Random(1)
    ids = add_devices(db, [f"gpu{n + 1}" for n in range(HOSTS)], GPUS)
    now = time.time()
    midnight = now - now % DAY
    for week in range(-WEEKS + 1, 1):
        begin = midnight + week * 7 * DAY
        for n in range(RESERVATIONS if week == 0 else 100):
            device, place = ids[n % len(ids)], n // len(ids)
            start = begin + place * 24 * HOUR + chance.randrange(0, 8) * HOUR
            length = chance.choice([2, 4, 8, 16]) * HOUR
            add_reservation(db, [device], start, start + length, owner=chance.choice(PEOPLE), title="ViT sweep")
    first = int(midnight // HOUR) - WEEKS * 168
    hours = {
        (device, hour): HourSums(HOUR, HOUR / 2, HOUR * chance.random(), 1.0)
        for device in ids
        for hour in range(first, int(now // HOUR))
    }
    with db.write() as c:
        device_use.store_hours(c, hours)
    db.close()


def _until(page: Page, url: str, selector: str) -> float:
    page.goto("about:blank")
    began = time.perf_counter()
    page.goto(url, wait_until="commit")
    page.locator(selector).first.wait_for()
    return time.perf_counter() - began


def _opened(page: Page, url: str, drawn: str) -> float:
    """Return how long it takes from a click on the tab, for the weeks that the address names."""
    page.goto(f"{url}/calendar?weeks={WEEKS}")
    page.locator("[data-box]").first.wait_for()
    page.wait_for_timeout(500)
    began = time.perf_counter()
    page.get_by_role("tab", name="Overview").click()
    page.locator(drawn).first.wait_for()
    return time.perf_counter() - began


def _turned(page: Page) -> float:
    """Return how long it takes to show the days before."""
    measured = """
      () => new Promise((done) => {
        const began = performance.now();
        document.querySelector('[aria-label=Earlier]').click();
        requestAnimationFrame(() => requestAnimationFrame(() => done(performance.now() - began)));
      })
    """
    seconds: float = page.evaluate(measured) / 1000
    page.get_by_role("button", name="Today").click()
    page.locator("[data-box]").first.wait_for()
    return seconds


def _dragged(page: Page) -> list[float]:
    """Drag a rectangle over many rows and days; return how long each frame took."""
    frame = page.get_by_test_id("lanes").bounding_box()
    assert frame is not None
    page.wait_for_timeout(1000)
    page.evaluate(WATCH)
    page.mouse.move(frame["x"] + frame["width"] - 12, frame["y"] + 33)
    page.mouse.down()
    for n in range(120):
        page.mouse.move(frame["x"] + frame["width"] - 12 - n * 6, frame["y"] + 33 + n * 8)
    page.keyboard.press("Escape")
    page.mouse.up()
    found: list[float] = page.evaluate("window.frames_ms")
    return [ms / 1000 for ms in found]


if __name__ == "__main__":
    main()
