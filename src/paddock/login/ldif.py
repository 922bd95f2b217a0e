"""Read what ldapsearch prints (LDIF, RFC 2849), and write and read the text forms of names and filters."""

import base64
import binascii
import re
from dataclasses import dataclass, field

_PLAIN = re.compile(rb"[A-Za-z0-9_. @-]")
_ESCAPE = re.compile(r"\\([0-9a-fA-F]{2}|.)", re.DOTALL)


@dataclass
class LdapEntry:
    """An entry of a directory: attributes by their names in lower case, without options such as `;lang-de`."""

    dn: str = ""
    values: dict[str, list[str]] = field(default_factory=dict)

    def first(self, attribute: str) -> str:
        return next(iter(self.all(attribute)), "")

    def all(self, attribute: str) -> list[str]:
        return self.values.get(attribute.lower(), [])


def entries(ldif: bytes) -> list[LdapEntry]:
    """Return the entries of an answer. Raise ValueError for what is not LDIF. Values that are no text are left out."""
    found: list[LdapEntry] = []
    text = ldif.decode("utf-8").replace("\r\n", "\n")
    for line in [*text.replace("\n ", "").split("\n")]:
        if not line or line.startswith("#"):
            continue
        name, colon, rest = line.partition(":")
        if not colon or rest.startswith("<"):
            raise ValueError(f"not a line of LDIF: {line[:80]!r}")
        value = _decoded(rest[1:]) if rest.startswith(":") else rest.lstrip(" ")
        attribute = name.partition(";")[0].lower()
        if attribute == "dn":
            if value is None:
                raise ValueError("a name of an entry that is no text")
            found.append(LdapEntry(value))
        elif not found:
            raise ValueError("an attribute before the first entry")
        elif value is not None:
            found[-1].values.setdefault(attribute, []).append(value)
    return found


def _decoded(text: str) -> str | None:
    try:
        return base64.b64decode(text.strip(), validate=True).decode("utf-8")
    except UnicodeDecodeError:
        return None  # a picture or a certificate
    except binascii.Error as error:
        raise ValueError(f"not base64: {error}") from None


def escaped(value: str) -> str:
    """Return a value for a filter (RFC 4515): nothing in it can mean anything but itself."""
    return "".join(
        chr(byte) if _PLAIN.match(bytes([byte])) else f"\\{byte:02x}" for byte in value.encode("utf-8", "strict")
    )


def common_name(dn: str) -> str:
    """Return the value of the first part of a distinguished name (RFC 4514): `ml` of `cn=ml,ou=groups`."""
    value = re.match(r"[^=]*=((?:[^\\,+]|\\.)*)", dn, re.DOTALL)
    if not value:
        return ""
    raw = _ESCAPE.sub(lambda found: _byte(found[1]), value[1].strip())
    return raw.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


def _byte(escape: str) -> str:
    """Return the character of an escape; bytes of longer characters as lone surrogates, to be joined later."""
    if len(escape) == 1:
        return escape
    return bytes([int(escape, 16)]).decode("utf-8", "surrogateescape")
