"""Find where a script writes its metrics, as far as reading it shows."""

import ast
import re
from itertools import pairwise

from paddock.program.inspection.module import Module, keyword, last_name

NONE_IN_SIGHT = (
    "No metric source was found: print `name: value` lines, write a CSV file (Keras's and Lightning's "
    "CSVLogger do), write TensorBoard events, or call paddock.report(...), to see curves and compare tasks."
)

_BY_CALL = {
    "CSVLogger": "csv",
    "DictWriter": "csv",
    "to_csv": "csv",
    "TensorBoard": "tensorboard",
    "SummaryWriter": "tensorboard",
    "TensorBoardLogger": "tensorboard",
    "create_file_writer": "tensorboard",
}
_BY_PATH = {"csv.writer": "csv", "json.dump": "json", "paddock.report": "report", "paddock.report.report": "report"}
_PRINTERS = ("print", "sys.stdout.write", "tqdm.write", "tqdm.tqdm.write")
# `loss: %.4f`, `loss={}`; and a text that ends before a value: `loss:`
_FIELD = re.compile(r"[\w/@)\]]\s*[:=]\s*(\{[^{}]*\}|%[-+ #0-9.]*[dfgeEsr])")
_LABEL = re.compile(r"[\w/@)\]]\s*[:=]\s*$")
_LITERAL = re.compile(r"[\w/@)\]]\s*[:=]\s*[-+]?[\d.]")


def find(module: Module) -> list[str]:
    found: dict[str, None] = {}
    for call in module.find(ast.Call):
        for source in _sources(module, call):
            found[source] = None
    if any(constant.value == "PADDOCK_REPORT" for constant in module.find(ast.Constant)):
        found["report"] = None  # it writes that file itself
    return list(found)


def _sources(module: Module, call: ast.Call) -> list[str]:
    dotted, last = module.dotted(call.func), last_name(call.func)
    if dotted in _PRINTERS:
        return ["stdout"] if _shows_values(call) else []
    if last == "fit":
        return ["keras"] if _is_keras(module, call) else []
    if last == "open":
        return _written_file(module, call)
    source = _BY_PATH.get(dotted) or _BY_CALL.get(last)
    return [source] if source else []


def _is_keras(module: Module, call: ast.Call) -> bool:
    quiet = module.value(keyword(call, "verbose")) == 0
    typical = keyword(call, "epochs", "validation_data", "validation_split", "steps_per_epoch") is not None
    return not quiet and (typical or module.imports("keras", "tensorflow", "tf_keras"))


def _written_file(module: Module, call: ast.Call) -> list[str]:
    """Return the kind of a file that is opened for writing, by its suffix."""
    texts = [n.value for n in ast.walk(call) if isinstance(n, ast.Constant) and isinstance(n.value, str)]
    if not any(re.fullmatch(r"[rwax+bt]{1,3}", t) and set(t) & set("wax+") for t in texts):
        return []
    return [kind for kind in ("csv", "jsonl") if any(t.endswith(f".{kind}") for t in texts)]


def _shows_values(call: ast.Call) -> bool:
    for index, argument in enumerate(call.args):
        match argument:
            case ast.JoinedStr(values=parts):
                if any(_is_label(a) and isinstance(b, ast.FormattedValue) for a, b in pairwise(parts)):
                    return True
            case ast.Constant(value=str() as text):
                last = index == len(call.args) - 1
                if _LITERAL.search(text) or (_LABEL.search(text) and not last):
                    return True
            case ast.BinOp(left=ast.Constant(value=str() as text), op=ast.Mod() | ast.Add()):
                if _FIELD.search(text) or _LABEL.search(text):
                    return True
            case ast.Call(func=ast.Attribute(value=ast.Constant(value=str() as text), attr="format")):
                if _FIELD.search(text):
                    return True
    return False


def _is_label(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, str) and _LABEL.search(node.value) is not None
