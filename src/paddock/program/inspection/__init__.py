"""Read a training script without running it: find its parameters and the sources of its metrics."""

import re
import warnings
from collections.abc import Sequence

from paddock.models import Convention, ScriptReport
from paddock.program.inspection import given as given_names
from paddock.program.inspection import (
    metric_sources,
    with_absl,
    with_argparse,
    with_argv,
    with_click,
    with_dataclasses,
    with_environ,
    with_fire,
    with_typer,
)
from paddock.program.inspection.module import Findings, Module

__all__ = ["inspect_source"]

_FLAG_READERS = (with_argparse, with_click, with_typer, with_absl, with_fire, with_dataclasses)
_OTHER_READERS = (with_dataclasses.read_hydra, with_argv.read, with_environ.read)
_NO_PARAMETERS = (
    "The script takes no parameters that reading it could find: they reach it as environment variables of their own "
    "names; if it reads its options in another file, set the convention to `flags`, or give a command with {name} "
    "fields in place of the script."
)


def inspect_source(source: str, filename: str = "train.py", given: Sequence[str] = ()) -> ScriptReport:
    """Return what the script takes and reports. `given`: the names of parameters to check."""
    if not filename.lower().endswith(".py"):
        return ScriptReport(convention=Convention.ENV, open_ended=True)
    try:
        module = _parsed(source)
        found = _found(module)
        metrics = metric_sources.find(module)
    except SyntaxError as error:
        return _not_read(f"Line {error.lineno or 1} of {filename} is not valid Python ({error.msg}): correct it.")
    except (ValueError, RecursionError, MemoryError) as error:
        reason = re.sub(r"\s+", " ", str(error)) or "it is too deeply nested"
        return _not_read(f"{filename} cannot be read as Python at line 1 or later ({reason}): check the file.")
    report = ScriptReport(
        convention=found.convention, params=found.params, open_ended=found.open_ended, metrics=metrics
    )
    texts = [*found.warnings, *given_names.check(report, given)]
    if not metrics:
        texts.append(metric_sources.NONE_IN_SIGHT)
    return report.model_copy(update={"warnings": texts})


def _parsed(source: str) -> Module:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # an invalid escape in the user's script is the user's
        return Module(source.removeprefix("\ufeff"))


def _found(module: Module) -> Findings:
    flags = [f for reader in _FLAG_READERS if (f := reader.read(module)) is not None]
    if flags:
        return _merged(flags)
    for reader in _OTHER_READERS:
        if (found := reader(module)) is not None:
            return found
    return Findings(convention=Convention.ENV, warnings=[_NO_PARAMETERS])


def _merged(flags: list[Findings]) -> Findings:
    """Merge findings: some scripts use two parsers, such as absl and argparse."""
    merged = flags[0]
    for other in flags[1:]:
        for param in other.params:
            merged.add(param)
        merged.open_ended |= other.open_ended
        merged.warnings += other.warnings
    return merged


def _not_read(warning: str) -> ScriptReport:
    return ScriptReport(convention=Convention.ENV, open_ended=True, warnings=[warning])
