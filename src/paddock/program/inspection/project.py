"""Find the modules of a project that a script imports, in the files that are submitted with it."""

import ast
import warnings
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import PurePosixPath

from paddock.program.packages import ROOTS

MAX_MODULES = 200
MAX_CHARACTERS = 2_000_000
Def = ast.FunctionDef | ast.AsyncFunctionDef


def parsed(source: str) -> ast.Module:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # an invalid escape in the user's script is the user's
        return ast.parse(source.removeprefix("\ufeff"))


def modules(script: str, tree: ast.Module, files: Mapping[str, str]) -> dict[str, ast.Module]:
    """Return, by path, the modules that a script imports, directly or not. A file that is not Python is left out."""
    roots = list(dict.fromkeys([PurePosixPath(script).parent, *map(PurePosixPath, ROOTS)]))
    found: dict[str, ast.Module] = {}
    todo = [(PurePosixPath(script), tree)]
    left = MAX_CHARACTERS
    while todo and len(found) < MAX_MODULES:
        path, one = todo.pop(0)
        for name in _imported(path, one, roots, files):
            left -= len(files[name])
            if name in found or name == script or left < 0:
                continue
            try:
                found[name] = parsed(files[name])
            except (SyntaxError, ValueError, RecursionError, MemoryError):
                continue
            todo.append((PurePosixPath(name), found[name]))
    _drop_unused(tree, list(found.values()))
    return found


def _imported(
    path: PurePosixPath, tree: ast.Module, roots: Sequence[PurePosixPath], files: Mapping[str, str]
) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield from _first(roots, alias.name.split("."), files)
        elif isinstance(node, ast.ImportFrom):
            parents = list(path.parents)
            bases = [parents[min(node.level, len(parents)) - 1]] if node.level else roots
            names = node.module.split(".") if node.module else []
            for alias in node.names:
                yield from _first(bases, [*names, alias.name], files)


def _first(bases: Sequence[PurePosixPath], names: Sequence[str], files: Mapping[str, str]) -> list[str]:
    return next((found for base in bases if (found := list(_resolved(base, names, files)))), [])


def _resolved(folder: PurePosixPath, names: Sequence[str], files: Mapping[str, str]) -> Iterator[str]:
    for name in names:
        for candidate in (folder / f"{name}.py", folder / name / "__init__.py"):
            if str(candidate) in files:
                yield str(candidate)
        folder = folder / name


def _drop_unused(script: ast.Module, others: list[ast.Module]) -> None:
    """Remove what a module does only when it is run itself, and functions that nothing else uses."""
    for tree in others:
        tree.body = [statement for statement in tree.body if not _is_main_guard(statement)]
    names = {statement: _names(statement) for tree in (script, *others) for statement in tree.body}
    dropped = True
    while dropped:
        dropped = False
        counts = Counter(name for tree in (script, *others) for one in tree.body for name in names[one])
        for tree in others:
            defined = {name for one in tree.body for name in _defined(one)}

            def is_used(one: ast.stmt, counts: Counter[str] = counts, defined: set[str] = defined) -> bool:
                if not isinstance(one, Def):
                    return True
                decorated = {name for d in one.decorator_list for name in _names(d)} & defined
                return counts[one.name] > (one.name in names[one]) or any(counts[name] > 1 for name in decorated)

            kept = [one for one in tree.body if is_used(one)]
            dropped |= len(kept) < len(tree.body)
            tree.body = kept


def _is_main_guard(node: ast.stmt) -> bool:
    return isinstance(node, ast.If) and "__name__" in ast.unparse(node.test) and "__main__" in ast.unparse(node.test)


def _defined(node: ast.stmt) -> list[str]:
    if isinstance(node, ast.Assign):
        return [target.id for target in node.targets if isinstance(target, ast.Name)]
    return [node.name] if isinstance(node, Def | ast.ClassDef) else []


def _names(tree: ast.AST) -> set[str]:
    found: set[str] = set()
    for node in ast.walk(tree):
        match node:
            case ast.Name(id=name) | ast.Attribute(attr=name):
                found.add(name)
            case ast.ImportFrom(names=names):
                found |= {alias.name for alias in names}
    return found
