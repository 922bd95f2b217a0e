"""Test the commands files, get, fetch, diff, note, rename, tag and edit with a real server."""

import io
import sys
import tarfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from paddock.client import fetching
from paddock.client.client import Client
from paddock.errors import InvalidInput, NotFound, PaddockError
from tests.support.up import Cli

WRITES = """
import os
os.makedirs("samples")
for step in (5, 10):
    with open(f"samples/step_{step}.png", "wb") as file:
        file.write(b"GIF89a" + bytes(20))
with open("result.txt", "w") as file:
    file.write("it works")
with open(os.path.join(os.environ["PADDOCK_CHECKPOINT_DIR"], "model.pt"), "wb") as file:
    file.write(bytes(300_000))
os.symlink("/etc/passwd", "link")
open(b"odd\\xff\\x1b", "w").close()
with open("run.sh", "w") as file:
    file.write("true")
os.chmod("run.sh", 0o755)
"""


@pytest.fixture(scope="module")
def task(server_home: Path, tmp_path_factory: pytest.TempPathFactory) -> str:
    cli = Cli(server_home, tmp_path_factory.mktemp("writes"))
    script = cli.script(WRITES)
    job: str = cli.quick("submit", script, "--gpus", "0", "--name", "writes", "--json").json["id"]
    cli.wait(job)
    return f"{job}-1"


def test_files_are_listed(cli: Cli, task: str) -> None:
    out = cli.quick("files", task).out
    assert [line.split()[0] for line in out.splitlines()] == ["NAME", "attempts/", "checkpoint/", "work/"]
    work = cli.quick("files", task, "work").out
    assert "link -> /etc/passwd" in work
    assert "odd\\xff\\x1b" in work
    assert "\x1b" not in work
    assert "8 B" in work
    found = cli.quick("files", task, "checkpoint", "--json").json
    assert [(one["path"], one["size"]) for one in found["items"]] == [("checkpoint/model.pt", 300_000)]
    images = cli.quick("files", task, "--images").out.splitlines()
    assert [line.split() for line in images[1:]] == [
        ["work/samples/step_*.png", "5", "work/samples/step_5.png", "26", "B"],
        ["work/samples/step_*.png", "10", "work/samples/step_10.png", "26", "B"],
    ]
    assert cli.quick("files", task.rpartition("-")[0], "--json").json["total"] == 3  # the only task of its job
    assert "1 more: --offset" not in cli.quick("files", task).err
    assert "does not exist" in cli.quick("files", task, "nowhere", code=3).err
    cli.quick("files", task, "../..", code=2)


def test_folders_of_tasks_are_fetched(cli: Cli, task: str) -> None:
    done = cli.quick("fetch", task, "--to", "here", "--json").json
    folder = cli.folder / "here" / task
    assert done == [{"task": task, "folder": f"here/{task}", "files": done[0]["files"], "bytes": done[0]["bytes"]}]
    assert (folder / "work" / "result.txt").read_text() == "it works"
    assert (folder / "checkpoint" / "model.pt").stat().st_size == 300_000
    assert (folder / "work" / "run.sh").stat().st_mode & 0o100
    assert not (folder / "work" / "result.txt").stat().st_mode & 0o100
    assert not (folder / "work" / "link").is_symlink()
    assert "link" in (folder / "paddock-left-out.txt").read_text()
    assert [one.name for one in folder.parent.iterdir()] == [task], "nothing half-written is left"
    (folder / "mine").touch()
    assert "--force" in cli.quick("fetch", task, "--to", "here", code=2).err
    assert (folder / "mine").exists()
    said = cli.quick("fetch", task.rpartition("-")[0], "--to", "here", "--path", "checkpoint", "--force").err
    assert "1 files" in said
    assert [one.name for one in folder.iterdir()] == ["model.pt"]
    assert "`paddock get`" in cli.quick("fetch", task, "--path", "work/result.txt", code=3).err


def _archive(*members: tuple[str, bytes, str]) -> bytes:
    """A tar.gz file of names, types and contents."""
    made = io.BytesIO()
    with tarfile.open(fileobj=made, mode="w:gz") as archive:
        for name, kind, text in members:
            about = tarfile.TarInfo(name)
            about.type, about.size = kind, len(text) if kind == tarfile.REGTYPE else 0
            about.linkname = text
            archive.addfile(about, io.BytesIO(text.encode()))
    return made.getvalue()


@pytest.mark.parametrize(
    "hostile",
    [
        _archive(("t/../../out", tarfile.REGTYPE, "x")),
        _archive(("/tmp/out", tarfile.REGTYPE, "x")),
        _archive(("t/a", tarfile.REGTYPE, "x"), ("t/a", tarfile.REGTYPE, "y")),
        _archive(("t/a", tarfile.REGTYPE, "x" * 100_000))[:-200],
        b"no archive",
    ],
    ids=["above", "absolute", "twice", "cut off", "none"],  # archives contain the time: names of tests must not
)
def test_an_archive_that_leads_elsewhere_or_breaks_off_leaves_nothing(tmp_path: Path, hostile: bytes) -> None:
    with pytest.raises(PaddockError):
        fetching.fetch(Answers(hostile), "", "", "t", tmp_path / "to", replace=False, progress=lambda _: None)  # type: ignore[arg-type]
    assert list((tmp_path / "to").iterdir()) == []
    assert not (tmp_path / "out").exists()


def test_links_in_an_archive_are_not_made(tmp_path: Path) -> None:
    given = Answers(_archive(("t/l", tarfile.SYMTYPE, "/etc"), ("t/l/passwd", tarfile.REGTYPE, "x")))
    found = fetching.fetch(given, "", "", "t", tmp_path, replace=False, progress=lambda _: None)  # type: ignore[arg-type]
    assert (found.files, found.bytes) == (1, 1)
    assert not (tmp_path / "t" / "l").is_symlink()


class Answers:
    """A connection that answers with these bytes, in small parts."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self.headers = {"Content-Type": "application/gzip"}

    @contextmanager
    def stream(self, *_: object, **__: object) -> Iterator["Answers"]:
        yield self

    def parts(self) -> Iterator[bytes]:
        for at in range(0, len(self._data), 100):
            yield self._data[at : at + 100]


def test_files_and_folders_are_saved(cli: Cli, task: str) -> None:
    done = cli("get", task, "work/result.txt")
    assert (cli.folder / "result.txt").read_text() == "it works"
    assert "8 B written to result.txt" in done.err
    assert "already exists" in cli.quick("get", task, "work/result.txt", code=2).err
    cli.quick("get", task, "work/result.txt", "--force")
    assert cli("get", task, "work/result.txt", "-o", "-").out == "it works"
    found = cli.quick("get", task, "checkpoint", "--json").json
    assert found["file"] == f"{task}-checkpoint.tar.gz"
    with tarfile.open(cli.folder / found["file"]) as tar:
        assert tar.getmember(f"{task}-checkpoint/model.pt").size == 300_000
    (cli.folder / "kept").mkdir()
    cli.quick("get", task, "-o", "kept")
    with tarfile.open(cli.folder / "kept" / f"{task}.tar.gz") as tar:
        assert f"{task}/work/result.txt" in tar.getnames()
        assert f"{task}/work/link" not in tar.getnames()
    cli.quick("get", task, "work/link", code=3)
    cli.quick("get", task, "work/result.txt", "-o", "nowhere/at/all", code=2)
    assert not list(cli.folder.glob(".*.part"))


def test_the_same_from_python(cli: Cli, task: str) -> None:
    with Client(home=cli.home) as client:
        assert [one.name for one in client.files(task, "checkpoint").items] == ["model.pt"]
        assert [one.step for one in client.images(task).items] == [5, 10]
        saved = client.download(task, "work/result.txt", cli.folder)
        assert saved.read_text() == "it works"
        with pytest.raises(InvalidInput, match="already exists"):
            client.download(task, "work/result.txt", cli.folder)
        with pytest.raises(NotFound):
            client.download(task, "work/nothing", cli.folder)
        assert client.note(task, "*good*") == client.note(task) == "*good*"


def test_what_differs_between_jobs(cli: Cli) -> None:
    first = cli.submit("-p", "lr=0.1")
    text = Path(cli.script()).read_text()
    other = cli.script(text.replace("default=2", "default=3"))
    second = cli.quick("submit", other, "--gpus", "0", "-p", "lr=0.2", "--json").json["id"]
    out = cli.quick("diff", first, second).out
    assert '-parser.add_argument("--epochs", type=int, default=2)' in out
    assert '+parser.add_argument("--epochs", type=int, default=3)' in out
    assert "params.lr: " in out
    assert "changed: train.py" in cli.quick("diff", first, second, "--names").out
    found = cli.quick("diff", first, second, "--json").json
    assert [one["path"] for one in found["files"]] == ["train.py"]
    assert "have the same code" in cli.quick("diff", first, first).err
    for job in (first, second):
        cli.wait(job)


def test_names_tags_and_notes(cli: Cli) -> None:
    job = cli.submit("--name", "first", "--tag", "draft")
    cli.wait(job)
    assert cli.quick("rename", job, "second", "name").out == f"{job}  second name  [draft]\n"
    assert cli.quick("tag", job, "+a", "-draft", "b").out == f"{job}  second name  [a, b]\n"
    assert cli.quick("tag", job).out == f"{job}  second name  [a, b]\n"
    assert "does not have the tag" in cli.quick("tag", job, "-draft").err
    assert cli.quick("tag", job, "-a", "--json").json["tags"] == ["b"]
    cli.quick("tag", job, "+", code=2)
    assert "has no note" in cli.quick("note", job).err
    assert cli.quick("note", job, "**why**", "it is good").out == f"{job}: note written\n"
    assert cli.quick("note", job).out == "**why** it is good\n"
    assert cli.quick("show", job, "--json").json["description"] == "**why** it is good"
    cli.quick("note", f"{job}-1", "\x1b[31mred")
    assert cli.quick("note", f"{job}-1").out == "\\x1b[31mred\n"
    assert cli.quick("note", f"{job}-1", "").out == f"{job}-1: note removed\n"
    assert cli.quick("note", f"{job}-1", "--json").json["note"] == ""


def test_an_editor(cli: Cli) -> None:
    job = cli.submit("--name", "before", "--tag", "x")
    cli.wait(job)
    program = cli.folder / "editor.py"
    editor = f"{sys.executable} {program}"

    def edits(expression: str) -> None:
        # Editors of people take a moment; click compares times of whole seconds on some file systems.
        program.write_text(
            "import os, sys\npath = sys.argv[-1]\ntext = open(path).read()\n"
            f"open(path, 'w').write({expression})\nos.utime(path, (2e9, 2e9))\n"
        )

    edits("text.replace('before', 'after').replace('tags: x', 'tags: y, z').replace('\\n\\n', '\\n\\nA note.\\n', 1)")
    assert cli.quick("edit", job, EDITOR=editor, VISUAL=editor).out == f"{job}  after  [y, z]\n"
    found = cli.quick("show", job, "--json").json
    assert (found["name"], found["tags"], found["description"]) == ("after", ["y", "z"], "A note.")
    edits("text.rstrip() + ' And more.'")
    cli.quick("note", job, "--edit", EDITOR=editor, VISUAL=editor)
    assert cli.quick("note", job).out == "A note. And more.\n"
    edits("'nonsense'")
    assert "nothing was changed" in cli.quick("edit", job, EDITOR=editor, VISUAL=editor, code=2).err
    cli.quick("edit", job, EDITOR="/nowhere/vi", VISUAL="/nowhere/vi", code=2)
    assert cli.quick("show", job, "--json").json["name"] == "after"
