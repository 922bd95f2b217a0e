"""Read plain command lines of the quick commands without Typer's parser, whose imports take longer than the commands.

Whatever is not certain (help, mistakes, forms that are seldom used) is left to Typer: there is no error here.
"""

import inspect
from collections.abc import Callable, Iterator, Sequence
from enum import Enum
from types import NoneType
from typing import Any, get_args

import typer
from typer.core import TyperCommand
from typer.models import ArgumentInfo, OptionInfo

NAMES = frozenset(
    {
        "ls", "show", "tasks", "logs", "metrics", "best", "objective", "importance", "export", "stop", "restart",
        "hold", "release", "pin", "rm", "queue", "why",
    }
)  # fmt: skip
_PLAIN = ("callback", "parser", "click_type", "prompt", "envvar", "default_factory", "is_eager", "multiple")


class _Unsure(Exception):
    """Typer has to read this command line."""


def values(function: Callable[..., Any], words: Sequence[str]) -> dict[str, Any] | None:
    """Return the arguments of a command; None if they are not certain."""
    try:
        found, rest = _read(function, iter(words), between=True)
    except _Unsure:
        return None
    return None if rest else found


def root(function: Callable[..., Any], words: Sequence[str]) -> tuple[dict[str, Any], list[str]] | None:
    """Return the arguments before the command, and the words from the command on; None if they are not certain."""
    try:
        return _read(function, iter(words), between=False)
    except _Unsure:
        return None


def call(function: Callable[..., Any], given: dict[str, Any], obj: object) -> int:
    """Call a command as Typer does; return its exit code."""
    try:
        with typer.Context(TyperCommand(function.__name__), obj=obj) as ctx:
            function(ctx, **given)
    except typer.Exit as leaving:
        return leaving.exit_code
    return 0


def _read(function: Callable[..., Any], words: Iterator[str], *, between: bool) -> tuple[dict[str, Any], list[str]]:
    """Return the arguments and the words that are left; `between`: options may come after the first argument."""
    parameters = [one for one in inspect.signature(function).parameters.values() if get_args(one.annotation)]
    options = {name: one for one in parameters for name in _names(one)}
    found: dict[str, Any] = {}
    rest: list[str] = []
    for word in words:
        name, equals, text = word.partition("=")
        if not word.startswith("-"):
            rest.append(word)
            if not between:
                rest += words
                break
            continue
        option = options.get(name)
        if option is None or option.name in found or (equals and not name.startswith("--")):
            raise _Unsure
        if _kind(option) is bool:
            found[option.name] = True if not equals else _unsure()
        else:
            found[option.name] = _value(option, text if equals else next(words, ""))
    for one in parameters:
        if isinstance(_info(one), ArgumentInfo):
            found[one.name], rest = _argument(one, rest)
        elif one.default is inspect.Parameter.empty:
            raise _Unsure
    return {one.name: one.default for one in parameters if one.name not in found} | found, rest


def _argument(parameter: inspect.Parameter, words: list[str]) -> tuple[Any, list[str]]:
    """Return the value of an argument, and the words for the next ones; one that takes several takes all."""
    if not words and parameter.default is not inspect.Parameter.empty:
        return parameter.default, []
    if not words or "" in words:
        raise _Unsure
    return (words, []) if _kind(parameter) == list[str] else (_value(parameter, words[0]), words[1:])


def _value(parameter: inspect.Parameter, text: str) -> Any:
    kind, info = _kind(parameter), _info(parameter)
    if not text or text.startswith("-"):
        raise _Unsure
    if kind is str:
        return text
    if kind is int and text.isascii() and text.isdigit():
        number = int(text)
        return number if (info.min or 0) <= number <= (number if info.max is None else info.max) else _unsure()
    if isinstance(kind, type) and issubclass(kind, Enum) and text in {one.value for one in kind}:
        return kind(text)
    raise _Unsure


def _unsure() -> Any:
    raise _Unsure


def _names(parameter: inspect.Parameter) -> list[str]:
    info = _info(parameter)
    if any(getattr(info, name, None) for name in _PLAIN) or not isinstance(info, OptionInfo):
        return []
    first = [info.default] if isinstance(info.default, str) else []  # Typer calls the first name so, inside Annotated
    plain = [] if _kind(parameter) is bool else [f"--{parameter.name.replace('_', '-')}"]
    return [*first, *(info.param_decls or ())] or plain


def _info(parameter: inspect.Parameter) -> Any:
    return get_args(parameter.annotation)[1]


def _kind(parameter: inspect.Parameter) -> Any:
    """Return the type of a parameter, without `| None`."""
    kind = get_args(parameter.annotation)[0]
    plain = [one for one in get_args(kind) if one is not NoneType]
    return plain[0] if NoneType in get_args(kind) and len(plain) == 1 else kind
