"""Test which metric patterns a job may have."""

import pytest
from pydantic import ValidationError

from paddock.models import JobSpec

REFUSED = {
    "loss (": "no regular expression",
    "loss is 0.5": "name the number with a group",
    r"epoch (?P<epoch>\d+)": "name the number with a group",
    r"(?P<name>\w+) is": "both groups",
    r"(?P<loss>(a+)+)": "repetition within a repetition",
    r"(?P<loss>(a|ab)*)": "repetition within a repetition",
    r"(?P<loss>(\d+,?){1,100})": "repetition within a repetition",
    "(?P<loss>" + "a" * 500 + ")": "500",
}


@pytest.mark.parametrize("pattern", REFUSED)
def test_refused(pattern: str) -> None:
    with pytest.raises(ValidationError, match=REFUSED[pattern]):
        JobSpec.model_validate({"command": "true", "metrics": {"patterns": [pattern]}})


@pytest.mark.parametrize(
    "pattern",
    [r"gave (?P<quality>\S+)", r"(?P<name>\w+) is (?P<value>[\d.]+)", r"(?:\d{2}:){2} (?P<loss>\d+(?:\.\d+)?)"],
)
def test_taken(pattern: str) -> None:
    spec = JobSpec.model_validate({"command": "true", "metrics": {"patterns": [pattern]}})
    assert spec.metrics.patterns == [pattern]
