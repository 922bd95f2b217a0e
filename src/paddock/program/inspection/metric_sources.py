"""Find where a script writes its metrics, as far as reading it shows."""

import ast
import re
from itertools import pairwise

from paddock.program.inspection.module import Module, keyword, last_name

NONE_IN_SIGHT = (
    "No metric source was found: print `name: value` lines, write a CSV file (Keras's and Lightning's "
    "CSVLogger do), write TensorBoard events, or call paddock.report(...), to see curves and compare tasks."
)

_BY_CALL = dict.fromkeys(("CSVLogger", "DictWriter", "to_csv"), "csv") | dict.fromkeys(
    ("TensorBoard", "SummaryWriter", "TensorBoardLogger", "create_file_writer"), "tensorboard"
)
_BY_PATH = {"csv.writer": "csv", "json.dump": "json"} | dict.fromkeys(
    ("paddock.report", "paddock.report.report", "paddock.elastic.Training"), "report"
)
_PRINTERS = ("print", "sys.stdout.write", "tqdm.write", "tqdm.tqdm.write")
# `loss: %.4f`, `loss={}`; and a text that ends before a value: `loss:`
_FIELD = re.compile(r"[\w/@)\]]\s*[:=]\s*(\{[^{}]*\}|%[-+ #0-9.]*[dfgeEsr])")
_LABEL = re.compile(r"[\w/@)\]]\s*[:=]\s*$")
_LITERAL = re.compile(r"[\w/@)\]]\s*[:=]\s*[-+]?[\d.]")


def find(module: Module) -> list[str]:
    found = [source for call in module.find(ast.Call) for source in _sources(module, call)]
    if any(constant.value == "PADDOCK_REPORT" for constant in module.find(ast.Constant)):
        found.append("report")  # it writes that file itself
    return list(dict.fromkeys(found))


def _sources(module: Module, call: ast.Call) -> list[str]:
    dotted, last = module.dotted(call.func), last_name(call.func)
    if dotted in _PRINTERS:
        shown = any(_shows_value(a, last=a is call.args[-1]) or _is_record(module, a) for a in call.args)
        return ["stdout"] if shown else []
    if last == "fit":
        return ["keras"] if _is_keras(module, call) else []
    if last == "open":
        return _written_file(call)
    source = _BY_PATH.get(dotted) or _BY_CALL.get(last)
    return [source] if source else []


def _is_keras(module: Module, call: ast.Call) -> bool:
    quiet = module.value(keyword(call, "verbose")) == 0
    typical = keyword(call, "epochs", "validation_data", "validation_split", "steps_per_epoch") is not None
    return not quiet and (typical or module.imports("keras", "tensorflow", "tf_keras"))


def _written_file(call: ast.Call) -> list[str]:
    """Return the kind of a file that is opened for writing, by its suffix."""
    texts = [n.value for n in ast.walk(call) if isinstance(n, ast.Constant) and isinstance(n.value, str)]
    if not any(re.fullmatch(r"[rwax+bt]{1,3}", t) and set(t) & set("wax+") for t in texts):
        return []
    return [kind for kind in ("csv", "jsonl") if any(t.endswith(f".{kind}") for t in texts)]


def _is_record(module: Module, argument: ast.expr) -> bool:
    """Return True for `json.dumps(..)` and `{"loss": loss}`: a line of several values."""
    return isinstance(argument, ast.Dict) or (
        isinstance(argument, ast.Call) and module.dotted(argument.func) == "json.dumps"
    )


def _shows_value(argument: ast.expr, *, last: bool) -> bool:
    match argument:
        case ast.JoinedStr(values=parts):
            return any(_is_label(a) and isinstance(b, ast.FormattedValue) for a, b in pairwise(parts))
        case ast.Constant(value=str() as text):
            return bool(_LITERAL.search(text) or (_LABEL.search(text) and not last))
        case ast.BinOp(left=ast.Constant(value=str() as text), op=ast.Mod() | ast.Add()):
            return bool(_FIELD.search(text) or _LABEL.search(text))
        case ast.Call(func=ast.Attribute(value=ast.Constant(value=str() as text), attr="format")):
            return bool(_FIELD.search(text))
    return False


def _is_label(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, str) and _LABEL.search(node.value) is not None
