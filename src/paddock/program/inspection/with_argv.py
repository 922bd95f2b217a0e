"""Read scripts that use sys.argv directly, among them those written for S-TFManager."""

import ast
from collections.abc import Iterator

from paddock.models import Convention, ScriptParam
from paddock.program.inspection import signatures
from paddock.program.inspection.kinds import of_annotation, of_converter
from paddock.program.inspection.module import Findings, Module, last_name
from paddock.program.inspection.reads import Read, follow, name_of

MAX_POSITION = 1000
_LOOKING = ("len", "print", "list", "tuple", "str", "join", "repr", "format", "debug", "info", "write", "copy", "map")
# S-TFManager starts every script with these; the first two are its own.
STFMANAGER = ("job_id", "task_id", "batch_size", "learning_rate", "epochs", "early_stopping")


def read(module: Module) -> Findings | None:
    reader = _Reader(module)
    reads = reader.positions()
    if not reads:
        return _unreadable() if reader.open_ended else None
    found = Findings(open_ended=reader.open_ended, convention=Convention.POSITIONAL)
    if _is_stfmanager(reads):
        found.convention = Convention.STFMANAGER
        for position in range(3, max(6, *reads) + 1):
            found.add(_stfmanager_param(position, reads))
    else:
        for position in sorted(reads):
            found.add(_param(position, reads[position]))
    for param in found.params:
        if param.position in reads and reads[param.position].truthy:
            found.warnings.append(
                f"The script makes `{param.name}` true with bool(), which takes every text, `False` too, for true: "
                "compare it with a text instead, as in `sys.argv[1] == 'True'`."
            )
    return found


class _Reader:
    """Follows sys.argv under all its names, each with the number of arguments that were cut off before."""

    def __init__(self, module: Module) -> None:
        self.module = module
        self.offsets: dict[str, int] = {}
        self.open_ended = False
        self._name_slices()

    def _name_slices(self) -> None:
        for assign in self.module.find(ast.Assign):
            offset = self._offset(assign.value)
            if offset is not None:
                self.offsets |= {t.id: offset for t in assign.targets if isinstance(t, ast.Name)}
        for call in self.module.find(ast.Call):
            function = self.module.functions.get(self.module.dotted(call.func))
            for argument, given in zip(signatures.arguments(function) if function else [], call.args, strict=False):
                if (offset := self._offset(given)) is not None:
                    self.offsets[argument.name] = offset

    def _offset(self, node: ast.expr) -> int | None:
        """Return how many arguments this list leaves out; None when it does not come from sys.argv."""
        match node:
            case ast.Name(id=name) if name in self.offsets:
                return self.offsets[name]
            case ast.Name() | ast.Attribute():
                return 0 if self.module.dotted(node) == "sys.argv" else None
            case ast.Call(func=ast.Name(id="list" | "tuple"), args=[inner]):
                return self._offset(inner)
            case ast.Subscript(value=inner, slice=ast.Slice(lower=lower, step=None)):
                before, start = self._offset(inner), 0 if lower is None else self.module.value(lower)
                return before + start if before is not None and isinstance(start, int) and start >= 0 else None
        return None

    def positions(self) -> dict[int, Read]:
        found: dict[int, Read] = {}
        for position, read in [*self._indexed(), *self._unpacked(), *self._passed_on()]:
            if 0 < position <= MAX_POSITION and (position not in found or found[position].name is None):
                found[position] = read
        self.open_ended |= any(self._offset(loop.iter) is not None for loop in self.module.find(ast.For))
        self.open_ended |= any(map(self._goes_elsewhere, self.module.find(ast.Call)))
        return found

    def _goes_elsewhere(self, call: ast.Call) -> bool:
        """Return True if the arguments are passed to code that is not in sight: `main(sys.argv[1:])` of a package."""
        if self.module.dotted(call.func) in self.module.functions or last_name(call.func) in _LOOKING:
            return False
        given = [a.value if isinstance(a, ast.Starred) else a for a in call.args] + [k.value for k in call.keywords]
        return any(self._offset(one) is not None for one in given)

    def _indexed(self) -> Iterator[tuple[int, Read]]:
        for node in self.module.find(ast.Subscript):
            offset = self._offset(node.value)
            if offset is None or isinstance(node.slice, ast.Slice) or not isinstance(node.ctx, ast.Load):
                continue
            index = self.module.value(node.slice)
            if isinstance(index, int) and index >= 0:
                yield offset + index, follow(self.module, node)
            else:
                self.open_ended = True

    def _unpacked(self) -> Iterator[tuple[int, Read]]:
        for assign in self.module.find(ast.Assign):
            targets = assign.targets[0]
            if not isinstance(targets, ast.Tuple | ast.List):
                continue
            source, converter = _mapped(assign.value)
            offset = self._offset(source)
            if offset is None:
                continue
            kind = of_converter(self.module, converter) if converter is not None else None
            for index, target in enumerate(targets.elts):
                if isinstance(target, ast.Starred):
                    self.open_ended |= name_of(target.value) != "_"
                    break
                yield offset + index, Read(name_of(target), kind)

    def _passed_on(self) -> Iterator[tuple[int, Read]]:
        """Yield the arguments of functions that are called like `main(*sys.argv[1:])`."""
        for call in self.module.find(ast.Call):
            function = self.module.functions.get(self.module.dotted(call.func))
            if function is None or not call.args or not isinstance(call.args[0], ast.Starred):
                continue
            offset = self._offset(call.args[0].value)
            if offset is None:
                continue
            for index, argument in enumerate(signatures.arguments(function)):
                kind = of_annotation(self.module, argument.annotation).kind
                default = self.module.value(argument.default)
                yield offset + index, Read(argument.name, kind, default, argument.default is None)


def _mapped(node: ast.expr) -> tuple[ast.expr, ast.expr | None]:
    """Return x and the converter of `map(int, x)` and `[int(a) for a in x]`."""
    match node:
        case ast.Call(func=ast.Name(id="map"), args=[converter, inner]):
            return inner, converter
        case ast.ListComp(elt=element, generators=[only]) | ast.GeneratorExp(elt=element, generators=[only]):
            return only.iter, element.func if isinstance(element, ast.Call) else None
    return node, None


def _is_stfmanager(reads: dict[int, Read]) -> bool:
    names = [(reads[p].name or "").lower() if p in reads else "" for p in range(1, 6)]
    if "job" in names[0] and "task" in names[1]:
        return max(reads) > 2
    batch_size, learning_rate, epochs = names[2:]
    named = "batch" in batch_size and ("learning" in learning_rate or "lr" in learning_rate) and "epoch" in epochs
    return named and not names[0] and not names[1]


def _stfmanager_param(position: int, reads: dict[int, Read]) -> ScriptParam:
    if position in reads:
        return _param(position, reads[position])
    # Not read: a later one needs a value in this place; after the last one it may be left out.
    name = STFMANAGER[position - 1] if position <= len(STFMANAGER) else f"arg{position}"
    return ScriptParam(name=name, position=position, required=position < max(reads))


def _param(position: int, read: Read) -> ScriptParam:
    name = read.name or f"arg{position}"
    return ScriptParam(name=name, type=read.kind, default=read.default, required=read.required, position=position)


def _unreadable() -> Findings:
    warning = (
        "The script takes sys.argv apart in a way that reading it does not show: give a command in place of the "
        "script, such as `python {code}/train.py {lr} {epochs}`."
    )
    return Findings(open_ended=True, warnings=[warning], convention=Convention.ENV)
