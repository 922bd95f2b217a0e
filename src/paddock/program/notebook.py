"""Make a script of a Jupyter notebook. The notebook is read, never run; it is input from strangers.

The script has a line `# %% cell 3` before each code cell (the percent format of editors and jupytext), and
`# %% cell 3 parameters` before a cell with papermill's tag. Lines that only IPython understands become Python that does
the same, or a comment. Before a traceback, the script prints the cell in which the error is.
"""

import ast
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from paddock.errors import InvalidInput
from paddock.models.units import size_text
from paddock.program.packages import parsed

SUFFIX = ".ipynb"
MAX_BYTES = 50 * 1024**2
PARAMETERS = re.compile(r"^# %% cell \d+ parameters$")
CELL = re.compile(r"^# %% cell (\d+)")

# The names are those of the script's own scope, so they must not be those of a user.
_TRACES = """\
def _paddock_hook(kind, error, trace):
    import re, sys, traceback
    frames = [f for f in traceback.extract_tb(trace) if f.filename == __file__]
    with open(__file__, encoding="utf-8") as file:
        lines = file.read().split("\\n")[: frames[-1].lineno if frames else 0]
    cells = [(n, m.group(1)) for n, m in enumerate((re.match("# %% cell ([0-9]+)", x) for x in lines), 1) if m]
    if cells:
        print("In cell %s of NAME, line %d:" % (cells[-1][1], len(lines) - cells[-1][0]), file=sys.stderr)
    sys.__excepthook__(kind, error, trace)


__import__("sys").excepthook = _paddock_hook
"""
_SHOWS = "display = print\n"
_SHELL = '__import__("subprocess").run({command!r}, shell=True)'
_OUTPUT = '__import__("subprocess").run({command!r}, shell=True, stdout=-1, text=True).stdout.splitlines()'
_INSTALLS = re.compile(r"^(python3? -m )?(pip3?|conda|mamba|uv|apt(-get)?)\b")
_QUIET = ("matplotlib", "load_ext", "reload_ext", "autoreload", "config", "pylab", "precision", "xmode", "pdb", "reset")
_KEPT = ("time", "timeit", "prun", "capture", "memit")  # the statement after it is run
_ASSIGNED = re.compile(r"^(\s*[\w., ]+=\s*)([!%])(.*)$")


@dataclass(frozen=True)
class Converted:
    source: str
    warnings: list[str] = field(default_factory=list)


def is_notebook(name: str) -> bool:
    return name.lower().endswith(SUFFIX)


def script_name(script: str) -> str:
    """Return the file that is run for a script: for a notebook, the script that is made of it."""
    return f"{script}.py" if is_notebook(script) else script


def without_outputs(data: bytes, name: str) -> str:
    """Return the notebook with nothing but its code cells, for a request that must be small."""
    code = [
        {"cell_type": "code", "metadata": {"tags": ["parameters"] * tagged}, "source": text}
        for _, tagged, text in _cells(data, name)
    ]
    return json.dumps({"cells": code})


def convert(data: bytes | str, name: str) -> Converted:
    """Return the script of a notebook. Raise InvalidInput if it is no notebook of Python."""
    cells = _cells(data, name)
    warnings: list[str] = []
    codes = [
        (number, tagged, _python(source, f"Cell {number} of {name}", warnings)) for number, tagged, source in cells
    ]
    futures: list[str] = []
    texts = []
    for number, tagged, code in codes:
        kept = []
        for line in code.split("\n"):
            is_future = line.startswith("from __future__ import ")  # it has to be the first statement of a script
            futures += [line] if is_future else []
            kept.append(f"# {line}" if is_future else line)
        texts.append(f"# %% cell {number}{' parameters' if tagged else ''}\n" + "\n".join(kept).rstrip() + "\n")
    body = "\n".join(texts).replace("tqdm.notebook", "tqdm.auto")  # which needs no browser
    shows = _SHOWS if re.search(r"(?<![\w.])display\(", body) and "import display" not in body else ""
    head = "".join(f"{line}\n" for line in dict.fromkeys(futures)) + _TRACES.replace("NAME", _plain(name)) + shows
    return Converted(f"{head}\n{body}", warnings)


def _plain(name: str) -> str:
    """Return a file name that can stand in a literal."""
    return re.sub(r"[^\w. +-]", "_", name.rpartition("/")[2])


def _cells(data: bytes | str, name: str) -> list[tuple[int, bool, str]]:
    """Return the number, whether it has papermill's tag, and the text of each code cell. Numbers count code cells."""
    if len(data) > MAX_BYTES:
        message = f"{name} has {size_text(len(data))}, and no more than {size_text(MAX_BYTES)} is read"
        raise InvalidInput.at("script", f"{message}: clear its outputs")
    try:
        book = json.loads(data)
    except (ValueError, RecursionError):
        raise InvalidInput.at("script", f"{name} is not a notebook: it is not valid JSON") from None
    cells = book.get("cells") if isinstance(book, dict) else None
    if not isinstance(cells, list):
        message = f"{name} is not a notebook of format 4: open it in Jupyter and save it"
        raise InvalidInput.at("script", message)
    language = _language(book)
    if language not in ("", "python"):
        raise InvalidInput.at("script", f"{name} is a notebook of {language[:50]}: only those of Python can be run")
    found: list[tuple[int, bool, str]] = []
    for cell in cells:
        if isinstance(cell, dict) and cell.get("cell_type") == "code" and (text := _text(cell.get("source"))).strip():
            found.append((len(found) + 1, "parameters" in _tags(cell), text))
    if not found:
        raise InvalidInput.at("script", f"{name} has no code cell: there is nothing to run")
    return found


def _language(book: dict[str, Any]) -> str:
    about = book.get("metadata")
    for name, key in (("kernelspec", "language"), ("language_info", "name")):
        one = about.get(name) if isinstance(about, dict) else None
        if isinstance(one, dict) and isinstance(one.get(key), str):
            return str(one[key]).lower()
    return ""


def _tags(cell: dict[str, Any]) -> list[Any]:
    about = cell.get("metadata")
    tags = about.get("tags") if isinstance(about, dict) else None
    return tags if isinstance(tags, list) else []


def _text(source: Any) -> str:
    parts = source if isinstance(source, list) else [source]
    text = "".join(part for part in parts if isinstance(part, str))
    return text.replace("\r\n", "\n").replace("\r", "\n").replace("\0", "").encode(errors="replace").decode()


# --- what only IPython understands ----------------------------------------------------------------------------------


def _python(source: str, where: str, warnings: list[str]) -> str:
    """Return a cell as Python. A text that is Python has no magics, whatever its strings look like."""
    stripped = source.lstrip()
    if stripped.startswith("%%"):
        return _cell_magic(stripped, where, warnings)
    if parsed(source) is not None:
        return source
    lines = source.split("\n")
    done: set[int] = set()
    for _ in range(len(lines) + 1):
        try:
            ast.parse("\n".join(lines))
            break
        except SyntaxError as error:
            at = next(_magic_lines(lines, error.lineno or 1, done), None)
            if at is None:
                warnings.append(f"{where} is not valid Python (line {error.lineno}: {error.msg}): correct it.")
                break
        except (ValueError, RecursionError, MemoryError):
            break
        lines[at] = _line_magic(lines[at], where, warnings)
        done.add(at)
    return "\n".join(lines)


def _magic_lines(lines: list[str], at: int, done: set[int]) -> Iterator[int]:
    """Yield the line of a syntax error if it is one of IPython's; where the parser noticed it late, one before."""
    for index in range(min(at, len(lines)) - 1, -1, -1):
        line = lines[index].strip()
        if index in done or line.startswith("#"):
            continue
        if line.startswith(("%", "!", "?")) or line.endswith("?") or _ASSIGNED.match(line):
            yield index


def _line_magic(line: str, where: str, warnings: list[str]) -> str:
    indent, text = line[: len(line) - len(line.lstrip())], line.strip()
    if found := _ASSIGNED.match(line):
        if found[2] == "!":
            return found[1] + _OUTPUT.format(command=found[3])
        text = "%" + found[3]
        made = _replaced(text)
        if made is None:
            warnings.append(_dropped(where, text))
        return f"{found[1]}{made or None}"
    made = "" if text.startswith("?") or text.endswith("?") else _replaced(text)
    if made is None:
        warnings.append(_dropped(where, text))
    return f"{indent}{made or 'pass'}  # {text}"


def _dropped(where: str, text: str) -> str:
    return f"{where}: `{text[:80]}` is left out, as it only works in a notebook or belongs into the environment."


def _replaced(text: str) -> str | None:
    """Return Python that does what a magic does; empty for one that does nothing here, None for one that is unknown."""
    if text.startswith("!"):
        command = text.lstrip("!").strip()
        return None if _INSTALLS.match(command) else _SHELL.format(command=command)
    name, _, rest = text.lstrip("%").partition(" ")
    rest = rest.strip()
    if name in _QUIET:
        return ""
    if name in _KEPT:
        return re.sub(r"^(-\w+( \d+)? )*", "", rest)
    if name == "cd" and rest:
        return f'__import__("os").chdir({rest!r})'
    if name in ("env", "set_env") and "=" in rest:
        key, _, value = rest.partition("=")
        return f'__import__("os").environ[{key.strip()!r}] = {value.strip()!r}'
    return None


def _cell_magic(source: str, where: str, warnings: list[str]) -> str:
    first, _, rest = source.partition("\n")
    name, _, options = first[2:].partition(" ")
    if name in _KEPT:
        return f"# {first}\n" + _python(rest, where, warnings)
    if name in ("bash", "sh"):
        return f"__import__('subprocess').run([{name!r}], input={rest!r}, text=True)"
    if name == "writefile" and options.split():
        mode = "a" if "-a" in options.split() else "w"
        return f"with open({options.split()[-1]!r}, {mode!r}) as _paddock_file:\n    _paddock_file.write({rest!r})"
    warnings.append(_dropped(where, first))
    return "\n".join(f"# {line}" for line in source.split("\n"))
