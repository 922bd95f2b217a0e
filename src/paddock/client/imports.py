"""Find the modules beside a script that it imports, by reading the code, never by running it."""

import ast
from collections.abc import Iterator
from pathlib import Path

from paddock.errors import InvalidInput
from paddock.program import notebook, packages
from paddock.program.value_text import CONFIG_SUFFIXES

CODE = (".py", ".ipynb")
RELEVANT_SUFFIXES = (".py", *CONFIG_SUFFIXES)
MAX_CONFIG = 256 * 1024
Import = tuple[int, tuple[str, ...]]  # how many dots in front, and the names


def import_root(script: Path) -> Path:
    """Return the folder from which a script imports its modules: its own, or one above it.

    It is above if the script has relative imports, or imports what is only found beside its package or in the current
    folder.
    """
    tree = packages.parsed(_read(script)) if script.suffix in CODE else None
    if tree is None:
        return script.parent
    level = packages.relative_level(tree)
    above = script.parents[min(level, len(script.parents) - 1)]
    while (above / "__init__.py").is_file() and above.parent != above:
        above = above.parent
    if level:
        return above
    wanted = [name for name in packages.absolute_names(tree) if not any(_find(script.parent, (name,)))]
    roots = [folder for folder in (above, Path.cwd()) if folder in script.parents]
    return next((root for root in roots if any(any(_find(root, (name,))) for name in wanted)), script.parent)


def named_configs(script: Path) -> list[Path]:
    """Return the small files of configuration and code that a script names, and the folder of a Hydra configuration."""
    tree = packages.parsed(_read(script)) if script.suffix in CODE else None
    found: dict[Path, None] = {}
    for node in ast.walk(tree) if tree is not None else ():
        text = node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else ""
        if text.lower().endswith(RELEVANT_SUFFIXES) and len(text) < 500 and ".." not in text and "\0" not in text:
            path = script.parent / text
            if path.is_relative_to(script.parent) and path.is_file() and path.stat().st_size <= MAX_CONFIG:
                found[path] = None
        elif isinstance(node, ast.keyword) and node.arg == "config_path" and isinstance(node.value, ast.Constant):
            folder = script.parent / str(node.value.value)
            if folder.is_dir() and folder != script.parent and folder.is_relative_to(script.parent):
                found[folder] = None
    return list(found)


def module_files(module: str, folder: Path) -> list[Path]:
    """Return the files, and folders of packages, that `python -m MODULE` needs from a folder."""
    found = list(_find(folder, tuple(module.split("."))))
    starts = [path for one in found for path in (one.rglob("*.py") if one.is_dir() else [one])]
    return list(dict.fromkeys([*found, *(path for start in starts for path in local_imports(start, folder))]))


def local_imports(script: Path, root: Path) -> list[Path]:
    """Return the modules, and folders of packages, that a script needs from its own folder or the root, transitively.

    A script in a package needs all of the package.
    """
    found: dict[Path, None] = {}
    if root != script.parent and (script.parent / "__init__.py").is_file():
        found[root / script.relative_to(root).parts[0]] = None
    todo = [script]
    seen = {script}
    while todo:
        for path in _needed(todo.pop(), root, script.parent):
            found.setdefault(path)
            # All of a package comes along, so all of it may import.
            new = {path} if path.is_file() else set(path.rglob("*.py"))
            todo += sorted(new - seen)
            seen |= new
    return list(found)


def _needed(path: Path, root: Path, own: Path) -> Iterator[Path]:
    for dots, names in _imports(path):
        bases = [path.parents[min(dots, len(path.parents)) - 1]] if dots else dict.fromkeys([own, root])
        for base in bases:
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
    for node in ast.walk(packages.parsed(_read(path)) or ast.Module([], [])):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield 0, tuple(alias.name.split("."))
        elif isinstance(node, ast.ImportFrom):
            base = tuple(node.module.split(".")) if node.module else ()
            yield from ((node.level, (*base, alias.name)) for alias in node.names)
        elif isinstance(node, ast.Call) and (name := _literal_import(node)):
            yield 0, tuple(name.split("."))


def _read(path: Path) -> bytes | str:
    """Return Python code; what cannot be read has none."""
    try:
        data = path.read_bytes()
        return notebook.convert(data, path.name).source if path.suffix == ".ipynb" else data
    except (OSError, InvalidInput):
        return b""


def _literal_import(node: ast.Call) -> str | None:
    """Return the name in importlib.import_module("model") or __import__("model")."""
    called = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", None)
    if called not in ("import_module", "__import__") or not node.args:
        return None
    first = node.args[0]
    if isinstance(first, ast.Constant) and isinstance(first.value, str) and not first.value.startswith("."):
        return first.value
    return None
