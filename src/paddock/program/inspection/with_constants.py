"""Read the constants at the top of a script: `LR = 0.1`, `class CFG: lr = 0.1`, `CONFIG = {"lr": 0.1}`.

A task gets a copy of the script in which their values are changed. The place of a list or tuple is between its
brackets, so that each stays what it is.
"""

import ast
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import PurePosixPath

from paddock.models import Convention, ScriptParam, ValuePlace
from paddock.program import notebook
from paddock.program.inspection.module import Findings, Module
from paddock.program.inspection.values import UnreadableError, evaluate, kind_of

MAX_TEXT = 200
_CONFIG_MODULE = re.compile(r"(^|_)(config|conf|cfg|settings|hparams|hyperparams|hyperparameters|params|constants)s?$")
_CONFIG_CLASS = re.compile(r"^_?(cfg|conf|config|args|hparams|hp|opt|params|settings|hyper_?param\w*|\w*config)$", re.I)


def read(module: Module) -> Findings | None:
    found = Findings(convention=Convention.CONSTANTS)
    scripts = {module.path: module.tree}
    scripts |= {p: t for p, t in module.modules.items() if _CONFIG_MODULE.search(PurePosixPath(p).stem.lower())}
    for path, tree in scripts.items():
        params = list(_constants(tree, path, module.files.get(path, "").encode()))
        if tagged := _tagged(module.files.get(path, "")):
            params = [param for param in params if param.place and tagged[0] <= param.place.start < tagged[1]]
        for param in sorted(params, key=lambda one: not one.name.isupper()):
            found.add(param)
    return found if found.params else None


def _tagged(source: str) -> tuple[int, int] | None:
    """Return where the cell with papermill's tag is, in the script that was made of a notebook."""
    offset, start = 0, None
    for line in source.split("\n"):
        if start is not None and notebook.CELL.match(line):
            return start, offset
        start = offset if notebook.PARAMETERS.match(line) else start
        offset += len(line.encode()) + 1
    return None if start is None else (start, offset)


def top_level(tree: ast.Module) -> Iterator[tuple[str, ast.expr]]:
    """Yield names that the module sets once, to a value that is written there."""
    counts: Counter[str] = Counter()
    for node in _module_scope(tree):
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            counts[node.id] += 1
        elif isinstance(node, ast.Global):
            counts.update(dict.fromkeys(node.names, 2))
    for statement in tree.body:
        match statement:
            case ast.Assign(targets=[ast.Name(id=name)], value=value) if counts[name] == 1:
                yield name, value
            case ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value) if counts[name] == 1:
                yield name, value


def _module_scope(tree: ast.AST) -> Iterator[ast.AST]:
    """Yield the nodes of a module; of its functions and classes only their `global` statements."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda | ast.ClassDef):
            yield from (inner for inner in ast.walk(node) if isinstance(inner, ast.Global))
        else:
            yield node
            yield from _module_scope(node)


def _constants(tree: ast.Module, path: str, source: bytes) -> Iterator[ScriptParam]:
    starts = [0]
    for line in source.split(b"\n"):
        starts.append(starts[-1] + len(line) + 1)
    bom = 3 * source.startswith(b"\xef\xbb\xbf")
    for name, node, group in _written(tree):
        if (param := _param(name, node, group)) is None:
            continue
        skip = bom if node.lineno == 1 else 0
        start = starts[node.lineno - 1] + node.col_offset + skip
        end = starts[(node.end_lineno or 0) - 1] + (node.end_col_offset or 0) + skip * (node.end_lineno == 1)
        text = source[start:end]
        if _same(text, node):
            if isinstance(node, ast.List | ast.Tuple) and text[:1] in (b"[", b"("):  # between its brackets
                start, end = start + 1, end - 1
            place = ValuePlace(file=path, start=start, end=end, lines=text.count(b"\n"))
            yield param.model_copy(update={"place": place})


def _written(tree: ast.Module) -> Iterator[tuple[str, ast.expr, str | None]]:
    """Yield constants, the entries of dicts and the attributes of classes that are configurations by their names."""
    for name, node in top_level(tree):
        if isinstance(node, ast.Dict) and (name.isupper() or _CONFIG_CLASS.match(name)):
            for key, value in zip(node.keys, node.values, strict=True):
                if isinstance(key, ast.Constant) and isinstance(key.value, str) and key.value.isidentifier():
                    yield f"{name}.{key.value}", value, name
        elif isinstance(node, ast.Call) and ast.unparse(node.func) == "dict" and _CONFIG_CLASS.match(name):
            for keyword in node.keywords:
                if keyword.arg:
                    yield f"{name}.{keyword.arg}", keyword.value, name
        else:
            yield name, node, None
    for owner in tree.body:
        if isinstance(owner, ast.ClassDef) and _CONFIG_CLASS.match(owner.name) and not owner.decorator_list:
            for name, node in top_level(ast.Module(owner.body, [])):
                yield f"{owner.name}.{name}", node, owner.name


def _param(name: str, node: ast.expr, group: str | None) -> ScriptParam | None:
    try:
        value = evaluate(node, {})
    except UnreadableError:
        return None
    plain = isinstance(node, ast.Constant | ast.UnaryOp | ast.List | ast.Tuple | ast.BinOp)
    known = value is None or kind_of(value) is not None
    long = isinstance(value, str) and len(value) > MAX_TEXT
    # `losses = []` and `best = None` are filled later: no one means them as parameters.
    filled_later = not name.isupper() and group is None and value in ([], "", None)
    if not plain or not known or long or filled_later or name.startswith("_"):
        return None
    return ScriptParam(name=name, type=kind_of(value), default=value, group=group)


def _same(text: bytes, node: ast.expr) -> bool:
    """Return True if this text is the expression: line ends other than \\n may shift the places."""
    try:
        return ast.dump(ast.parse(text.decode(), mode="eval").body) == ast.dump(node)
    except (SyntaxError, ValueError):
        return False
