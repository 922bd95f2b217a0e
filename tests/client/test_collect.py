"""Test which files a submission takes along."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from paddock.client import collect as collect_module
from paddock.client.collect import collect, collect_named
from paddock.errors import InvalidInput, TooLarge
from paddock.settings import UploadSettings


def write(root: Path, *names: str, text: str = "") -> None:
    for name in names:
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


# --- a script -------------------------------------------------------------------------------------------------------


def test_a_script_comes_with_what_it_imports(tmp_path: Path) -> None:
    write(tmp_path, "train.py", text="import os, model\nfrom pkg.layers import Dense\nimport numpy\n")
    write(tmp_path, "model.py", text="from deeper import x\nimport model\n")
    write(tmp_path, "deeper.py", "unused.py", "pkg/__init__.py", "pkg/layers.py", "pkg/data.json", "other/__init__.py")
    found = collect(tmp_path / "train.py", None)
    assert sorted(found.files) == [
        "deeper.py",
        "model.py",
        "pkg/__init__.py",
        "pkg/data.json",
        "pkg/layers.py",
        "train.py",
    ]
    assert found.script == "train.py"
    assert found.code.files == 6


def test_a_folder_without_init_gives_only_the_modules_imported(tmp_path: Path) -> None:
    write(tmp_path, "train.py", text="from utils import metrics\nimport utils.io\n")
    write(tmp_path, "utils/metrics.py", text="from .helpers import g\nfrom .. import nothing\n")
    write(tmp_path, "utils/io.py", "utils/helpers.py", "utils/unused.py", "utils/big.bin")
    assert sorted(collect(tmp_path / "train.py").files) == [
        "train.py",
        "utils/helpers.py",
        "utils/io.py",
        "utils/metrics.py",
    ]


def test_what_a_package_imports_comes_too(tmp_path: Path) -> None:
    write(tmp_path, "train.py", text="import pkg\n")
    write(tmp_path, "pkg/__init__.py")
    write(tmp_path, "pkg/deep/mod.py", text="import beside\n")
    write(tmp_path, "beside.py", "pkg/__pycache__/mod.pyc")
    assert sorted(collect(tmp_path / "train.py").files) == [
        "beside.py",
        "pkg/__init__.py",
        "pkg/deep/mod.py",
        "train.py",
    ]


def test_imports_inside_functions_and_by_name_are_found(tmp_path: Path) -> None:
    write(
        tmp_path,
        "train.py",
        text="import importlib\ndef f():\n  import late\n  importlib.import_module('named')\n  __import__('old')\n",
    )
    write(tmp_path, "late.py", "named.py", "old.py")
    assert sorted(collect(tmp_path / "train.py").files) == ["late.py", "named.py", "old.py", "train.py"]


@pytest.mark.parametrize("text", ["def broken(:\n", "import \0model", "x = '\\d'\n", "\ufeffimport os\n"])
def test_a_script_that_python_does_not_like_is_taken_as_it_is(tmp_path: Path, text: str) -> None:
    write(tmp_path, "train.py", text=text)
    assert collect(tmp_path / "train.py").files == {"train.py": text.encode()}


def test_scripts_that_are_not_python_come_alone(tmp_path: Path) -> None:
    write(tmp_path, "run.sh", "model.py", text="import model\n")
    found = collect(tmp_path / "run.sh")
    assert (list(found.files), found.script) == (["run.sh"], "run.sh")


def test_a_script_and_another_script_are_refused(tmp_path: Path) -> None:
    write(tmp_path, "train.py")
    with pytest.raises(InvalidInput, match="is a script itself"):
        collect(tmp_path / "train.py", "other.py")


def test_what_is_not_there_is_said(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match=r"There is no file or folder .*nope\.py"):
        collect(tmp_path / "nope.py")


# --- a folder -------------------------------------------------------------------------------------------------------


def test_a_folder_comes_without_what_is_ignored(tmp_path: Path) -> None:
    write(tmp_path, "train.py", "lib/a.py", "data/x.csv", "results/keep.csv", ".env.example")
    write(tmp_path, ".git/HEAD", "__pycache__/a.pyc", "lib/__pycache__/b.pyc", "lib/c.pyc", ".venv/x", "node_modules/y")
    write(tmp_path, "myenv/pyvenv.cfg", "myenv/bin/python", "conda/conda-meta/history", ".DS_Store", ".pytest_cache/v")
    write(tmp_path, ".gitignore", text="data/\n*.ckpt\n")
    write(tmp_path, "best.ckpt", "lib/other.ckpt")
    write(tmp_path, ".paddockignore", text="!best.ckpt\n# a comment\n")
    assert sorted(collect(tmp_path).files) == [
        ".env.example",
        ".gitignore",
        ".paddockignore",
        "best.ckpt",
        "lib/a.py",
        "results/keep.csv",
        "train.py",
    ]


def test_ignore_files_of_inner_folders_count_there(tmp_path: Path) -> None:
    write(tmp_path, "train.py", text="import pkg.deep.mod\n")
    write(tmp_path, "pkg/__init__.py", "pkg/deep/mod.py", "pkg/deep/x.bin", "pkg/deep/y.bin", "pkg/x.bin", "z.bin")
    write(tmp_path, ".gitignore", text="*.bin\n")
    write(tmp_path, "pkg/.gitignore", text="!y.bin\n/deep/.gitignore\n.gitignore\n")
    write(tmp_path, "pkg/deep/.gitignore", text="!x.bin\n")
    kept = ["pkg/__init__.py", "pkg/deep/mod.py", "pkg/deep/x.bin", "pkg/deep/y.bin"]
    assert sorted(collect(tmp_path).files) == sorted([".gitignore", "train.py", *kept])
    assert sorted(collect(tmp_path / "train.py").files) == sorted(["train.py", *kept])


def test_paddocks_own_home_stays_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PADDOCK_HOME", str(tmp_path / "home"))
    write(tmp_path, "train.py", "home/token")
    assert list(collect(tmp_path).files) == ["train.py"]


def test_links_are_followed_inside_the_folder_only(tmp_path: Path) -> None:
    root = tmp_path / "root"
    write(root, "train.py", "lib/real.txt", text="inside")
    write(tmp_path, "secret", text="outside")
    (root / "link.txt").symlink_to("lib/real.txt")
    (root / "out.txt").symlink_to(tmp_path / "secret")
    (root / "gone.txt").symlink_to("nowhere")
    (root / "loop").symlink_to("loop")
    (root / "folder").symlink_to("lib")
    os.mkfifo(root / "pipe")
    found = collect(root)
    assert sorted(found.files) == ["lib/real.txt", "link.txt", "train.py"]
    assert found.files["link.txt"] == b"inside"
    assert sorted(text.split()[0] for text in found.warnings) == ["folder", "gone.txt", "loop", "out.txt", "pipe"]


@pytest.mark.parametrize(
    ("names", "script", "expected"),
    [
        (["train.py", "main.py", "x.py"], None, "train.py"),
        (["main.py", "x.py"], None, "main.py"),
        (["only.py", "lib/a.py"], None, "only.py"),
        (["a.py", "b.py"], "b.py", "b.py"),
        (["lib/a.py", "b.py"], "lib/a.py", "lib/a.py"),
    ],
)
def test_the_script_of_a_folder(tmp_path: Path, names: list[str], script: str | None, expected: str) -> None:
    write(tmp_path, *names)
    assert collect(tmp_path, script).script == expected


def test_candidates_are_listed(tmp_path: Path) -> None:
    write(tmp_path, "a.py", "b.py")
    with pytest.raises(InvalidInput, match=r"give one with --script: a\.py, b\.py"):
        collect(tmp_path)
    with pytest.raises(InvalidInput, match="there is no such file"):
        collect(tmp_path, "c.py")
    assert collect(tmp_path, needs_script=False).script is None


def test_a_folder_without_python_says_so(tmp_path: Path) -> None:
    write(tmp_path, "notes.txt")
    with pytest.raises(InvalidInput, match=r"no \.py file"):
        collect(tmp_path)


# --- limits ---------------------------------------------------------------------------------------------------------


def test_too_much_is_refused_before_it_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path, "train.py", "small.txt")
    with open(tmp_path / "huge.bin", "wb") as file:
        file.truncate(10**12)  # sparse: reading it would not go well
    with pytest.raises(TooLarge, match=r"huge\.bin \(931\.3 GiB\)") as caught:
        collect(tmp_path)
    assert ".paddockignore" in caught.value.message
    with pytest.raises(TooLarge, match="3 files"):
        collect(tmp_path, limits=UploadSettings(max_files=2))


@pytest.mark.parametrize("name", ['quo"te.py', "new\nline.py", "back\\slash.py", "tab\t.py", os.fsdecode(b"\xff.py")])
def test_names_that_forms_cannot_carry_are_refused(tmp_path: Path, name: str) -> None:
    write(tmp_path, "train.py")
    try:
        (tmp_path / name).write_text("")
    except OSError:
        pytest.skip("this file system does not take such a name")
    with pytest.raises(InvalidInput, match="rename the file"):
        collect(tmp_path)


# --- where it is from -----------------------------------------------------------------------------------------------


@pytest.mark.skipif(shutil.which("git") is None, reason="no git")
def test_the_commit_is_noted(tmp_path: Path) -> None:
    def git(*arguments: str) -> None:
        identity = ["-c", "user.name=a", "-c", "user.email=a@b"]
        subprocess.run(["git", "-C", str(tmp_path), *identity, *arguments], check=True, capture_output=True)

    write(tmp_path, "train.py")
    assert collect(tmp_path).code.git_commit is None
    git("init")
    git("add", ".")
    git("commit", "-m", "x")
    clean = collect(tmp_path / "train.py").code
    assert clean.git_commit is not None
    assert len(clean.git_commit) == 40
    assert clean.git_dirty is False
    write(tmp_path, "train.py", text="changed")
    assert collect(tmp_path).code.git_dirty is True
    assert collect(tmp_path).code.source == str(tmp_path)


def test_without_git_nothing_is_noted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    write(tmp_path, "train.py")
    assert collect(tmp_path).code.git_commit is None


def test_a_git_that_hangs_is_not_waited_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path, "bin/git", text="#!/bin/sh\nexec sleep 60\n")
    (tmp_path / "bin/git").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}:/usr/bin:/bin")
    monkeypatch.setattr(collect_module, "GIT_SECONDS", 0.2)
    write(tmp_path, "code/train.py")
    assert collect(tmp_path / "code").code.git_commit is None


# --- packages, commands, further files ------------------------------------------------------------------------------


def test_a_script_with_relative_imports_comes_with_its_package(tmp_path: Path) -> None:
    write(tmp_path, "pkg/train.py", text="from .model import Net\nimport beside\n")
    write(tmp_path, "pkg/model.py", "pkg/__init__.py", "pkg/sub/__init__.py", "beside.py", "other.py")
    found = collect(tmp_path / "pkg" / "train.py")
    assert found.script == "pkg/train.py"
    assert sorted(found.files) == [
        "beside.py",
        "pkg/__init__.py",
        "pkg/model.py",
        "pkg/sub/__init__.py",
        "pkg/train.py",
    ]


def test_modules_of_the_current_folder_come_with_a_script_below_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path, "tools/train.py", text="from mylib import nets\nimport helper, numpy\n")
    write(tmp_path, "tools/helper.py", "mylib/__init__.py", "mylib/nets.py", "unused.py")
    monkeypatch.chdir(tmp_path)
    found = collect(Path("tools/train.py"))
    assert found.script == "tools/train.py"
    assert sorted(found.files) == ["mylib/__init__.py", "mylib/nets.py", "tools/helper.py", "tools/train.py"]


@pytest.mark.parametrize(
    ("command", "names"),
    [
        ("python train.py --lr {lr} --config=conf/a.yaml", ["conf/a.yaml", "model.py", "train.py"]),
        ("bash run.sh && Rscript 'fit model.R' > out.csv", ["fit model.R", "run.sh"]),
        ("torchrun --nproc_per_node 2 -m pkg.main {lr}", ["pkg/main.py", "pkg/part.py"]),
        ("python3 ../train.py {lr}; python /etc/passwd", []),
        ("it's train.py", ["model.py", "train.py"]),  # not valid, and the shell will report it
        ("python train.py big.bin", ["model.py", "train.py"]),
    ],
)
def test_a_command_brings_the_files_that_it_names(tmp_path: Path, command: str, names: list[str]) -> None:
    write(tmp_path, "train.py", text="import model\n")
    write(tmp_path, "pkg/main.py", text="from .part import x\n")
    write(tmp_path, "model.py", "pkg/part.py", "conf/a.yaml", "run.sh", "fit model.R", "out.csv", "unused.py")
    with (tmp_path / "big.bin").open("wb") as file:
        file.truncate(collect_module.LARGE_BYTES + 1)
    found = collect_named(command, tmp_path)
    assert sorted(found.files) == names
    assert ["big.bin" in text for text in found.warnings] == ([True] if "big.bin" in command else [])


def test_further_files_come_even_if_they_are_ignored(tmp_path: Path) -> None:
    write(tmp_path, "train.py", "data/a.csv", "data/b.csv", "other.csv")
    write(tmp_path, ".gitignore", text="data/\n*.csv\n")
    assert "data/a.csv" not in collect(tmp_path).files
    assert "data/a.csv" in collect(tmp_path, include=["data/a.csv"]).files
    alone = collect(tmp_path / "train.py", include=["data", str(tmp_path / "other.csv")])
    assert sorted(alone.files) == ["data/a.csv", "data/b.csv", "other.csv", "train.py"]
    with pytest.raises(InvalidInput, match="There is no file"):
        collect(tmp_path, include=["missing.csv"])
    with pytest.raises(InvalidInput, match="--workdir there"):
        collect(tmp_path / "data", include=["../other.csv"], needs_script=False)
