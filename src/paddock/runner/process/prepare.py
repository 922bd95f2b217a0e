"""Make the folders of an attempt. See docs/job-folder.md."""

from __future__ import annotations

import contextlib
import json
import os
from typing import Dict, List, NamedTuple, Optional

from ...common import files, layout
from ..mailbox import QueuedAttempt
from . import edits, resume, tidy

MANY_FILES = 300
_RESULTS_LINK = os.path.join("..", "..", "..")


class AttemptPlace(NamedTuple):
    """The folders and files of an attempt."""

    task_dir: str
    work: str
    checkpoint: str
    attempt_dir: str
    log: str
    params: str
    report: str
    members: str
    terminal: Optional[str]  # the socket of its terminal, if it has one
    links: Dict[str, str]  # in the working folder
    copies: Dict[str, bytes]  # there, in place of links: files with values of this task

    @property
    def has_checkpoint(self) -> bool:
        """True if the task has saved something from which it can go on."""
        try:
            return bool(os.listdir(self.checkpoint))
        except OSError:
            return False


class Preparer:
    def __init__(self, job_dir: str, job: str, terminals: Optional[str] = None) -> None:
        self._job_dir = job_dir
        self._job = job
        self._terminals = terminals  # the folder of their sockets
        self._links: Dict[str, str] = {}

    def prepare(self, attempt: QueuedAttempt) -> AttemptPlace:
        """Make the folders of an attempt and return where they are. Raises OSError if the file system refuses."""
        task_dir = layout.task(self._job_dir, self._job, attempt.task)
        attempt_dir = layout.attempt(task_dir, attempt.number)
        copies = edits.copies(attempt.line.get("edits"), self._job_dir)
        name = layout.claim_name(attempt.task, attempt.number)
        place = AttemptPlace(
            task_dir=task_dir,
            work=layout.work(task_dir),
            checkpoint=layout.checkpoint(task_dir),
            attempt_dir=attempt_dir,
            log=layout.log(attempt_dir),
            params=layout.params(attempt_dir),
            report=layout.report(attempt_dir),
            members=layout.members(attempt_dir),
            terminal=os.path.join(self._terminals, name) if self._terminals else None,
            links=edits.without(self._wanted_links(), copies, self._job_dir),
            copies=copies,
        )
        for folder in (task_dir, os.path.dirname(attempt_dir), attempt_dir):
            _make(folder)
        os.close(files.open_folder(attempt_dir, below=self._job_dir))  # so that nothing is written through a link
        resume.put_aside(attempt, place, place.links, self._job_dir)
        for folder in (place.checkpoint, place.work):
            _make(folder)
        if attempt.source is not None:
            source = layout.checkpoint(layout.task(self._job_dir, self._job, attempt.source))
            resume.copy_checkpoint(source, place.checkpoint)
        _link(place.work, place.links)
        edits.write(place.work, copies, self._job_dir)
        files.write_plain(place.params, _params(attempt), below=self._job_dir)
        return place

    def tidy(self, place: AttemptPlace) -> None:
        """Remove what is not needed once the attempt has ended, such as empty folders. See docs/job-folder.md."""
        tidy.remove_members(place.members, self._job_dir)
        if tidy.is_latest(place.attempt_dir, self._job_dir):
            tidy.remove_links(place.work, place.links, self._job_dir)
            edits.remove(place.work, place.copies, self._job_dir)
            tidy.remove_empty(place.work, self._job_dir)
            tidy.remove_empty(place.checkpoint, self._job_dir)

    def _wanted_links(self) -> Dict[str, str]:
        """Return the links: path in the working folder -> target. Read once, as the snapshot does not change."""
        if not self._links:
            links = {
                name: edits.link_to(name)
                for name in _linked(os.path.join(self._job_dir, layout.CODE))
                if name.split(os.sep)[0] != layout.RESULTS
            }
            links[layout.RESULTS] = _RESULTS_LINK
            self._links = links
        return self._links


def _link(work: str, links: Dict[str, str]) -> None:
    for folder in sorted({os.path.dirname(name) for name in links} - {""}):
        os.makedirs(os.path.join(work, folder), exist_ok=True)
    for name, target in links.items():
        with contextlib.suppress(FileExistsError):
            os.symlink(target, os.path.join(work, name))


def _make(folder: str) -> None:
    """Make a folder as os.makedirs does, with fewer calls."""
    try:
        os.mkdir(folder)
    except FileNotFoundError:
        os.makedirs(folder, exist_ok=True)
    except FileExistsError:
        if not os.path.isdir(folder):
            raise


def _linked(code: str) -> List[str]:
    """Return the files of the snapshot. Its folders are made anew per task, so that a task writes into its own.

    A snapshot of very many files is linked by its top entries instead: a task has to start quickly.
    """
    found: List[str] = []
    for folder, _, names in os.walk(code):
        found += [os.path.relpath(os.path.join(folder, name), code) for name in names]
        if len(found) > MANY_FILES:
            return resume.entries(code)
    return sorted(found)


def _params(attempt: QueuedAttempt) -> bytes:
    return json.dumps(attempt.line.get("params") or {}).encode()
