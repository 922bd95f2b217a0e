"""Which files of a folder are left behind: the usual forms of gitignore patterns."""

import re
from collections.abc import Iterable
from dataclasses import dataclass

DEFAULTS = (
    ".git",
    ".hg",
    ".svn",
    "__pycache__/",
    "*.pyc",
    ".venv/",
    "venv/",
    "node_modules/",
    ".ipynb_checkpoints/",
    ".DS_Store",
    ".mypy_cache/",
    ".pytest_cache/",
    ".ruff_cache/",
)
FILES = (".gitignore", ".paddockignore")  # a later one may take back what an earlier one says


@dataclass(frozen=True)
class Pattern:
    """One line: `*.ckpt`, `/data`, `logs/**/*.txt`, `cache/`, `!keep.ckpt`."""

    regex: re.Pattern[str]
    negated: bool
    folders_only: bool

    def matches(self, path: str, *, folder: bool) -> bool:
        return (folder or not self.folders_only) and self.regex.fullmatch(path) is not None


class Ignore:
    """The last pattern that matches decides, as in git; what is in an ignored folder stays behind with it."""

    def __init__(self, lines: Iterable[str]) -> None:
        self._patterns = [pattern for line in lines if (pattern := parse(line))]

    def __call__(self, path: str, *, folder: bool) -> bool:
        """`path`: relative, with slashes. Its parents are taken to have been asked for before."""
        for pattern in reversed(self._patterns):
            if pattern.matches(path, folder=folder):
                return not pattern.negated
        return False


def parse(line: str) -> Pattern | None:
    """None for comments and blank lines."""
    text = line.rstrip("\r\n")
    text = re.sub(r"(?<!\\)[ \t]+$", "", text)
    if not text or text.startswith("#"):
        return None
    negated = text.startswith("!")
    text = text[negated:]
    folders_only = text.endswith("/")
    text = text.rstrip("/")
    if not text:
        return None
    # A slash anywhere but at the end ties the pattern to the top; without one it matches at any depth.
    anchored = "/" in text
    text = text.lstrip("/")
    prefix = "" if anchored else "(?:.*/)?"
    try:
        return Pattern(re.compile(prefix + _regex(text), re.DOTALL), negated, folders_only)
    except re.error:  # a class such as [z-a], which matches nothing in git either
        return None


def _regex(text: str) -> str:
    out, at = "", 0
    while at < len(text):
        if text.startswith("**/", at) and (at == 0 or text[at - 1] == "/"):
            out, at = out + "(?:.*/)?", at + 3
        elif text.startswith("**", at) and at + 2 == len(text) and (at == 0 or text[at - 1] == "/"):
            out, at = out + ".+", at + 2
        elif text[at] == "*":
            out, at = out + "[^/]*", at + 1
        elif text[at] == "?":
            out, at = out + "[^/]", at + 1
        elif text[at] == "[" and (found := re.compile(r"\[([!^]?)(\]?[^\]]*)\]").match(text, at)):
            inner = found[2].replace("\\", "\\\\").replace("[", "\\[")
            out, at = out + f"(?!/)[{'^' if found[1] else ''}{inner.replace(']', chr(92) + ']')}]", found.end()
        elif text[at] == "\\" and at + 1 < len(text):
            out, at = out + re.escape(text[at + 1]), at + 2
        else:
            out, at = out + re.escape(text[at]), at + 1
    return out
