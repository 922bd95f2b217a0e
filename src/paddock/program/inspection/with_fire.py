"""Read functions that become commands (fire, tyro, jsonargparse), and getopt and docopt."""

import ast

from paddock.models import FlagStyle, ScriptParam
from paddock.program.inspection import signatures
from paddock.program.inspection.module import Findings, Module, argument, last_name
from paddock.program.inspection.with_argparse import commands_warning

_OTHERS = ("tyro.cli", "jsonargparse.CLI", "jsonargparse.auto_cli", "defopt.run", "plac.call")


def read(module: Module) -> Findings | None:
    for call in module.find(ast.Call):
        dotted = module.dotted(call.func)
        if dotted in ("fire.Fire", "fire.core.Fire"):
            return _fire(module, call)
        if dotted in _OTHERS:
            named = module.functions.get(module.dotted(argument(call, 0)))
            if named is not None:
                style = FlagStyle.ON_OFF if dotted == "tyro.cli" else FlagStyle.VALUE
                found = Findings(open_ended=True)
                for param in signatures.flags(module, named, style):
                    if param.required and dotted.startswith("jsonargparse."):  # it takes them by position
                        found.add(param.model_copy(update={"flag": None}), positional=True)
                    else:
                        found.add(param)
                return found
        if dotted in ("getopt.getopt", "getopt.gnu_getopt"):
            return _getopt(module, call)
        if last_name(call.func) == "docopt":
            return Findings(open_ended=True)
    return None


def _fire(module: Module, call: ast.Call) -> Findings:
    target = argument(call, 0, "component")
    name = module.dotted(target)
    if (function := module.functions.get(name)) is not None:
        return Findings(signatures.flags(module, function), open_ended=function.args.kwarg is not None)
    commands: list[str] = []
    if isinstance(target, ast.Dict):
        commands = [c for key in target.keys if (c := module.text(key))]
    elif (owner := module.classes.get(name)) is not None:
        commands = [f.name for f in owner.body if isinstance(f, ast.FunctionDef) and not f.name.startswith("_")]
    return Findings(open_ended=True, warnings=[commands_warning(commands)])


def _getopt(module: Module, call: ast.Call) -> Findings:
    names = module.items(argument(call, 2, "longopts"))
    found = Findings(open_ended=names is None)
    for name in (n for n in names or [] if isinstance(n, str)):
        bare = name.rstrip("=?")
        kind, style = ("str", FlagStyle.VALUE) if name.endswith("=") else ("bool", FlagStyle.SWITCH)
        found.add(ScriptParam(name=bare.replace("-", "_"), type=kind, flag=f"--{bare}", style=style))
    return found
