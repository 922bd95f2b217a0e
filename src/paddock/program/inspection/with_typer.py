"""Read the commands of typer: the annotations and defaults of functions are the options."""

import ast
from collections.abc import Iterator

from pydantic import JsonValue

from paddock.models import FlagStyle, ScriptParam
from paddock.program.inspection import kinds, signatures
from paddock.program.inspection.module import Findings, Function, Module, argument, called, keyword, last_name
from paddock.program.inspection.values import Kind, kind_of
from paddock.program.inspection.with_argparse import commands_warning
from paddock.program.inspection.with_click import split_pair

_INJECTED = ("typer.Context", "click.Context", "typer.CallbackParam")


def read(module: Module) -> Findings | None:
    if not module.imports("typer"):
        return None
    commands = list(_commands(module))
    if not commands:
        return None
    found = Findings(open_ended="allow_extra_args" in ast.unparse(module.tree))
    for function in commands:
        for arg in signatures.arguments(function):
            if module.dotted(arg.annotation) not in _INJECTED:
                _add(module, arg, found)
    if len(commands) > 1:
        found.warnings.append(commands_warning([f.name.replace("_", "-") for f in commands]))
    return found


def _commands(module: Module) -> Iterator[Function]:
    apps = {
        ast.unparse(target)
        for assign in module.find(ast.Assign)
        if isinstance(assign.value, ast.Call) and module.dotted(assign.value.func) == "typer.Typer"
        for target in assign.targets
    }
    for function in module.all_functions:
        names = map(called, function.decorator_list)
        if any(isinstance(n, ast.Attribute) and n.attr == "command" and ast.unparse(n.value) in apps for n in names):
            yield function
    for call in module.calls("run"):
        named = module.functions.get(module.dotted(argument(call, 0)))
        if named is not None and module.dotted(call.func) == "typer.run":
            yield named


def _add(module: Module, arg: signatures.Argument, found: Findings) -> None:
    declared = kinds.of_annotation(module, arg.annotation)
    marker, default_node = _marker(module, arg, declared.extras)
    default = module.value(default_node)
    missing = default_node is None or (isinstance(default_node, ast.Constant) and default_node.value is ...)
    kind = declared.kind or kind_of(default) or "str"
    is_argument = missing if marker is None else last_name(marker.func) == "Argument"
    base = ScriptParam(
        name=arg.name,
        type=kind,
        default=default,
        required=missing,
        choices=declared.choices,
        help=module.text(keyword(marker, "help")) if marker is not None else None,
    )
    if is_argument and not arg.keyword_only:
        found.add(base, positional=True)
    else:
        names = [n for a in _names(marker, arg) if (n := module.text(a))]
        found.add(_option(base, names, kind, declared.fixed_length))


def _option(base: ScriptParam, names: list[str], kind: Kind, fixed_length: bool) -> ScriptParam:
    written = next((n for n in names if n.startswith("--")), names[0] if names else None)
    flag, off = split_pair(written or f"--{base.name.replace('_', '-')}")
    style = FlagStyle.VALUE
    default: JsonValue = base.default
    if kind == "bool":
        if written is None:
            off = f"--no-{base.name.replace('_', '-')}"
        style = FlagStyle.ON_OFF if off else FlagStyle.SWITCH
        default = bool(default)
    elif kind == "list" and not fixed_length:
        style = FlagStyle.EQUALS
    return base.model_copy(update={"flag": flag, "off_flag": off, "style": style, "default": default})


def _marker(
    module: Module, arg: signatures.Argument, extras: tuple[ast.expr, ...]
) -> tuple[ast.Call | None, ast.expr | None]:
    """Return typer.Option(...) or typer.Argument(...) and the default, in both ways of writing them."""
    for extra in extras:
        if isinstance(extra, ast.Call) and last_name(extra.func) in ("Option", "Argument"):
            return extra, arg.default
    call = arg.default
    if isinstance(call, ast.Call) and module.dotted(call.func) in ("typer.Option", "typer.Argument"):
        return call, call.args[0] if call.args else keyword(call, "default")
    return None, arg.default


def _names(marker: ast.Call | None, arg: signatures.Argument) -> list[ast.expr]:
    if marker is None:
        return []
    return marker.args[1:] if marker is arg.default else marker.args
