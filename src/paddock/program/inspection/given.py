"""Compare the parameters that will be given with those that a script takes."""

import difflib
import re
from collections.abc import Sequence

from paddock.models import Convention, ScriptParam, ScriptReport
from paddock.models.script import same_name
from paddock.program.inspection.with_argv import STFMANAGER

MAX_UNKNOWN = 20  # this many get a warning each: to find what was meant takes long


def check(report: ScriptReport, given: Sequence[str]) -> list[str]:
    if not given or not report.params:
        return []
    taken = {form: param for param in report.params for form in _forms(param, report.convention)}
    exact = report.convention is not Convention.ENV
    names = {name: same_name(name) if exact else same_name(name).lower() for name in given}
    warnings: list[str] = []
    if not report.open_ended:
        unknown = [(name, form) for name, form in names.items() if form not in taken]
        warnings += [_unknown(name, form, taken) for name, form in unknown[:MAX_UNKNOWN]]
        if len(unknown) > MAX_UNKNOWN:
            warnings.append(f"The script takes none of {len(unknown) - MAX_UNKNOWN:,} other parameters that are given.")
    got = {taken[form].name for form in names.values() if form in taken}
    missing = [p for p in report.params if p.required and p.name not in got]
    lacks = "The script requires {}, which is not given: add a value for it."
    return warnings + [lacks.format(_shown(p)) for p in missing[:MAX_UNKNOWN]]


def _forms(param: ScriptParam, convention: Convention) -> list[str]:
    forms = [same_name(param.name), same_name(param.flag or param.name)]
    if convention is Convention.STFMANAGER and param.position is not None and param.position <= len(STFMANAGER):
        forms.append(STFMANAGER[param.position - 1])
    return [f.lower() for f in forms] if convention is Convention.ENV else forms


def _unknown(name: str, form: str, taken: dict[str, ScriptParam]) -> str:
    nearest = _nearest(form, taken)
    if nearest is not None:
        return f"The script takes no parameter `{name}`: did you mean {_shown(nearest)}?"
    shown = list({param.name: _shown(param) for param in taken.values()}.values())
    listed = ", ".join(shown[:12]) + (", ..." if len(shown) > 12 else "")
    return f"The script takes no parameter `{name}`: leave it out, or give one of those it takes: {listed}."


def _nearest(form: str, taken: dict[str, ScriptParam]) -> ScriptParam | None:
    plain = {_plain(f): param for f, param in taken.items()}
    close = difflib.get_close_matches(_plain(form), plain, n=1, cutoff=0.7)
    if close:
        return plain[close[0]]
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
