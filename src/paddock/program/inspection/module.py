"""The syntax trees of a script and of its modules: nodes in order, imports, constants, parents."""

import ast
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import Literal, TypeVar

from pydantic import JsonValue

from paddock.models import Convention, ScriptParam
from paddock.program.inspection.values import UnreadableError, evaluate

MAX_PARAMS = 1000  # of one script; what it takes beyond is not known
MAX_CHOICES = 1000
_TOO_MANY = f"The script takes more than {MAX_PARAMS:,} parameters: those beyond are not checked."
N = TypeVar("N", bound=ast.AST)
Function = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass
class Findings:
    """What one reader has found."""

    params: list[ScriptParam] = field(default_factory=list)
    open_ended: bool = False
    warnings: list[str] = field(default_factory=list)
    convention: Convention = Convention.FLAGS
    words: list[str] = field(default_factory=list)
    syntax: Literal["hydra", "yaml", "python"] | None = None
    rest: Literal["assignments", "pairs"] | None = None
    rest_flag: str | None = None
    abbreviations: bool = False
    places: dict[str, int] = field(default_factory=dict, init=False)  # by name, in `params`

    def __post_init__(self) -> None:
        given, self.params = self.params, []
        for param in given:
            self.add(param)

    def add(self, param: ScriptParam, *, positional: bool = False) -> None:
        """Add a parameter. The first of a name counts, as sub-commands often repeat options."""
        if param.name in self.places:
            return
        if len(self.params) == MAX_PARAMS:
            self.open_ended = True
            self.warnings += [] if _TOO_MANY in self.warnings else [_TOO_MANY]
            return
        if positional:
            param = param.model_copy(update={"position": 1 + sum(p.position is not None for p in self.params)})
        if len(param.choices or ()) > MAX_CHOICES:
            param = param.model_copy(update={"choices": None})
        self.places[param.name] = len(self.params)
        self.params.append(param)


class Module:
    """A script. `modules` are those of its project that it imports, `files` all files of the project, by path.

    What the modules define counts as defined in the script: options may be declared in any of them.
    """

    def __init__(
        self,
        tree: ast.Module,
        modules: Mapping[str, ast.Module] | None = None,
        path: str = "",
        files: Mapping[str, str] | None = None,
    ) -> None:
        self.tree = tree
        self.modules = modules or {}
        self.trees = [tree, *self.modules.values()]
        self.path = path
        self.files = files or {}
        self._own_names = {part for name in self.modules for part in PurePosixPath(name).with_suffix("").parts}
        self.parents: dict[ast.AST, ast.AST] = {}
        self._by_type: dict[type[ast.AST], list[ast.AST]] = {}
        self._index()
        self.aliases = dict(self._imports())
        self.all_functions: list[Function] = [*self.find(ast.FunctionDef), *self.find(ast.AsyncFunctionDef)]
        # Of two with the same name in one file the last counts; the script's own come before those of its modules.
        self.functions = {f.name: f for f in (*self._inner(self.all_functions), *self._own(self.all_functions))}
        classes = self.find(ast.ClassDef)
        self.classes = {c.name: c for c in (*self._inner(classes), *self._own(classes))}
        self.constants: dict[str, JsonValue] = {}
        self._read_constants()

    def _index(self) -> None:
        for tree in self.trees:
            nodes = list(ast.walk(tree))
            for node in nodes:
                for child in ast.iter_child_nodes(node):
                    self.parents[child] = node
            for node in sorted(nodes, key=lambda n: (getattr(n, "lineno", 0), getattr(n, "col_offset", 0))):
                self._by_type.setdefault(type(node), []).append(node)

    def _imports(self) -> Iterator[tuple[str, str]]:
        for node in self.find(ast.Import):
            for name in node.names:
                yield (name.asname, name.name) if name.asname else (name.name.split(".")[0], name.name.split(".")[0])
        for source in self.find(ast.ImportFrom):
            ours = bool(source.level) or (source.module or "").rpartition(".")[2] in self._own_names
            for name in source.names:
                yield name.asname or name.name, name.name if ours else f"{source.module or ''}.{name.name}"

    def _own(self, nodes: Sequence[N]) -> list[N]:
        return [node for node in nodes if self.tree in self.above(node)]

    def _inner(self, nodes: Sequence[N]) -> list[N]:
        return [node for node in nodes if self.tree not in self.above(node)] if len(self.trees) > 1 else []

    def _read_constants(self) -> None:
        """Read names that a module sets once; of a dict with unknown values, the keys."""
        for tree in reversed(self.trees):
            self._read_constants_of(tree)

    def _read_constants_of(self, tree: ast.Module) -> None:
        stored = Counter(n.id for n in ast.walk(tree) if isinstance(n, ast.Name) and not isinstance(n.ctx, ast.Load))
        for statement in tree.body:
            match statement:
                case ast.Assign(targets=[ast.Name(id=name)], value=value) if stored[name] == 1:
                    pass
                case ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value) if stored[name] == 1:
                    pass
                case _:
                    continue
            origin = self.dotted(value)
            if origin and origin.split(".")[0] in self.aliases.values():
                self.aliases[name] = origin
            try:
                self.constants[name] = evaluate(value, self.constants)
            except UnreadableError:
                if isinstance(value, ast.Dict) and (keys := self._keys(value)) is not None:
                    self.constants[name] = dict.fromkeys(keys)

    def _keys(self, node: ast.Dict) -> list[str] | None:
        keys = [self.value(k) for k in node.keys]
        return [k for k in keys if isinstance(k, str)] if all(isinstance(k, str) for k in keys) else None

    def find(self, kind: type[N]) -> list[N]:
        """Return all nodes of a type in the order of the source."""
        return self._by_type.get(kind, [])  # type: ignore[return-value]

    def calls(self, *suffixes: str) -> Iterator[ast.Call]:
        """Yield the calls of functions or methods with one of these last names."""
        for call in self.find(ast.Call):
            if last_name(call.func) in suffixes:
                yield call

    def dotted(self, node: ast.AST | None) -> str:
        """Return `numpy.float32` for `np.float32`; empty when it is not a plain chain of names."""
        parts: list[str] = []
        while isinstance(node, ast.Attribute):
            parts.append(node.attr)
            node = node.value
        if not isinstance(node, ast.Name):
            return ""
        name = ".".join([self.aliases.get(node.id, node.id), *reversed(parts)])
        # What a module of the project defines is known by its own name.
        return name.rpartition(".")[2] if parts and name.split(".")[0] in self._own_names else name

    def imports(self, *packages: str) -> bool:
        return any(origin.split(".")[0] in packages for origin in self.aliases.values())

    def value(self, node: ast.expr | None, otherwise: JsonValue = None) -> JsonValue:
        if node is None:
            return otherwise
        try:
            return evaluate(node, self.constants)
        except UnreadableError:
            return otherwise

    def text(self, node: ast.expr | None) -> str | None:
        value = self.value(node)
        return value if isinstance(value, str) else None

    def items(self, node: ast.expr | None) -> list[JsonValue] | None:
        """Return the elements of a list, set or enumeration, or the keys of a dict; None where they are unknown."""
        match node:
            case ast.Call(func=ast.Attribute(value=inner, attr="keys"), args=[]):
                return self.items(inner)
            case ast.Call(func=ast.Name(id="list" | "tuple" | "sorted" | "set"), args=[inner]):
                return self.items(inner)
            case ast.ListComp(generators=[ast.comprehension(iter=inner)]):
                return self.enumeration(inner)
            case ast.Set(elts=elements):
                return self.items(ast.List(elts=elements, ctx=ast.Load()))
        if (members := self.enumeration(node)) is not None:
            return members
        match self.value(node):
            case list() as values:
                return values
            case dict() as mapping:
                return list(mapping)
        return None

    def enumeration(self, node: ast.expr | None) -> list[JsonValue] | None:
        """Return the values of an Enum class of this script."""
        found = self.classes.get(node.id) if isinstance(node, ast.Name) else None
        if found is None or not any("Enum" in self.dotted(base) for base in found.bases):
            return None
        members = [self.value(s.value) for s in found.body if isinstance(s, ast.Assign)]
        return None if None in members else members

    def in_loop(self, node: ast.AST) -> bool:
        loops = (ast.For, ast.While, ast.AsyncFor, ast.ListComp, ast.GeneratorExp, ast.SetComp, ast.DictComp)
        return any(isinstance(above, loops) for above in self.above(node))

    def above(self, node: ast.AST) -> Iterator[ast.AST]:
        while (parent := self.parents.get(node)) is not None:
            yield parent
            node = parent


def last_name(node: ast.expr) -> str:
    match node:
        case ast.Attribute(attr=name) | ast.Name(id=name):
            return name
    return ""


def called(node: ast.expr) -> ast.expr:
    """Return what a decorator is, with or without arguments."""
    return node.func if isinstance(node, ast.Call) else node


def keyword(call: ast.Call, *names: str) -> ast.expr | None:
    return next((k.value for k in call.keywords if k.arg in names), None)


def argument(call: ast.Call, index: int, *names: str) -> ast.expr | None:
    """Return an argument that is given by position or by name."""
    return call.args[index] if index < len(call.args) else keyword(call, *names)


def unpacks(call: ast.Call) -> bool:
    """Return True if the call has *args or **kwargs, whose contents are unknown."""
    return any(isinstance(a, ast.Starred) for a in call.args) or any(k.arg is None for k in call.keywords)
