"""What differs between two jobs: their files, line by line, and their specs.

Tasks can write into a snapshot, and a comparison of lines can take long: the bytes that are read, the lines that are
compared and the text that is answered are bounded.
"""

import difflib
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from typing import Any, Literal

from pydantic import JsonValue

from paddock.errors import NotFound
from paddock.models.files import FieldDiff, FileDiff, JobDiff
from paddock.models.spec import CodeInfo, JobSpec
from paddock.server.api import folders
from paddock.server.api.folders import FilePlace, OpenFile

MOST_FILES = 5000
MOST_BYTES = 1_000_000  # of a file whose lines are compared
ALL_BYTES = 100_000_000  # that are read of both jobs
MOST_PAIRS = 1_000_000  # lines of one file times those of the other, without what is equal at both ends
ALL_PAIRS = 4_000_000
MOST_TEXT = 1_000_000  # characters of all diffs together
_UNNAMED = {"name", "description", "tags", "visibility"}  # what jobs are called and who sees them, not what they do


@dataclass(frozen=True)
class Side:
    """One of the jobs that are compared."""

    job: str
    code: FilePlace
    spec: JobSpec
    about: CodeInfo


class _Budget:
    """What the comparison may still read, compare and write."""

    def __init__(self) -> None:
        self.bytes, self.pairs, self.text = ALL_BYTES, ALL_PAIRS, MOST_TEXT


def compared(before: Side, after: Side) -> JobDiff:
    left, more_left = folders.all_files(before.code, MOST_FILES)
    right, more_right = folders.all_files(after.code, MOST_FILES)
    known = [{one.path for one in some} for some in (left, right)]
    budget = _Budget()
    names = sorted(known[0] | known[1])
    found = [
        _file(name, before.code if name in known[0] else None, after.code if name in known[1] else None, budget)
        for name in names
    ]
    files = [one for one in found if one is not None]
    return JobDiff(
        before=before.job,
        after=after.job,
        fields=list(_fields(before, after)),
        files=files,
        same=len(names) - len(files),
        more=more_left or more_right,
    )


def _file(name: str, left: FilePlace | None, right: FilePlace | None, budget: _Budget) -> FileDiff | None:
    """Return what differs in one file; None if nothing does."""
    change: Literal["added", "removed", "changed"] = "changed" if left and right else "added" if right else "removed"
    with ExitStack() as stack:
        opened = _opened(stack, name, left), _opened(stack, name, right)
        if change == "changed" and _same(*opened, budget):
            return None
        contents = [_content(one, budget) for one in opened]
    if None in contents:
        return FileDiff(path=name, change=change, why="it is too large to be compared")
    texts = [_text(data or b"") for data in contents]
    if None in texts:
        return FileDiff(path=name, change=change, why="it is not text")
    diff = _diff(name, texts[0] or "", texts[1] or "", budget)
    budget.text -= len(diff)
    if budget.text < 0:
        return FileDiff(path=name, change=change, why="there are more differences than are shown")
    return FileDiff(path=name, change=change, diff=diff)


def _opened(stack: ExitStack, name: str, place: FilePlace | None) -> OpenFile | None:
    """Return a file of a snapshot; None if there is none, or it has vanished."""
    if place is None:
        return None
    with suppress(NotFound):
        file = OpenFile(FilePlace.of(place.trusted, place.folder, name))
        stack.callback(file.close)
        return file
    return None


def _same(left: OpenFile | None, right: OpenFile | None, budget: _Budget) -> bool:
    """Return True if two files are equal, as far as they may be read."""
    if left is None or right is None or left.size != right.size or 2 * left.size > budget.bytes:
        return left is right
    budget.bytes -= 2 * left.size
    while (part := left.read()) == right.read():
        if part is None:
            return True
    return False


def _content(file: OpenFile | None, budget: _Budget) -> bytes | None:
    """Return the bytes of a file, none of one that does not exist; None if they are too many."""
    if file is None:
        return b""
    if file.size > min(MOST_BYTES, budget.bytes):
        return None
    budget.bytes -= file.size
    return file.head(MOST_BYTES)


def _text(data: bytes) -> str | None:
    try:
        return None if b"\0" in data else data.decode()
    except UnicodeDecodeError:
        return None


def _diff(name: str, left: str, right: str, budget: _Budget) -> str:
    """Return a unified diff. Of too many lines that differ, all are shown as replaced."""
    a, b = [text.removesuffix("\n").split("\n") if text else [] for text in (left, right)]
    start, end = _equal_ends(a, b)
    pairs = (len(a) - start - end) * (len(b) - start - end)
    if pairs <= min(MOST_PAIRS, budget.pairs):
        budget.pairs -= pairs
        return "\n".join(difflib.unified_diff(a, b, f"a/{name}", f"b/{name}", lineterm="")) + "\n"
    counts = f"-{start + 1},{len(a) - start - end} +{start + 1},{len(b) - start - end}"
    removed, added = a[start : len(a) - end], b[start : len(b) - end]
    head = [f"--- a/{name}", f"+++ b/{name}", f"@@ {counts} @@"]
    return "\n".join([*head, *(f"-{line}" for line in removed), *(f"+{line}" for line in added)]) + "\n"


def _equal_ends(a: list[str], b: list[str]) -> tuple[int, int]:
    """Return how many lines are equal at the beginning, and at the end."""
    most = min(len(a), len(b))
    start = next((at for at in range(most) if a[at] != b[at]), most)
    end = next((at for at in range(most - start) if a[-1 - at] != b[-1 - at]), most - start)
    return start, end


def _fields(before: Side, after: Side) -> Iterator[FieldDiff]:
    left, right = [dict(_flat("", _described(one))) for one in (before, after)]
    for name in [*left, *(name for name in right if name not in left)]:
        if left.get(name) != right.get(name):
            yield FieldDiff(name=name, before=left.get(name), after=right.get(name))


def _described(side: Side) -> dict[str, JsonValue]:
    spec = side.spec.model_dump(mode="json", exclude=_UNNAMED)
    spec["environment"]["variables"] = sorted(side.spec.environment.variables)  # their values are masked
    return {"code": side.about.model_dump(mode="json", include={"source", "git_commit", "git_dirty"}), **spec}


def _flat(prefix: str, value: dict[str, Any]) -> Iterator[tuple[str, JsonValue]]:
    for name, one in value.items():
        if isinstance(one, dict) and one and (prefix or name != "params"):
            yield from _flat(f"{prefix}{name}.", one)
        elif isinstance(one, dict) and one:
            yield from ((f"params.{inner}", value) for inner, value in one.items())
        elif one not in (None, {}, []):
            yield f"{prefix}{name}", one
