"""Evaluate an expression from its syntax alone: literals, simple arithmetic, names of constants."""

import ast
import math
import operator
import re
from collections.abc import Callable, Mapping
from typing import Literal

from pydantic import JsonValue

Kind = Literal["int", "float", "bool", "str", "list"]

# Limits of a value: a script must not be able to make its own report huge.
MAX_SIZE = 10_000  # characters
MAX_ITEMS = 1_000  # elements, with those of its elements
MAX_INT = 10**18
_KINDS: dict[type, Kind] = {bool: "bool", int: "int", float: "float", str: "str", list: "list"}
_SURROGATE = re.compile("[\ud800-\udfff]")  # half a character: not valid in JSON

_OPERATORS: dict[type[ast.operator], Callable[[float, float], float]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
}


class UnreadableError(Exception):
    """The value is only known when the script runs."""


def evaluate(node: ast.expr, names: Mapping[str, JsonValue]) -> JsonValue:
    if isinstance(node, ast.Name) and node.id in names:
        return names[node.id]  # checked when it was read
    try:
        return _bounded(_evaluate(node, names))
    except (ArithmeticError, TypeError, ValueError, RecursionError) as error:
        raise UnreadableError from error


def _evaluate(node: ast.expr, names: Mapping[str, JsonValue]) -> JsonValue:
    match node:
        case ast.Constant(value=bool() | int() | float() | str() | None as value):
            return value
        case ast.List(elts=elements) | ast.Tuple(elts=elements):
            return [evaluate(e, names) for e in elements]
        case ast.Dict(keys=keys, values=values):
            return {_text(k, names): evaluate(v, names) for k, v in zip(keys, values, strict=True)}
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return -_number(operand, names)
        case ast.UnaryOp(op=ast.UAdd(), operand=operand):
            return _number(operand, names)
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            return not evaluate(operand, names)
        case ast.BinOp():
            return _binary(node, names)
        case ast.Call():
            return _call(node, names)
    raise UnreadableError


def _binary(node: ast.BinOp, names: Mapping[str, JsonValue]) -> JsonValue:
    left, right = evaluate(node.left, names), evaluate(node.right, names)
    if isinstance(left, str) and isinstance(right, str) and isinstance(node.op, ast.Add):
        return left + right
    if not isinstance(left, int | float) or not isinstance(right, int | float):
        raise UnreadableError
    if isinstance(node.op, ast.Pow) and abs(right) <= 64 and abs(left) <= 2**16:
        power: JsonValue = left**right  # a root of a negative number is complex: _bounded refuses it
        return power
    if type(node.op) not in _OPERATORS:
        raise UnreadableError
    return _OPERATORS[type(node.op)](left, right)


def _call(node: ast.Call, names: Mapping[str, JsonValue]) -> JsonValue:
    match node:
        case ast.Call(func=ast.Name(id="int" | "float" | "str" as name), args=[argument], keywords=[]):
            value = evaluate(argument, names)
            if not isinstance(value, int | float | str):
                raise UnreadableError
            return int(value) if name == "int" else float(value) if name == "float" else str(value)
        case ast.Call(func=ast.Name(id="list" | "tuple" | "sorted" as name), args=[argument], keywords=[]):
            values = evaluate(argument, names)
            if not isinstance(values, list):
                raise UnreadableError
            return sorted(values) if name == "sorted" else values  # type: ignore[type-var]
        case ast.Call(func=ast.Name(id="range"), args=arguments) if 1 <= len(arguments) <= 3:
            numbers = range(*(int(_number(a, names)) for a in arguments))
            return list(numbers[: MAX_ITEMS + 1])
        case ast.Call(func=ast.Attribute(attr="get" | "getenv") as function, args=[_, default]):
            if "env" in ast.unparse(function):
                return evaluate(default, names)
    raise UnreadableError


def _number(node: ast.expr, names: Mapping[str, JsonValue]) -> int | float:
    value = evaluate(node, names)
    if not isinstance(value, int | float):
        raise UnreadableError
    return value


def _text(node: ast.expr | None, names: Mapping[str, JsonValue]) -> str:
    value = evaluate(node, names) if node is not None else None
    if not isinstance(value, str):
        raise UnreadableError
    return value


def _bounded(value: JsonValue) -> JsonValue:
    if isinstance(value, int | float):
        fits = math.isfinite(value) and (isinstance(value, float) or abs(value) <= MAX_INT)
    elif isinstance(value, str):
        fits = len(value) <= MAX_SIZE and not _SURROGATE.search(value)
    else:
        fits = value is None or (isinstance(value, list | dict) and _fits(value))  # a power may be complex
    if not fits:
        raise UnreadableError
    return value


def _fits(value: JsonValue) -> bool:
    """Return True if a value is small enough. Stops early, as a value may contain the same list many times."""
    left, items, size = [value], 0, 0
    while left:
        one = left.pop()
        if isinstance(one, str):
            size += len(one)
        elif isinstance(one, list | dict):
            items += len(one)
            size += sum(map(len, one)) if isinstance(one, dict) else 0
        if items > MAX_ITEMS or size > MAX_SIZE:
            return False
        if isinstance(one, list | dict):
            left.extend(one.values() if isinstance(one, dict) else one)
    return True


def kind_of(value: JsonValue) -> Kind | None:
    return _KINDS.get(type(value))
