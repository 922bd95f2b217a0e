"""Which parameters differ between configurations. Imported by commands that import no model."""

import json
from collections.abc import Mapping, Sequence
from typing import Any


def varying(configurations: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return the names of the parameters that differ between configurations or are missing in some, in their order."""
    values: dict[str, list[str]] = {}
    for configuration in configurations:
        for name, value in configuration.items():
            values.setdefault(name, []).append(json.dumps(value))
    return [name for name, all_ in values.items() if len(set(all_)) > 1 or len(all_) < len(configurations)]
