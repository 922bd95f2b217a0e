"""Find out how a script of a package is started: with `-m`, and with which folders on Python's path.

The script is read, never run. Paths are those of the submitted files, relative to their folder.
"""

import ast
import sys
import warnings
from collections.abc import Collection, Iterator
from pathlib import PurePosixPath

ROOTS = ("", "src")  # where the modules of a project are, beside the folder of its script


def parsed(source: bytes | str) -> ast.Module | None:
    """Return the syntax tree; None if the text is not Python: running it will show the error."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # an invalid escape in the user's script is the user's
            return ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def relative_level(tree: ast.AST) -> int:
    """Return the largest number of dots of a relative import; 0 if there is none."""
    return max((node.level for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)), default=0)


def absolute_names(tree: ast.AST) -> Iterator[str]:
    """Yield the first name of each absolute import that is not of the standard library."""
    for node in ast.walk(tree):
        names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
        names += [node.module] if isinstance(node, ast.ImportFrom) and not node.level and node.module else []
        yield from (first for name in names if (first := name.split(".")[0]) not in sys.stdlib_module_names)


def module_of(script: str, level: int, names: Collection[str]) -> str | None:
    """Return the name for `-m` of a script with relative imports; None if it lies too high, or in no Python name."""
    path = PurePosixPath(script)
    folders = [str(one) for one in path.parents][:-1]
    depth = 0
    while depth < len(folders) and (depth < level or f"{folders[depth]}/__init__.py" in names):
        depth += 1
    parts = [*path.parts[len(path.parts) - 1 - depth : -1], path.stem]
    return ".".join(parts) if depth >= level and all(part.isidentifier() for part in parts) else None


def script_of(module: str, names: Collection[str]) -> str | None:
    """Return the file that `-m` starts for a module, the one nearest to the top."""
    path = module.replace(".", "/")
    ends = (f"{path}.py", f"{path}/__main__.py")
    found = [name for name in names if name.endswith(tuple(f"/{end}" for end in ends)) or name in ends]
    return min(found, key=lambda name: (name.count("/"), name), default=None)


def root_of(script: str, module: str) -> str:
    """Return the folder in which Python finds a module."""
    path = PurePosixPath(script)
    file = path.parent if path.name == "__main__.py" and module.split(".")[-1] != "__main__" else path
    return "/".join(file.parts[: len(file.parts) - module.count(".") - 1])


def extra_roots(script: str, tree: ast.AST, names: Collection[str]) -> list[str]:
    """Return the folders, other than its own, from which a script imports modules that were submitted with it."""
    own = str(PurePosixPath(script).parent)
    wanted = {name for name in absolute_names(tree) if not _has(own, name, names)}
    return [root for root in ROOTS if root != own and any(_has(root, name, names) for name in wanted)]


def _has(folder: str, module: str, names: Collection[str]) -> bool:
    start = "" if folder in ("", ".") else f"{folder}/"
    inside = f"{start}{module}/"
    return f"{start}{module}.py" in names or any(n.startswith(inside) and n.endswith(".py") for n in names)
