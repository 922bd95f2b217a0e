"""The parameters of a function, as the parsers that turn functions into commands see them."""

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

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
    """Yield the arguments that take a value: no self, no *args."""
    given = function.args
    plain = [*given.posonlyargs, *given.args]
    missing = len(plain) - len(given.defaults)
    for index, arg in enumerate(plain):
        if index > 0 or arg.arg not in ("self", "cls"):
            yield Argument(arg.arg, arg.annotation, given.defaults[index - missing] if index >= missing else None)
    for arg, default in zip(given.kwonlyargs, given.kw_defaults, strict=True):
        yield Argument(arg.arg, arg.annotation, default, keyword_only=True)


def flags(module: Module, function: Function, bool_style: FlagStyle = FlagStyle.VALUE) -> list[ScriptParam]:
    """Return `--name value` for each argument, as fire takes it."""
    found = [flag(module, argument, bool_style) for argument in arguments(function)]
    # A list is one Python literal here, not several words.
    return [one.model_copy(update={"type": None}) if one.type == "list" else one for one in found]


def flag(module: Module, arg: Argument, bool_style: FlagStyle, **more: Any) -> ScriptParam:
    default = module.value(arg.default)
    declared = kinds.of_annotation(module, arg.annotation)
    kind: Kind | None = declared.kind or kind_of(default)
    style = bool_style if kind == "bool" else FlagStyle.VALUE
    if style is FlagStyle.SWITCH and default is True:
        style = FlagStyle.SWITCH_OFF
    known = {
        "name": arg.name,
        "type": kind,
        "default": default,
        "required": arg.default is None,
        "choices": declared.choices,
        "flag": f"--{arg.name}",
        "off_flag": f"--no-{arg.name}" if style is FlagStyle.ON_OFF else None,
        "style": style,
    }
    return ScriptParam(**(known | more))
