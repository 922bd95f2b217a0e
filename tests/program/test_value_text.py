"""Test that values which are written into files and overrides are read back as the same values of the same types."""

import ast
import json
import tomllib

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from paddock.models import yaml12
from paddock.program import value_text
from paddock.program.inspection import config_files

PLAIN = st.none() | st.booleans() | st.integers(-(10**18), 10**18) | st.floats(allow_nan=False) | st.text()
VALUES = st.recursive(
    PLAIN, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3), max_leaves=6
)
# YAML has no way to write some characters but escapes, which JSON does not use for them.
TEXT = st.text(st.characters(codec="utf-8", exclude_categories=("Cs", "Cc", "Zl", "Zp", "Cn", "Co")))
SIMPLE = st.none() | st.booleans() | st.integers(-(10**18), 10**18) | st.floats(allow_nan=False) | TEXT


@given(VALUES)
def test_python_and_json(value: object) -> None:
    assert repr(eval(value_text.python(value))) == repr(value)  # type: ignore[arg-type]
    assert repr(json.loads(value_text.as_json(value))) == repr(value)  # type: ignore[arg-type]


@given(SIMPLE | st.lists(SIMPLE, max_size=3))
def test_yaml_of_both_versions(value: object) -> None:
    for written in (value_text.yaml(value), value_text.yaml_word(value)):  # type: ignore[arg-type]
        assert "\n" not in written
        for read in (yaml.safe_load(f"a: {written}"), yaml12.load(f"a: {written}")):
            assert repr(read["a"]) == repr(value)


@given(st.booleans() | st.integers(-(2**60), 2**60) | st.floats(allow_nan=False) | TEXT)
def test_toml(value: object) -> None:
    assert repr(tomllib.loads(f"a = {value_text.toml(value)}")["a"]) == repr(value)  # type: ignore[arg-type]


@given(st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text())
def test_words_of_python(value: object) -> None:
    written = value_text.python_word(value)  # type: ignore[arg-type]
    try:
        read = ast.literal_eval(written)
    except (ValueError, SyntaxError):
        read = written
    assert repr(read) == repr(value)


FILES = {
    "a.yaml": (
        "# all\nlr: 0.1 # why\nname: 'it''s'\nmodel: &m\n  width: 3\n  act: relu\nagain: *m\n"
        'layers:\n  - 1\n  - {a: 2}\n\n# end\nempty: {}\nnothing:\nü: "é\\n"\nlast: on\n',
        {"lr": 0.1, "name": "it's", "model.width": 3, "layers": [1, {"a": 2}], "last": "on"},
    ),
    "a.json": (
        '\ufeff {"lr": 1e-3, "é": "\\ud83d\\ude00", "model": {"width": [1,\n2], "on": true}, "no": null}\n',
        {"lr": 0.001, "model.width": [1, 2], "model.on": True, "no": None},
    ),
    "a.toml": (
        'lr = 1e-3 # "x"\ntext = """a\n#b"""\n[model]\n"quoted" = [ # many\n 1,\n 2,\n]\nopt.beta = 0.9\n'
        "inline = {a = 1}\n[[list]]\nx = 1\n[other.deep]\nw = 2\n",
        {"lr": 0.001, "text": "a\n#b", "model.quoted": [1, 2], "model.opt.beta": 0.9, "other.deep.w": 2},
    ),
}


@pytest.mark.parametrize("name", FILES)
def test_each_value_of_a_file_can_be_changed_alone(name: str) -> None:
    text, expected = FILES[name]
    text = text.removeprefix("\ufeff") if name != "a.json" else text.lstrip("\ufeff ")
    found = {param.name: param for param in config_files.params(name, text) or []}
    assert {key: found[key].default for key in expected} == expected
    whole = config_files.values(name, text)
    for path in expected:
        place = found[path].place
        assert place is not None
        written = value_text.in_file(name, "new, [x]: #'\"") + "\n" * place.lines
        after = config_files.changed(text.encode(), [(place.start, place.end, written)]).decode()
        wanted = json.loads(json.dumps(whole))
        inner = wanted
        *above, last = path.split(".")
        for key in above:
            inner = inner[key]
        inner[last] = "new, [x]: #'\""
        if path == "model.width" and name == "a.yaml":
            wanted["again"] = wanted["model"]  # an alias of it
        assert config_files.values(name, after) == wanted
        assert after.count("\n") == text.count("\n"), "later lines keep their numbers"


@pytest.mark.parametrize("text", ["", "- a\n", "a: [", "a: !!python/object 1\n", "just text", "a: 1\na: 2\n"])
def test_what_is_no_configuration(text: str) -> None:
    assert config_files.params("x.yaml", text) is None
