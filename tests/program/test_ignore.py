"""Test which files are left out of a submission, compared with git."""

import shutil
import subprocess
from pathlib import Path

import pytest

from paddock.program.ignore import Ignore, left_out


def ignoring(*lines: str) -> Ignore:
    made = Ignore()
    made.add(".", lines)
    return made


@pytest.mark.parametrize(
    ("pattern", "ignored", "kept"),
    [
        ("*.log", ["a.log", "x/y/a.log"], ["a.log.txt", "log"]),
        ("/data", ["data"], ["x/data"]),
        ("data", ["data", "x/data"], ["database", "x/mydata"]),
        ("a/b", ["a/b"], ["x/a/b"]),
        ("**/cache", ["cache", "x/cache", "x/y/cache"], ["cachet"]),
        ("logs/**", ["logs/a", "logs/a/b"], ["logs", "x/logs/a"]),
        ("a/**/z", ["a/z", "a/b/z", "a/b/c/z"], ["az", "a/b/y"]),
        ("file?.txt", ["file1.txt"], ["file.txt", "file12.txt", "file/.txt"]),
        ("[ab].py", ["a.py", "b.py"], ["c.py"]),
        ("[!a].py", ["b.py"], ["a.py"]),
        ("\\#odd", ["#odd"], ["odd"]),
        ("\\!odd", ["!odd"], ["odd"]),
        ("trailing  ", ["trailing"], ["trailing  "]),
        ("foo*bar", ["foobar", "foo-x-bar"], ["foo/bar"]),
    ],
)
def test_patterns(pattern: str, ignored: list[str], kept: list[str]) -> None:
    rule = ignoring(pattern)
    assert [name for name in ignored + kept if rule(name, folder=False)] == ignored


def test_a_pattern_for_folders_leaves_files_alone() -> None:
    rule = ignoring("build/")
    assert rule("build", folder=True)
    assert rule("x/build", folder=True)
    assert not rule("build", folder=False)


def test_the_last_pattern_decides() -> None:
    rule = ignoring("*.txt", "!keep.txt", "", "# !a.txt", "/", "[z-a]", "!", "odd\\")
    assert rule("a.txt", folder=False)
    assert not rule("keep.txt", folder=False)


TREE = ["a.txt", "logs/a.txt", "logs/keep.txt", "logs/sub/keep.txt", "x/logs/a.txt", "data/.gitkeep", "data/raw/1.bin"]
TREE += ["build/out", "x/build", "x/y/z.py", "a b/c d", "[x]", "café.txt", "x/y/.hidden", "trail "]


@pytest.mark.skipif(shutil.which("git") is None, reason="no git")
@pytest.mark.parametrize(
    "given",
    [
        {"": ["logs/**", "!logs/keep.txt"]},
        {"": ["logs/**", "!logs/*/", "!logs/**/keep.txt"]},
        {"": ["logs/", "!logs/keep.txt"]},
        {"": ["data/*", "!data/.gitkeep"]},
        {"": ["**"], "x": ["!*"]},
        {"": ["*", "!*/", "!*.txt"]},
        {"": ["build/", "/x/*/"]},
        {"": ["*.txt"], "logs": ["!a.txt", "/sub"], "logs/sub": ["!keep.txt"]},
        {"": ["!a.txt"], "x": ["logs", "*.py"], "x/y": ["!z.py", ".*"]},
        {"": ["a b/", "\\[x]", "caf*.txt", "trail\\ "]},
        {"": ["**/", "!/x/", "!logs"]},
        {"": ["*", "!**/", "!**/*.txt", "!/x/**"]},
        {"": ["/*", "!/x", "!/logs/", "/x/y/*.py", "logs/*", "!keep*"]},
        {"": ["data", "!data/", "!build", "build"]},
        {"": ["x/**/z.py", "[!ab].txt", "**/raw/**"]},
    ],
    ids=str,
)
def test_git_decides_the_same(tmp_path: Path, given: dict[str, list[str]]) -> None:
    for name in TREE:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("")
    ignored = Ignore()
    for folder, lines in given.items():
        (tmp_path / folder / ".gitignore").write_text("\n".join([*lines, ""]))
        ignored.add(folder or ".", lines)
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
    command = ["git", "-C", str(tmp_path), "ls-files", "-z", "--others", "--exclude-standard"]
    listed = subprocess.run(command, check=True, capture_output=True, text=True).stdout.split("\0")
    parents = {name: [str(one) for one in reversed(Path(name).parents)][1:] for name in TREE}
    kept = [
        name
        for name in TREE
        if not any(ignored(one, folder=True) for one in parents[name]) and not ignored(name, folder=False)
    ]
    assert kept == [name for name in TREE if name in listed]


def test_what_a_folder_leaves_out() -> None:
    ignore_files = {".gitignore": "data/\n*.log", ".paddockignore": "!keep.log", "lib/.gitignore": "made/"}
    kept = ["train.py", "keep.log", "lib/a.py", "lib/", "conda-meta.txt", "venv", *ignore_files]
    out = ["data/", "data/x.csv", "data/deep/keep.log", "data/.gitignore", "a.log", "lib/made/x", "lib/made/"]
    out += ["env/pyvenv.cfg", "env/lib/x.py", "env/", "conda/conda-meta/history", "conda/bin/python", ".git/HEAD"]
    out += ["lib/__pycache__/a.pyc", "venv/bin/python"]
    assert left_out([*kept, *out], ignore_files | {"data/.gitignore": "!*"}) == out


def test_a_folder_that_is_an_environment_itself_is_meant() -> None:
    assert left_out(["pyvenv.cfg", "train.py"], {}) == []
