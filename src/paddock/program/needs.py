"""Read what a program needs: the modules that it imports, and the files that it names. The program is never run."""

import ast
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import PurePosixPath

from paddock.models.preflight import NamedFile, Needed
from paddock.program import notebook, packages

MAX_MODULES = 300  # of the program itself; and of those that it imports
MAX_FILES = 200
MAX_BYTES = 5 * 1024**2  # of code that is read
_PATH = re.compile(r"(?:\.{1,2}/)*[\w@+][\w@+ .-]*(?:/[\w@+ .-]+)*/?")
_SUFFIX = re.compile(r"\.[A-Za-z][A-Za-z0-9]{0,9}$")
_NO_SUFFIX = re.compile(r"\.(com|org|net|io|nn|fit|py\w+)$")
_READS = re.compile(r"read|load|imread|genfromtxt|fromfile|folder|parse|dataset|isfile|exists|listdir|glob|open")
_WRITES = re.compile(r"save|to_\w+|write|dump|mkdir|makedirs|logger|filehandler|checkpoint|summarywriter|basicconfig")
_PLACES = ("join", "Path", "PurePath", "PosixPath", "add_argument", "Argument", "Option", "field")
_CAUGHT = {"ImportError", "ModuleNotFoundError", "Exception", "BaseException"}


@dataclass
class Needs:
    """What a program needs; `open_ended` if it changes Python's path itself."""

    modules: list[Needed] = field(default_factory=list)
    files: list[NamedFile] = field(default_factory=list)
    open_ended: bool = False


def of(files: Mapping[str, bytes], scripts: Sequence[str], roots: Sequence[str] = ()) -> Needs:
    """Return what these scripts need with the modules of theirs that are among the files.

    `roots`: folders, other than those of the scripts, from which they import.
    """
    return _Reader(files, [*(str(PurePosixPath(one).parent) for one in scripts), *roots]).read(scripts)


class _Reader:
    def __init__(self, files: Mapping[str, bytes], roots: Sequence[str]) -> None:
        self._files = files
        self._roots = [root if root not in ("", ".") else "" for root in dict.fromkeys(roots)]
        self._left = MAX_BYTES
        self._modules: dict[str, Needed] = {}
        self._named: dict[str, NamedFile] = {}
        self._folders = {str(parent) for name in files for parent in PurePosixPath(name).parents}
        self._open_ended = False

    def read(self, scripts: Sequence[str]) -> Needs:
        todo = [(script, True) for script in scripts]
        seen: set[tuple[str, bool]] = set()
        while todo and len(seen) < MAX_MODULES:
            name, certain = todo.pop(0)
            if (name, certain) in seen or (name, True) in seen:
                continue
            seen.add((name, certain))
            tree = self._tree(name)
            if tree is not None:
                todo += self._imports(tree, name, certain)
                self._paths(tree, name)
        return Needs(list(self._modules.values()), list(self._named.values()), self._open_ended)

    def _tree(self, name: str) -> ast.Module | None:
        data = self._files.get(notebook.script_name(name), self._files.get(name, b""))
        self._left -= len(data)
        return packages.parsed(data) if self._left >= 0 else None

    # --- modules ----------------------------------------------------------------------------------------------------

    def _imports(self, tree: ast.Module, file: str, certain: bool) -> Iterator[tuple[str, bool]]:
        """Note the modules of others, and yield the files of own ones."""
        for node, sure in list(_import_nodes(tree.body, certain)):
            if isinstance(node, ast.Import):
                found = [(0, alias.name) for alias in node.names]
            else:
                base = node.module or ""
                found = [(node.level, f"{base}.{alias.name}".strip(".")) for alias in node.names]
            for level, dotted in found:
                own = self._own(level, dotted.split("."), file)
                if own:
                    yield from ((one, sure) for one in own)
                elif not level:
                    self._note(dotted.split(".")[0], self._where(file, node), sure)
        self._open_ended |= any(
            isinstance(node, ast.Attribute) and node.attr == "path" and isinstance(node.value, ast.Name)
            and node.value.id == "sys" and not isinstance(node.ctx, ast.Del)
            for node in ast.walk(tree)
        )  # fmt: skip

    def _own(self, level: int, names: list[str], file: str) -> list[str]:
        """Return the files of a module of the program; empty if it is of somebody else."""
        above = PurePosixPath(file).parents
        roots = [str(above[min(level, len(above)) - 1])] if level else self._roots
        for root in roots:
            found = []
            folder = "" if root in ("", ".") else f"{root}/"
            for name in names:
                inside = [f"{folder}{name}.py", f"{folder}{name}/__init__.py"]
                found += [one for one in inside if one in self._files]
                if not found and f"{folder}{name}" not in self._folders:
                    break
                folder = f"{folder}{name}/"
            if found or (not level and f"{root}/{names[0]}".strip("/.") in self._folders):
                return found or [""]
        return []

    def _note(self, name: str, where: str, certain: bool) -> None:
        known = self._modules.get(name)
        if name != "__future__" and (known is None or certain > known.certain) and len(self._modules) < MAX_MODULES:
            self._modules[name] = Needed(name=name, where=where, certain=certain)

    def _where(self, file: str, node: ast.AST) -> str:
        line = getattr(node, "lineno", 1)
        if not notebook.is_notebook(file):
            return f"{file}, line {line}"
        text = self._files.get(notebook.script_name(file), b"").decode(errors="replace").split("\n")[:line]
        cells = [(at, found[1]) for at, one in enumerate(text, start=1) if (found := notebook.CELL.match(one))]
        return f"{file}, cell {cells[-1][1]}, line {line - cells[-1][0]}" if cells else file

    # --- files ------------------------------------------------------------------------------------------------------

    def _paths(self, tree: ast.Module, file: str) -> None:
        texts = {
            statement.targets[0].id: statement.value.value
            for statement in tree.body
            if isinstance(statement, ast.Assign)
            and isinstance(statement.targets[0], ast.Name)
            and isinstance(statement.value, ast.Constant)
            and isinstance(statement.value.value, str)
        }
        for text, node, call, argument in _path_nodes(tree, texts, None, 0):
            how = _use(call, argument)
            if how is None or not _is_path(text, plain=how or (call is not None and _name(call.func) in _PLACES)):
                continue
            path = str(PurePosixPath(text))
            if path not in self._named and not self._submitted(path, file) and len(self._named) < MAX_FILES:
                is_file = bool(_SUFFIX.search(path))  # load_dataset("glue") reads no file of that name
                self._named[path] = NamedFile(path=path, where=self._where(file, node), read=how and is_file)

    def _submitted(self, path: str, file: str) -> bool:
        both = {path, str(PurePosixPath(file).parent / path)}
        return any(one in self._files or one in self._folders for one in both)


def _import_nodes(body: Sequence[ast.stmt], certain: bool) -> Iterator[tuple[ast.Import | ast.ImportFrom, bool]]:
    """Yield imports, and whether they are surely run. Those whose failure is caught are left out."""
    for node in body:
        if isinstance(node, ast.Import | ast.ImportFrom):
            yield node, certain
        elif isinstance(node, ast.Try):
            caught = any(_catches(one.type) for one in node.handlers)
            yield from () if caught else _import_nodes(node.body, certain)
            yield from _import_nodes([*node.orelse, *node.finalbody], certain and not caught)
        elif isinstance(node, ast.If):
            test = ast.unparse(node.test)
            if "TYPE_CHECKING" not in test:
                yield from _import_nodes(node.body, certain and test.startswith("__name__ =="))
            yield from _import_nodes(node.orelse, False)
        elif isinstance(node, ast.With | ast.ClassDef):
            yield from _import_nodes(node.body, certain)
        else:
            for name in ("body", "orelse"):
                inner = getattr(node, name, None)
                yield from _import_nodes(inner, False) if isinstance(inner, list) else ()


def _catches(kind: ast.expr | None) -> bool:
    kinds = kind.elts if isinstance(kind, ast.Tuple) else [kind]
    return any(one is None or _name(one) in _CAUGHT for one in kinds)


def _path_nodes(
    node: ast.AST, texts: Mapping[str, str], call: ast.Call | None, argument: int
) -> Iterator[tuple[str, ast.AST, ast.Call | None, int]]:
    """Yield texts, also those that are joined of constants, with the call that gets them and the place in it."""
    todo: list[tuple[ast.AST, ast.Call | None, int]] = [(node, call, argument)]
    while todo:
        node, call, argument = todo.pop()
        text = _text(node, texts) if isinstance(node, ast.expr) and not isinstance(node, ast.Name) else None
        if text is not None:
            # What a path is made of says how it is used only together with what gets it.
            yield text, node, call, argument
        elif isinstance(node, ast.Call):
            todo += [(one, node, at) for at, one in enumerate(node.args)]
            todo += [(one.value, node, -1) for one in node.keywords]
            todo += [(node.func, node, -1)]
        elif not (isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)):
            todo += [
                (one, call if isinstance(node, ast.expr) else None, argument) for one in ast.iter_child_nodes(node)
            ]


def _text(node: ast.expr | None, texts: Mapping[str, str]) -> str | None:
    match node:
        case ast.Constant(value=str() as text):
            return text
        case ast.Name(id=name):
            return texts.get(name)
        case ast.Call(func=func, args=[_, *_] as args, keywords=[]) if _name(func) in ("join", "Path", "PurePath"):
            parts = [_text(one, texts) for one in args]
            is_text = _name(func) == "join" and isinstance(func, ast.Attribute) and isinstance(func.value, ast.Constant)
            return None if is_text or None in parts else "/".join(part for part in parts if part)
        case ast.BinOp(left=left, op=ast.Div(), right=right):
            first, second = _text(left, texts), _text(right, texts)
            return f"{first}/{second}" if first is not None and second is not None else None
    return None


def _name(node: ast.expr | None) -> str:
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""


def _use(call: ast.Call | None, argument: int) -> bool | None:
    """Return True if a call reads the file that it gets, False if that is not clear, None if it writes it."""
    if call is None:
        return False
    name = _name(call.func).lower()
    if name == "open":
        at = 0 if argument < 0 and isinstance(call.func, ast.Attribute) else 1  # Path("x").open("w")
        mode = call.args[at] if len(call.args) > at else next((k.value for k in call.keywords if k.arg == "mode"), None)
        text = mode.value if isinstance(mode, ast.Constant) and isinstance(mode.value, str) else "r"
        return None if argument == 1 or set(text) & set("wax") else True
    if _WRITES.search(name):
        return None
    return bool(_READS.search(name)) and argument <= 0


def _is_path(text: str, *, plain: bool) -> bool:
    """Return True if a text looks like a relative path. `plain`: one word is enough, as of a folder."""
    if not 0 < len(text) <= 300 or not _PATH.fullmatch(text) or text.strip(" .") != text.strip("."):
        return False
    if text.strip("./") == "" or _NO_SUFFIX.search(text):
        return False
    return bool(_SUFFIX.search(text)) or "/" in text.rstrip("/") or text.endswith("/") or (plain and len(text) > 2)
