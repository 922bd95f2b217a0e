"""The `#!` line of a script, and what starts a script without one."""

import re
import shlex
from pathlib import PurePosixPath

_PYTHON = re.compile(r"(python|pypy)[\d.]*$")
_BY_SUFFIX = {".sh": ["/bin/sh"], ".bash": ["bash"], ".r": ["Rscript"], ".jl": ["julia"], ".pl": ["perl"]}


def read(source: str) -> list[str]:
    """Return the program and the options that the first line names; `env` is left out, as it only finds the program."""
    first = source.removeprefix("\ufeff").split("\n", 1)[0].strip()
    if not first.startswith("#!"):
        return []
    try:
        words = shlex.split(first[2:])
    except ValueError:
        words = first[2:].split()
    if words and PurePosixPath(words[0]).name == "env":
        words = words[1:]
        while words and (words[0].startswith("-") or "=" in words[0]):
            words = [*words[0].removeprefix("-S").split(), *words[1:]] if words[0].startswith("-S") else words[1:]
    return words


def is_known(path: str, shebang: list[str]) -> bool:
    """Return True if the first line of a script, or its suffix, names the program that starts it."""
    return bool(shebang) or PurePosixPath(path).suffix.lower() in (".py", *_BY_SUFFIX)


def start(path: str, shebang: list[str], interpreter: list[str]) -> list[str]:
    """Return the command that starts a script.

    A line that names Python stands for the Python of the job, with the options of that line.
    """
    suffix = PurePosixPath(path).suffix.lower()
    if shebang and _PYTHON.match(PurePosixPath(shebang[0]).name):
        return [*interpreter, *shebang[1:], path]
    if shebang:
        return [*shebang, path]
    if suffix == ".py":
        return [*interpreter, path]
    return [*_BY_SUFFIX.get(suffix, []), path]
