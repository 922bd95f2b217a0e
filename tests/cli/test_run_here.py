import os
import signal
from contextlib import ExitStack
from types import SimpleNamespace
from typing import Any, cast

import pytest

from paddock.cli import run_here
from paddock.client import lease


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_who_ends_it_while_the_server_books_keeps_nothing(monkeypatch: pytest.MonkeyPatch, number: int) -> None:
    """The server has booked, and the answer is not here yet."""
    given_back: list[str] = []

    def take(*_: Any, **__: Any) -> Any:
        os.kill(os.getpid(), number)
        return SimpleNamespace(give_back=lambda: given_back.append("it"))

    monkeypatch.setattr(lease, "take", take)
    desk: Any = SimpleNamespace(client=SimpleNamespace(calendar=None))
    with pytest.raises(KeyboardInterrupt), ExitStack() as stack:
        interrupts = stack.enter_context(run_here._Interrupts())
        run_here._taken(desk, cast(Any, None), interrupts, stack, wait=True)
    assert given_back == ["it"]
