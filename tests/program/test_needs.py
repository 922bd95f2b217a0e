"""Test what a program needs: its modules, and the files that it names."""

import json

import pytest

from paddock.program import needs, notebook


def modules(source: str, **files: str) -> dict[str, bool]:
    """Whether each module is certainly imported."""
    given = {"train.py": source.encode()} | {name.replace("__", "/") + ".py": t.encode() for name, t in files.items()}
    return {one.name: one.certain for one in needs.of(given, ["train.py"]).modules}


@pytest.mark.parametrize(
    ("source", "found"),
    [
        ("import torch\nimport torch.nn as nn\nfrom torch.utils import data", {"torch": True}),
        ("from __future__ import annotations\nimport os", {"os": True}),
        ("def f():\n    import wandb", {"wandb": False}),
        ("if x:\n    import a\nelse:\n    import b", {"a": False, "b": False}),
        ("if __name__ == '__main__':\n    import a", {"a": True}),
        ("try:\n    import apex\nexcept ImportError:\n    apex = None", {}),
        ("try:\n    import apex\nexcept (KeyError, ModuleNotFoundError):\n    import other", {}),
        ("try:\n    import a\nfinally:\n    pass", {"a": True}),
        ("from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import heavy", {"typing": True}),
        ("with x:\n    import a", {"a": True}),
        ("def f():\n    import a\nimport a", {"a": True}),
        ("not python(", {}),
    ],
)
def test_modules(source: str, found: dict[str, bool]) -> None:
    assert modules(source) == found


def test_modules_of_own_modules_count_and_own_ones_do_not() -> None:
    found = modules(
        "import model\nfrom pkg.nets import Net\ndef f():\n    import late",
        model="import torch",
        pkg__nets="from . import deep",
        pkg__deep="import einops",
        late="import wandb",
        unused="import jax",
    )
    assert found == {"torch": True, "einops": True, "wandb": False}


def test_a_path_that_the_program_changes_itself() -> None:
    assert needs.of({"train.py": b"import sys\nsys.path.append('../lib')\nimport helper"}, ["train.py"]).open_ended


def test_a_package_imports_from_the_folder_above_it() -> None:
    files = {
        "pkg/train.py": b"from .model import x\nfrom pkg.data import y\nimport torch",
        "pkg/model.py": b"",
        "pkg/data.py": b"import pandas",
    }
    found = needs.of(files, ["pkg/train.py"], ["", "pkg"])
    assert {one.name for one in found.modules} == {"torch", "pandas"}


def test_places_in_a_notebook_are_cells() -> None:
    book = {"cells": [{"cell_type": "code", "source": text} for text in ("x = 1", "y = 2\nimport torch")]}
    made = notebook.convert(json.dumps(book), "a.ipynb")
    found = needs.of({"a.ipynb": b"", "a.ipynb.py": made.source.encode()}, ["a.ipynb"])
    assert [one.where for one in found.modules if one.name == "torch"] == ["a.ipynb, cell 2, line 2"]


@pytest.mark.parametrize(
    ("source", "found"),
    [
        ("open('data/x.csv')", {"data/x.csv": True}),
        ("pd.read_csv('iris.csv')\nnp.load('a.npy')", {"iris.csv": True, "a.npy": True}),
        ("open('../data/x.csv')", {"../data/x.csv": True}),
        ("open(os.path.join('data', 'x.csv'))", {"data/x.csv": True}),
        ("D = 'data'\nopen(os.path.join(D, 'x.csv'))", {"data/x.csv": True}),
        ("(Path('data') / 'x.csv').read_text()", {"data/x.csv": True}),
        ("p.add_argument('--data', default='data')", {"data": False}),
        ("p.add_argument('--config', default='conf/base.yaml')", {"conf/base.yaml": False}),
        ("ImageFolder('photos')", {"photos": False}),
        ("x = 'weights.pt'", {"weights.pt": False}),
        # what it writes
        ("open('log.txt', 'w')\nopen('b.txt', mode='a')\nPath('c.txt').open('w')", {}),
        ("torch.save(m, 'model.pt')\nplt.savefig('a.png')\ndf.to_csv('o.csv')\nCSVLogger('log.csv')", {}),
        ("Path('x.txt').write_text('')", {}),
        # no paths of the submission
        ("open('/etc/passwd')\nget('https://x.org/a.csv')\nopen('~/x.csv')", {}),
        ("'''docstring of data/x.csv'''\nprint('epoch %d/%d' % x, 'done.', 'e.g. a', f'{x}.csv')", {}),
        ("x = 'cuda'\ny = 'loss: 0.1'\nz = '.'\nw = 'a\\nb.csv'", {}),
    ],
)
def test_files(source: str, found: dict[str, bool]) -> None:
    assert {one.path: one.read for one in needs.of({"train.py": source.encode()}, ["train.py"]).files} == found


def test_files_that_are_submitted_are_not_missed() -> None:
    files = {
        "src/train.py": b"open('a.csv'); open('b.csv'); listdir('data/'); open('c.csv')",
        "a.csv": b"",
        "src/b.csv": b"",
        "data/x": b"",
    }
    assert [one.path for one in needs.of(files, ["src/train.py"]).files] == ["c.csv"]


def test_much_code_is_bounded() -> None:
    names = [f"m{n}" for n in range(1000)]
    files = {f"{name}.py": f"import other{name}\nimport m{n + 1}".encode() for n, name in enumerate(names)}
    found = needs.of(files | {"train.py": b"import m0"}, ["train.py"])
    assert 0 < len(found.modules) <= needs.MAX_MODULES
