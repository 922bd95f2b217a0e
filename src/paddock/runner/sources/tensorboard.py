"""TensorBoard event files as a source, and the names of their tags."""

from __future__ import annotations

import os
from typing import Iterator

from .axis import is_metric
from .base import TENSORBOARD, Point, Source
from .tail import Tail
from .tfevents import Corrupt, Records, scalars

_TRAIN = ("train",)
_VALIDATION = ("validation", "val", "valid")


class Names:
    """Names of the tags of all event files of a task.

    A tag is the name of a metric. Only if several folders give the same tag, the folder is its prefix; if that changes
    a name that is already in use (`changed`), all event files have to be read again.
    """

    def __init__(self) -> None:
        self._folders: dict[str, set[str]] = {}
        self._roots: dict[str, str] = {}
        self.changed = False

    def name(self, folder: str, tag: str) -> str:
        folder, plain = _keras(folder, tag)
        known = self._folders.setdefault(plain, set())
        if folder not in known:
            known.add(folder)
            root = os.path.commonpath(known)
            self.changed = self.changed or self._roots.get(plain, root) != root
            self._roots[plain] = root
        inside = os.path.relpath(folder, self._roots[plain])
        return plain if inside == os.curdir else "%s/%s" % (inside, plain)


def _keras(folder: str, tag: str) -> tuple[str, str]:
    """Return folder and tag as loss and val_loss, where Keras wrote `epoch_loss` to train/ and to validation/."""
    above, last = os.path.split(folder)
    if last not in _TRAIN + _VALIDATION:
        return folder, tag
    plain = tag[len("epoch_") :] if tag.startswith("epoch_") else tag
    return above, "val_" + plain if last in _VALIDATION else plain


class TensorBoardSource(Source):
    def __init__(self, tail: Tail, label: str, names: Names) -> None:
        self._names = names
        self._folder = os.path.dirname(os.path.abspath(tail.path))
        super().__init__(tail, label, TENSORBOARD)

    def begin(self) -> None:
        self._records = Records()

    def read(self, data: bytes, end: bool) -> Iterator[tuple[int, Point]]:
        waiting: tuple[int, Point] | None = None  # tags of one step follow each other, and become one point
        try:
            for start, record in self._records.feed(data):
                if start < self.tail.old:
                    continue
                for tag, step, value in scalars(record):
                    if not is_metric(tag):
                        continue
                    name = self._names.name(self._folder, tag)
                    if waiting and waiting[1].step == step and name not in waiting[1].values:
                        waiting[1].values[name] = value
                        continue
                    if waiting:
                        yield waiting
                    waiting = start, Point(step, {name: value})
        except Corrupt as e:
            self.give_up("damaged TensorBoard file (%s); what follows in it is not read" % e)
        if waiting:
            yield waiting
