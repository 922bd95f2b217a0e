"""Numbers as Kubernetes writes them: 500m, 16Gi, 1e3. Pure."""

import re

_FORM = re.compile(r"([0-9]{1,20}(?:\.[0-9]{1,20})?)(?:[eE]([+-]?[0-9]{1,2})|([numkMGTPE]i?|Ki)?)", re.ASCII)
_DECIMAL = {"n": 1e-9, "u": 1e-6, "m": 1e-3, "": 1.0, "k": 1e3, "M": 1e6, "G": 1e9, "T": 1e12, "P": 1e15, "E": 1e18}
_BINARY = {"Ki": 2.0**10, "Mi": 2.0**20, "Gi": 2.0**30, "Ti": 2.0**40, "Pi": 2.0**50, "Ei": 2.0**60}
_LARGEST = 2.0**60


def quantity(given: object) -> float | None:
    """Return the number; None if it is none."""
    found = _FORM.fullmatch(given) if isinstance(given, str) and len(given) < 50 else None
    if isinstance(given, int) and not isinstance(given, bool):
        return min(max(float(given), 0.0), _LARGEST)
    if found is None:
        return None
    number, power, unit = found.groups()
    factor = 10.0 ** int(power) if power else {**_DECIMAL, **_BINARY}.get(unit or "")
    return None if factor is None else min(float(number) * factor, _LARGEST)
