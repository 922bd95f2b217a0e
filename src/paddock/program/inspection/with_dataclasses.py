"""Read parsers whose options are the fields of a class: HfArgumentParser, tyro, simple-parsing, draccus, Tap ..."""

import ast
from collections.abc import Iterator
from typing import Any

from paddock.models import FlagStyle, ScriptParam
from paddock.program.inspection import signatures
from paddock.program.inspection.module import Findings, Module, argument, called, keyword, last_name

_PARSERS = ("HfArgumentParser", "H4ArgumentParser", "TrlParser", "add_arguments")
_FLAT = ("simple_parsing.parse", "simple_parsing.helpers.parse", "chanfig.parse")
_DOTTED = (
    "tyro.cli", "pyrallis.wrap", "pyrallis.parse", "draccus.wrap", "draccus.parse", "draccus.cfgparsing.parse",
    "jsonargparse.CLI", "jsonargparse.auto_cli",
)  # fmt: skip
# Base classes that have no fields.
_BARE = ("object", "Protocol", "Generic", "ABC", "Serializable", "FrozenSerializable", "BaseModel", "Tap", "TypedArgs")
MAX_DEPTH = 10


def read(module: Module) -> Findings | None:
    found = Findings()
    seen = False
    for call in module.find(ast.Call):
        path = module.dotted(call.func)
        if path in (*_FLAT, *_DOTTED) or last_name(call.func) in _PARSERS:
            seen = True
            _read_call(module, call, path, found)
        elif last_name(call.func) == "LightningCLI" or _is_lightning(module, last_name(call.func)):
            seen = True
            _read_lightning(module, call, found)
    for owner in module.find(ast.ClassDef):
        if any(module.dotted(base) in ("tap.Tap", "tap.TypedArgs") for base in owner.bases):
            seen = True
            add_fields(module, owner.name, FlagStyle.SWITCH, found)
    return found if seen else None


def _read_call(module: Module, call: ast.Call, path: str, found: Findings) -> None:
    style = FlagStyle.ON_OFF if path == "tyro.cli" else FlagStyle.VALUE
    names = list(_class_names(module, call))
    found.open_ended |= not names
    for name in names:
        if name in module.functions and name not in module.classes:
            continue  # see with_fire
        # One text is read as a list by draccus and jsonargparse; tyro and the others take several words.
        add_fields(module, name, style, found, nested=path in _DOTTED, lists=path == "tyro.cli" or path not in _DOTTED)


def _class_names(module: Module, call: ast.Call) -> Iterator[str]:
    """Yield the classes of a call, or of the function that it decorates."""
    above = module.parents.get(call)
    if isinstance(above, ast.FunctionDef | ast.AsyncFunctionDef) and call in above.decorator_list:
        for arg in signatures.arguments(above):
            yield module.dotted(arg.annotation)
        return
    given = argument(call, 0, "f", "config_class", "dataclass_types", "components", "dataclass", "args")
    nodes = given.elts if isinstance(given, ast.Tuple | ast.List) else [given]
    for node in nodes:
        yield module.dotted(called(node)) if node is not None else ""


def _is_lightning(module: Module, name: str) -> bool:
    owner = module.classes.get(name)
    return owner is not None and any(last_name(base) == "LightningCLI" for base in owner.bases)


def _read_lightning(module: Module, call: ast.Call, found: Findings) -> None:
    """Read `LightningCLI(Model, Data)`: the arguments of their constructors, after the sub-command `fit`."""
    found.open_ended = True  # --trainer.max_epochs and many others
    if module.value(keyword(call, "run")) is not False:
        found.words = ["fit"]
    for name, kind in (("config", "str"), ("seed_everything", "int"), ("trainer.max_epochs", "int")):
        found.add(ScriptParam.model_validate({"name": name, "type": kind, "flag": f"--{name}"}))
    for index, section in enumerate(("model", "data")):
        owner = module.classes.get(module.dotted(argument(call, index, f"{section}_class", f"{section}module_class")))
        for part in owner.body if owner else []:
            if isinstance(part, ast.FunctionDef) and part.name == "__init__":
                for param in signatures.flags(module, part):
                    name = f"{section}.{param.name}"
                    found.add(param.model_copy(update={"name": name, "flag": f"--{name}", "group": section}))


def add_fields(
    module: Module,
    name: str,
    bool_style: FlagStyle,
    found: Findings,
    *,
    nested: bool = False,
    lists: bool = True,
    above: tuple[str, ...] = (),
    depth: int = 0,
) -> bool:
    """Add the fields of a class. `nested`: those of classes in it have dotted names. Return False if it is unknown."""
    owner = module.classes.get(name)
    if owner is None or depth > MAX_DEPTH:
        found.open_ended = True
        return False
    options: Any = {"nested": nested, "lists": lists, "depth": depth + 1}
    for base in owner.bases:
        if last_name(called(base)) not in _BARE and not isinstance(base, ast.Subscript):
            add_fields(module, module.dotted(base), bool_style, found, above=above, **options)
    for statement in owner.body:
        if not (isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name)):
            continue
        field = statement.target.id
        if "ClassVar" in ast.unparse(statement.annotation):
            continue
        inner = _inner_class(module, statement.annotation)
        if inner is not None:
            path = (*above, field) if nested else above
            add_fields(module, inner, bool_style, found, above=path, **options)
            continue
        default, help_text = _default(module, statement.value)
        declared = signatures.Argument(field, statement.annotation, default)
        required = statement.value is None or (default is None and not _is_made(statement.value))
        param = signatures.flag(module, declared, bool_style, required=required, help=help_text)
        if param.type == "list" and not lists:
            param = param.model_copy(update={"type": None})
        found.add(_below(param, above, owner.name))
    return True


def _is_made(value: ast.expr | None) -> bool:
    return isinstance(value, ast.Call) and keyword(value, "default_factory") is not None


def _below(param: ScriptParam, above: tuple[str, ...], owner: str) -> ScriptParam:
    """Return the parameter under its dotted name, and in the group of the outermost field or of its class."""
    if not above:
        return param.model_copy(update={"group": owner})
    before = ".".join(above)
    off = f"--{before}.no-{param.name}" if param.off_flag else None
    names = {"name": f"{before}.{param.name}", "flag": f"--{before}.{param.name}", "off_flag": off}
    return param.model_copy(update={**names, "group": above[0]})


def _inner_class(module: Module, annotation: ast.expr) -> str | None:
    """Return the class of this project that is the type of a field; None for enumerations and other types."""
    name = module.dotted(annotation)
    if isinstance(annotation, ast.Constant) and isinstance(annotation.value, str):
        name = annotation.value
    owner = module.classes.get(name)
    enum = owner is not None and any("Enum" in module.dotted(base) for base in owner.bases)
    return name if owner is not None and not enum else None


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
