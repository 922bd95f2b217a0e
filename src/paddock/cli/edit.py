"""The commands note, rename, tag and edit: what people write about jobs and tasks."""

import sys
from typing import TYPE_CHECKING, Annotated, Any

import typer

from paddock.cli import base, render
from paddock.cli.base import JobId, Json
from paddock.errors import InvalidInput

if TYPE_CHECKING:
    from paddock.models import JobDetail

_MARK = "<!-- paddock:"
_HELP = f"\n{_MARK} name and tags end with the first empty line; the rest is the note, in Markdown -->\n"


def note(
    ctx: typer.Context,
    target: base.TaskId,
    text: Annotated[
        list[str] | None,
        typer.Argument(metavar="TEXT", help="The note, in Markdown; - reads it from standard input; '' removes it."),
    ] = None,
    edit: Annotated[bool, typer.Option("--edit", "-e", help="Write it in your editor (VISUAL or EDITOR).")] = False,
    as_json: Json = False,
) -> None:
    """Print the note of a job or task, or write it. The note of a job is its description.

    Examples:
        paddock note k3v-12 "Diverges after **epoch 30**"
        paddock note k3v --edit
        paddock note k3v
    """
    client = base.client(ctx)
    if edit and text:
        raise InvalidInput("Give either a text or --edit.")
    if text is None and not edit:
        found = client.note(target)
    elif edit:
        found = client.note(target, _edited(client.note(target)))
    else:
        found = client.note(target, sys.stdin.read() if text == ["-"] else " ".join(text or []))
    base.only_json(as_json, {"target": target, "note": found})
    if text is not None or edit:
        typer.echo(f"{target}: {'note written' if found else 'note removed'}")
    elif found:
        typer.echo(render.paragraph(found))
    else:
        base.note(f'{target} has no note: `paddock note {target} "..."` writes one.')


def rename(
    ctx: typer.Context,
    job: JobId,
    name: Annotated[list[str], typer.Argument(metavar="NAME", help="The new name.")],
    as_json: Json = False,
) -> None:
    """Give a job another name.

    Example:
        paddock rename k3v "ResNet, long schedule"
    """
    _report(base.client(ctx).edit(job, name=" ".join(name)), as_json)


def tag(
    ctx: typer.Context,
    job: JobId,
    changes: Annotated[
        list[str] | None, typer.Argument(metavar="+TAG|-TAG", help="Tags to add (+ may be left out) or to remove.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Add tags to a job, or remove them; without any, print those that it has.

    Example:
        paddock tag k3v +baseline -draft
    """
    client = base.client(ctx)
    found = client.detail(job)
    tags = dict.fromkeys(found.tags)
    for change in changes or []:
        name = change.removeprefix("+").removeprefix("-").strip()
        if not name:
            raise InvalidInput(f"{change!r} names no tag: write +TAG or -TAG.")
        if not change.startswith("-"):
            tags[name] = None
        elif name in tags:
            del tags[name]
        else:
            base.note(f"{found.id} does not have the tag {render.clean(name)}.")
    _report(client.edit(found.id, tags=list(tags)) if list(tags) != found.tags else found, as_json)


def edit(
    ctx: typer.Context,
    job: JobId,
    private: Annotated[
        bool | None,
        typer.Option("--private/--team", help="Only change who sees it, where people have accounts: only you, or all."),
    ] = None,
    as_json: Json = False,
) -> None:
    """Change name, tags and note of a job in your editor (VISUAL or EDITOR).

    Examples:
        paddock edit k3v
        paddock edit k3v --private
    """
    client = base.client(ctx)
    if private is not None:
        _report(client.edit(job, visibility="private" if private else "team"), as_json)
        return
    found = client.detail(job)
    before = f"name: {found.name}\ntags: {', '.join(found.tags)}\n\n{found.description}"
    lines = _edited(before + _HELP).split("\n")
    fields = _parsed("\n".join(line for line in lines if not line.startswith(_MARK)).rstrip("\n"))
    _report(client.edit(found.id, **fields), as_json)


def _parsed(text: str) -> dict[str, Any]:
    """Return the fields of a job from the text that was edited."""
    head, _, description = text.partition("\n\n")
    fields: dict[str, Any] = {"description": description}
    for line in head.splitlines():
        name, colon, value = line.partition(":")
        if not colon or name.strip() not in ("name", "tags"):
            raise InvalidInput(f"{line[:60]!r} is neither `name: ...` nor `tags: ...`: nothing was changed.")
        fields[name.strip()] = value.strip()
    if "tags" in fields:
        fields["tags"] = list(dict.fromkeys(one.strip() for one in fields["tags"].split(",") if one.strip()))
    return fields


def _edited(text: str) -> str:
    """Return what a person makes of a text in an editor. Raise InvalidInput if nothing was saved."""
    import click

    try:
        found = click.edit(text, extension=".md")
    except click.ClickException as error:
        raise InvalidInput(f"{error.format_message()}: set EDITOR to an editor that is installed.") from None
    if found is None:
        raise InvalidInput("Nothing was changed, as the text was not saved.")
    return found.rstrip("\n")


def _report(job: "JobDetail", as_json: bool) -> None:
    base.only_json(as_json, job)
    tags = f"  [{', '.join(job.tags)}]" if job.tags else ""
    typer.echo(f"{job.id}  {render.clean(job.name + tags)}")
