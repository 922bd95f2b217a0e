"""Find the configuration files that a script reads: named by a parameter, or in the script itself.

A task gets a copy of the file in which its values are changed.
"""

import ast
import posixpath
from collections.abc import Iterator, Mapping
from pathlib import PurePosixPath

from paddock.models import Convention
from paddock.program.inspection import config_files
from paddock.program.inspection.module import Findings, Module, argument, last_name
from paddock.program.value_text import CONFIG_SUFFIXES

_READERS = ("yaml", "ruamel", "json", "tomllib", "tomli", "toml", "omegaconf", "oyaml", "json5", "munch", "addict")
_WRITERS = ("dump", "to_json", "write_text", "save")


def read(module: Module, taken: Findings, chosen: Mapping[str, str]) -> tuple[Findings, dict[str, str]]:
    """Return the values of all files, and by file the parameter that names it. `chosen`: values that are given."""
    found = Findings(convention=Convention.CONFIG)
    named: dict[str, str] = {}
    for param in taken.params:
        path = chosen.get(param.name, param.default)
        if isinstance(path, str) and (file := resolved(module, path)):
            named.setdefault(file, param.name)
    for file in {**named, **dict.fromkeys(_in_code(module))}:
        for one in config_files.params(file, module.files[file]) or []:
            found.add(one)
    return found, named


def resolved(module: Module, path: str) -> str | None:
    """Return the file that a path means: from the working folder, from the script's, or the only one of that name."""
    if not path.lower().endswith(CONFIG_SUFFIXES) or PurePosixPath(path).is_absolute():
        return None
    for tried in (path, PurePosixPath(module.path).parent / path):
        if (normal := posixpath.normpath(tried)) in module.files:
            return normal
    name = "/" + posixpath.normpath(path).lstrip("./")
    ends = [file for file in module.files if file.endswith(name)]
    return ends[0] if len(ends) == 1 else None


def _in_code(module: Module) -> Iterator[str]:
    if not module.imports(*_READERS):
        return
    for constant in module.find(ast.Constant):
        text = constant.value if isinstance(constant.value, str) and len(constant.value) < 500 else ""
        if (file := resolved(module, text)) and not _is_written(module, constant):
            yield file


def _is_written(module: Module, node: ast.AST) -> bool:
    for above in module.above(node):
        if isinstance(above, ast.Call):
            mode = module.text(argument(above, 1, "mode")) if last_name(above.func) == "open" else None
            if last_name(above.func) in _WRITERS or set(mode or "") & set("wax"):
                return True
        elif isinstance(above, ast.stmt):
            return False
    return False
