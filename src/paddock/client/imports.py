"""Find the modules beside a script that it imports, by reading the code, never by running it."""

import ast
import warnings
from collections.abc import Iterator
from pathlib import Path

Import = tuple[int, tuple[str, ...]]  # how many dots in front, and the names


def local_imports(script: Path) -> list[Path]:
    """Return the modules, and folders of packages, that a script needs from its own folder, transitively."""
    root = script.parent
    found: dict[Path, None] = {}
    todo = [script]
    seen = {script}
    while todo:
        for path in _needed(todo.pop(), root):
            found.setdefault(path)
            # All of a package comes along, so all of it may import.
            new = {path} if path.is_file() else set(path.rglob("*.py"))
            todo += sorted(new - seen)
            seen |= new
    return list(found)


def _needed(path: Path, root: Path) -> Iterator[Path]:
    for dots, names in _imports(path):
        base = root if not dots else path.parents[min(dots, len(path.parents)) - 1]
        if base == root or root in base.parents:
            yield from _find(base, names)


def _find(folder: Path, names: tuple[str, ...]) -> Iterator[Path]:
    """Find an import in the order in which Python looks: package, module, folder without `__init__.py`."""
    for name in names:
        package, module = folder / name, folder / f"{name}.py"
        if (package / "__init__.py").is_file():
            yield package
            return
        if module.is_file():
            yield module
            return
        if not package.is_dir():
            return
        folder = package


def _imports(path: Path) -> Iterator[Import]:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # an invalid escape in the user's script is the user's
            tree = ast.parse(path.read_bytes())
    except (SyntaxError, ValueError, RecursionError, MemoryError, OSError):
        return  # running it will show the error
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield 0, tuple(alias.name.split("."))
        elif isinstance(node, ast.ImportFrom):
            base = tuple(node.module.split(".")) if node.module else ()
            yield from ((node.level, (*base, alias.name)) for alias in node.names)
        elif isinstance(node, ast.Call) and (name := _literal_import(node)):
            yield 0, tuple(name.split("."))


def _literal_import(node: ast.Call) -> str | None:
    """Return the name in importlib.import_module("model") or __import__("model")."""
    called = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", None)
    if called not in ("import_module", "__import__") or not node.args:
        return None
    first = node.args[0]
    if isinstance(first, ast.Constant) and isinstance(first.value, str) and not first.value.startswith("."):
        return first.value
    return None
