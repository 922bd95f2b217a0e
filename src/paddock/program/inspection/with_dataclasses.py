"""Read parsers whose options are the fields of a class (HfArgumentParser, tyro, pyrallis, Tap ...), and Hydra."""

import ast

from paddock.models import Convention, FlagStyle
from paddock.program.inspection import signatures
from paddock.program.inspection.module import Findings, Module, called, keyword, last_name

_PARSERS = ("HfArgumentParser", "H4ArgumentParser", "TrlParser", "add_arguments", "LightningCLI")
_PARSERS_BY_PATH = (
    "tyro.cli", "simple_parsing.parse", "pyrallis.wrap", "pyrallis.parse", "draccus.wrap", "draccus.parse",
    "jsonargparse.CLI", "jsonargparse.auto_cli", "chanfig.parse",
)  # fmt: skip


def read(module: Module) -> Findings | None:
    found = Findings(open_ended=True)
    seen = False
    for call in module.find(ast.Call):
        by_path = module.dotted(call.func) in _PARSERS_BY_PATH
        if by_path or last_name(call.func) in _PARSERS:
            seen = True
            style = FlagStyle.ON_OFF if module.dotted(call.func) == "tyro.cli" else FlagStyle.VALUE
            for name in {n.id: None for n in ast.walk(call) if isinstance(n, ast.Name)}:
                _add_fields(module, module.classes.get(name), style, found)
    for owner in module.find(ast.ClassDef):
        if any(module.dotted(base) in ("tap.Tap", "tap.TypedArgs") for base in owner.bases):
            seen = True
            _add_fields(module, owner, FlagStyle.SWITCH, found)
    return found if seen else None


def _add_fields(module: Module, owner: ast.ClassDef | None, bool_style: FlagStyle, found: Findings) -> None:
    bases = [module.classes.get(module.dotted(base)) for base in owner.bases] if owner else []
    for statement in (one for part in (*bases, owner) if part for one in part.body):
        if isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name):
            default, help_text = _default(module, statement.value)
            field = signatures.Argument(statement.target.id, statement.annotation, default)
            found.add(signatures.flag(module, field, bool_style, required=statement.value is None, help=help_text))


def _default(module: Module, node: ast.expr | None) -> tuple[ast.expr | None, str | None]:
    if not (isinstance(node, ast.Call) and last_name(node.func) in ("field", "choice", "HfArg", "Field")):
        return node, None
    help_text = module.text(keyword(node, "help"))
    if isinstance(metadata := keyword(node, "metadata"), ast.Dict):
        for key, value in zip(metadata.keys, metadata.values, strict=True):
            help_text = module.text(value) if module.text(key) == "help" else help_text
    factory = keyword(node, "default_factory")
    made = factory.body if isinstance(factory, ast.Lambda) else None
    return keyword(node, "default") or made, help_text


def read_hydra(module: Module) -> Findings | None:
    hydra = any(module.dotted(called(d)) == "hydra.main" for f in module.all_functions for d in f.decorator_list)
    if not hydra and not any(module.calls("from_cli")):
        return None
    how = "Hydra" if hydra else "OmegaConf.from_cli"
    warning = (
        f"The script takes its parameters through {how}, as key=value: give a command in place of the script, "
        "such as `python {code}/train.py lr={lr}`."
    )
    return Findings(open_ended=True, warnings=[warning], convention=Convention.ENV)
