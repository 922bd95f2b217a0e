"""python -I -S runner.pyz --answer NAME FILE < ARGUMENT: do what the server needs done as the owner of a job.

Argument and answer are JSON; the answer is written to FILE.
"""

from __future__ import annotations

import json
import os
import sys
from typing import Any, Callable, Dict, List


def main(argv: List[str]) -> int:
    name, target = argv
    os.umask(0o077)
    answer = _CALLS[name](json.load(sys.stdin))
    descriptor = os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600)
    with os.fdopen(descriptor, "w") as file:
        json.dump(answer, file)
    return 0


def _unread(asked: Dict[str, Any]) -> Any:
    from .unread import unread

    return unread(**asked)


def _search(asked: Dict[str, Any]) -> Any:
    from .sources.patterns import search

    return search((asked["logs"], asked["wanted"]))


def _locate(asked: Dict[str, Any]) -> Any:
    from ..common.interpreters import locate

    return locate(asked)


_CALLS: Dict[str, Callable[[Dict[str, Any]], Any]] = {"unread": _unread, "search": _search, "locate": _locate}
