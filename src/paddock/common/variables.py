"""Which variables of the server's environment others may see: its settings are in there, and passwords with them."""

from __future__ import annotations

import re
from typing import Mapping

# Settings are read from variables in capital and in small letters.
_OURS = re.compile(r"^PADDOCK_", re.IGNORECASE)
SECRET = re.compile(r"TOKEN|SECRET|PASSW|CREDENTIAL|API_?KEY|ACCESS_?KEY|PRIVATE", re.IGNORECASE)


def ordinary(given: Mapping[str, str]) -> dict[str, str]:
    """What the person has, without what is the server's: database, token, every setting."""
    return {name: value for name, value in given.items() if not _OURS.match(name)}


def harmless(given: Mapping[str, str]) -> dict[str, str]:
    """The same without what looks like a secret."""
    return {name: value for name, value in ordinary(given).items() if not SECRET.search(name)}
