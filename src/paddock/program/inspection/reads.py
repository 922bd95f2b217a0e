"""Follow a text that a script reads from sys.argv or its environment: its name, type and default."""

import ast
from dataclasses import dataclass

from pydantic import JsonValue

from paddock.program.inspection import kinds
from paddock.program.inspection.module import Module, last_name
from paddock.program.inspection.values import Kind

_CLEANERS = ("strip", "lower", "upper", "lstrip", "rstrip", "title", "casefold")


@dataclass
class Read:
    name: str | None = None
    kind: Kind | None = None
    default: JsonValue = None
    required: bool = True
    truthy: bool = False  # bool("False") is True


def follow(module: Module, node: ast.expr) -> Read:
    """Follow the expression that reads the text outwards, to what it is assigned to."""
    read = Read()
    at: ast.AST = node
    while True:
        above = module.parents.get(at)
        match above:
            case ast.Call(func=function, args=[first]) if first is at and not above.keywords:
                kind = kinds.of_converter(module, function)
                if kind is None and last_name(function) not in ("loads", "literal_eval", "eval"):
                    break
                if kind == "bool" and module.dotted(function) == "bool" and read.kind is None:
                    read.truthy = True
                read.kind = read.kind or kind
            case ast.Attribute(attr=name) if name in _CLEANERS:
                pass
            case ast.Call(func=function, args=[]) if function is at:
                pass
            case ast.Compare():
                read.kind = read.kind or "bool"
            case ast.IfExp(body=body, orelse=orelse) if at in (body, orelse):
                read.default, read.required = module.value(orelse if body is at else body), False
            case ast.BoolOp(op=ast.Or(), values=[first, second]) if first is at:
                read.default, read.required = module.value(second), False
            case _:
                break
        at = above
    read.name = target_name(module, at)
    return read


def target_name(module: Module, node: ast.AST) -> str | None:
    """Return the name that this expression gets: a variable, a keyword, the key of a dict."""
    above = module.parents.get(node)
    match above:
        case ast.Assign(targets=[target]):
            return name_of(target)
        case ast.AnnAssign(target=target) | ast.NamedExpr(target=target):
            return name_of(target)
        case ast.keyword(arg=name):
            return name
        case ast.Dict(keys=keys, values=values):
            key = next((k for k, v in zip(keys, values, strict=True) if v is node), None)
            return module.text(key)
        case ast.Tuple(elts=elements) | ast.List(elts=elements):
            return _name_in_tuple(module, above, elements.index(node)) if isinstance(node, ast.expr) else None
    return None


def _name_in_tuple(module: Module, above: ast.AST, index: int) -> str | None:
    match module.parents.get(above):
        case ast.Assign(targets=[ast.Tuple(elts=targets) | ast.List(elts=targets)]):
            starred = any(isinstance(t, ast.Starred) for t in targets)
            return name_of(targets[index]) if index < len(targets) and not starred else None
    return None


def name_of(target: ast.expr) -> str | None:
    match target:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name
        case ast.Subscript(slice=ast.Constant(value=str() as key)):
            return key
    return None
