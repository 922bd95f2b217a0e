"""The exact command of a task: its arguments, and the variables that contain its parameters."""

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import PurePosixPath

from pydantic import JsonValue

from paddock.common import layout
from paddock.errors import InvalidInput
from paddock.models import Convention, FlagStyle, JobSpec, Params, ScriptParam, ScriptReport
from paddock.models.script import same_name
from paddock.program import shell_template
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
    return wrap_setup(command, spec.environment.setup)


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
    start = _start(f"{names['code']}/{spec.script}", interpreter)
    convention = spec.convention
    if convention is Convention.AUTO:
        convention = report.convention if report is not None else Convention.ENV
    known = report if report is not None and report.convention is convention else None
    match convention:
        case Convention.FLAGS:
            return Command([*start, *_flags(known, params)], env)
        case Convention.STFMANAGER:
            return Command([*start, names["job"], names["task"], *_stfmanager(known, params)], env)
        case Convention.POSITIONAL:
            return Command([*start, *_positional(known, params)], env)
    return Command(start, {**env, **_own_variables(known, params)})


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


def _start(path: str, interpreter: list[str]) -> list[str]:
    match PurePosixPath(path).suffix.lower():
        case ".py":
            return [*interpreter, path]
        case ".sh":
            return ["/bin/sh", path]
    return [path]


def _refused(message: str) -> InvalidInput:
    return InvalidInput.at("params", message, "The parameters do not fit the script")


# --- flags ----------------------------------------------------------------------------------------------------------


def _flags(report: ScriptReport | None, params: Params) -> list[str]:
    known: dict[str, ScriptParam] = {}
    for param in reversed(report.params if report is not None else []):
        known |= {same_name(param.flag or param.name): param, same_name(param.name): param}
    flags: list[str] = []
    positionals: list[tuple[ScriptParam, JsonValue]] = []
    greedy = False
    for name, value in params.items():
        param = known.get(same_name(name)) or _unknown(name, value)
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
    separate = last and (greedy or any(a.startswith("-") for a in last))
    return [*flags, *(["--"] if separate else []), *last]


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
