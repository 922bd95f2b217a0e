"""Test the scripts that are made of notebooks by running them."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from paddock.errors import InvalidInput
from paddock.program import notebook


def book(*cells: str | dict[str, Any], **metadata: Any) -> bytes:
    made = [
        cell
        if isinstance(cell, dict)
        else {"cell_type": "code", "metadata": {}, "source": cell.splitlines(keepends=True)}
        for cell in cells
    ]
    return json.dumps({"cells": made, "metadata": metadata, "nbformat": 4, "nbformat_minor": 5}).encode()


def ran(tmp_path: Path, data: bytes, code: int = 0) -> subprocess.CompletedProcess[str]:
    made = notebook.convert(data, "train.ipynb")
    file = tmp_path / "train.ipynb.py"
    file.write_text(made.source)
    done = subprocess.run([sys.executable, str(file)], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == code, done.stderr
    return done


def test_code_cells_run_in_their_order_and_text_does_not(tmp_path: Path) -> None:
    text = {"cell_type": "markdown", "metadata": {}, "source": ["# Not code: 1/0"]}
    assert ran(tmp_path, book("x = 1", text, "", "print(x + 1)")).stdout == "2\n"


MAGICS = """%matplotlib inline
%load_ext autoreload
%env MODE=fast
import os
!echo from the shell
files = !printf 'a\\nb\\n'
%time y = 3
os.getcwd?
?os
if y:
    !pip install torch
    %cd /
print(files, y, os.environ["MODE"], os.getcwd())
text = '''
%matplotlib inline
!echo no
'''
print(len(text))"""


def test_what_only_ipython_understands(tmp_path: Path) -> None:
    made = notebook.convert(book(MAGICS), "train.ipynb")
    assert len(made.warnings) == 1
    assert "pip install torch" in made.warnings[0]
    done = ran(tmp_path, book(MAGICS))
    assert done.stdout.endswith("['a', 'b'] 3 fast /\n29\n")
    assert "from the shell" in done.stdout


def test_cells_with_a_magic_of_their_own(tmp_path: Path) -> None:
    data = book(
        "%%time\nx = 5",
        "%%writefile helper.py\nVALUE = 7",
        "%%bash\necho hi > from_bash",
        "%%html\n<b>",
        "%%capture\nz=1",
    )
    made = notebook.convert(data, "train.ipynb")
    assert [text for text in made.warnings if "%%html" in text] == made.warnings
    ran(tmp_path, data)
    assert (tmp_path / "helper.py").read_text() == "VALUE = 7"
    assert (tmp_path / "from_bash").read_text() == "hi\n"


def test_a_traceback_names_the_cell(tmp_path: Path) -> None:
    data = book("def f(x):\n    return 1 / x", "print('fine')", "y = 2\nf(0)")
    found = ran(tmp_path, data, 1).stderr
    assert found.startswith("In cell 1 of train.ipynb, line 2:\nTraceback")
    assert found.rstrip().endswith("ZeroDivisionError: division by zero")
    plain = ran(tmp_path, book("x = 1", "y = 2\n\nraise ValueError('here')"), 1).stderr
    assert plain.startswith("In cell 2 of train.ipynb, line 3:\n")


def test_imports_from_the_future_and_display_work(tmp_path: Path) -> None:
    data = book("x = 1", "from __future__ import annotations\ndef f(a: Missing): ...", "display(x)")
    assert ran(tmp_path, data).stdout == "1\n"


def test_the_cell_with_papermills_tag_is_marked() -> None:
    tagged = {"cell_type": "code", "metadata": {"tags": ["parameters"]}, "source": "lr = 0.1\nepochs = 3"}
    lines = notebook.convert(book("import os", tagged), "train.ipynb").source.split("\n")
    at = next(n for n, line in enumerate(lines) if notebook.PARAMETERS.match(line))
    assert lines[at : at + 3] == ["# %% cell 2 parameters", "lr = 0.1", "epochs = 3"]


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (b"print(1)", "not valid JSON"),
        (b"[" * 100_000, "not valid JSON"),
        (b"[]", "format 4"),
        (b'{"worksheets": []}', "format 4"),
        (b'{"cells": [1, null, {"cell_type": "code", "source": 3}]}', "no code cell"),
        (book("x <- 1", kernelspec={"language": "R"}), "notebook of r"),
    ],
)
def test_what_is_no_notebook_of_python(data: bytes, why: str) -> None:
    with pytest.raises(InvalidInput, match=why):
        notebook.convert(data, "train.ipynb")


def test_a_cell_that_is_no_python_is_named() -> None:
    made = notebook.convert(book("x = 1", "for in x"), "train.ipynb")
    assert made.warnings == ["Cell 2 of train.ipynb is not valid Python (line 1: invalid syntax): correct it."]


def test_a_file_name_cannot_leave_its_literal(tmp_path: Path) -> None:
    name = 'a"; import os; os.mkdir("pwned"); ".ipynb'
    made = notebook.convert(book("1/0"), name)
    subprocess.run([sys.executable, "-c", made.source], cwd=tmp_path, capture_output=True, check=False)
    assert list(tmp_path.iterdir()) == []


def test_outputs_are_not_sent() -> None:
    cell = {"cell_type": "code", "metadata": {}, "source": "lr = 1", "outputs": [{"data": "x" * 10_000}]}
    small = notebook.without_outputs(book(cell), "train.ipynb")
    assert len(small) < 200
    assert "lr = 1" in notebook.convert(small, "train.ipynb").source
