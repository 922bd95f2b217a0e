"""The commands files, get, fetch and diff: what tasks have written, and what jobs consist of."""

import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.text import Text

from paddock.cli import base, render
from paddock.cli.base import JobId, Json
from paddock.cli.results import the_task
from paddock.models.units import size_text

if TYPE_CHECKING:
    from paddock.client.fetching import Fetched
    from paddock.models import JobDiff

MOST = 1000
SHOW_SECONDS = 0.2
LEFT_OUT = "paddock-left-out.txt"
PathIn = Annotated[
    str, typer.Argument(metavar="PATH", help="A path as `paddock files` lists it; the whole folder when not given.")
]
_STYLES = {"+": "green", "-": "red", "@": "cyan"}


def files(
    ctx: typer.Context,
    target: base.TaskId,
    path: PathIn = "",
    images: Annotated[bool, typer.Option("--images", help="Only images, of all folders, by step.")] = False,
    offset: Annotated[int, typer.Option(min=0, help="Skip this many entries.")] = 0,
    as_json: Json = False,
) -> None:
    """List what a task has written: its working folder `work`, its `checkpoint`, its logs in `attempts`.

    Examples:
        paddock files k3v-12
        paddock files k3v-12 work/samples
        paddock files k3v-12 --images
    """
    client = base.client(ctx)
    task = the_task(client, target)
    screen = base.screen()
    if images:
        found = client.images(task)
        base.only_json(as_json, found)
        made = render.Listing("SERIES", "STEP", "PATH", "SIZE", flexible=("SERIES", "PATH"), right=("STEP", "SIZE"))
        for image in found.items:
            step = "" if image.step is None else str(image.step)
            made.add_row(render.clean(image.series), step, render.clean(image.path), size_text(image.size))
        screen.print(made)
        if len(found.items) < found.total or found.more:
            base.note(f"{len(found.items):,} of {found.total:,}{' or more' if found.more else ''} images are listed.")
        return
    page = client.files(task, path, offset=offset, limit=MOST)
    base.only_json(as_json, page)
    made = render.Listing("NAME", "SIZE", "CHANGED", flexible=("NAME",), right=("SIZE",))
    for one in page.items:
        name = {"folder": f"{one.name}/", "link": f"{one.name} -> {one.target or '?'}"}.get(one.kind, one.name)
        size = size_text(one.size) if one.size is not None else "" if one.kind != "other" else "not a file"
        made.add_row(render.clean(name), size, f"{render.age(one.modified_at)} ago" if one.modified_at else "")
    screen.print(made)
    left = page.total - offset - len(page.items)
    if left > 0:
        base.note(f"{left:,} more: --offset {offset + MOST} lists them.")
    elif not page.total:
        base.note(f"There is nothing in {render.clean(path) or 'its folder'} yet.")


def get(
    ctx: typer.Context,
    target: base.TaskId,
    path: PathIn = "",
    output: Annotated[
        Path | None,
        typer.Option("-o", "--output", help="File or folder to write, or - for standard output; here when not given."),
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace a file that exists.")] = False,
    as_json: Json = False,
) -> None:
    """Save a file that a task has written, or a folder as a .tar.gz file.

    Links are left out of folders; the file paddock-left-out.txt in the archive names them.

    Examples:
        paddock get k3v-12 work/plot.png
        paddock get k3v-12 checkpoint -o best.tar.gz
        paddock get k3v-12 attempts/1/out.log -o -
    """
    client = base.client(ctx)
    task = the_task(client, target)
    if output == Path("-"):
        client.write_file(task, path, sys.stdout.buffer)
        return
    saved = client.download(task, path, output, replace=force)
    base.only_json(as_json, {"task": task, "path": path, "file": str(saved), "bytes": saved.stat().st_size})
    base.note(f"{size_text(saved.stat().st_size)} written to {saved}")


def fetch(
    ctx: typer.Context,
    targets: base.Targets,
    to: Annotated[Path, typer.Option("--to", metavar="FOLDER", help="Where to write a folder per task.")] = Path(),
    path: Annotated[str, typer.Option("--path", help="Only this folder of each task, such as checkpoint.")] = "",
    force: Annotated[bool, typer.Option("--force", help="Replace folders that exist.")] = False,
    as_json: Json = False,
) -> None:
    """Copy what tasks have written to this machine, from wherever they ran: one folder per task.

    A folder gets its name when all of it has arrived. Links are left out; paddock-left-out.txt names them.

    Examples:
        paddock fetch k3v-12
        paddock fetch k3v-12 k3v-14 --to results
        paddock fetch k3v-12 --path checkpoint
    """
    client = base.client(ctx)
    tasks = [the_task(client, target) for target in targets]
    made = []
    for task in tasks:
        with _Counter(task) as counter:
            found = client.fetch(task, to, path=path, replace=force, progress=counter.show)
        made.append({"task": task, "folder": str(found.folder), "files": found.files, "bytes": found.bytes})
        if not as_json:
            base.note(f"{found.files:,} files, {size_text(found.bytes)}, written to {found.folder}")
        if found.left_out:
            base.note(f"{found.left_out:,} links or unreadable files were left out: see {LEFT_OUT} there.")
    base.only_json(as_json, made)


class _Counter:
    """Shows on a terminal how much of a task has arrived."""

    def __init__(self, task: str) -> None:
        self._task, self._shown_at = task, 0.0
        self._on = sys.stderr.isatty()

    def __enter__(self) -> "_Counter":
        return self

    def show(self, found: "Fetched") -> None:
        if self._on and time.monotonic() - self._shown_at > SHOW_SECONDS:
            self._shown_at = time.monotonic()
            self._write(f"{self._task}: {found.files:,} files, {size_text(found.bytes)}")

    def __exit__(self, *_: object) -> None:
        if self._on:
            self._write("")

    def _write(self, text: str) -> None:
        sys.stderr.write(f"\r\x1b[K{text}")
        sys.stderr.flush()


def diff(
    ctx: typer.Context,
    before: JobId,
    after: JobId,
    names: Annotated[bool, typer.Option("--names", help="Only the names of files that differ.")] = False,
    as_json: Json = False,
) -> None:
    """Print what differs from one job to another: fields of the job, and its code as `diff -u` prints it.

    Example:
        paddock diff k3v 8wq
    """
    found = base.client(ctx).diff(before, after)
    base.only_json(as_json, found)
    _print_diff(found, names=names)


def _print_diff(found: "JobDiff", *, names: bool) -> None:
    screen = base.screen()
    for field in found.fields:
        screen.print(
            Text(f"{render.clean(field.name)}: {_value(field.before)} → {_value(field.after)}"), soft_wrap=True
        )
    if found.fields and found.files:
        screen.print()
    for one in found.files:
        if names or one.diff is None:
            why = f" ({one.why})" if one.why else ""
            screen.print(Text(f"{one.change}: {render.clean(one.path)}{why}"), soft_wrap=True)
            continue
        for line in one.diff.removesuffix("\n").split("\n"):
            shown = "\t".join(map(render.clean, line.split("\t")))
            screen.print(Text(shown, _STYLES.get(line[:1], "")), soft_wrap=True)
    if not found.fields and not found.files:
        base.note(f"{found.before} and {found.after} have the same code ({found.same} files) and the same settings.")
    if found.more:
        base.note("There are too many files to compare all of them.")


def _value(value: object) -> str:
    return "none" if value is None else render.clean(value if isinstance(value, str) else base.compact(value))
