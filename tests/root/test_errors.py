"""Test the errors that Paddock raises."""

import pytest

from paddock.errors import InvalidInput, UnusableEnvironment


@pytest.mark.parametrize(
    ("message", "about", "sentence"),
    [
        ("there is no file", "", "There is no file."),
        ("'x' is unknown", "", "'x' is unknown."),
        ("write it down.", "", "Write it down."),
        ("did you mean `lr`?", "Parameter l", "Parameter l: did you mean `lr`?"),
        ("no GPU", "This can never run", "This can never run: no GPU."),
    ],
)
def test_one_message_makes_the_sentence_and_the_entry_of_its_field(message: str, about: str, sentence: str) -> None:
    error = InvalidInput.at("a.field", message, about)
    assert (error.message, error.fields) == (sentence, {"a.field": message})


def test_the_error_is_of_the_class_that_was_asked() -> None:
    assert UnusableEnvironment.at("environment", "it does not start").code == "unusable_environment"
