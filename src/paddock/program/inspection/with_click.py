"""Read the options of click, which are the decorators of a command."""

import ast

from pydantic import JsonValue

from paddock.models import FlagStyle, ScriptParam
from paddock.program.inspection import kinds
from paddock.program.inspection.module import Findings, Module, argument, called, keyword, last_name, unpacks
from paddock.program.inspection.values import Kind, kind_of
from paddock.program.inspection.with_argparse import commands_warning


def read(module: Module) -> Findings | None:
    if not module.imports("click", "rich_click", "asyncclick"):
        return None
    found = Findings()
    seen = False
    for function in module.all_functions:
        for decorator in (d for d in function.decorator_list if isinstance(d, ast.Call)):
            last = last_name(decorator.func)
            seen = seen or last in ("command", "group", "option", "argument")
            if last == "option":
                _add_option(module, decorator, found)
            elif last == "argument":
                _add_argument(module, decorator, found)
            elif last == "command" and "ignore_unknown_options" in ast.unparse(decorator):
                found.open_ended = True
    _warn_of_groups(module, found)
    return found if seen else None


def _add_option(module: Module, call: ast.Call, found: Findings) -> None:
    declared = [module.text(a) for a in call.args]
    texts = [d for d in declared if d]
    if unpacks(call) or len(texts) < len(declared):
        found.open_ended = True
    flags = [t for t in texts if t.startswith("-")]
    if not flags:
        return
    main = next((f for f in flags if f.startswith("--")), flags[0])
    flag, off_flag = split_pair(main)
    explicit = next((t for t in texts if t.isidentifier()), None)
    style = _style(module, call, off_flag)
    found.add(
        ScriptParam(
            name=explicit or flag.lstrip("-").replace("-", "_").lower(),
            type=_kind(module, call, style),
            default=module.value(keyword(call, "default"), False if style is not FlagStyle.VALUE else None),
            required=module.value(keyword(call, "required")) is True,
            choices=_choices(module, call),
            help=module.text(keyword(call, "help")),
            flag=flag,
            off_flag=off_flag,
            style=style,
        )
    )


def split_pair(declared: str) -> tuple[str, str | None]:
    """Split `--shout/--no-shout` into both flags."""
    on, slash, off = declared.partition("/")
    return on.strip(), off.strip() if slash else None


def _style(module: Module, call: ast.Call, off_flag: str | None) -> FlagStyle:
    if off_flag:
        return FlagStyle.ON_OFF
    switches = any(module.value(keyword(call, name)) is True for name in ("is_flag", "count"))
    if switches or keyword(call, "flag_value") is not None:
        return FlagStyle.SWITCH
    return FlagStyle.EQUALS if module.value(keyword(call, "multiple")) is True else FlagStyle.VALUE


def _kind(module: Module, call: ast.Call, style: FlagStyle) -> Kind | None:
    if module.value(keyword(call, "count")) is True:
        return "int"
    if style in (FlagStyle.SWITCH, FlagStyle.ON_OFF):
        return "bool"
    if style is FlagStyle.EQUALS or module.value(keyword(call, "nargs"), 1) != 1:
        return "list"
    if (declared := keyword(call, "type")) is not None:
        kind = kinds.of_converter(module, declared)
        return "str" if kind is None and last_name(called(declared)) in ("Choice", "DateTime", "UUID") else kind
    default = module.value(keyword(call, "default"))
    return "str" if default is None else kind_of(default)


def _choices(module: Module, call: ast.Call) -> list[JsonValue] | None:
    declared = keyword(call, "type")
    if isinstance(declared, ast.Call) and last_name(declared.func) == "Choice":
        return module.items(argument(declared, 0, "choices"))
    return None


def _add_argument(module: Module, call: ast.Call, found: Findings) -> None:
    name = module.text(argument(call, 0))
    if name is None or unpacks(call):
        found.open_ended = True
        return
    several = module.value(keyword(call, "nargs"), 1)
    default = module.value(keyword(call, "default"))
    param = ScriptParam(
        name=name.replace("-", "_").lower(),
        type="list" if several != 1 else _kind(module, call, FlagStyle.VALUE),
        default=default,
        required=module.value(keyword(call, "required"), default is None and several != -1) is True,
        choices=_choices(module, call),
    )
    found.add(param, positional=True)


def _warn_of_groups(module: Module, found: Findings) -> None:
    functions = module.all_functions
    groups = [f.name for f in functions if any(module.dotted(called(d)) == "click.group" for d in f.decorator_list)]
    if not groups:
        return
    commands = [
        f.name.replace("_", "-")
        for f in functions
        if any(module.dotted(called(d)) == f"{group}.command" for d in f.decorator_list for group in groups)
    ]
    found.warnings.append(commands_warning(commands))
