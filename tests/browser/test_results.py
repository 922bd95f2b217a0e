"""Test on the page that results are right: means of repeated configurations, drawn layers, ignored parameters."""

from collections.abc import Callable

from playwright.sync_api import Page, expect

from tests.browser.conftest import looks, move
from tests.support.server import ServerProcess

# The best task of all has lr 0.3, the best mean has lr 0.2. It ignores its layers.
SEEDED = """
import argparse
parser = argparse.ArgumentParser()
parser.add_argument("--lr", type=float)
parser.add_argument("--layers")
parser.add_argument("--seed", type=int, default=0)
args = parser.parse_args()
loss = {0.1: [0.5, 0.51, 0.52], 0.2: [0.2, 0.3, 0.4], 0.3: [0.1, 0.9, 0.8]}[args.lr][args.seed]
for epoch in (0, 1):
    print(f"epoch {epoch} val_loss: {loss * (2 - epoch):.4f}", flush=True)
"""
LAYERS = [{"type": "conv", "width": 32}, {"type": "pool"}, {"type": "dense", "width": 64, "skip": 0}]


def test_configurations_that_run_three_times_go_by_their_means(
    visit: Callable[..., Page], server: ServerProcess
) -> None:
    params = {"lr": [0.1, 0.2, 0.3], "layers": {"values": [LAYERS]}}
    job = server.submit(SEEDED, name="Thrice", params=params, search={"repeat": 3})
    server.wait(job)
    page = visit("/")
    row = page.locator(f"[data-job='{job}']")
    expect(row.get_by_text("0.3 ± 0.1")).to_be_visible()
    expect(row.get_by_text("lowest mean val_loss")).to_be_visible()
    move(page, f"/jobs/{job}")
    expect(page.get_by_text("3 configurations, 9 tasks")).to_be_visible()
    expect(page.get_by_text("configuration 2 of 3, such as task 4")).to_be_visible()
    expect(page.get_by_text("9 tasks of 3 configurations")).to_be_visible()
    table = page.get_by_role("table", name="Configurations")
    expect(table.get_by_role("img", name="best configuration")).to_have_count(3)
    expect(table.get_by_text("0.3 ± 0.1").first).to_be_visible()
    expect(page.get_by_role("img", name="conv 32 · pool · dense 64 +1").first).to_be_visible()
    looks(page, "repeated")
    move(page, f"/tasks/{job}-4")
    expect(page.get_by_role("img", name="conv 32 · pool · dense 64 +1")).to_be_visible()
    looks(page, "architecture")
