"""What the backend keeps of its allocations, in the server's home: one small file each.

A pod that is deleted leaves nothing behind in the cluster. So what is held, cancelled or ended is written here first.
"""

import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any, Literal

from paddock.models import AllocationState, AllocationStatus
from paddock.paths import write_once

NoteState = Literal["asked", "made", "held", "released", "cancelled", "ended"]
_STATES = ("asked", "made", "held", "released", "cancelled", "ended")


@dataclass(frozen=True)
class Note:
    """What is known of one allocation.

    asked: its pod may exist; made: it does; held: it was deleted while it waited, and will be made again; released: it
    is to be made again; cancelled: it was deleted for good; ended: nothing is left to wait for.
    """

    id: str  # the name of its pod
    pod: dict[str, Any]
    state: NoteState = "asked"
    status: dict[str, Any] | None = None  # how it ended
    told: bool = False  # the caller knows that it has ended

    @property
    def end(self) -> AllocationStatus:
        if self.status is not None:
            return AllocationStatus.model_validate(self.status)
        return AllocationStatus(state=AllocationState.ENDED)


class Notes:
    """All notes, in memory and in a folder."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        found = (_load(path) for path in sorted(folder.glob("*.json")))
        self._notes = {one.id: one for one in found if one is not None}

    def get(self, one: str) -> Note | None:
        return self._notes.get(one)

    def all(self) -> list[Note]:
        return list(self._notes.values())

    def those(self, ids: Iterable[str]) -> list[Note]:
        return [self._notes[one] for one in ids if one in self._notes]

    def keep(self, note: Note) -> None:
        if self._notes.get(note.id) != note:
            write_once(self._folder / f"{note.id}.json", json.dumps(asdict(note)), mode=0o600)
            self._notes[note.id] = note

    def drop(self, one: str) -> None:
        (self._folder / f"{one}.json").unlink(missing_ok=True)
        self._notes.pop(one, None)


def _load(path: Path) -> Note | None:
    try:
        given: Mapping[str, Any] = json.loads(path.read_text())
        known = {one.name for one in fields(Note)}
        note = Note(**{name: value for name, value in given.items() if name in known})
        return note if note.state in _STATES and note.id == path.stem else None
    except (OSError, ValueError, TypeError, AttributeError):
        return None
