"""Test searches on the page: start, follow, extend, and look at the results."""

import re
from collections.abc import Callable

from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import choose, looks, move, serious
from tests.browser.test_page import drop
from tests.support.server import ServerProcess, wait_for

Visit = Callable[..., Page]

# How well it goes depends on the learning rate; `size` costs. It takes up its checkpoint, and waits a little.
TRAIN = """
import argparse, json, math, os, pathlib, time
parser = argparse.ArgumentParser()
parser.add_argument("--lr", type=float, default=0.01)
parser.add_argument("--size", type=int, default=32)
parser.add_argument("--seed", type=int, default=0)
parser.add_argument("--epochs", type=int, default=3)
parser.add_argument("--pause", type=float, default=0.0)
args = parser.parse_args()
kept = pathlib.Path(os.environ["PADDOCK_CHECKPOINT_DIR"]) / "state.json"
done, loss = json.loads(kept.read_text()) if kept.exists() else (0, 1.0)
with open("log.csv", "w") as log:
    log.write("epoch,val_loss,cost\\n")
    for epoch in range(done + 1, args.epochs + 1):
        time.sleep(args.pause)
        loss -= (0.2 + args.seed / 1000) * math.exp(-(math.log10(args.lr) + 2) ** 2) / epoch
        log.write(f"{epoch},{loss},{args.size / 10 + loss}\\n")
        log.flush()
        new = kept.with_suffix(".new")
        new.write_text(json.dumps([epoch, loss]))
        new.rename(kept)  # it may be stopped at any moment: half a checkpoint could not be read
"""
RANGES = {"lr": "1e-4..1:log", "size": "8..64"}


def _choose(page: Page, label: str, option: str) -> None:
    fields = [page.get_by_role(role, name=label, exact=True) for role in ("combobox", "textbox")]
    fields[0].or_(fields[1]).click()
    page.get_by_role("option", name=re.compile(f"^{option}")).dispatch_event("click")


def _panel(page: Page, name: str) -> Locator:
    return page.get_by_role("region", name=name, exact=True)


def test_a_search_from_the_form_to_its_end(visit: Visit, server: ServerProcess) -> None:
    page = visit("/new")
    drop(page, "train.py", TRAIN)
    preview = page.get_by_role("region", name="Preview")
    page.get_by_role("textbox", name="lr", exact=True).fill("1e-4..1:log")
    page.get_by_role("textbox", name="size", exact=True).fill("8..64")
    _choose(page, "Search", "TPE")
    trials = page.get_by_role("textbox", name="Trials")
    trials.fill("0")
    expect(trials).to_have_attribute("aria-invalid", "true")
    trials.fill("12")
    expect(preview.get_by_text("12 configurations, chosen as results come in; the first ones:")).to_be_visible()
    assert page.get_by_role("textbox", name="One of this many goes on").count() == 0, "what does not apply is hidden"
    _choose(page, "Early stopping", "ASHA")
    eta = page.get_by_role("textbox", name="One of this many goes on")
    eta.fill("1")
    expect(eta).to_have_attribute("aria-invalid", "true")
    eta.fill("4")
    expect(preview.get_by_text("12 tasks")).to_be_visible()
    preview.get_by_role("button", name="Submit").click()

    page.wait_for_url(re.compile(r"/jobs/[0-9a-z]{8}"))
    job = re.findall(r"/jobs/([0-9a-z]{8})", page.url)[0]
    page.locator("label", has_text="Search").click()
    history = _panel(page, "History of val_loss")
    expect(history).to_be_visible()
    # Without a reload: tasks that the search makes meanwhile, and what came of them.
    expect(_panel(page, "Search").get_by_text("12 of 12 trials")).to_be_visible()
    expect(page.get_by_role("link", name="Task 12", exact=True)).to_be_visible()
    server.wait(job)
    expect(history.get_by_role("img", name="val_loss of 12 trials by number, with the best so far")).to_be_visible()
    expect(_panel(page, "Early stopping").get_by_role("row")).not_to_have_count(0)
    looks(page, "search-early")
    spec = server.get(f"/jobs/{job}")["spec"]
    assert (spec["search"]["method"], spec["stop_early"]["method"], spec["stop_early"]["eta"]) == ("tpe", "asha", 4)

    move(page, f"/new?from={job}")
    expect(page.get_by_role("textbox", name="Trials")).to_have_value("12")
    expect(page.get_by_role("textbox", name="One of this many goes on")).to_have_value("4")


def test_a_search_is_followed_held_and_extended(visit: Visit, server: ServerProcess) -> None:
    params = RANGES | {"pause": 0.2}
    job = server.submit(TRAIN, name="To be extended", params=params, search={"method": "tpe", "trials": 30})
    page = visit(f"/jobs/{job}?view=search")
    expect(page.get_by_text(re.compile(r"trial \d+ of 30")).first).to_be_visible()
    actions = page.get_by_role("group", name="Actions")
    actions.get_by_role("button", name="Hold").click()
    expect(_panel(page, "Search").get_by_text("paused")).to_be_visible()

    # While it is held: on a slow machine it would be over before the dialog is filled in.
    choose(page, "Extend")
    dialog = page.get_by_role("dialog")
    expect(dialog.get_by_role("button", name="Extend")).to_be_disabled()
    dialog.get_by_role("textbox", name="lr").fill("from 1 to 2..")
    dialog.get_by_role("textbox", name="More time").fill("30")
    dialog.get_by_role("button", name="Extend").click()
    expect(dialog.get_by_role("textbox", name="More time")).to_have_attribute("aria-invalid", "true")
    dialog.get_by_role("textbox", name="More time").fill("")
    dialog.get_by_role("textbox", name="lr").fill("1e-3..1e-1:log")
    dialog.get_by_role("textbox", name="More trials").fill("4")
    dialog.get_by_role("button", name="Extend").click()
    expect(dialog).to_have_count(0)
    expect(page.get_by_text(re.compile(r"trial \d+ of 34")).first).to_be_visible()
    spec = server.get(f"/jobs/{job}")["spec"]
    assert (spec["search"]["trials"], spec["params"]["lr"]["low"]) == (34, 0.001)
    actions.get_by_role("button", name="Release").click()
    expect(_panel(page, "Search").get_by_text("paused")).to_have_count(0)
    server.post(f"/jobs/{job}/stop")


def test_several_objectives_have_a_front(visit: Visit, server: ServerProcess) -> None:
    page = visit("/new")
    drop(page, "train.py", TRAIN)
    page.get_by_role("textbox", name="lr", exact=True).fill("1e-4..1:log")
    page.get_by_role("textbox", name="size", exact=True).fill("8..64")
    page.get_by_role("button", name="Another objective").click()
    page.get_by_label("Metric 2", exact=True).first.fill("cost")
    page.get_by_role("button", name="Another objective").click()
    page.get_by_role("button", name="Remove objective 3").click()
    _choose(page, "Search", "NSGA-II")
    page.get_by_role("textbox", name="Trials").fill("10")
    preview = page.get_by_role("region", name="Preview")
    expect(preview.get_by_text("10 tasks")).to_be_visible()
    preview.get_by_role("button", name="Submit").click()
    page.wait_for_url(re.compile(r"/jobs/[0-9a-z]{8}"))
    job = re.findall(r"/jobs/([0-9a-z]{8})", page.url)[0]
    server.wait(job)
    move(page, f"/jobs/{job}?view=search")
    front = sum(one["front"] for one in server.get(f"/jobs/{job}/search")["history"])
    assert front >= 1
    name = f"cost over val_loss of 10 trials, {front} of them on the Pareto front"
    expect(_panel(page, "Pareto front").get_by_role("img", name=name)).to_be_visible()
    looks(page, "search-pareto")
    move(page, f"/tasks/{job}-1")
    expect(page.get_by_text("Best cost")).to_be_visible()


def test_repeats_lead_to_each_other(visit: Visit, server: ServerProcess) -> None:
    search = {"method": "random", "trials": 3, "repeat": 2}
    job = server.submit(TRAIN, name="Repeated", params=RANGES, search=search)
    server.wait(job)
    page = visit(f"/jobs/{job}?view=search")
    repeats = _panel(page, "Repeats")
    expect(repeats.get_by_role("row")).to_have_count(4)
    expect(repeats.get_by_text("±").first).to_be_visible()
    first, second = server.get(f"/jobs/{job}/search")["history"][0]["tasks"]
    looks(page, "search-repeats")
    move(page, f"/tasks/{first}")
    page.get_by_role("region", name="Summary").get_by_role("link", name=f"task {second.split('-')[1]}").click()
    page.wait_for_url(re.compile(f"/tasks/{second}"))


def test_a_job_of_one_configuration_has_no_search(visit: Visit, server: ServerProcess) -> None:
    job = server.submit(TRAIN)
    server.wait(job)
    page = visit(f"/jobs/{job}?view=search")
    expect(page.get_by_role("region", name="val_loss")).to_be_visible()
    assert page.get_by_role("radio", name="Search").count() == 0
    page.get_by_role("group", name="Actions").get_by_role("button", name="More").click()
    expect(page.get_by_role("menuitem", name="Remove")).to_be_visible()
    assert page.get_by_role("menuitem", name="Extend").count() == 0


def test_tasks_that_cannot_be_judged_are_named(visit: Visit, server: ServerProcess) -> None:
    job = server.submit("print('loss: 0.5')", search={"repeat": 2}, stop_early="median", objective="val_loss")
    server.wait(job)
    page = visit(f"/jobs/{job}?view=search")
    stopping = _panel(page, "Early stopping")
    expect(stopping.get_by_text("These tasks report no val_loss: they are never stopped early")).to_be_visible()
    expect(stopping.get_by_role("link", name="task 1")).to_be_visible()
    assert not serious(page)


def test_the_lineage_of_a_population(visit: Visit, server: ServerProcess) -> None:
    params = RANGES | {"epochs": 400, "pause": 0.25}  # a busy machine is slow to see what they have come to
    job = server.submit(TRAIN, params=params, search={"method": "pbt", "trials": 4, "interval": 3})
    page = visit(f"/jobs/{job}?view=search")
    moves = wait_for(lambda: server.get(f"/jobs/{job}/search")["moves"], what="a task to go on from another")
    number, source = (moves[0][name].split("-")[1] for name in ("task", "source"))
    row = re.compile(f"task {number} task {source} ")  # what it changes may come back to the value it had
    changed = lambda: [one for one in server.get(f"/jobs/{job}/search")["moves"] if one["before"] != one["after"]]  # noqa: E731
    wait_for(changed, what="a move with another value")
    expect(page.get_by_role("region", name=re.compile("over time"))).to_be_visible()
    expect(page.get_by_role("region", name="Moves").get_by_role("row", name=row).first).to_be_visible()
    move(page, f"/tasks/{moves[0]['task']}")
    attempts = page.get_by_role("region", name="Attempts", exact=True)
    expect(attempts.get_by_role("link", name=f"task {source}").first).to_be_visible()
    assert not serious(page)
    server.post(f"/jobs/{job}/stop")
