"""Test the reading of a directory's answers."""

import base64

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paddock.login.ldif import common_name, entries, escaped

TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=60)


@given(TEXT, st.lists(TEXT), st.integers(1, 20))
def test_what_was_written_is_read(dn: str, values: list[str], width: int) -> None:
    lines = [_line("dn", dn), *(_line("Cn;lang-de", value) for value in values), ""]
    found = entries("\n".join(_folded(line, width) for line in lines).encode())
    assert [(entry.dn, entry.all("cN")) for entry in found] == [(dn, values)]


def _line(name: str, value: str) -> str:
    return f"{name}:: {base64.b64encode(value.encode()).decode()}"


def _folded(line: str, width: int) -> str:
    """Break a line as RFC 2849 does: what follows begins with a space."""
    width = max(width, 2)
    return "\n ".join(line[at : at + width] for at in range(0, len(line), width)) or line


def test_plain_values_comments_and_several_entries() -> None:
    text = "# a comment\n  that goes on\ndn: uid=a\nuid: a\ncn:  spaced\nempty:\n\ndn: uid=b\nuid: b\n\n# refldap://x\n"
    one, other = entries(text.encode())
    assert (one.dn, one.first("uid"), one.first("cn"), one.all("empty"), one.all("none")) == (
        "uid=a", "a", "spaced", [""], [],
    )  # fmt: skip
    assert other.first("uid") == "b"


def test_values_that_are_no_text_are_left_out() -> None:
    picture = base64.b64encode(b"\xff\xd8\xff").decode()
    [entry] = entries(f"dn: uid=a\njpegPhoto:: {picture}\nuid: a\n".encode())
    assert entry.values == {"uid": ["a"]}


@pytest.mark.parametrize(
    "answer",
    [b"uid: a\n", b"dn: uid=a\nuid\n", b"dn: uid=a\nuid:< file:///etc/passwd\n", b"dn:: ?\n", b"dn:: /w==\n", b"\xff"],
)
def test_anything_else_is_an_error(answer: bytes) -> None:
    with pytest.raises(ValueError):
        entries(answer)


@given(st.binary(max_size=200))
def test_no_answer_does_harm(answer: bytes) -> None:
    try:
        found = entries(answer)
    except ValueError:
        return
    assert all(isinstance(entry.dn, str) for entry in found)


@given(st.text(max_size=40).filter(lambda text: text.isprintable()))
def test_nothing_in_a_filter_means_anything_but_itself(value: str) -> None:
    written = escaped(value)
    assert not set(written) & set("()*&|!=<>~\0")
    parts = written.split("\\")
    read = parts[0].encode() + b"".join(bytes([int(part[:2], 16)]) + part[2:].encode() for part in parts[1:])
    assert read.decode() == value


@pytest.mark.parametrize(
    ("dn", "name"),
    [
        ("cn=ml,ou=groups,dc=example", "ml"),
        ("CN=Vision Lab,OU=groups", "Vision Lab"),
        ("cn=a\\, b\\+c,ou=x", "a, b+c"),
        ("cn=\\c3\\84rzte,ou=x", "Ärzte"),
        ("cn=ml+gidNumber=5,ou=x", "ml"),
        ("cn=\\ff,ou=x", "\ufffd"),
        ("nothing", ""),
        ("", ""),
    ],
)
def test_the_name_of_a_group_is_the_first_part_of_its_name(dn: str, name: str) -> None:
    assert common_name(dn) == name
