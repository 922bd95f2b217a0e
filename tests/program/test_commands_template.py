"""Test command templates: every value arrives unchanged and runs nothing."""

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from paddock.errors import InvalidInput
from paddock.models import JobSpec, Params
from paddock.program.commands import Command, build

SHELLS = [s for s in ("/bin/sh", shutil.which("bash"), shutil.which("dash"), shutil.which("busybox")) if s]
HOSTILE = [
    "plain",
    "",
    "$(touch pwned)",
    "`touch pwned`",
    "'; touch pwned #",
    '"; touch pwned #',
    "' \"$(touch pwned)\" '",
    "a\nb\n",
    "\n; touch pwned\n",
    "ünïcødé ☃ 你好",
    "-rf",
    "--help",
    "*",
    "~",
    "$HOME ${HOME} $1 $$ $?",
    "back\\slash \\n \\",
    "two  spaces\tand tab",
    "{x} {{y}} {",
    "%s %d %%",
    "a;b|c&d>pwned<e(f)g!h#i",
    "EOF",
    "a[$(touch pwned)]",
    "=1",
]
PRINT = "printf '%s' "


def template(command: str, params: Params) -> Command:
    spec = JobSpec(command=command)
    return build(spec, None, params, job="j1", task="j1-1", code_dir="/jobs/j1/code", interpreter=["python"])


def output(command: str, params: Params, shell: str = "/bin/sh") -> str:
    made = template(command, params)
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "file").touch()  # something that a * would match
        done = subprocess.run(
            [shell, *made.argv[1:]], env={**os.environ, **made.env}, cwd=folder, capture_output=True, check=True
        )
        assert sorted(os.listdir(folder)) == ["file"], "the value ran"
    return done.stdout.decode()


CONTEXTS = {
    "unquoted": PRINT + "{x}",
    "double": PRINT + '"{x}"',
    "single": PRINT + "'{x}'",
    "substitution": PRINT + "\"$(printf '%s.' {x})\"",
    "quoted in a substitution": PRINT + '"$(printf %s. "{x}")"',
    "backticks": PRINT + "\"`printf '%s.' {x}`\"",
    "assignment": "v={x} && " + PRINT + '"$v"',
    "in a word": PRINT + "a{x}b",
    "in a quoted word": PRINT + '"it\'s {x}"',
    "after escapes": PRINT + "\\'\\\"{x}",
    "after a comment": "# it's {this}\n" + PRINT + "{x}",
    "default of a variable": PRINT + "${NOT_SET_HERE:-{x}}",
    "in a subshell": "(" + PRINT + "{x})",
    "here document": 'cat <<EOF\nit\'s "{x}"\nEOF\n',
    "here document with a substitution": "cat <<-EOF\n\t$(printf '%s.' {x})\n\tEOF\n",
    "after a here document": "cat >/dev/null <<'END'\nit's\nEND\n" + PRINT + "'{x}'",
}
AROUND = {
    "substitution": ("", "."),
    "quoted in a substitution": ("", "."),
    "backticks": ("", "."),
    "in a word": ("a", "b"),
    "in a quoted word": ("it's ", ""),
    "after escapes": ("'\"", ""),
    "here document": ("it's \"", '"\n'),
    "here document with a substitution": ("", ".\n"),
}


@pytest.mark.parametrize("shell", SHELLS)
@pytest.mark.parametrize("context", CONTEXTS)
def test_hostile_values_arrive_unchanged(context: str, shell: str) -> None:
    before, after = AROUND.get(context, ("", ""))
    params: Params = {f"x{index}": value for index, value in enumerate(HOSTILE)}
    command = "".join(CONTEXTS[context].replace("{x}", f"{{{name}}}") + "\nprintf '\\0'\n" for name in params)
    arrived = output(command, params, shell).split("\0")
    assert arrived == [*(before + value + after for value in HOSTILE), ""]


@pytest.mark.parametrize("context", ["unquoted", "double", "single"])
@settings(max_examples=60, deadline=None)
@given(value=st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"])))
def test_any_text_arrives_unchanged(context: str, value: str) -> None:
    assert output(CONTEXTS[context], {"x": value}) == value


@settings(max_examples=150, deadline=None)
@given(command=st.text(st.sampled_from("{}x'\"`$()\\ \n#<E-;|a1:"), max_size=24))
def test_values_are_never_part_of_the_script_whatever_the_command(command: str) -> None:
    try:
        made = template(command, {"x": "SECRET VALUE", "a": 7})
    except InvalidInput:
        return
    assert "SECRET" not in made.argv[2]
    assert made.env["PADDOCK_PARAM_X"] == "SECRET VALUE"


def test_places_and_parameters() -> None:
    text = output(PRINT + "'{job}|{task}|{code}|{lr}'", {"lr": 0.001})
    assert text == "j1|j1-1|/jobs/j1/code|0.001"


def test_a_parameter_shadows_a_place() -> None:
    assert output(PRINT + "{task}", {"task": "cifar"}) == "cifar"


def test_names_with_dots_and_dashes() -> None:
    assert output(PRINT + "{model.lr}/{batch-size}", {"model.lr": 0.5, "batch-size": 8}) == "0.5/8"


def test_names_that_would_share_a_variable_do_not_clash() -> None:
    params: Params = {"a-b": "1", "a_b": "2", "A.B": "3", "a_b_2": "4"}
    assert output(PRINT + "'{a-b} {a_b} {A.B} {a_b_2}'", params) == "1 2 3 4"


def test_literal_braces() -> None:
    assert output("echo 'a b' | awk '{print $2}'", {}) == "b\n"
    assert output(PRINT + "'{{x}} {} { x } {a,b} {1}'", {}) == "{x} {} { x } {a,b} {1}"
    assert output(PRINT + "'{{{x}}}'", {"x": 1}) == "{1}"


def test_variables_of_the_shell_stay_its_own() -> None:
    assert output("v=5; " + PRINT + '"${v} ${{v}} ${NOT_SET_HERE:-${v}}"', {}) == "5 5 5"
    assert output("v=5; sh -c '" + PRINT + "${v:-inner}' ", {}) == "inner"


def test_a_parameter_written_like_a_shell_variable_is_refused() -> None:
    with pytest.raises(InvalidInput, match=r"write \{lr\}"):
        template("train --lr ${lr}", {"lr": 1})


def test_unknown_fields_are_named_with_the_known_ones() -> None:
    with pytest.raises(InvalidInput, match=r"\{learning_rate\}.*code, job, lr, task.*\{\{learning_rate\}\}") as caught:
        template("train --lr {learning_rate}", {"lr": 1})
    assert "command" in caught.value.fields


def test_arithmetic_takes_numbers_only() -> None:
    assert output('echo "$(( {n} * (2 - {m}) ))"', {"n": 3, "m": -1}) == "9\n"
    with pytest.raises(InvalidInput, match="only numbers"):
        template("echo $(( {n} + 1 ))", {"n": "a[$(touch pwned)]"})


def test_a_field_in_a_quoted_here_document_is_refused() -> None:
    with pytest.raises(InvalidInput, match="end word is quoted"):
        template("cat <<'EOF'\nlr: {lr}\nEOF\n", {"lr": 1})


def test_values_that_are_not_text() -> None:
    params: Params = {"layers": [64, 32], "extra": {"a": None, "b": [True]}, "none": None, "flag": True}
    assert output(PRINT + "'{layers} {extra} {none} {flag}'", params) == '[64,32] {"a":null,"b":[true]}  True'


def test_a_config_file_written_by_the_command() -> None:
    command = f"cat > /dev/stdout <<EOF | {sys.executable} -c 'import sys; print(sys.stdin.read())'\nlr: {{lr}}\nEOF\n"
    assert output(command, {"lr": 0.1}) == "lr: 0.1\n\n"
