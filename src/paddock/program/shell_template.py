"""Shell commands with {name} fields, made so that a value is never shell text.

A field becomes a reference to an environment variable that holds the value, quoted as the place asks for:

    echo {x}      ->  echo "${V}"             within "..."  ->  ${V}
    echo '{x}'    ->  echo ''"${V}"''         <<EOF bodies  ->  ${V}

The shell does not look at the result of an expansion again, so a place that is taken for another one may at worst
split a value into words: it cannot run anything. The exception is $((...)), where some shells evaluate what they
find: there only numbers are allowed. What evaluates text by itself is the writer's to keep values out of: eval,
sh -c '... {x}', and bash's other arithmetic, such as ${v:{x}} and [[ {x} -eq 1 ]].

`{{` and `}}` are literal braces, and so is every brace that does not enclose one name: awk '{print $1}', ${HOME}.
"""

import re
from collections.abc import Collection, Mapping

from paddock.errors import InvalidInput

_FIELD = re.compile(r"\{([A-Za-z_][A-Za-z0-9_.\-]*)\}")
_SHELL_VARIABLE = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*)\}")
_LINE = re.compile(r"[^\n]*\n|[^\n]+")
_HERE_DOCUMENT = re.compile(r"<<(-?)[ \t]*(?:'([^'\n]*)'|\"([^\"\n]*)\"|([\w\\.\-]+))")
_QUOTED = {"plain": '"${%s}"', "single": "'\"${%s}\"'", "double": "${%s}", "here": "${%s}", "arithmetic": "(${%s})"}
_ENCLOSING = ("brace", "group")  # what they stand in decides on the quoting


def render(template: str, fields: Mapping[str, str], *, params: Collection[str], numbers: Collection[str]) -> str:
    """Return the shell text. `fields`: variables by name; `params`, `numbers`: which are parameters, and numbers."""
    return _Scanner(template, fields, params, numbers).run()


class _Scanner:
    def __init__(
        self,
        text: str,
        fields: Mapping[str, str],
        params: Collection[str],
        numbers: Collection[str],
        place: str = "plain",
    ) -> None:
        self.text = text
        self.fields, self.params, self.numbers = fields, params, numbers
        self.at = 0
        self.out: list[str] = []
        self.stack = [place]
        self.here_documents: list[tuple[str, bool, bool]] = []  # end word, quoted, tabs stripped

    def run(self) -> str:
        while self.at < len(self.text):
            self._step()
        return "".join(self.out)

    @property
    def place(self) -> str:
        return next(p for p in reversed(self.stack) if p not in _ENCLOSING)

    def _step(self) -> None:
        char, place = self.text[self.at], self.place
        if char in "{}":
            self._brace(char)
        elif self.text.startswith("${", self.at) and not self.text.startswith("${{", self.at):
            self._shell_variable()
        elif place in ("single", "here_literal"):
            self._close("single") if char == "'" and place == "single" else self._emit(1)
        elif char == "\\":
            escapes = place not in ("double", "here") or self.text[self.at + 1 : self.at + 2] in '$`"\\\n'
            self._emit(2 if escapes else 1)
        elif char == "$":
            self._dollar()
        elif place == "here":
            self._emit(1)
        elif char == '"':
            self._close("double") if self.stack[-1] == "double" else self._open("double", 1)
        elif char == "`":
            self._close("backtick") if "backtick" in self.stack else self._open("backtick", 1)
        elif place == "arithmetic":
            self._arithmetic(char)
        elif place != "double":
            self._unquoted(char)
        else:
            self._emit(1)

    def _emit(self, count: int) -> None:
        self.out.append(self.text[self.at : self.at + count])
        self.at += count

    def _open(self, place: str, count: int) -> None:
        self.stack.append(place)
        self._emit(count)

    def _close(self, place: str, count: int = 1) -> None:
        while len(self.stack) > 1 and self.stack.pop() != place:
            pass
        self._emit(count)

    def _brace(self, char: str) -> None:
        if char == "}" and self.stack[-1] == "brace":
            self._close("brace")
        elif self.text.startswith(char * 2, self.at):
            self.out.append(char)
            self.at += 2
        elif (field := _FIELD.match(self.text, self.at)) and self._is_field(field[1]):
            self.out.append(self._reference(field[1]))
            self.at = field.end()
        else:
            self._emit(1)

    def _is_field(self, name: str) -> bool:
        if name in self.fields:
            return True
        if not name.isidentifier():
            return False
        raise _refused(
            f"{{{name}}} in the command is not a known field: these are {', '.join(sorted(self.fields))}. "
            f"Write {{{{{name}}}}} for a literal {{{name}}}."
        )

    def _reference(self, name: str) -> str:
        place = self.place
        if place == "here_literal":
            raise _refused(f"{{{name}}} stands in a here-document whose end word is quoted: take the quotes away.")
        if place == "arithmetic" and name not in self.numbers:
            raise _refused(f"{{{name}}} stands in $((...)), where only numbers are allowed.")
        return _QUOTED.get(place, _QUOTED["plain"]) % self.fields[name]

    def _shell_variable(self) -> None:
        variable = _SHELL_VARIABLE.match(self.text, self.at)
        if variable and variable[1] in self.params:
            name = variable[1]
            raise _refused(f"${{{name}}} is the shell's own variable: write {{{name}}} for the parameter.")
        self._open("brace", 2)

    def _dollar(self) -> None:
        if self.text.startswith("$((", self.at):
            self._open("arithmetic", 3)
        elif self.text.startswith("$(", self.at):
            self._open("substitution", 2)
        else:
            self._emit(2 if self.text[self.at + 1 : self.at + 2] in tuple("$#?!@*-") else 1)

    def _arithmetic(self, char: str) -> None:
        if char == "(":
            self._open("group", 1)
        elif char == ")" and self.stack[-1] == "group":
            self._close("group")
        elif self.text.startswith("))", self.at):
            self._close("arithmetic", 2)
        else:
            self._emit(1)

    def _unquoted(self, char: str) -> None:
        before = self.text[self.at - 1] if self.at else "\n"
        if char == "'":
            self._open("single", 1)
        elif char == "(":
            self._open("substitution", 1)
        elif char == ")" and self.stack[-1] == "substitution":
            self._close("substitution")
        elif char == "#" and before in " \t\n;&|(`":
            end = self.text.find("\n", self.at)
            self._emit((end if end >= 0 else len(self.text)) - self.at)
        elif self.text.startswith("<<<", self.at):
            self._emit(3)
        elif here := _HERE_DOCUMENT.match(self.text, self.at):
            word = next(g for g in here.groups()[1:] if g is not None)
            self.here_documents.append((word.replace("\\", ""), here[4] is None or "\\" in word, here[1] == "-"))
            self._emit(here.end() - self.at)
        elif char == "\n" and self.here_documents:
            self._emit(1)
            self._here_bodies()
        else:
            self._emit(1)

    def _here_bodies(self) -> None:
        for word, quoted, stripped in self.here_documents:
            lines: list[str] = []
            for line in _LINE.findall(self.text, self.at):
                self.at += len(line)
                if (line.lstrip("\t") if stripped else line).rstrip("\n") == word:
                    end = line
                    break
                lines.append(line)
            else:
                end = ""
            place = "here_literal" if quoted else "here"
            self.out.append(_Scanner("".join(lines), self.fields, self.params, self.numbers, place).run() + end)
        self.here_documents = []


def _refused(message: str) -> InvalidInput:
    return InvalidInput.at("command", message)
