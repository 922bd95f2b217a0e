"""Print figures about the package, and compare them with the limits in pyproject.toml ([tool.house]).

`--check` fails when a figure is above its limit; `--list` names what was counted.
"""

import argparse
import ast
import io
import sys
import tokenize
import tomllib
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "src" / "paddock"
LONG_FUNCTION = 60
_NO_CODE = (
    tokenize.COMMENT,
    tokenize.NL,
    tokenize.NEWLINE,
    tokenize.INDENT,
    tokenize.DEDENT,
    tokenize.ENCODING,
    tokenize.ENDMARKER,
)


def figures(package: Path, contracts: list[dict[str, Any]]) -> dict[str, int]:
    """Return each figure by its name in [tool.house]."""
    sources = {path: path.read_text() for path in sorted(package.rglob("*.py"))}
    trees = {path: ast.parse(text) for path, text in sources.items()}
    return {
        "code_lines": sum(code_lines(text, trees[path]) for path, text in sources.items()),
        "root_modules": len([path for path in sources if path.parent == package]),
        "modules_without_contract": len(list(without_contract(package, contracts))),
        "duplicate_class_names": len(duplicate_classes(trees.values())),
        "rows_outside_the_store": sum(
            text.count("sa.Row") for path, text in sources.items() if "store" not in path.relative_to(package).parts
        ),
        "long_functions": len(list(long_functions(trees.values()))),
    }


def code_lines(text: str, tree: ast.Module) -> int:
    """Count the lines with code: no blank lines, comments or docstrings."""
    lines: set[int] = set()
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type not in _NO_CODE:
            lines.update(range(token.start[0], token.end[0] + 1))
    for node in ast.walk(tree):
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)) and ast.get_docstring(
            node, clean=False
        ):
            first = node.body[0]
            lines.difference_update(range(first.lineno, (first.end_lineno or first.lineno) + 1))
    return len(lines)


def without_contract(package: Path, contracts: list[dict[str, Any]]) -> Iterator[str]:
    """Yield the modules that no contract of import-linter names, neither directly nor by a package above them."""
    named = {
        f"{container}.{part.strip()}" if container else part.strip()
        for contract in contracts
        for container in contract.get("containers", [""])
        for field in ("layers", "source_modules")
        for entry in contract.get(field, [])
        for part in entry.replace("|", ":").split(":")
    }
    for path in sorted(package.rglob("*.py")):
        parts = [package.name, *path.relative_to(package).with_suffix("").parts]
        if parts[1:] != ["__init__"] and not any(".".join(parts[:n]) in named for n in range(2, len(parts) + 1)):
            yield ".".join(parts)


def duplicate_classes(trees: Any) -> list[str]:
    """Return the names of public classes that more than one module defines."""
    names = Counter(
        node.name for tree in trees for node in tree.body if isinstance(node, ast.ClassDef) and node.name[0] != "_"
    )
    return sorted(name for name, count in names.items() if count > 1)


def long_functions(trees: Any) -> Iterator[str]:
    """Yield the names of functions with more than LONG_FUNCTION lines."""
    for tree in trees:
        for node in ast.walk(tree):
            if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
                continue
            if (node.end_lineno or node.lineno) - node.lineno + 1 > LONG_FUNCTION:
                yield node.name


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="fail when a figure is above its limit")
    parser.add_argument("--list", action="store_true", help="name the modules, classes and functions that are counted")
    given = parser.parse_args()
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]
    contracts = settings["importlinter"]["contracts"]
    limits: dict[str, int] = settings.get("house", {})
    found = figures(PACKAGE, contracts)
    above = [name for name, count in found.items() if count > limits.get(name, 0)]
    for name, count in found.items():
        print(f"{name:26} {count:6}  (limit {limits.get(name, 0)})")
    if given.list:
        trees = [ast.parse(path.read_text()) for path in sorted(PACKAGE.rglob("*.py"))]
        print("without contract:", *without_contract(PACKAGE, contracts))
        print("defined twice:", *duplicate_classes(trees))
        print("long functions:", *long_functions(trees))
    if given.check and above:
        print(f"Above the limit: {', '.join(above)}. Raise a limit in pyproject.toml only with a reason.")
    return 1 if given.check and above else 0


if __name__ == "__main__":
    sys.exit(main())
