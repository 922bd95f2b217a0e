"""Read what Slurm's commands really printed (`tests/recorded`, made by its `record.py`)."""

import json
from pathlib import Path

from paddock.backends.slurm import parse
from paddock.backends.slurm.parse import QueueRow

FOLDER = Path(__file__).parent.parent / "recorded"
VERSIONS = ["22.05", "24.11", "26.05"]


class Recorded:
    """The outputs of one version."""

    def __init__(self, version: str) -> None:
        self.version = version
        self.folder = FOLDER / version
        self.index = {entry["name"]: entry for entry in json.loads(self.read("index.json"))}
        self.jobs: dict[str, str] = json.loads(self.read("jobs.json"))

    def read(self, file: str | None) -> str:
        return (self.folder / file).read_text(encoding="utf-8") if file else ""

    def out(self, name: str) -> str:
        return self.read(self.index[name]["stdout"])

    def err(self, name: str) -> str:
        return self.read(self.index[name]["stderr"])

    def rc(self, name: str) -> int:
        return int(self.index[name]["rc"])

    def queue(self, name: str) -> dict[str, QueueRow]:
        """Rows by the name the recorder gave to the job; elements of arrays as `array_3`."""
        names = {id: job for job, id in self.jobs.items()}
        rows: dict[str, QueueRow] = {}
        for row in parse.queue(self.out(name)):
            base, _, element = row.id.partition("_")
            if base in names:
                rows[f"{names[base]}_{element}" if element else names[base]] = row
        return rows
