"""Files of tasks and of snapshots, as the server shows them.

Names are bytes. In a path, a byte that is not UTF-8 is written as `\\xff`, and a backslash as two.
"""

from datetime import datetime
from typing import Literal

from pydantic import Field, JsonValue

from paddock.models.base import Model, Text
from paddock.models.tasks import Page


class FileEntry(Model):
    name: str
    path: str = Field(description="relative to the results folder of the task, or to the snapshot")
    kind: Literal["folder", "file", "link", "other"] = Field(
        description="link: a symbolic link, or a file with several names; other: a pipe, socket or device. Only files "
        "and folders can be opened"
    )
    size: int | None = Field(None, description="bytes of a file")
    modified_at: datetime | None = None
    target: str | None = Field(None, description="where a symbolic link leads")


class FilePage(Page):
    """Entries of one folder, folders first, then by name; numbers in names are compared as numbers."""

    path: str
    items: list[FileEntry] = Field(description="without those that vanished meanwhile")
    more: bool = Field(False, description="the folder has more entries than are counted")


class FilePreview(Model):
    """The beginning of a file, or a part of it, as people read it."""

    path: str
    kind: Literal["text", "table", "json", "image", "binary"]
    size: int = Field(description="bytes of the whole file")
    modified_at: datetime | None = None
    start: int = Field(0, description="the first byte that is shown")
    more: bool = Field(False, description="the file goes on after what is shown")
    text: str | None = Field(None, description="of text and json; json is indented")
    columns: list[str] = Field(default_factory=list, description="of a table: its first row")
    rows: list[list[str]] = Field(default_factory=list, description="of a table: the other rows")
    width: int | None = Field(None, description="of an image, in pixels")
    height: int | None = None


class ImageFile(Model):
    path: str
    series: str = Field(description="the path with an asterisk for the step: images of one series belong together")
    step: int | None = Field(None, description="the number in the name, such as 10 in sample_0010.png")
    size: int
    modified_at: datetime | None = None


class ImageList(Model):
    """Images that a task has written, by series and step."""

    total: int = Field(description="number of images found")
    items: list[ImageFile] = Field(description="all of them, or some of each series, spread evenly over its steps")
    more: bool = Field(False, description="the folder has too many files to look at all of them")


class FileDiff(Model):
    path: str
    change: Literal["added", "removed", "changed"]
    diff: str | None = Field(None, description="as `diff -u` writes it")
    why: str | None = Field(None, description="why there is no diff: the file is too large, or not text")


class FieldDiff(Model):
    """A field of the spec that differs; null: the job does not have it."""

    name: str = Field(description="such as environment.python")
    before: JsonValue
    after: JsonValue


class JobDiff(Model):
    """What differs from one job to another: code and spec."""

    before: str
    after: str
    fields: list[FieldDiff]
    files: list[FileDiff]
    same: int = Field(description="number of files that are equal in both")
    more: bool = Field(False, description="there are too many files to compare all of them")


class TaskPatch(Model):
    note: Text | None = Field(None, max_length=20_000, description="Markdown; empty: no note")
