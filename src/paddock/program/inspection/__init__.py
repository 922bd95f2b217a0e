"""Read a training script without running it: find its parameters and the sources of its metrics."""

import ast
import re
from collections.abc import Mapping, Sequence
from pathlib import PurePosixPath

from paddock.models import Convention, ScriptReport
from paddock.program import notebook, shebang
from paddock.program.inspection import (
    config_files,
    metric_sources,
    project,
    with_absl,
    with_argparse,
    with_argv,
    with_click,
    with_config,
    with_constants,
    with_dataclasses,
    with_environ,
    with_fire,
    with_overrides,
    with_typer,
)
from paddock.program.inspection import given as given_names
from paddock.program.inspection.module import Findings, Module, last_name
from paddock.program.value_text import CONFIG_SUFFIXES

__all__ = ["RELEVANT_SUFFIXES", "inspect_source"]

CHECKPOINTS = re.compile(r"PADDOCK_CHECKPOINT_DIR|\belastic\.Training\(")
"""What is in scripts that go on from where they were."""
RELEVANT_SUFFIXES = (".py", *CONFIG_SUFFIXES)  # of files that are read together with a script
_FLAG_READERS = (
    with_argparse.read, with_click.read, with_typer.read, with_absl.read, with_fire.read, with_dataclasses.read,
    with_overrides.read_configurator,
)  # fmt: skip
_OTHER_READERS = (with_overrides.read, with_argv.read, with_environ.read)
# Functions of other packages that may read the command line.
_ELSEWHERE = re.compile(r"(^|_)(main|cli|entry_?point|launch|parse_args|get_args|get_parser|parse_arguments|run_cli)$")
_NO_PARAMETERS = (
    "Reading the script shows no parameters: it has no options, no configuration file, no constants at its top, and "
    "reads no environment variables."
)


def inspect_source(
    source: str,
    filename: str = "train.py",
    given: Sequence[str] = (),
    files: Mapping[str, str] | None = None,
    chosen: Mapping[str, str] | None = None,
) -> ScriptReport:
    """Return what the script takes and reports.

    `given`: the names of parameters to check; `chosen`: those of them that have one text as value; `files`: the other
    files that are submitted, by path: modules that the script imports are read with it, and configuration files.
    """
    if notebook.is_notebook(filename):
        made = notebook.convert(source, filename)
        report = inspect_source(made.source, notebook.script_name(filename), given, files, chosen)
        return report.model_copy(update={"warnings": [*made.warnings, *report.warnings]})
    suffix = PurePosixPath(filename).suffix.lower()
    if suffix in CONFIG_SUFFIXES:
        return _config_report(filename, source)
    if suffix != ".py":
        saves = bool(CHECKPOINTS.search(source))
        return ScriptReport(convention=Convention.ENV, open_ended=True, shebang=shebang.read(source), checkpoints=saves)
    try:
        tree = project.parsed(source)
        known = {filename: source, **(files or {})}
        module = Module(tree, project.modules(filename, tree, known), filename, known)
        report = _report(module, given, chosen or {})
        metrics = metric_sources.find(module)
    except SyntaxError as error:
        return _not_read(f"Line {error.lineno or 1} of {filename} is not valid Python ({error.msg}): correct it.")
    except (ValueError, RecursionError, MemoryError) as error:
        reason = re.sub(r"\s+", " ", str(error)) or "it is too deeply nested"
        return _not_read(f"{filename} cannot be read as Python at line 1 or later ({reason}): check the file.")
    texts = [*report.warnings, *given_names.check(report, given)]
    if not metrics:
        texts.append(metric_sources.NONE_IN_SIGHT)
    saves = any(CHECKPOINTS.search(known[path]) for path in (filename, *module.modules) if path in known)
    more = {"warnings": texts, "metrics": metrics, "shebang": shebang.read(source), "checkpoints": saves}
    return report.model_copy(update=more)


def _config_report(filename: str, source: str) -> ScriptReport:
    params = config_files.params(filename, source)
    if params is None:
        return _not_read(f"{filename} is no configuration file that can be read: check it.")
    note = f"{filename} is a configuration file: submit the script that reads it, with `-p NAME=...` for these values."
    return ScriptReport(convention=Convention.CONFIG, params=params, warnings=[note])


def _report(module: Module, given: Sequence[str], chosen: Mapping[str, str]) -> ScriptReport:
    found = _found(module)
    configs: dict[str, str] = {}
    if found is None or found.convention is not Convention.OVERRIDES:
        found, configs = _with_files(module, found, given, chosen)
    changed = {param.place.file for param in found.params if param.place}
    # A module that looks for a file beside itself has to stand beside its copy.
    beside = {path for path, tree in module.modules.items() if _uses_own_path(tree)}
    copies = {module.path, *changed, *beside} if changed else set()
    return ScriptReport(
        convention=found.convention,
        params=found.params,
        open_ended=found.open_ended,
        warnings=found.warnings,
        words=found.words,
        syntax=found.syntax,
        rest=found.rest,
        rest_flag=found.rest_flag,
        abbreviations=found.abbreviations,
        config={file: name for file, name in configs.items() if file in changed},
        copies={path: len(module.files[path].encode()) for path in sorted(copies)},
    )


def _found(module: Module) -> Findings | None:
    """Return what the script takes by options, overrides, position or environment variables."""
    flags = [f for reader in _FLAG_READERS if (f := reader(module)) is not None]
    if flags:
        return _merged(flags)
    return next((found for reader in _OTHER_READERS if (found := reader(module)) is not None), None)


def _with_files(
    module: Module, found: Findings | None, given: Sequence[str], chosen: Mapping[str, str]
) -> tuple[Findings, dict[str, str]]:
    """Add the values of configuration files, and constants: beside other parameters only those that are given."""
    config, named = with_config.read(module, found or Findings(), chosen)
    constants = with_constants.read(module) or Findings()
    if found is None:
        found = config if config.params else constants
        if not found.params:
            found = Findings(convention=Convention.ENV, open_ended=_unknowable(module))
            found.warnings += [_NO_PARAMETERS] if given and not found.open_ended else []
            return found, named
        found.open_ended = _unknowable(module)
    everything = found.convention in (Convention.ENV, Convention.CONFIG)
    for param in [*config.params, *(p for p in constants.params if everything or p.name in given)]:
        found.add(param)
    return found, named


def _unknowable(module: Module) -> bool:
    """Return True if the script may take parameters in code that is not in sight, or in a program that it starts."""
    if module.imports("subprocess", "runpy", "pexpect", "sh", "gin", "papermill"):
        return True
    for call in module.find(ast.Call):
        path, last = module.dotted(call.func), last_name(call.func)
        if path in ("exec", "os.system", "os.popen", "importlib.import_module", "input"):
            return True
        if _ELSEWHERE.search(last) and path not in module.functions and path != "unittest.main":
            return True
    return False


def _uses_own_path(tree: ast.Module) -> bool:
    return any(isinstance(node, ast.Name) and node.id == "__file__" for node in ast.walk(tree))


def _merged(flags: list[Findings]) -> Findings:
    """Merge findings: some scripts use two parsers, such as absl and argparse."""
    merged = flags[0]
    for other in flags[1:]:
        for param in other.params:
            merged.add(param)
        merged.open_ended |= other.open_ended
        merged.warnings += other.warnings
        merged.words += other.words
        merged.rest, merged.rest_flag = merged.rest or other.rest, merged.rest_flag or other.rest_flag
    return merged


def _not_read(warning: str) -> ScriptReport:
    return ScriptReport(convention=Convention.ENV, open_ended=True, warnings=[warning])
