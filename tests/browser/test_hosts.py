"""Test the page of hosts: tiles that each person arranges, processes, people; GPUs are as a server reports them."""

import json
import math
import re
import time
from collections.abc import Callable
from typing import Any

from playwright.sync_api import Locator, Page, Route, expect

from paddock.server.store import loads
from tests.browser.conftest import LOOKS, dress, look, serious
from tests.browser.test_load import database
from tests.support.server import ServerProcess, wait_for

Visit = Callable[..., Page]

GIB = 2**30
LAB = [f"gpu{number}" for number in range(1, 5)]


def _gpu(node: int, number: int) -> dict[str, Any]:
    load = (node * 3 + number * 5) % 11 / 10
    on = [
        {"pid": pid, "owner": owner, "command": f"python train.py --seed {number}", "task": None}
        for pid, owner in [(4000 + 100 * node + number, "anna")] * bool(load) + [(9000 + node, "bob")] * (number < 3)
    ]
    memory = {"memory": 80 * GIB, "memory_used": int(load * 70 * GIB)}
    heat = {"temperature": 31 + 50 * load, "power": 70 + 600 * load, "power_limit": 700.0}
    about = {"id": str(number), "kind": "gpu", "name": "NVIDIA H100", "busy": bool(on), "used_by": [], "tasks": []}
    return {**about, **memory, **heat, "load": load, "processes": [{**one, "memory": 8 * GIB} for one in on]}


def servers() -> list[dict[str, Any]]:
    """Return four hosts with eight GPUs each, of which the third does not answer."""

    def server(number: int, name: str) -> dict[str, Any]:
        silent = number == 2
        state = {"state": "silent" if silent else "up", "usable": not silent}
        people = [{"user": "anna", "terminal": "pts/0", "since": time.time() - 7200}, {"user": f"user{number}"}]
        room = {"memory": 1024 * GIB, "memory_used": 300 * GIB, "slots": 8, "slots_used": 5, "cpu_slots": 128}
        use = {"cpus": 128, "cpus_busy": 31.5, "load": 33.0, "processes": 1200 + number, "people": people}
        gpus = [_gpu(number, card) for card in range(8)]
        reason = f"{name} has not answered since 14:02" if silent else None
        return {"name": name, "backend": "lab", **state, "reason": reason, **room, **use, "devices": gpus, "tasks": []}

    return [server(number, name) for number, name in enumerate(LAB)]


def nodes(count: int) -> list[dict[str, Any]]:
    """Return nodes of a large Slurm cluster, where runners report GPUs of every second."""

    def node(number: int) -> dict[str, Any]:
        known: dict[str, Any] = {"temperature": None, "power": None, "processes": []}
        unknown = {**known, "load": None, "memory_used": None}
        gpus = [{**_gpu(number, card), **(known if number % 2 else unknown)} for card in range(8)]
        down = number % 40 == 7
        about = {"name": f"v{number:03}", "backend": "volta", "cpus": 64, "cpus_used": number % 65, "cpu_slots": 64}
        room = {"memory": 512 * GIB, "memory_free": number * 5 * GIB, "slots": 8, "slots_used": 3, "devices": gpus}
        state = {"state": "down+drain" if down else "mixed", "usable": not down, "reason": "No power" if down else None}
        return {**about, **room, **state, "partitions": ["long"], "tasks": []}

    return [node(number) for number in range(count)]


def lab(page: Page, *, alone: bool = False, more: list[dict[str, Any]] | None = None) -> None:
    """Answer as a server with these nodes would, and the rest as the real one does."""

    def change(path: str, to: Callable[[Any], Any]) -> None:
        def answer(route: Route) -> None:
            route.fulfill(json=to(json.loads(route.fetch().text())))

        page.route(re.compile(path), answer)

    other = more if more is not None else servers()
    change("/api/v1/load$", lambda real: {**real, "nodes": other if alone else [*real["nodes"], *other]})
    kinds = {"lab": "hosts", "volta": "slurm"}
    names = {one["backend"] for one in other}
    added = [{"name": name, "kind": kinds[name], "default": False} for name in sorted(names)]
    change("/api/v1/backends$", lambda real: [*real, *({**real[0], **one} for one in added)])


def fill(server: ServerProcess) -> None:
    """Record what the hosts of the lab did for two days."""
    now = time.time()
    with database(server) as c:
        for ago in [*range(0, 3600, 30), *range(3600, 48 * 3600, 600)]:
            at = now - ago
            for number, name in enumerate(LAB):
                waves = [0.5 + 0.45 * math.sin(at / (300 + 60 * card) + number) for card in range(8)]
                gpus = {str(n): [w, w * 70 * GIB, 30 + 50 * w, 70 + 600 * w, 1] for n, w in enumerate(waves)}
                sample = {"load": waves[0] / 2, "memory": int(300 * GIB * (1 + waves[1] / 4)), "processes": 1200}
                loads.insert(c, at, [(("lab", name), {**sample, "gpus": gpus})])


def tile(page: Page, name: str) -> Locator:
    return page.get_by_role("region", name=name, exact=True)


def test_each_server_has_tiles_that_show_two_days(visit: Visit, server: ServerProcess) -> None:
    fill(server)
    page = visit("/hosts", prepare=lambda page: lab(page, alone=True))
    for width, dark in LOOKS:
        dress(page, width, dark)
        for name in LAB:
            expect(tile(page, f"GPU load: {name}")).to_have_count(1)
        expect(page.get_by_role("img", name="GPU load (%) of gpu1: 8 curves")).to_be_visible()
        expect(tile(page, "GPU load: gpu3").get_by_text("silent")).to_be_visible()
        look(page, f"hosts-lab-{width}-{'dark' if dark else 'light'}")
    dress(page, *LOOKS[0])
    page.get_by_role("radiogroup", name="How far back").get_by_text("48 h").click()
    page.wait_for_url(re.compile("minutes=2880"))
    expect(page.get_by_role("img", name="GPU memory (GiB) of gpu4: 8 curves")).to_be_visible()


def test_many_nodes_are_one_tile_per_figure(visit: Visit) -> None:
    page = visit("/hosts", prepare=lambda page: lab(page, alone=True, more=nodes(100)))
    load = tile(page, "GPU load: all nodes")
    expect(load.get_by_role("listitem")).to_have_count(100)
    expect(page.get_by_role("region", name="Load", exact=True).locator("canvas")).to_have_count(0)
    for width, dark in LOOKS:
        dress(page, width, dark)
        expect(load.get_by_text("down+drain").first).to_be_visible()
        look(page, f"hosts-slurm-{width}-{'dark' if dark else 'light'}")


def test_tiles_are_arranged_and_stay_so(visit: Visit, server: ServerProcess) -> None:
    page = visit("/hosts", prepare=lambda page: lab(page, alone=True))
    board = page.get_by_role("region", name="Load", exact=True)
    expect(tile(page, "Cores: gpu4")).to_be_visible()
    board.get_by_role("button", name="Arrange").click()
    expect(board.get_by_role("button", name="Move GPU load: gpu1", exact=True)).to_be_visible()
    dragged, before = tile(page, "GPU load: gpu1"), tile(page, "Cores: gpu1").bounding_box()
    assert before is not None
    page.mouse.move(*_middle(dragged.get_by_role("heading")))
    page.mouse.down()
    page.mouse.move(before["x"] + 150, before["y"] + 25, steps=12)
    page.mouse.up()
    expect(page.locator(".react-grid-placeholder")).to_have_count(0)
    box = _box(dragged)
    assert box["x"] > 700, box
    handle = page.locator(".react-grid-item", has=dragged).locator(".react-resizable-handle")
    page.mouse.move(*_middle(handle))
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"], box["y"] + box["height"] + 150, steps=12)
    page.mouse.up()
    expect(page.locator(".react-grid-placeholder")).to_have_count(0)
    assert _box(dragged)["height"] > box["height"] + 50
    look(page, "hosts-arrange-1440-light")

    board.get_by_role("button", name="Remove Cores: gpu4").click()
    expect(tile(page, "Cores: gpu4")).to_have_count(0)
    board.get_by_role("button", name="Done").click()
    expect(board.get_by_role("button", name="Arrange")).to_be_visible()
    tiles = wait_for(lambda: server.get("/me/layouts/hosts")["tiles"])  # they are saved after they are shown
    kept = {(one["kind"], one["node"]): one for one in tiles}
    assert len(kept) == 11 and kept["gpu_load", "gpu1"]["x"] == 8 and kept["gpu_load", "gpu1"]["h"] > 5
    page.reload()
    expect(tile(page, "GPU memory: gpu4")).to_have_count(1)
    expect(tile(page, "Cores: gpu4")).to_have_count(0)
    assert abs(_box(tile(page, "GPU load: gpu1"))["x"] - box["x"]) < 5

    board.get_by_role("button", name="Arrange").click()
    board.get_by_role("button", name="Reset").click()
    board.get_by_role("button", name="Done").click()
    expect(tile(page, "Cores: gpu4")).to_have_count(1)
    wait_for(lambda: server.get("/me/layouts/hosts")["tiles"] is None)


def test_tiles_are_added_and_moved_with_keys(visit: Visit, server: ServerProcess) -> None:
    page = visit("/hosts", prepare=lambda page: lab(page, alone=True))
    board = page.get_by_role("region", name="Load", exact=True)
    board.get_by_role("button", name="Arrange").click()
    board.get_by_role("button", name="Add tiles").click()
    dialog = page.get_by_role("dialog", name="Add tiles")
    dialog.get_by_role("checkbox", name="Temperature").check()
    dialog.get_by_role("checkbox", name="Cores").check()
    dialog.get_by_role("combobox", name="Of").fill("gpu2, GPU 7")
    page.get_by_role("option", name="gpu2, GPU 7").dispatch_event("click")
    expect(dialog.get_by_text("Cores and memory are of a node")).to_be_visible()
    page.keyboard.press("Escape")
    assert not serious(page)
    dialog.get_by_role("button", name="Add 3 tiles").click()
    expect(tile(page, "Temperature: gpu2, GPU 7")).to_have_count(1)

    move = board.get_by_role("button", name="Move GPU load: gpu1", exact=True)
    move.focus()
    for key, said in (
        ("ArrowDown", "column 1, row 6, 4 wide, 5 high"),
        ("Shift+ArrowUp", "column 1, row 6, 4 wide, 4 high"),
        ("Shift+ArrowLeft", "column 1, row 6, 3 wide, 4 high"),
    ):
        move.press(key)
        expect(board.get_by_role("status").get_by_text(said)).to_have_count(1)
        expect(move).to_be_focused()
    board.get_by_role("button", name="Cancel").click()
    expect(tile(page, "Temperature: gpu2, GPU 7")).to_have_count(0)
    assert server.get("/me/layouts/hosts")["tiles"] is None


def test_on_a_phone_tiles_are_a_list(visit: Visit, server: ServerProcess) -> None:
    page = visit("/hosts", prepare=lambda page: lab(page, alone=True))
    dress(page, 390, True)
    board = page.get_by_role("region", name="Load", exact=True)
    board.get_by_role("button", name="Arrange").click()
    expect(page.locator(".react-grid-item")).to_have_count(0)
    board.get_by_role("button", name="Move down GPU load: gpu1").click()
    board.get_by_role("button", name="Remove Cores: gpu2").click()
    look(page, "hosts-arrange-390-dark")
    board.get_by_role("button", name="Done").click()
    expect(board.get_by_role("heading", level=3).first).to_have_text("GPU memory gpu1")
    wait_for(lambda: len(server.get("/me/layouts/hosts")["tiles"] or ()) == 11)
    board.get_by_role("button", name="Arrange").click()
    board.get_by_role("button", name="Reset").click()
    board.get_by_role("button", name="Done").click()
    expect(board.get_by_role("heading", level=3).first).to_have_text("GPU load gpu1")
    wait_for(lambda: server.get("/me/layouts/hosts")["tiles"] is None)


def test_processes_and_people_are_listed(visit: Visit) -> None:
    page = visit("/hosts", prepare=lambda page: lab(page, alone=True))
    table = page.get_by_role("table", name="Processes on GPUs")
    page.get_by_role("searchbox", name="Filter the processes").fill("bob gpu2")
    expect(table.get_by_role("row")).to_have_count(2)
    row = table.get_by_role("row", name="bob")
    for text in ("9001", "gpu2", "0, 1, 2", "24 GiB", "python train.py --seed 0"):
        expect(row.get_by_text(text, exact=True)).to_be_visible()
    people = page.get_by_role("region", name="Logged in")
    expect(people.get_by_role("listitem").filter(has_text="anna")).to_contain_text("gpu4 since")


def test_this_machine_has_tiles_before_anything_was_recorded(visit: Visit) -> None:
    page = visit("/cluster", prepare=lambda page: page.route(re.compile("/load/history"), _nothing))
    page.wait_for_url(re.compile("/hosts$"))
    board = page.get_by_role("region", name="Load", exact=True)
    expect(board.get_by_text("Not measured yet")).to_have_count(3)
    expect(board.get_by_role("heading", name="Cores")).to_be_visible()


def _nothing(route: Route) -> None:
    route.fulfill(json=[])


def _box(of: Locator) -> Any:
    of.scroll_into_view_if_needed()
    box = of.bounding_box()
    assert box is not None
    return box


def _middle(of: Locator) -> tuple[float, float]:
    box = _box(of)
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
