"""The parameters of a function, as the parsers that turn functions into commands see them."""

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from paddock.models import FlagStyle, ScriptParam
from paddock.program.inspection import kinds
from paddock.program.inspection.module import Function, Module
from paddock.program.inspection.values import Kind, kind_of


@dataclass(frozen=True)
class Argument:
    name: str
    annotation: ast.expr | None
    default: ast.expr | None
    keyword_only: bool = False


def arguments(function: Function) -> Iterator[Argument]:
    """Those that take a value of their own: no self, no *args."""
    given = function.args
    plain = [*given.posonlyargs, *given.args]
    missing = len(plain) - len(given.defaults)
    for index, arg in enumerate(plain):
        if index > 0 or arg.arg not in ("self", "cls"):
            yield Argument(arg.arg, arg.annotation, given.defaults[index - missing] if index >= missing else None)
    for arg, default in zip(given.kwonlyargs, given.kw_defaults, strict=True):
        yield Argument(arg.arg, arg.annotation, default, keyword_only=True)


def flags(module: Module, function: Function, bool_style: FlagStyle = FlagStyle.VALUE) -> list[ScriptParam]:
    """`--name value` for each argument, as fire has it."""
    return [_flag(module, a, bool_style) for a in arguments(function)]


def _flag(module: Module, arg: Argument, bool_style: FlagStyle) -> ScriptParam:
    default = module.value(arg.default)
    declared = kinds.of_annotation(module, arg.annotation)
    kind: Kind | None = declared.kind or kind_of(default)
    style = bool_style if kind == "bool" else FlagStyle.VALUE
    return ScriptParam(
        name=arg.name,
        # A list is one Python literal here, not several words.
        type=None if kind == "list" else kind,
        default=default,
        required=arg.default is None,
        choices=declared.choices,
        flag=f"--{arg.name}",
        off_flag=f"--no-{arg.name}" if style is FlagStyle.ON_OFF else None,
        style=style,
    )
