"""Find the type that a script converts a text to: from a converter, an annotation, or the calls around it."""

import ast
from dataclasses import dataclass

from pydantic import JsonValue

from paddock.program.inspection.module import Module
from paddock.program.inspection.values import Kind

_WORDS: dict[str, Kind] = {
    "int": "int", "integer": "int", "int32": "int", "int64": "int", "intrange": "int",
    "float": "float", "float32": "float", "float64": "float", "floatrange": "float", "decimal": "float",
    "str": "str", "string": "str", "path": "str", "purepath": "str", "file": "str", "filetype": "str",
    "bool": "bool", "boolean": "bool",
}  # fmt: skip
_LISTS = ("list", "List", "Sequence", "Iterable", "tuple", "Tuple", "set", "Set")


def of_converter(module: Module, node: ast.expr | None) -> Kind | None:
    """Return the type that `type=` converts to: a builtin, a lambda, or a function by its name."""
    match node:
        case ast.Constant(value=str() as name):  # optparse
            return _WORDS.get(name)
        case ast.Lambda(body=body):
            return _of_lambda(module, body)
        case ast.Call(func=function):  # click.IntRange(1, 8), argparse.FileType("r")
            return of_converter(module, function)
    name = module.dotted(node).rpartition(".")[2].lower()
    if "bool" in name:
        return "bool"
    return next((_WORDS[word] for word in name.split("_") if word in _WORDS), None)


def _of_lambda(module: Module, body: ast.expr) -> Kind | None:
    match body:
        case ast.Compare() | ast.UnaryOp(op=ast.Not()) | ast.BoolOp():
            return "bool"
        case ast.Call(func=ast.Name() as function):
            return of_converter(module, function)
    return None


@dataclass(frozen=True)
class Annotated:
    """The contents of an annotation."""

    kind: Kind | None = None
    choices: list[JsonValue] | None = None
    fixed_length: bool = False
    extras: tuple[ast.expr, ...] = ()


def of_annotation(module: Module, node: ast.expr | None) -> Annotated:
    match node:
        case ast.Constant(value=str() as text):
            return of_annotation(module, _parsed(text))
        case ast.BinOp(op=ast.BitOr(), left=left, right=right):
            return of_annotation(module, right if isinstance(left, ast.Constant) and left.value is None else left)
        case ast.Subscript(value=outer, slice=inner):
            return _of_generic(module, module.dotted(outer).rpartition(".")[2], inner)
    if node is not None and (members := module.enumeration(node)) is not None:
        return Annotated("str", members)
    name = module.dotted(node).rpartition(".")[2]
    return Annotated("list") if name in _LISTS else Annotated(_WORDS.get(name.lower()))


def _of_generic(module: Module, name: str, inner: ast.expr) -> Annotated:
    parts = inner.elts if isinstance(inner, ast.Tuple) else [inner]
    if name in _LISTS:
        endless = any(isinstance(p, ast.Constant) and p.value is ... for p in parts)
        return Annotated("list", fixed_length=name.lower() == "tuple" and not endless)
    if name == "Literal":
        values = [module.value(p) for p in parts]
        kind: Kind = "int" if all(isinstance(v, int) for v in values) else "str"
        return Annotated(kind, values)
    if name == "Annotated" and parts:
        of = of_annotation(module, parts[0])
        return Annotated(of.kind, of.choices, of.fixed_length, tuple(parts[1:]))
    if name in ("Optional", "Union"):
        given = [p for p in parts if not (isinstance(p, ast.Constant) and p.value is None)]
        return of_annotation(module, given[0]) if given else Annotated()
    return Annotated()


def _parsed(text: str) -> ast.expr | None:
    try:
        return ast.parse(text, mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
