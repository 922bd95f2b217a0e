"""Read the options of argparse and similar parsers (optparse, configargparse, jsonargparse)."""

import ast

from pydantic import JsonValue

from paddock.models import FlagStyle, ScriptParam
from paddock.program.inspection import kinds
from paddock.program.inspection.module import Findings, Module, argument, keyword, last_name, unpacks
from paddock.program.inspection.values import Kind, kind_of

MAX_WARNINGS = 20
_OPENING = (
    "parse_known_args", "parse_known_intermixed_args", "add_class_arguments", "add_dataclass_arguments",
    "add_function_arguments", "add_subclass_arguments", "add_method_arguments",
)  # fmt: skip
_PARSERS = ("ArgumentParser", "OptionParser", "ArgParser")
_MAKERS = (*_PARSERS, "add_argument_group", "add_mutually_exclusive_group", "add_parser")
_ON = ("store_true", "store_const", "append_const", "count")
_DETECTRON = "default_argument_parser"
_NO_PARAM = ("help", "version")


def read(module: Module) -> Findings | None:
    calls = list(module.calls("add_argument", "add_option"))
    if module.imports("detectron2") and any(module.calls(_DETECTRON)):
        return _detectron(module)
    if not calls and not any(module.calls(*_PARSERS)):
        return None
    found = Findings(
        open_ended=any(module.calls(*_OPENING)) or _goes_elsewhere(module), abbreviations=_abbreviates(module)
    )
    groups = _groups(module)
    set_defaults = [k for call in module.calls("set_defaults") for k in call.keywords]
    defaults = {k.arg: module.value(k.value) for k in set_defaults if k.arg is not None}
    for call in calls:
        of = call.func.value if isinstance(call.func, ast.Attribute) else None
        group = _title(module, of) if isinstance(of, ast.Call) else groups.get(ast.unparse(of)) if of else None
        _read_call(module, call, found, defaults, group)
    if any(module.calls("add_subparsers")):
        commands = [c for call in module.calls("add_parser") if (c := module.text(argument(call, 0)))]
        found.warnings.append(commands_warning(commands))
    return found


def _detectron(module: Module) -> Findings:
    """Return the options of detectron2's `default_argument_parser()`; those that the script adds are among them."""
    found = Findings(open_ended=True, rest="pairs", abbreviations=True)
    found.add(ScriptParam(name="config_file", type="str", default="", flag="--config-file"))
    for name in ("resume", "eval_only"):
        flag = {"flag": f"--{name.replace('_', '-')}", "style": FlagStyle.SWITCH}
        found.add(ScriptParam(name=name, type="bool", default=False, **flag))
    for name, default in (("num_gpus", 1), ("num_machines", 1), ("machine_rank", 0)):
        found.add(ScriptParam(name=name, type="int", default=default, flag=f"--{name.replace('_', '-')}"))
    for call in module.calls("add_argument"):
        _read_call(module, call, found, {}, None)
    return found


def _abbreviates(module: Module) -> bool:
    """Return True unless a parser is made with allow_abbrev=False."""
    parsers = list(module.calls("ArgumentParser", "ArgParser"))
    return bool(parsers) and all(module.value(keyword(p, "allow_abbrev")) is not False for p in parsers)


def _groups(module: Module) -> dict[str, str]:
    """Return the headings of argument groups and the names of sub-commands, by the variable that is used for them."""
    found: dict[str, str] = {}
    for assign in module.find(ast.Assign):
        if isinstance(assign.value, ast.Call) and (title := _title(module, assign.value)):
            found |= {ast.unparse(target): title for target in assign.targets}
    return found


def _title(module: Module, call: ast.Call) -> str | None:
    if last_name(call.func) not in ("add_argument_group", "add_parser", "OptionGroup"):
        return None
    of_option_group = last_name(call.func) == "OptionGroup"  # of optparse: the parser comes first
    return module.text(argument(call, int(of_option_group), "title", "name"))


def _read_call(
    module: Module, call: ast.Call, found: Findings, defaults: dict[str, JsonValue], group: str | None
) -> None:
    names = [module.text(a) for a in call.args]
    action = _action(module, call)
    if unpacks(call) or module.in_loop(call) or None in names or (not names and keyword(call, "dest") is None):
        found.open_ended = True
    if action in _NO_PARAM:
        return
    option_strings = [n for n in names if n]
    nargs = keyword(call, "nargs")
    if nargs is not None and last_name(nargs) in ("REMAINDER", "PARSER"):
        found.open_ended = True
        if "opts" in names or any(module.calls("merge_from_list")):  # yacs: a list of names and values
            found.rest = "pairs"
        return
    if action.endswith("DictAction") and option_strings:  # of mmengine and mmcv, or a copy of it
        found.open_ended = True
        found.rest, found.rest_flag = "assignments", option_strings[0]
        return
    if all(n.startswith("-") for n in option_strings):
        _add_option(module, call, option_strings, action, found, defaults, group)
    else:
        _add_positional(module, call, option_strings[0], found, group)


def _add_option(
    module: Module,
    call: ast.Call,
    strings: list[str],
    action: str,
    found: Findings,
    defaults: dict[str, JsonValue],
    group: str | None,
) -> None:
    if not strings:
        return
    flag = next((s for s in strings if s.startswith("--")), strings[0])
    own_name = flag.lstrip("-").replace("-", "_")
    # Several flags may share the dest of a constant: each is a switch of its own.
    name = own_name if action.endswith("const") else module.text(keyword(call, "dest")) or own_name
    style, kind, default = _style(module, call, action)
    param = ScriptParam(
        name=name,
        type=kind,
        default=defaults.get(name, default),
        required=module.value(keyword(call, "required")) is True,
        choices=module.items(keyword(call, "choices")),
        help=module.text(keyword(call, "help")),
        group=group,
        flag=flag,
        off_flag=f"--no-{flag[2:]}" if style is FlagStyle.ON_OFF else None,
        style=style,
    )
    if not _joined(found, param):
        found.add(param)
    own_bool = kind == "bool" and style is FlagStyle.VALUE and module.dotted(keyword(call, "type")) == "bool"
    if own_bool and len(found.warnings) < MAX_WARNINGS:
        found.warnings.append(
            f"The script declares {flag} with type=bool, which takes every text, `False` too, for true: "
            "use action=argparse.BooleanOptionalAction in the script to be able to switch it off."
        )


def _style(module: Module, call: ast.Call, action: str) -> tuple[FlagStyle, Kind | None, JsonValue]:
    default = module.value(keyword(call, "default"))
    if action == "BooleanOptionalAction":
        return FlagStyle.ON_OFF, "bool", default
    if action == "store_false":
        return FlagStyle.SWITCH_OFF, "bool", True if default is None else default
    if action in _ON:
        kind: Kind = "int" if action == "count" else "bool"
        return FlagStyle.SWITCH, kind, default if kind_of(default) == kind else 0 if action == "count" else False
    if action in ("append", "extend") and not _takes_several(module, call):
        return FlagStyle.EQUALS, "list", default
    return FlagStyle.VALUE, _kind(module, call, default), default


def _kind(module: Module, call: ast.Call, default: JsonValue) -> Kind | None:
    if _takes_several(module, call):
        return "list"
    if (converter := keyword(call, "type")) is not None:
        return kinds.of_converter(module, converter)
    # Without a type argparse hands on the text, whatever the default is.
    return "str" if isinstance(default, str | None) else kind_of(default)


def _takes_several(module: Module, call: ast.Call) -> bool:
    nargs = keyword(call, "nargs")
    return nargs is not None and last_name(nargs) != "OPTIONAL" and module.value(nargs) != "?"


def _add_positional(module: Module, call: ast.Call, name: str, found: Findings, group: str | None) -> None:
    default = module.value(keyword(call, "default"))
    nargs = module.value(keyword(call, "nargs"))
    param = ScriptParam(
        name=name,
        type=_kind(module, call, default),
        default=default,
        required=nargs not in ("?", "*"),
        choices=module.items(keyword(call, "choices")),
        help=module.text(keyword(call, "help")),
        group=group,
    )
    found.add(param, positional=True)


def _joined(found: Findings, param: ScriptParam) -> bool:
    """Join `--augment` and `--no-augment` with the same dest into one parameter. Return True if they were joined."""
    place = found.places.get(param.name)
    sides = {one.style: one for one in (param, *([] if place is None else [found.params[place]]))}
    if place is None or sides.keys() != {FlagStyle.SWITCH, FlagStyle.SWITCH_OFF}:
        return False
    on, off = sides[FlagStyle.SWITCH], sides[FlagStyle.SWITCH_OFF]
    found.params[place] = on.model_copy(update={"style": FlagStyle.ON_OFF, "off_flag": off.flag})
    return True


def _action(module: Module, call: ast.Call) -> str:
    node = keyword(call, "action")
    return module.text(node) or (last_name(node) if node is not None else "") or "store"


def _goes_elsewhere(module: Module) -> bool:
    """Return True if a parser is passed to code outside this file, which may add options."""
    ours: set[str] = set()
    for assign in module.find(ast.Assign):
        if isinstance(assign.value, ast.Call) and last_name(assign.value.func) in _MAKERS:
            ours |= {ast.unparse(t) for t in assign.targets}
    for call in module.find(ast.Call):
        if last_name(call.func) in _MAKERS:
            parents = keyword(call, "parents") or ast.List([])
            if not isinstance(parents, ast.List | ast.Tuple) or any(ast.unparse(p) not in ours for p in parents.elts):
                return True
        elif module.dotted(call.func).rpartition(".")[2] not in module.functions:
            given = [*call.args, *(k.value for k in call.keywords)]
            if any(isinstance(g, ast.Name | ast.Attribute) and ast.unparse(g) in ours for g in given):
                return last_name(call.func) not in ("print", "autocomplete")
    return False


def commands_warning(commands: list[str]) -> str:
    listed = f" ({', '.join(commands)})" if commands else ""
    example = commands[0] if commands else "train"
    return (
        f"The script has sub-commands{listed}, and reading it does not show which one to run: give a command in place "
        f"of the script, such as `python {{code}}/train.py {example} --lr {{lr}}`."
    )
