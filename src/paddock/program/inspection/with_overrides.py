"""Read scripts that take `name=value` words: Hydra, OmegaConf, sacred; and nanoGPT's `--name=value`."""

import ast
import posixpath
from collections.abc import Iterator, Mapping
from pathlib import PurePosixPath
from typing import Any

from pydantic import JsonValue

from paddock.models import Convention, FlagStyle, ScriptParam
from paddock.program.inspection import config_files, signatures
from paddock.program.inspection.module import Findings, Function, Module, argument, called, keyword, last_name
from paddock.program.inspection.values import kind_of
from paddock.program.inspection.with_constants import top_level
from paddock.program.inspection.with_dataclasses import add_fields

MAX_FILES = 200  # of a Hydra configuration
_SACRED_OWN = ("_run", "_log", "_seed", "_rnd", "_config")


def read(module: Module) -> Findings | None:
    for reader in (_hydra, _omegaconf, _sacred):
        if (found := reader(module)) is not None:
            return found
    return None


def read_configurator(module: Module) -> Findings | None:
    """Read nanoGPT's style: a file that is executed changes the globals of the script to what `--name=value` gives."""
    if not any("configurator" in ast.unparse(call) for call in module.calls("exec")):
        return None
    found = Findings()
    for name, node in top_level(module.tree):
        value = module.value(node)
        if isinstance(value, bool | int | float | str) and isinstance(node, ast.Constant | ast.UnaryOp | ast.BinOp):
            flag = {"flag": f"--{name}", "style": FlagStyle.LITERAL}
            found.add(ScriptParam(name=name, type=kind_of(value), default=value, **flag))
    return found


# --- Hydra ----------------------------------------------------------------------------------------------------------


def _hydra(module: Module) -> Findings | None:
    decorators = [d for f in module.all_functions for d in f.decorator_list if module.dotted(called(d)) == "hydra.main"]
    if not decorators:
        return None
    found = Findings(convention=Convention.OVERRIDES, syntax="hydra")
    call = decorators[0] if isinstance(decorators[0], ast.Call) else ast.Call(decorators[0], [], [])
    folder = module.text(argument(call, 0, "config_path"))
    name = module.text(argument(call, 1, "config_name"))
    if name is None:
        found.open_ended = True
        return found
    root = posixpath.normpath(PurePosixPath(module.path).parent / (folder or "."))
    reader = _HydraReader(module.files, root, found)
    if not _structured(module, name, found) and not reader.take(name.removesuffix(".yaml"), ()):
        found.open_ended = True
    return found


def _structured(module: Module, name: str, found: Findings) -> bool:
    """Read `ConfigStore.instance().store(name="config", node=Config)`. Return True if that was the configuration."""
    for call in module.calls("store"):
        node = argument(call, 1, "node")
        if keyword(call, "group") is not None:
            found.open_ended = True
        elif module.text(argument(call, 0, "name")) == name and isinstance(node, ast.Name):
            fields = Findings()
            if not add_fields(module, node.id, FlagStyle.VALUE, fields, nested=True) or fields.open_ended:
                found.open_ended = True
            for param in fields.params:
                found.add(param.model_copy(update={"flag": None, "off_flag": None, "style": FlagStyle.VALUE}))
            return True
    return False


class _HydraReader:
    def __init__(self, files: Mapping[str, str], root: str, found: Findings) -> None:
        self._files = files
        self._root = root
        self._found = found
        self._left = MAX_FILES

    def take(self, name: str, package: tuple[str, ...]) -> bool:
        """Add the values of a file and of those that its defaults list names. Return False if it cannot be read."""
        path = posixpath.normpath(f"{self._root}/{name}.yaml")
        self._left -= 1
        if path not in self._files or self._left < 0:
            return False
        try:
            contents = config_files.values(path, self._files[path])
        except Exception:  # a mistake of any kind in the user's file: running the script will show it
            return False
        if not isinstance(contents, dict):
            return contents is None
        header = self._files[path].partition("\n")[0].replace(" ", "")
        if header.startswith("#@package"):
            named = header.removeprefix("#@package")
            package = () if named in ("_global_", "") else tuple(named.split("."))
        for entry in contents.pop("defaults", None) or []:
            self._default(entry, PurePosixPath(name).parent, package)
        self._add(contents, package)
        return True

    def _default(self, entry: Any, folder: PurePosixPath, package: tuple[str, ...]) -> None:
        if isinstance(entry, str):
            if entry != "_self_" and not self.take(_below(folder, entry), package):
                self._found.open_ended = True
            return
        group, choice = next(iter(entry.items())) if isinstance(entry, dict) and entry else ("", None)
        group = str(group).removeprefix("optional ")
        if group.startswith("override ") or not group:
            return
        group, _, at = group.partition("@")
        where = _below(folder, group)
        inner = tuple(at.split(".")) if at and at != "_global_" else () if at else tuple(where.split("/"))
        choices: list[JsonValue] = [*self._choices(where)]
        if "/" not in where and not at:
            required = choice == "???"
            default = None if required else choice
            param = ScriptParam(name=where, type="str", default=default, required=required, choices=choices or None)
            self._found.add(param.model_copy(update={"help": "which file of this folder is used"}))
        if isinstance(choice, str) and choice != "???" and not self.take(f"{where}/{choice}", inner):
            self._found.open_ended = True
        for other in choices:
            if other != choice:
                self._take_other(f"{where}/{other}", inner, f"only with {where}={other}")

    def _take_other(self, name: str, package: tuple[str, ...], note: str) -> None:
        """Add the values that only another choice of a group has."""
        found = Findings()
        reader = _HydraReader(self._files, self._root, found)
        reader._left, self._left = self._left, 0
        if not reader.take(name, package) or found.open_ended:
            self._found.open_ended = True
        self._left = reader._left
        for param in found.params:
            self._found.add(param.model_copy(update={"help": note, "required": False}))

    def _choices(self, folder: str) -> Iterator[str]:
        start = posixpath.normpath(f"{self._root}/{folder}") + "/"
        for path in sorted(self._files):
            rest = path.removeprefix(start)
            if rest != path and "/" not in rest and rest.endswith(".yaml"):
                yield rest.removesuffix(".yaml")

    def _add(self, contents: dict[str, Any], package: tuple[str, ...]) -> None:
        for key, value in contents.items():
            path = (*package, str(key))
            if path[0] == "hydra":
                continue
            if isinstance(value, dict) and value and "_target_" not in str(key):
                self._add(value, path)
                continue
            text = isinstance(value, str) and ("${" in value or value == "???")
            param = ScriptParam(
                name=".".join(path),
                type=None if text else kind_of(value),
                default=None if value == "???" else value,
                required=value == "???",
                group=path[0] if len(path) > 1 else None,
            )
            place = self._found.places.get(param.name)
            if place is None:
                self._found.add(param)
            else:  # the file itself comes after its defaults list, and replaces what that sets
                self._found.params[place] = param


def _below(folder: PurePosixPath, name: str) -> str:
    return name.removeprefix("/") if name.startswith("/") or str(folder) == "." else f"{folder}/{name}"


# --- OmegaConf, sacred ----------------------------------------------------------------------------------------------


def _omegaconf(module: Module) -> Findings | None:
    calls = [call for call in module.calls("from_cli", "from_dotlist") if module.imports("omegaconf")]
    # from_cli() reads sys.argv; a list that is given must be sys.argv itself.
    if not any(not call.args or "argv" in ast.unparse(call.args[0]) for call in calls):
        return None
    found = Findings(convention=Convention.OVERRIDES, syntax="yaml")
    for call in module.calls("load"):
        path = module.text(argument(call, 0, "file_")) if module.dotted(call.func).endswith("OmegaConf.load") else None
        for candidate in _places(module, path or ""):
            for param in config_files.params(candidate, module.files[candidate]) or []:
                found.add(param.model_copy(update={"place": None}))
    for call in module.calls("structured"):
        if isinstance(node := argument(call, 0), ast.Name | ast.Call):
            owner = node if isinstance(node, ast.Name) else node.func
            add_fields(module, last_name(owner), FlagStyle.VALUE, found, nested=True)
    found.params[:] = [p.model_copy(update={"flag": None, "off_flag": None}) for p in found.params]
    found.open_ended = not found.params or any(module.calls("select", "get"))
    return found


def _places(module: Module, path: str) -> list[str]:
    """Return the files that a path in the script may mean: from the working folder, or from the script's."""
    beside = PurePosixPath(module.path).parent
    tried = {posixpath.normpath(path), posixpath.normpath(beside / path)}
    return [one for one in sorted(tried) if path and one in module.files]


def _sacred(module: Module) -> Findings | None:
    if not module.imports("sacred") or not any(module.calls("Experiment")):
        return None
    found = Findings(
        [ScriptParam(name="seed", type="int")], convention=Convention.OVERRIDES, syntax="python", words=["with"]
    )
    found.open_ended = any(module.calls("Ingredient", "config_hook"))
    for function in module.all_functions:
        kinds = {last_name(called(decorator)) for decorator in function.decorator_list}
        if "config" in kinds:
            _add_locals(module, function, found)
        elif kinds & {"automain", "main", "capture", "command"}:
            for arg in signatures.arguments(function):
                if arg.name not in _SACRED_OWN:
                    found.add(signatures.flag(module, arg, FlagStyle.VALUE, flag=None, required=False))
    for call in module.calls("add_config"):
        given = argument(call, 0)
        values: dict[str, JsonValue] = {k.arg: module.value(k.value) for k in call.keywords if k.arg}
        read = module.value(given)
        if isinstance(read, str):
            for path in _places(module, read):
                for param in config_files.params(path, module.files[path]) or []:
                    found.add(param.model_copy(update={"place": None}))
        elif isinstance(read, dict):
            values |= read
        elif given is not None:
            found.open_ended = True
        _add_values(values, (), found)
    return found


def _add_locals(module: Module, function: Function, found: Findings) -> None:
    for statement in function.body:
        for node in ast.walk(statement):
            if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
                _add_values({node.targets[0].id: module.value(node.value)}, (), found)


def _add_values(values: Mapping[str, Any], above: tuple[str, ...], found: Findings) -> None:
    for name, value in values.items():
        if isinstance(value, dict) and value:
            _add_values(value, (*above, name), found)
        else:
            full = ".".join((*above, name))
            found.add(ScriptParam(name=full, type=kind_of(value), default=value, group=above[0] if above else None))
