"""Compare the parameters that will be given with those that a script takes."""

import difflib
import re
from collections.abc import Callable, Sequence

from paddock.models import Convention, ScriptParam, ScriptReport
from paddock.models.script import same_name
from paddock.program.inspection.with_argv import STFMANAGER

MAX_LISTED = 30
MAX_UNKNOWN = 20  # this many get a warning each: to find what was meant takes long


def check(report: ScriptReport, given: Sequence[str]) -> list[str]:
    """Return a warning for each parameter that the script does not take, and each that it requires and is not given."""
    if not given or not report.params:
        return []
    unknown = unknown_names(report, given)
    warnings = [
        text if text.endswith("?") else f"{text} {listed(report)}" for text in [*unknown.values()][:MAX_UNKNOWN]
    ]
    if len(unknown) > MAX_UNKNOWN:
        warnings.append(f"The script takes none of {len(unknown) - MAX_UNKNOWN:,} other parameters that are given.")
    taken = _taken(report)
    got = {taken[form].name for form in map(_form_in(report), given) if form in taken}
    missing = [p for p in report.params if p.required and p.name not in got]
    lacks = "The script requires {}, which is not given: add a value for it."
    return warnings + [lacks.format(_shown(p)) for p in missing[:MAX_UNKNOWN]]


def unknown_names(report: ScriptReport, given: Sequence[str]) -> dict[str, str]:
    """Return, by name, what is wrong with parameters that nothing in the script takes; none if that cannot be known."""
    if report.open_ended:
        return {}
    taken, form_of = _taken(report), _form_in(report)
    unknown = [(name, form_of(name)) for name in given if form_of(name) not in taken]
    if report.syntax == "hydra":
        unknown = [(name, form) for name, form in unknown if not name.startswith("hydra.")]
    if report.abbreviations:
        unknown = [(name, form) for name, form in unknown if sum(f.startswith(form) for f in _flags(report)) != 1]
    return {
        name: _unknown(name, form, taken if number < MAX_UNKNOWN else {}) for number, (name, form) in enumerate(unknown)
    }


def _taken(report: ScriptReport) -> dict[str, ScriptParam]:
    return {form: param for param in report.params for form in _forms(param, report.convention)}


def _form_in(report: ScriptReport) -> Callable[[str], str]:
    if report.convention is Convention.ENV:
        return lambda name: same_name(name).lower()
    return same_name


def _flags(report: ScriptReport) -> set[str]:
    return {same_name(param.flag) for param in report.params if param.flag and param.flag.startswith("--")}


def listed(report: ScriptReport) -> str:
    """Return a sentence that names the parameters that the script takes."""
    if not report.params:
        return "Reading the script shows none that it takes."
    shown = list(dict.fromkeys(map(_shown, report.params)))
    more = f" and {len(shown) - MAX_LISTED:,} more" if len(shown) > MAX_LISTED else ""
    return f"It takes {', '.join(shown[:MAX_LISTED])}{more}."


def _forms(param: ScriptParam, convention: Convention) -> list[str]:
    forms = [same_name(param.name), same_name(param.flag or param.name)]
    if convention is Convention.STFMANAGER and param.position is not None and param.position <= len(STFMANAGER):
        forms.append(STFMANAGER[param.position - 1])
    return [f.lower() for f in forms] if convention is Convention.ENV else forms


def _unknown(name: str, form: str, taken: dict[str, ScriptParam]) -> str:
    nearest = _nearest(form, taken)
    question = f": did you mean {_shown(nearest)}?" if nearest is not None else "."
    return f"The script takes no parameter `{name}`{question}"


def _nearest(form: str, taken: dict[str, ScriptParam]) -> ScriptParam | None:
    plain = {_plain(f): param for f, param in taken.items()}
    close = difflib.get_close_matches(_plain(form), plain, n=1, cutoff=0.7)
    if close:
        return plain[close[0]]
    ends = [param for other, param in taken.items() if other.rpartition(".")[2] == form.rpartition(".")[2]]
    if ends:  # width and model.width
        return ends[0]
    # lr and learning_rate, bs and batch_size: the initials, either way round.
    for other, param in taken.items():
        if _initials(other) == form.lower() or _initials(form) == other.lower():
            return param
    return None


def _plain(form: str) -> str:
    return re.sub(r"[\W_]", "", form).lower()


def _initials(form: str) -> str:
    words = [w for w in form.lower().split("_") if w]
    return "".join(w[0] for w in words) if len(words) > 1 else ""


def _shown(param: ScriptParam) -> str:
    return param.flag or f"`{param.name}`"
