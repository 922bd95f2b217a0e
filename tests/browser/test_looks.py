"""Test every page at two widths, light and dark: axe finds nothing serious; pictures are kept for people."""

from collections.abc import Callable

from playwright.sync_api import Page, expect

from tests.browser.conftest import LOOKS, ROOT, dress, move, picture, serious
from tests.support.server import ServerProcess

Visit = Callable[..., Page]
GRAPHS = "[aria-label=Graphs]"  # the rest of the page of a job is the same in all its views

# The curves of a sweep at the price of starting an interpreter.
TRAIN = """
import argparse, math
parser = argparse.ArgumentParser()
parser.add_argument("--learning_rate", type=float, default=0.1)
parser.add_argument("--batch_size", type=int, default=32)
args = parser.parse_args()
pace = args.learning_rate * 32 / args.batch_size
with open("log.csv", "w") as log:
    log.write("epoch,loss,val_loss,val_accuracy\\n")
    for epoch in range(1, 16):
        loss = math.exp(-pace * epoch)
        log.write(f"{epoch},{loss},{loss + pace * epoch / 100},{1 - loss / 2}\\n")
"""


def _fill(server: ServerProcess) -> tuple[str, str]:
    params = {"learning_rate": "2,0.3,0.03,0.003", "batch_size": "32,128"}
    good = server.submit(TRAIN, name="Two spirals", params=params, tags=["example"], resources={"slots": 2})
    source = (ROOT / "examples" / "broken" / "train.py").read_text()
    bad = server.submit(source, name="Fails on purpose", params={"batch_size": "64,32"})
    server.wait(good)
    server.wait(bad)
    return good, bad


def test_pages_are_accessible_and_pictured(visit: Visit, server: ServerProcess) -> None:
    findings: dict[str, list[str]] = {}
    order = [*LOOKS]

    def look(name: str, path: str, text: str, part: str = "html") -> None:
        move(page, path)
        for width, dark in order:
            dress(page, width, dark)
            expect(page.get_by_text(text).first).to_be_visible()
            shot = f"{name}-{width}-{'dark' if dark else 'light'}"
            picture(page, shot)
            found = serious(page, part)
            if found:
                findings[shot] = found
        order.reverse()  # the next page begins as this one ends: each change of the size is drawn

    page = visit("/", signed_in=False)
    look("sign-in", "/", "token")
    page = visit("/")
    look("jobs-empty", "/", "sample")
    look("new-job", "/new", "Drop a training script")
    good, bad = _fill(server)
    look("jobs", "/", "Two spirals")
    look("job", f"/jobs/{good}", "configurations")
    several = "metric=val_loss&metric=val_accuracy&group=param.batch_size&cols=last.val_accuracy"
    look("job-several", f"/jobs/{good}?{several}", "configurations")
    look("job-parallel", f"/jobs/{good}?view=parallel&brush=batch_size%3D32", "configurations", GRAPHS)
    look("job-scatter", f"/jobs/{good}?view=scatter", "configurations", GRAPHS)
    look("job-search", f"/jobs/{good}?view=search", "History of", GRAPHS)
    look("task", f"/tasks/{good}-3", "Attempts")
    look("task-failed", f"/tasks/{bad}-1", "NameError")
    look("new-job-from", f"/new?from={good}", "8 tasks")
    look("hosts", "/hosts", "CPU slots")
    assert not findings, findings


def test_pages_are_as_the_policy_says(server: ServerProcess, visit: Visit) -> None:
    page = visit("/")
    answer = page.goto(server.url)
    assert answer is not None
    assert "script-src 'self'" in answer.headers["content-security-policy"]
    assert page.locator("script:not([src])").count() == 0
