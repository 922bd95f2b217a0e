"""Test how a search is written in a spec."""

from typing import Any

import pytest
from pydantic import ValidationError

from paddock.models import Goal, JobSpec, Method


def test_short_forms() -> None:
    spec = JobSpec.model_validate({"search": "evolution", "stop_early": "asha", "objective": ["acc:max", "params"]})
    assert (spec.search.method, spec.stop_early.method) == (Method.EVOLUTION, "asha")
    assert [(one.metric, one.goal) for one in spec.objectives] == [("acc", Goal.MAX), ("params", Goal.MIN)]
    assert JobSpec.model_validate(spec.model_dump(mode="json")) == spec


def test_one_objective_in_a_list_is_one() -> None:
    assert (
        JobSpec.model_validate({"objective": ["loss"]}).objectives
        == JobSpec.model_validate({"objective": "loss"}).objectives
    )


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"objective": []}, "one objective or several"),
        ({"objective": ["a"], "other_objectives": "b"}, "one objective or several"),
        ({"objective": ["a", "b", "a:max"]}, "a is an objective twice"),
        ({"objective": "a", "other_objectives": ["a"]}, "a is an objective twice"),
        ({"objective": list("abcdef")}, "at most 4"),
        ({"search": "bayes"}, "'tpe'"),
        ({"search": {"time_budget": 30.5}}, "time_budget"),
        ({"search": {"time_budget": "soon"}}, "time_budget"),
        ({"search": {"interval": 0}}, "greater than 0"),
        ({"stop_early": {"method": "asha", "eta": 1}}, "greater than or equal to 2"),
    ],
)
def test_what_makes_no_sense_is_refused(given: dict[str, Any], message: str) -> None:
    with pytest.raises(ValidationError) as caught:
        JobSpec.model_validate(given)
    assert message in str(caught.value)
