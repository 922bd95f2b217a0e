"""Which variables of the server's environment others may see: it contains the settings, with passwords."""

from __future__ import annotations

import re
from typing import Mapping

# Settings are read from variables in upper and lower case.
_OURS = re.compile(r"^PADDOCK_", re.IGNORECASE)
SECRET = re.compile(r"TOKEN|SECRET|PASSW|CREDENTIAL|API_?KEY|ACCESS_?KEY|PRIVATE", re.IGNORECASE)


def ordinary(given: Mapping[str, str]) -> dict[str, str]:
    """Return the variables without those of the server: database, token, every setting."""
    return {name: value for name, value in given.items() if not _OURS.match(name)}


def harmless(given: Mapping[str, str]) -> dict[str, str]:
    """Return the same without those that look like secrets."""
    return {name: value for name, value in ordinary(given).items() if not SECRET.search(name)}
