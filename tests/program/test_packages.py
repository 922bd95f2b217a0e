"""Test how scripts of packages are recognised."""

import pytest

from paddock.program import packages


@pytest.mark.parametrize(
    ("script", "level", "names", "module"),
    [
        ("pkg/train.py", 1, {"pkg/train.py", "pkg/__init__.py", "pkg/model.py"}, "pkg.train"),
        ("pkg/train.py", 1, {"pkg/train.py", "pkg/model.py"}, "pkg.train"),
        ("src/pkg/train.py", 1, {"src/pkg/__init__.py"}, "pkg.train"),
        ("a/b/train.py", 1, {"a/__init__.py", "a/b/__init__.py"}, "a.b.train"),
        ("a/b/train.py", 2, set(), "a.b.train"),
        ("train.py", 1, set(), None),
        ("pkg/train.py", 2, set(), None),
        ("my-pkg/train.py", 1, set(), None),
    ],
)
def test_the_module_of_a_script_with_relative_imports(
    script: str, level: int, names: set[str], module: str | None
) -> None:
    assert packages.module_of(script, level, names) == module


@pytest.mark.parametrize(
    ("module", "names", "script", "root"),
    [
        ("pkg.train", {"pkg/train.py"}, "pkg/train.py", ""),
        ("pkg.train", {"src/pkg/train.py", "old/copy/pkg/train.py"}, "src/pkg/train.py", "src"),
        ("pkg", {"pkg/__main__.py"}, "pkg/__main__.py", ""),
        ("pkg.train", {"otherpkg/train.py"}, None, None),
    ],
)
def test_the_script_of_a_module(module: str, names: set[str], script: str | None, root: str | None) -> None:
    assert packages.script_of(module, names) == script
    if script is not None:
        assert packages.root_of(script, module) == root


@pytest.mark.parametrize(
    ("source", "names", "roots"),
    [
        ("import mylib", {"mylib/__init__.py"}, [""]),
        ("from mylib.nets import Net", {"src/mylib/nets.py"}, ["src"]),
        ("import mylib", {"tools/mylib.py", "mylib.py"}, []),  # its own folder comes first
        ("import json, torch", {"json/__init__.py", "other.py"}, []),
    ],
)
def test_folders_from_which_a_script_in_a_subfolder_imports(source: str, names: set[str], roots: list[str]) -> None:
    tree = packages.parsed(source)
    assert tree is not None
    assert packages.extra_roots("tools/train.py", tree, names) == roots
