"""A part of a file as people read it: text, a table, JSON with indentation."""

import csv
import re

from paddock.models.files import FilePreview
from paddock.server.api import images
from paddock.server.api.folders import OpenFile, moment

MOST_BYTES = images.HEAD
ROWS, COLUMNS, CELL = 500, 100, 500
_TABLES = (".csv", ".tsv")
_TOKENS = re.compile(r'"(?:[^"\\]|\\.)*"?|[\[\]{},:]|[^\s\[\]{},:"]+')
_MOST_INDENT = 40


def preview(file: OpenFile, offset: int) -> FilePreview:
    """Return what is shown of a file from a byte on; a negative number counts from the end."""
    start = min(offset if offset >= 0 else max(file.size + offset, 0), file.size)
    data = file.head(MOST_BYTES, start)
    about = FilePreview(
        path=file.place.text,
        kind="binary",
        size=file.size,
        modified_at=moment(file.modified),
        start=start,
        more=start + len(data) < file.size,
    )
    image = images.recognised(data, file.size) if start == 0 else None
    if image is not None:
        return about.model_copy(update={"kind": "image", "width": image.width, "height": image.height, "more": False})
    if b"\0" in data:
        return about
    text = data.decode("utf-8", errors="replace")
    name = file.place.path.lower()
    table = _table(text, about.more) if name.endswith(_TABLES) and start == 0 else None
    if table is not None:
        return about.model_copy(update=table)
    if name.endswith(".json") and start == 0:
        return about.model_copy(update={"kind": "json", "text": indented(text)})
    return about.model_copy(update={"kind": "text", "text": text})


def _table(text: str, cut: bool) -> dict[str, object] | None:
    """Return the fields of a preview of a table; None if the text is none."""
    lines = text.splitlines(keepends=True)
    if cut and len(lines) > 1:
        lines.pop()  # its end may be missing
    delimiter = max(",\t;|", key=lines[0].count) if lines else ","
    rows: list[list[str]] = []
    try:
        for row in csv.reader(lines, delimiter=delimiter):
            rows.append([cell[:CELL] for cell in row[:COLUMNS]])
            if len(rows) > ROWS:
                break
    except csv.Error:
        return None
    if not rows:
        return None
    return {"kind": "table", "columns": rows[0], "rows": rows[1:], "more": cut or len(rows) > ROWS}


def indented(text: str) -> str:
    """Return JSON with one value per line, whether it is complete or not. Values stay as they are written."""
    if text.count("\n") > 2:
        return text  # somebody has already laid it out
    parts: list[str] = []
    depth, size, before = 0, 0, ""
    for word in _TOKENS.findall(text):
        opens, closes = before in ("[", "{"), word in ("]", "}")
        depth -= closes
        line = "\n" + "  " * min(max(depth, 0), _MOST_INDENT)
        if before and (before == "," or opens != closes):
            parts.append(line)
        parts.append(": " if word == ":" else word)
        size += len(line) + len(word)
        depth += word in ("[", "{")
        before = word
        if size > 4 * MOST_BYTES:
            parts.append("\n…")
            break
    return "".join(parts)
