"""Read the flags of absl, and of the module of TensorFlow 1 that was made from it."""

import ast

from paddock.models import FlagStyle, ScriptParam
from paddock.program.inspection.module import Findings, Module, argument, keyword, last_name
from paddock.program.inspection.values import Kind

# A `list` of absl is one text with commas, so it is declared as text; `multi` flags are repeated.
_KINDS: dict[str, Kind] = {
    "integer": "int", "float": "float", "string": "str", "bool": "bool", "boolean": "bool", "enum": "str",
    "enum_class": "str", "list": "str", "spaceseplist": "str",
    "multi_integer": "list", "multi_float": "list", "multi_string": "list", "multi_enum": "list",
}  # fmt: skip
_WITH_VALUES = ("enum", "multi_enum", "enum_class", "multi_enum_class")


def read(module: Module) -> Findings | None:
    found = Findings()
    calls = [call for call in module.find(ast.Call) if last_name(call.func).startswith("DEFINE_")]
    for call in calls:
        name = module.text(argument(call, 0, "name"))
        what = last_name(call.func).removeprefix("DEFINE_")
        if name is None or module.in_loop(call) or what.startswith(("config", "alias", "multi_enum_class")):
            found.open_ended = True
        if name is not None:
            _add(module, call, name, what, found)
    return found if calls else None


def _add(module: Module, call: ast.Call, name: str, what: str, found: Findings) -> None:
    listed = what in _WITH_VALUES
    found.add(
        ScriptParam(
            name=name,
            type=_KINDS.get(what),
            default=module.value(argument(call, 1, "default")),
            required=module.value(keyword(call, "required")) is True,
            choices=module.items(argument(call, 2, "enum_values", "enum_class")) if listed else None,
            help=module.text(argument(call, 3 if listed else 2, "help")),
            flag=f"--{name}",
            style=FlagStyle.EQUALS,
        )
    )
