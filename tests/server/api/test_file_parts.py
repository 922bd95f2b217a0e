"""Test the parts behind the files of a task: threads that hang, steps in names, even choices."""

import asyncio
import threading
from collections.abc import Callable
from typing import Any

import pytest

from paddock.errors import Busy
from paddock.server.api import file_threads
from paddock.server.api.images import _evenly, step_of
from tests.support.loop import run

WORD, NUMBER = True, False


@pytest.mark.parametrize(
    ("path", "series", "step", "sure"),
    [
        ("sample_0010.png", "sample_*.png", 10, NUMBER),
        ("epoch3/plot.png", "epoch*/plot.png", 3, WORD),
        ("work/out/step-2000.png", "work/out/step-*.png", 2000, WORD),
        ("global_step=12.jpg", "global_step=*.jpg", 12, WORD),
        ("Epoch_007.PNG", "Epoch_*.PNG", 7, WORD),
        ("iter500_fake.png", "iter*_fake.png", 500, WORD),
        ("it12.webp", "it*.webp", 12, WORD),
        ("image12.png", "image*.png", 12, NUMBER),
        ("sample_0010_3.png", "sample_*_3.png", 10, NUMBER),
        ("epoch3/sample_0010.png", "epoch*/sample_0010.png", 3, WORD),
        ("10/plot.png", "*/plot.png", 10, NUMBER),
        ("20240105/plot.png", "*/plot.png", 20240105, NUMBER),
        ("fakes_epoch_3_batch_100.png", "fakes_epoch_*_batch_100.png", 3, WORD),
        ("confusion.png", "confusion.png", None, NUMBER),
        ("lr0.1.png", "lr0.1.png", None, NUMBER),
        ("bit8.png", "bit*.png", 8, NUMBER),
        ("9" * 30 + ".png", "9" * 30 + ".png", None, NUMBER),
        (".png", ".png", None, NUMBER),
    ],
)
def test_the_step_is_in_the_name(path: str, series: str, step: int | None, sure: bool) -> None:
    assert step_of(path) == (series, step, sure)


def test_an_even_choice_has_both_ends() -> None:
    assert _evenly(3, 5) == [0, 1, 2]
    assert _evenly(1000, 2) == [0, 999]
    chosen = _evenly(1000, 10)
    assert (len(chosen), chosen[0], chosen[-1]) == (10, 0, 999)


def _in_a_loop(act: Callable[[file_threads.FileThreads], Any]) -> Any:
    async def main() -> Any:
        return await act(file_threads.FileThreads())

    return run(main)


def test_a_file_system_that_hangs_holds_up_nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    """Calls that hang take their own places only, the loop goes on, and places that are free again are used."""
    monkeypatch.setattr(file_threads, "MOST", 2)
    monkeypatch.setattr(file_threads, "SECONDS", 0.2)
    answers = threading.Event()
    undone: list[str | None] = []

    def hangs() -> str:
        answers.wait()
        return "late"

    async def act(threads: file_threads.FileThreads) -> None:
        calls = [asyncio.ensure_future(threads.run(hangs, undone.append)) for _ in range(5)]
        done = await asyncio.wait_for(asyncio.gather(*calls, return_exceptions=True), 60)
        assert [type(one) for one in done] == [Busy] * 5
        assert undone == [None] * 3  # those that got no place; the two others have not ended
        answers.set()
        monkeypatch.setattr(file_threads, "SECONDS", 60.0)
        assert await threads.run(lambda: "again") == "again"
        while len(undone) < 5:
            await asyncio.sleep(0.01)
        assert undone[3:] == ["late"] * 2

    _in_a_loop(act)


def test_what_nobody_waits_for_any_more_is_undone() -> None:
    begun, go = threading.Event(), threading.Event()
    undone: list[str | None] = []

    def opens() -> str:
        begun.set()
        go.wait()
        return "opened"

    def fails() -> str:
        raise OSError(5, "Input/output error")

    async def act(threads: file_threads.FileThreads) -> None:
        call = asyncio.ensure_future(threads.run(opens, undone.append))
        while not begun.is_set():
            await asyncio.sleep(0.01)
        call.cancel()
        with pytest.raises(asyncio.CancelledError):
            await call
        assert undone == []  # the thread has not ended: what it opens would be closed while it uses it
        go.set()
        while not undone:
            await asyncio.sleep(0.01)
        assert undone == ["opened"]
        with pytest.raises(OSError, match="Input/output"):
            await threads.run(fails, undone.append)
        assert undone == ["opened", None]

    _in_a_loop(act)
