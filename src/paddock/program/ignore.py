"""Which files of a folder are no part of a program: gitignore patterns, read by `pathspec`."""

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from pathlib import PurePosixPath

from pathspec.patterns.gitignore.spec import GitIgnoreSpecPattern

DEFAULTS = (
    ".git", ".hg", ".svn", "__pycache__/", "*.pyc", ".venv/", "venv/", "node_modules/", ".ipynb_checkpoints/",
    ".DS_Store", ".mypy_cache/", ".pytest_cache/", ".ruff_cache/",
)  # fmt: skip
FILES = (".gitignore", ".paddockignore")  # a later one may take back what an earlier one ignores
ENVIRONMENT_MARKS = ("pyvenv.cfg", "conda-meta")  # a folder that contains one of them is a Python environment


class Ignore:
    """The ignore files of a folder and of those in it. As in git, the last pattern of the deepest file decides."""

    def __init__(self) -> None:
        self._patterns: dict[str, list[GitIgnoreSpecPattern]] = {}
        self.add(".", ())

    def add(self, folder: str, lines: Iterable[str]) -> None:
        """Add the lines of a folder's ignore files; folders are relative to the topmost one, which is `.`."""
        lines = [*DEFAULTS, *lines] if folder == "." else lines
        self._patterns[folder] = [one for line in lines if (one := _pattern(line))][::-1]

    def __call__(self, path: str, *, folder: bool) -> bool:
        """Return True if a path is ignored; the caller asks for its parents before, and skips ignored ones."""
        relative = PurePosixPath(path)
        for parent in relative.parents:
            below = relative.relative_to(parent).as_posix() + "/" * folder
            for one in self._patterns.get(str(parent), ()):
                # A match that ends earlier is one of a parent, which was asked for itself.
                if one.regex and any(found.end() == len(below) for found in one.regex.finditer(below)):
                    return bool(one.include)
        return False


def left_out(names: Sequence[str], texts: Mapping[str, str]) -> list[str]:
    """Return those of these paths that are no part of a program. A path that ends with a slash is a folder.

    `texts` contains the ignore files by their paths.
    """
    ignored = Ignore()
    for folder in {PurePosixPath(path).parent for path in texts}:
        ignored.add(str(folder), [line for one in FILES for line in texts.get(str(folder / one), "").splitlines()])
    paths = {one for name in names for one in (PurePosixPath(name), *PurePosixPath(name).parents)}
    environments = {str(one.parent) for one in paths if one.name in ENVIRONMENT_MARKS}

    @cache
    def out(path: str, folder: bool) -> bool:
        return (folder and path in environments) or ignored(path, folder=folder)

    def any_out(name: str) -> bool:
        above = reversed(PurePosixPath(name).parents[:-1])
        return any(out(str(one), True) for one in above) or out(name.rstrip("/"), name.endswith("/"))

    return [name for name in names if any_out(name)]


def _pattern(line: str) -> GitIgnoreSpecPattern | None:
    """None for a line that is no pattern in git either, such as `[z-a]`."""
    line = re.sub(r"(?<!\\)[ \t]+$", "", line)
    try:
        # `pathspec` takes `logs/**` to mean the folder logs as well; git does not.
        return GitIgnoreSpecPattern(re.sub(r"(^!?|/)\*\*$", r"\1**/*", line))
    except (ValueError, re.error):
        return None
