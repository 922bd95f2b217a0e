"""The exact command of a task: its arguments, and the variables that contain its parameters."""

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import PurePosixPath
from typing import Any

from pydantic import JsonValue

from paddock.common import layout
from paddock.errors import InvalidInput
from paddock.models import Convention, FlagStyle, JobSpec, Params, ScriptParam, ScriptReport
from paddock.models.script import same_name
from paddock.program import notebook, packages, shebang, shell_template, value_text
from paddock.program.inspection.with_argv import STFMANAGER

_YES, _NO = ("true", "yes", "on", "1"), ("false", "no", "off", "0")

# Set-up lines get no arguments, or a script that they source would take the task's for its own; and they are
# evaluated as one text, so that an unfinished line cannot swallow the `exec` and end the task as if it had run.
_SETUP = """paddock_setup=$1
paddock_argv=("${@:2}")
set --
set -e
eval "$paddock_setup"
exec "${paddock_argv[@]}"
"""


@dataclass(frozen=True)
class Command:
    argv: list[str]
    env: dict[str, str]
    python_path: list[str] = field(default_factory=list)  # folders for PYTHONPATH
    cwd: str | None = None  # None: the working folder of the task
    # Files of the snapshot of which the task gets a copy, with what is written there: see docs/job-folder.md.
    edits: dict[str, dict[str, Any]] = field(default_factory=dict)


def build(
    spec: JobSpec,
    report: ScriptReport | None,
    params: Params,
    *,
    job: str,
    task: str,
    code_dir: str,
    interpreter: list[str],
) -> Command:
    """Return the command of a task, after the set-up lines of its job. Raises InvalidInput if there can be none."""
    command = _plain(spec, report, params, {"job": job, "task": task, "code": code_dir}, interpreter)
    return replace(wrap_setup(command, spec.environment.setup), cwd=spec.workdir)


def build_reduce(spec: JobSpec, *, job: str, task: str, code_dir: str) -> Command:
    """Return the command of the task that runs after all others. `{results}` is the folder of their results."""
    results = str(PurePosixPath(code_dir).parent / layout.RESULTS / job)
    own = {"job": job, "task": task, "code": code_dir, "results": results}
    try:
        command = _from_template(spec.reduce or "", {}, {}, {}, own)
    except InvalidInput as error:
        message = error.message.replace("in the command", "in the reduce command")
        raise InvalidInput.at("reduce", message) from None
    return wrap_setup(command, spec.environment.setup)


def _plain(
    spec: JobSpec, report: ScriptReport | None, params: Params, names: dict[str, str], interpreter: list[str]
) -> Command:
    variables = variable_names(params)
    env = {variables[name]: text_of(value) for name, value in params.items()}
    if spec.command is not None:
        return _from_template(spec.command, params, variables, env, names)
    if spec.script is None:
        raise InvalidInput("There is nothing to run.", fields={"script": "give a script or a command"})
    convention = spec.convention
    if convention is Convention.AUTO:
        convention = report.convention if report is not None else Convention.ENV
    whole, report = report, report if report is not None and report.convention is convention else None
    known = Known(report)
    edits, params = _edits(report, known, params)
    folder = names["code"]
    if edits and report is not None:
        folder = layout.work(layout.task(str(PurePosixPath(folder).parent), names["job"], names["task"]))
        files: Params = {name: f"{folder}/{file}" for file, name in report.config.items()}
        params = {n: v for n, v in params.items() if (known.get(n) or _unknown(n, v)).name not in files} | files
    words = report.words if report is not None and (params or convention is Convention.FLAGS) else []
    start, roots = _start(spec.script, spec.module, whole, folder, interpreter)
    start = [*start, *words]
    match convention:
        case Convention.FLAGS:
            made = _flags(known, *_split_rest(report, known, params), report)
        case Convention.OVERRIDES:
            made = _overrides(report.syntax if report else None, known, params)
        case Convention.STFMANAGER:
            made = [names["job"], names["task"], *_stfmanager(report, params)]
        case Convention.POSITIONAL:
            made = _positional(report, params)
        case _:
            made, env = [], {**env, **_own_variables(report, params)}
    return Command([*start, *made], env, roots, edits=edits)


def wrap_setup(command: Command, setup: list[str]) -> Command:
    """Run the set-up lines in a bash that then becomes the command; a line that fails ends the task with its status."""
    if not setup:
        return command
    return replace(command, argv=["/bin/bash", "-c", _SETUP, "setup", "\n".join([*setup, ""]), *command.argv])


def text_of(value: JsonValue, kind: str | None = None, *, lower: bool = False) -> str:
    """Return a value as text for an argument or variable: empty for None, 1 or 0 where the script takes an integer."""
    match value:
        case None:
            return ""
        case bool():
            return str(int(value)) if kind == "int" else str(value).lower() if lower else str(value)
        case float():
            return str(int(value)) if kind == "int" and value.is_integer() else repr(value)
        case int():
            return repr(value)
    text = value if isinstance(value, str) else json.dumps(value, separators=(",", ":"), ensure_ascii=False)
    try:
        text.encode()
    except UnicodeEncodeError:
        raise _refused("a value is not valid text: it contains half of a surrogate pair") from None
    if "\0" in text:
        raise _refused("a value contains a NUL character, which cannot be passed to a process")
    return text


def variable_names(params: Params) -> dict[str, str]:
    """Return, by name, PADDOCK_PARAM_NAME, with a suffix where two names would share one."""
    names: dict[str, str] = {}
    taken: set[str] = set()
    for name in params:
        base = "PADDOCK_PARAM_" + re.sub(r"[^A-Z0-9]", "_", name.upper())
        candidate, number = base, 1
        while candidate in taken:
            number += 1
            candidate = f"{base}_{number}"
        names[name] = candidate
        taken.add(candidate)
    return names


def _from_template(
    template: str, params: Params, variables: dict[str, str], env: dict[str, str], own: Mapping[str, str]
) -> Command:
    fields = {name: f"PADDOCK_{name.upper()}" for name in own} | variables
    numbers = [n for n, v in params.items() if isinstance(v, int | float) and not isinstance(v, bool)]
    script = shell_template.render(template, fields, params=params, numbers=numbers)
    places = {fields[name]: value for name, value in own.items() if name not in params}
    return Command(["/bin/sh", "-c", script], {**places, **env})


def _start(
    script: str, module: str | None, report: ScriptReport | None, code: str, interpreter: list[str]
) -> tuple[list[str], list[str]]:
    """Return how a script is started, and the folders from which it imports."""
    module = module or (report.module if report else None)
    path = f"{code}/{notebook.script_name(script)}"
    start = shebang.start(path, report.shebang if report else [], interpreter)
    roots = [packages.root_of(script, module)] if module else report.python_path if report else []
    if module:
        start = [*start[:-1], "-m", module]
    return start, [f"{code}/{root}".rstrip("/") for root in roots]


def _refused(message: str) -> InvalidInput:
    return InvalidInput.at("params", message, "The parameters do not fit the script")


# --- flags ----------------------------------------------------------------------------------------------------------


class Known:
    """The parameters of a script by the names that people may give them."""

    def __init__(self, report: ScriptReport | None) -> None:
        params = report.params if report is not None else []
        self._abbreviates = report is not None and report.abbreviations
        self._found: dict[str, ScriptParam] = {}
        for param in reversed(params):
            self._found |= {same_name(param.flag or param.name): param, same_name(param.name): param}

    def get(self, name: str) -> ScriptParam | None:
        """Return the parameter that a name means; where the parser allows it, by the first letters of its option."""
        wanted = same_name(name)
        if wanted in self._found or not self._abbreviates:
            return self._found.get(wanted)
        begun = {p.name: p for p in self._found.values() if p.flag and same_name(p.flag).startswith(wanted)}
        return next(iter(begun.values())) if len(begun) == 1 else None


def _split_rest(report: ScriptReport | None, known: Known, params: Params) -> tuple[Params, Params]:
    """Return the parameters that are options of the script, and those that it takes as a list of overrides."""
    if report is None or report.rest is None:
        return params, {}
    rest = {name: value for name, value in params.items() if known.get(name) is None}
    return {name: value for name, value in params.items() if name not in rest}, rest


def _rest(report: ScriptReport, params: Params) -> list[str]:
    if report.rest == "pairs":  # yacs reads values as Python
        return [word for name, value in params.items() for word in (name, text_of(value_text.python_word(value)))]
    return [report.rest_flag or "", *(f"{name}={_plain_text(value)}" for name, value in params.items())]


def _plain_text(value: JsonValue) -> str:
    return "None" if value is None else text_of(value)


def _flags(known: Known, params: Params, rest: Params, report: ScriptReport | None) -> list[str]:
    flags: list[str] = []
    positionals: list[tuple[ScriptParam, JsonValue]] = []
    greedy = False
    # What a configuration file contains must not replace what is given beside it: it comes first.
    for name, value in sorted(params.items(), key=lambda one: same_name(one[0]) != "config"):
        param = known.get(name) or _unknown(name, value)
        if value is None:
            continue
        if param.flag is None:
            positionals.append((param, value))
        else:
            made = _flag(param, param.flag, value)
            flags += made
            if made:  # argparse would go on and take positionals for more of a list
                greedy = param.style is FlagStyle.VALUE and param.type == "list"
    last = _last_arguments(positionals)
    more = _rest(report, rest) if report is not None and rest else []
    if more and report is not None and report.rest == "assignments":  # after the others: it takes all that follows
        return [*last, *flags, *more]
    separate = last and (greedy or any(a.startswith("-") for a in last))
    return [*flags, *(["--"] if separate else []), *last, *more]


def _unknown(name: str, value: JsonValue) -> ScriptParam:
    """Return a parameter that the script does not declare. A list of plain values becomes several arguments."""
    listed = isinstance(value, list) and not any(isinstance(one, dict) for one in value)
    return ScriptParam(name=name, flag=f"--{name}", type="list" if listed else None)


def _flag(param: ScriptParam, flag: str, value: JsonValue) -> list[str]:
    match param.style:
        case FlagStyle.SWITCH:
            times = value if param.type == "int" and isinstance(value, int) else _truth(flag, value)
            return [flag] * int(times)
        case FlagStyle.SWITCH_OFF:
            return [] if _truth(flag, value) else [flag]
        case FlagStyle.ON_OFF:
            return [flag if _truth(flag, value) else param.off_flag or f"--no-{flag.lstrip('-')}"]
        case FlagStyle.LITERAL:
            return [f"{flag}={text_of(value_text.python_word(_typed(param, value)))}"]
        case FlagStyle.EQUALS if isinstance(value, list) and param.type == "list":
            return [arg for v in value for arg in _joined(flag, text_of(v))]
        case FlagStyle.EQUALS if isinstance(value, list) and param.type == "str":  # absl's lists have commas
            return _joined(flag, ",".join(text_of(v) for v in value))
        case FlagStyle.EQUALS:
            return _joined(flag, text_of(value, param.type, lower=True))
    if isinstance(value, list) and param.type == "list":
        return [flag, *(text_of(v) for v in value)]
    text = text_of(value, param.type)
    return _joined(flag, text) if text.startswith("-") else [flag, text]


def _joined(flag: str, text: str) -> list[str]:
    """Return one argument, so that a value with a dash is not read as an option. Click reads -x=1 as `=1`."""
    if len(flag) > 2:
        return [f"{flag}={text}"]
    return [flag + text] if text.startswith("-") else [flag, text]


def _truth(flag: str, value: JsonValue) -> bool:
    if isinstance(value, bool):
        return value
    text = text_of(value).strip().lower()
    if text not in _YES + _NO:
        raise _refused(f"{flag} is a switch: give true or false, not {text_of(value)!r}")
    return text in _YES


def _last_arguments(positionals: list[tuple[ScriptParam, JsonValue]]) -> list[str]:
    arguments: list[str] = []
    for param, value in sorted(positionals, key=lambda pair: pair[0].position or 0):
        several = value if isinstance(value, list) and param.type == "list" else [value]
        arguments += [text_of(v, param.type) for v in several]
    return arguments


# --- overrides, copies of files -------------------------------------------------------------------------------------

_SYNTAXES = {"hydra": value_text.hydra, "yaml": value_text.yaml_word, "python": value_text.python_word}


def _overrides(syntax: str | None, known: Known, params: Params) -> list[str]:
    written = _SYNTAXES[syntax or "yaml"]
    words = []
    for name, value in params.items():
        param = known.get(name) or ScriptParam(name=name)
        words.append(text_of(f"{param.name}={written(_typed(param, value))}"))
    return words


def _typed(param: ScriptParam, value: JsonValue) -> JsonValue:
    """Return 1.0 for 1 where the script has a float."""
    return float(value) if param.type == "float" and type(value) is int else value


def _edits(report: ScriptReport | None, known: Known, params: Params) -> tuple[dict[str, dict[str, Any]], Params]:
    """Return what is changed in copies of files, and the parameters that are passed in another way."""
    found = {name: known.get(name) for name in params}
    placed = [(name, param, param.place) for name, param in found.items() if param is not None and param.place]
    if report is None or not placed:
        return {}, params
    edits: dict[str, dict[str, Any]] = {file: {"size": size, "put": []} for file, size in report.copies.items()}
    for name, param, place in placed:
        text = _in_file(place.file, name, _typed(param, params[name]), inside=param.type == "list")
        edits[place.file]["put"].append([place.start, place.end, text + "\n" * place.lines])
    return edits, {name: value for name, value in params.items() if name not in {one[0] for one in placed}}


def _in_file(file: str, name: str, value: JsonValue, *, inside: bool) -> str:
    try:
        if inside and file.endswith(".py"):  # between the brackets of a list or tuple
            if not isinstance(value, list):
                raise _refused(f"`{name}` is a list in the script: give a list, such as [1, 2]")
            return "".join(f"{value_text.python(one)}, " for one in value).rstrip(" ")
        return text_of(value_text.in_file(file, value))
    except ValueError as error:
        raise _refused(f"`{name}` cannot be written in {file}: {error}") from None


# --- by position, by environment ------------------------------------------------------------------------------------


def _stfmanager(report: ScriptReport | None, params: Params) -> list[str]:
    slots = report.params if report is not None else []
    return _by_slots(slots or _required(STFMANAGER[2:], 3), params, first=3, more=False)


def _positional(report: ScriptReport | None, params: Params) -> list[str]:
    if report is None:
        return _by_slots(_required(params, 1), params, first=1, more=False)
    return _by_slots(report.params, params, first=1, more=report.open_ended)


def _required(names: Iterable[str], first: int) -> list[ScriptParam]:
    return [ScriptParam(name=name, position=at, required=True) for at, name in enumerate(names, start=first)]


def _by_slots(slots: list[ScriptParam], params: Params, *, first: int, more: bool) -> list[str]:
    given = {same_name(name): name for name, value in params.items() if value is not None}
    arguments: list[str] = []
    missing: ScriptParam | None = None
    for expected, slot in enumerate(sorted(slots, key=lambda s: s.position or 0), start=first):
        if slot.position != expected:
            raise _refused(f"the script does not read argument {expected}: give a command in place of the script")
        name = given.pop(same_name(slot.name), None) or (given.pop(_canonical(slot), None) if first == 3 else None)
        if name is None and slot.required:
            raise _refused(f"`{slot.name}` has no value, and the script needs one as argument {expected}")
        if name is None:
            missing = slot
        elif missing is not None:
            raise _refused(f"`{missing.name}` has no value, but `{name}`, which comes after it, has one")
        else:
            arguments.append(text_of(params[name], slot.type))
    if given and not (more and missing is None):
        taken = ", ".join(f"`{slot.name}`" for slot in slots) or "no parameters"
        raise _refused(f"the script takes {taken}, and not {', '.join(f'`{n}`' for n in given.values())}")
    return arguments + [text_of(params[name]) for name in given.values()]


def _canonical(slot: ScriptParam) -> str:
    position = slot.position or 0
    return STFMANAGER[position - 1] if position <= len(STFMANAGER) else ""


def _own_variables(report: ScriptReport | None, params: Params) -> dict[str, str]:
    """Return variables by the given name, and as the script spells it: `lr` also as LR where the script reads LR."""
    spelled = {same_name(p.name).lower(): p for p in (report.params if report is not None else [])}
    own: dict[str, str] = {}
    for name, value in params.items():
        if name.upper().startswith("PADDOCK_"):
            raise _refused(f"`{name}` would replace a variable of Paddock's own: call it something else")
        if value is not None:
            param = spelled.get(same_name(name).lower(), ScriptParam(name=name))
            own |= {param.name: text_of(value, param.type), name: text_of(value, param.type)}
    return own
