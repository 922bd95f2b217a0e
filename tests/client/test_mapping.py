"""Test `paddock map` on the client: which files, which outputs, which tasks."""

import json
import os
import subprocess
import tempfile
from pathlib import Path, PurePath
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paddock.client.mapping import (
    Distribution,
    File,
    Mapped,
    Wanted,
    call,
    find,
    mapped,
    part_files,
    split,
    targets,
    task_count,
)
from paddock.errors import InvalidInput
from paddock.program.commands import build
from paddock.runner import map_driver
from paddock.runner.map_driver import FOLDER
from paddock.server.map_parts import parts_of
from paddock.settings import UploadSettings

NAMES = st.lists(st.text(st.characters(blacklist_characters="/\0", codec="utf-8"), min_size=1, max_size=8), unique=True)


def files(count: int) -> list[File]:
    return [File(Path(f"/in/{number}"), PurePath(str(number))) for number in range(count)]


def tree(folder: Path, *names: str) -> None:
    for name in names:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(name)


def plan(
    folder: Path, command: str = "cp {input} {output}", changes: dict[str, Any] | None = None, **more: Any
) -> Mapped:
    asked: dict[str, Any] = {"inputs": ["in"], "output": "out", "folder": folder, "command": command} | more
    return mapped(Wanted(**asked), changes or {}, environment={}, limits=UploadSettings(), max_tasks=1000)


@given(st.integers(0, 200), st.integers(1, 50), st.booleans(), st.sampled_from(Distribution))
def test_every_file_is_dealt_once_and_evenly(count: int, asked: int, each: bool, how: Distribution) -> None:
    wanted = Wanted("x {input}", per_task=asked if each else None, tasks=None if each else asked)
    tasks = task_count(count, wanted, 1000)
    parts = split(files(count), tasks, how)
    assert sorted((file for part in parts for file in part), key=lambda file: int(file.below.name)) == files(count)
    assert len(parts) == tasks
    if count:
        sizes = list(map(len, parts))
        assert min(sizes) >= 1
        assert max(sizes) - min(sizes) <= 1
        assert max(sizes) <= asked if each else tasks == min(asked, count)


def test_blocks_are_consecutive_and_cards_are_dealt() -> None:
    def numbers(how: Distribution) -> list[list[str]]:
        return [[file.below.name for file in part] for part in split(files(7), 3, how)]

    assert numbers(Distribution.BLOCK) == [["0", "1"], ["2", "3"], ["4", "5", "6"]]
    assert numbers(Distribution.CYCLIC) == [["0", "3", "6"], ["1", "4"], ["2", "5"]]


def test_too_many_tasks() -> None:
    with pytest.raises(InvalidInput, match=r"2,500 tasks are more .* --per-task 3\."):
        task_count(2500, Wanted("x"), 1000)
    assert task_count(2500, Wanted("x", per_task=3), 1000) == 834


@given(NAMES, st.one_of(st.none(), st.just(".npy")))
def test_outputs_have_the_tree_of_the_inputs(names: list[str], suffix: str | None) -> None:
    given = [File(Path("/in", "a", name), PurePath("a", name)) for name in names if name not in (".", "..")]
    try:
        made = targets(given, Path("/out"), suffix)
    except InvalidInput as error:
        assert suffix is not None, "names that differ only in their ending"
        assert "the same output" in error.message
        return
    assert [file.source for file in made] == [file.source for file in given]
    assert len({file.target for file in made}) == len(made)
    for file in made:
        assert file.target is not None
        assert file.target.parent == Path("/out/a")
        assert file.target.name == file.source.name if suffix is None else file.target.name.endswith(suffix)


@given(st.lists(NAMES.filter(bool), min_size=1, max_size=9))
def test_the_driver_reads_the_parts_that_were_written(groups: list[list[str]]) -> None:
    parts = [
        [File(Path("/in", *["x"], n + "é\udcff"), PurePath(n), Path("/out", n)) for n in group] for group in groups
    ]
    with tempfile.TemporaryDirectory() as folder:
        for name, data in part_files(parts, "cp {input}", Path("/here")).items():
            Path(folder, PurePath(name).name).write_bytes(data)
        for number, part in enumerate(parts, start=1):
            found = map_driver.read_part(folder, number)
            assert found == [(os.fsencode(file.source), os.fsencode(str(file.target))) for file in part]


@pytest.mark.parametrize(
    ("pattern", "below"),
    [
        ("in/**/*.jpg", ["a/b/3.jpg", "a/2.jpg", "1.jpg"]),
        ("./in/a/**/*.jpg", ["2.jpg", "b/3.jpg"]),
        ("in/*", ["1.jpg", "n.txt"]),
        ("in/*/*.jpg", ["a/2.jpg"]),
        ("in", ["1.jpg", "a/2.jpg", "a/b/3.jpg", "n.txt"]),
        ("in/a/2.jpg", ["2.jpg"]),
        ("other [1]", ["x"]),
    ],
)
def test_the_tree_begins_where_the_fixed_part_of_the_pattern_ends(
    tmp_path: Path, pattern: str, below: list[str]
) -> None:
    tree(tmp_path, "in/1.jpg", "in/n.txt", "in/a/2.jpg", "in/a/b/3.jpg", "in/.hidden/4.jpg", "other [1]/x")
    for one in (pattern, str(tmp_path / pattern)):
        found = find(Wanted("x", inputs=[one], output="out", folder=tmp_path))
        assert sorted(str(file.below) for file in found) == sorted(below)
        assert {file.target for file in found} == {tmp_path / "out" / name for name in below}


def test_the_home_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Shells leave ~ alone in quotes and after a sign of equality; files may be called so, too."""
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    tree(tmp_path, "home/in/a", "home/list", "here/~b")
    (tmp_path / "home/list").write_text("~b\n~/in/a\n")
    for more in ({"inputs": ["~/in/*"]}, {"inputs": ["~/in"]}):
        [file] = find(Wanted("x", output="~/out", folder=tmp_path / "here", **more))  # type: ignore[arg-type]
        assert (file.source, file.target) == (tmp_path / "home/in/a", tmp_path / "home/out/a")
    found = find(Wanted("x", listed="~/list", folder=tmp_path / "here"))
    assert [file.source for file in found] == [tmp_path / "here/~b", tmp_path / "home/in/a"]
    assert [file.below.name for file in find(Wanted("x", inputs=["~b"], folder=tmp_path / "here"))] == ["~b"]


def test_several_patterns_take_each_file_once(tmp_path: Path) -> None:
    tree(tmp_path, "in/1.jpg", "in/a/2.jpg")
    found = find(Wanted("x", inputs=["in/*.jpg", "in/**/*.jpg"], folder=tmp_path))
    assert [file.source.name for file in found] == ["1.jpg", "2.jpg"]


def test_outputs_inside_of_the_inputs_are_no_inputs(tmp_path: Path) -> None:
    tree(tmp_path, "1.jpg", "out/0.jpg", "out/b/2.jpg")
    assert [file.below.name for file in find(Wanted("x", inputs=["**/*.jpg"], output="out", folder=tmp_path))] == [
        "1.jpg"
    ]
    same = find(Wanted("x", inputs=["*.jpg"], output=".", suffix=".npy", folder=tmp_path))
    assert [file.target for file in same] == [tmp_path / "1.npy"]


def test_a_list_of_names(tmp_path: Path) -> None:
    tree(tmp_path, "here/a b.txt", "here/c.txt", "away.txt")
    (tmp_path / "here/list").write_text(f"a b.txt\n\n./c.txt\n{tmp_path}/away.txt\n")
    found = find(Wanted("x", listed="list", output="out", folder=tmp_path / "here"))
    away = PurePath(*(tmp_path / "away.txt").parts[1:])
    assert [file.below for file in found] == [PurePath("a b.txt"), PurePath("c.txt"), away]
    tree(tmp_path, "here/ d")
    (tmp_path / "here/list").write_bytes(b"c.txt\r\n a b.txt \n d\n")
    found = find(Wanted("x", listed="list", folder=tmp_path / "here"))
    assert [str(file.below) for file in found] == ["c.txt", "a b.txt", " d"], "of another system, or indented"
    (tmp_path / "here/list").write_text("c.txt\nnone.txt\nneither.txt\n")
    with pytest.raises(InvalidInput, match=r"names what is not a file: .*none.txt, and 1 more"):
        find(Wanted("x", listed="list", folder=tmp_path / "here"))
    with pytest.raises(InvalidInput, match="nowhere cannot be read"):
        find(Wanted("x", listed="nowhere", folder=tmp_path))


@pytest.mark.parametrize(
    ("wanted", "message"),
    [
        ({"inputs": ["none/*"]}, "No file matches none/"),
        ({"inputs": []}, "No files are given"),
        ({"command": "cp {input} x"}, r"has no \{output\}"),
        ({"command": "cp {output}"}, r"has no \{input\}: write it"),
        ({"output": None}, "give the folder of the outputs with --output"),
        ({"inputs": [""]}, "--input is empty: write . for the current folder"),
        ({"output": " "}, "--output is empty"),
        ({"suffix": "a/b"}, "--suffix is the suffix"),
        ({"suffix": "npy"}, r"has no dot: write --suffix \.npy"),
        ({"per_task": 1, "tasks": 2}, "not both"),
        ({"output": "in"}, "it is an input"),
        ({"suffix": ".npy"}, r"1\.jpg and .*1\.png have the same output"),
        ({"inputs": ["in", "more"]}, "have the same output"),
        ({"command": "cp {input} {output} {nonsense}"}, "nonsense. in the command is not a known field"),
        ({"suffix": "", "inputs": ["in/1.jpg", "deep"]}, "both a file and a folder"),
    ],
)
def test_what_cannot_be(tmp_path: Path, wanted: dict[str, Any], message: str) -> None:
    tree(tmp_path, "in/1.jpg", "in/1.png", "more/1.jpg", "deep/1/x.y")
    with pytest.raises(InvalidInput, match=message):
        plan(tmp_path, **wanted)


def test_what_is_done_is_left_out(tmp_path: Path) -> None:
    tree(tmp_path, "in/a", "in/b", "in/c", "out/a", "out/b")
    os.utime(tmp_path / "out/b", (1, 1))
    made = plan(tmp_path)
    assert ([[file.below.name for file in part] for part in made.parts], made.skipped) == ([["b"], ["c"]], 1)
    assert (plan(tmp_path, fresh=True).files, plan(tmp_path, fresh=True).skipped) == (3, 0)
    tree(tmp_path, "out/b", "out/c")
    made = plan(tmp_path)
    assert (made.bundle, made.skipped, made.parts) == (None, 3, [])
    rest = plan(tmp_path, reduce="ls out").bundle
    assert rest is not None
    assert rest.spec.command == f"cd {tmp_path} || exit\nls out"
    assert (rest.spec.name, rest.spec.reduce, rest.spec.params) == ("ls out", None, {})


def test_the_job_of_it(tmp_path: Path) -> None:
    tree(tmp_path, "in/a", "in/b", "in/c", "lib/x.py")
    (tmp_path / "shrink.py").write_text("import helper\n")
    (tmp_path / "helper.py").write_text("")
    (tmp_path / "all.py").write_text("made by an earlier call")
    command = "python ./shrink.py {input} {output} && sh /bin/other.sh"
    made = plan(tmp_path, command, {"name": "n", "tags": ["t"]}, tasks=2, reduce="python lib/x.py > all.py; ls none.py")
    assert made.bundle is not None
    spec, code = made.bundle.spec, made.bundle.code
    assert (spec.name, spec.tags, spec.search.method, spec.script) == ("n", ["t"], "grid", f"{FOLDER}/map.py")
    assert spec.model_dump()["params"]["part"]["high"] == 2
    assert spec.reduce == f"cd {tmp_path} || exit\npython {{code}}/lib/x.py > all.py; ls none.py"
    assert {name for name in code.files if not name.startswith(FOLDER)} == {"shrink.py", "helper.py", "lib/x.py"}
    about = json.loads(code.files[f"{FOLDER}/plan.json"])
    assert about["folder"] == str(tmp_path)
    assert about["command"].startswith(
        'python "${PADDOCK_CODE}"/shrink.py "${PADDOCK_INPUT}" "${PADDOCK_OUTPUT}" && sh /'
    )
    assert spec.description == call(made.wanted)
    assert code.code.source == str(tmp_path)
    assert spec.objective.metric == "", "no task is better than another"


def test_the_files_of_each_part_are_read_back(tmp_path: Path) -> None:
    names = ["in/a", os.fsdecode(b"in/\xff"), "in/c", "/elsewhere/d"]
    parts = [[File(tmp_path / name, PurePath("x"), tmp_path / "out" / str(n))] for n, name in enumerate(names)]
    parts[2] += [File(tmp_path / "in/more", PurePath("x"))] * 2
    parts.append([File(tmp_path / "in/e", PurePath("x"))])
    for name, data in part_files(parts, "true", tmp_path).items():
        (tmp_path / "code" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "code" / name).write_bytes(data)
    found = parts_of(tmp_path / "code")
    assert [one.input for one in found] == ["in/a", "in/\ufffd", "in/c", "/elsewhere/d", "in/e"]
    assert [(one.part, one.files, one.output) for one in found[1:4:2]] == [(2, 1, "out/1"), (4, 1, "out/3")]
    assert (found[2].files, found[4].output) == (3, None)
    assert parts_of(tmp_path) == [], "no map"


def test_a_folder_with_a_strange_name(tmp_path: Path) -> None:
    folder = tmp_path / "it's {x} $HOME"
    tree(folder, "in/a", "out/a")
    os.utime(folder / "in/a", (1, 1))
    made = plan(folder, reduce="pwd").bundle
    assert made is not None
    argv = build(made.spec, None, {}, job="j", task="j-1", code_dir="/c", interpreter=[]).argv
    assert subprocess.run(argv, capture_output=True, check=True).stdout.decode() == f"{folder}\n"
