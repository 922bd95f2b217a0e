"""Read scripts that use environment variables, or the JSON file that PADDOCK_PARAMS names."""

import ast
from collections.abc import Iterator

from pydantic import JsonValue

from paddock.models import Convention, ScriptParam
from paddock.program.inspection.module import Findings, Module, argument
from paddock.program.inspection.reads import follow
from paddock.program.inspection.values import Kind, kind_of

_NOT_OURS = {
    "PATH", "HOME", "USER", "LOGNAME", "SHELL", "PWD", "TMPDIR", "TMP", "TEMP", "LANG", "TERM", "DISPLAY", "HOSTNAME",
    "EDITOR", "RANK", "LOCAL_RANK", "WORLD_SIZE", "LOCAL_WORLD_SIZE", "NODE_RANK", "GROUP_RANK", "MASTER_ADDR",
    "MASTER_PORT", "SCRATCH", "VIRTUAL_ENV", "COLUMNS", "LINES", "TOKENIZERS_PARALLELISM", "NO_COLOR",
}  # fmt: skip
_NOT_OURS_BY_START = (
    "SLURM_", "PADDOCK_", "TF_", "TF2_", "OMP_", "CUDA_", "NCCL_", "MKL_", "OPENBLAS_", "NUMEXPR_", "KMP_", "TORCH_",
    "PYTORCH_", "TORCHELASTIC_", "XLA_", "JAX_", "KERAS_", "WANDB_", "MLFLOW_", "COMET_", "NEPTUNE_", "CLEARML_",
    "HF_", "HUGGINGFACE_", "TRANSFORMERS_", "DIFFUSERS_", "PYTHON", "LC_", "LD_", "XDG_", "CONDA_", "NVIDIA_", "AWS_",
    "SM_", "RAY_", "PL_", "OMPI_", "PMI_", "MPI_", "PBS_", "SGE_", "LSB_", "DEEPSPEED_", "ACCELERATE_", "GITHUB_",
    "MPLBACKEND", "MPLCONFIG", "SDL_", "QT_", "TPU_", "ROCR_", "HIP_", "GLOO_",
)  # fmt: skip
_OWN = "PADDOCK_PARAM_"


def read(module: Module) -> Findings | None:
    found = Findings(convention=Convention.ENV)
    for name, node, default in _variables(module):
        own = name.removeprefix(_OWN)
        if own == name and (name in _NOT_OURS or name.startswith(_NOT_OURS_BY_START)):
            continue
        found.add(_param(module, own if own == name else own.lower(), node, default))
    for param in _loaded(module):
        found.add(param)
    found.open_ended = _reads_params_file(module) or _reads_others(module)
    return found if found.params or found.open_ended else None


def _reads_others(module: Module) -> bool:
    """Return True if the script reads variables whose names it does not contain."""
    if module.imports("pydantic_settings", "environs", "decouple", "envparse", "environ", "dotenv"):
        return True
    reads: list[ast.Attribute | ast.Name] = [*module.find(ast.Attribute), *module.find(ast.Name)]
    for node in reads:
        if not isinstance(node.ctx, ast.Load) or module.dotted(node) not in ("os.environ", "os.getenv"):
            continue
        match module.parents.get(node):
            case ast.Subscript(value=inner, slice=key) if inner is node:
                known = module.text(key) is not None
            case ast.Attribute(attr="get" | "setdefault" | "pop") as method:
                call = module.parents.get(method)
                known = isinstance(call, ast.Call) and module.text(argument(call, 0, "key")) is not None
            case ast.Attribute(attr="update"):
                known = True
            case ast.Call(func=function) as call if function is node:  # os.getenv
                known = module.text(argument(call, 0, "key")) is not None
            case ast.Compare(left=left):  # "X" in os.environ
                known = module.text(left) is not None
            case _:
                known = False
        if not known:
            return True
    return False


def _variables(module: Module) -> Iterator[tuple[str, ast.expr, ast.expr | None]]:
    """Yield each variable: its name, the expression that reads it, and its default."""
    for subscript in module.find(ast.Subscript):
        of_environ = isinstance(subscript.ctx, ast.Load) and module.dotted(subscript.value) == "os.environ"
        if of_environ and (name := module.text(subscript.slice)):
            yield name, subscript, None
    for call in module.find(ast.Call):
        if module.dotted(call.func) in ("os.environ.get", "os.getenv") and (
            name := module.text(argument(call, 0, "key"))
        ):
            yield name, call, argument(call, 1, "default") or ast.Constant(None)


def _param(module: Module, name: str, node: ast.expr, default: ast.expr | None) -> ScriptParam:
    read = follow(module, node)
    value = module.value(default, read.default)
    kind = read.kind or (kind_of(value) if default is not None else None)
    return ScriptParam(
        name=name, type=kind, default=_converted(value, read.kind), required=default is None and read.required
    )


def _converted(value: JsonValue, kind: Kind | None) -> JsonValue:
    """Convert the default of a variable, which is text: `int(os.environ.get("EPOCHS", "5"))` means 5."""
    try:
        return int(value) if kind == "int" else float(value) if kind == "float" else value  # type: ignore[arg-type]
    except (TypeError, ValueError):
        return value


def _reads_params_file(module: Module) -> bool:
    return any(node.value == "PADDOCK_PARAMS" for node in module.find(ast.Constant))


def _loaded(module: Module) -> Iterator[ScriptParam]:
    """Yield what the script reads from the contents of the file: `params["lr"]`, `params.get("lr", 0.1)`."""
    if not _reads_params_file(module):
        return
    names = _tainted(module)
    for subscript in module.find(ast.Subscript):
        loaded = isinstance(subscript.ctx, ast.Load) and ast.unparse(subscript.value) in names
        if loaded and (key := module.text(subscript.slice)):
            yield ScriptParam(name=key, type=follow(module, subscript).kind)
    for call in module.calls("get"):
        loaded = isinstance(call.func, ast.Attribute) and ast.unparse(call.func.value) in names
        if loaded and (key := module.text(argument(call, 0))):
            default = module.value(argument(call, 1))
            yield ScriptParam(name=key, type=kind_of(default), default=default)


def _tainted(module: Module) -> set[str]:
    """Return the variables that contain the file's name, the open file or its contents."""
    tainted: set[str] = set()
    steps = [(a.targets[0], a.value) for a in module.find(ast.Assign)]
    steps += [
        (item.optional_vars, item.context_expr)
        for block in module.find(ast.With)
        for item in block.items
        if item.optional_vars is not None
    ]
    for target, value in sorted(steps, key=lambda step: step[0].lineno):
        nodes = list(ast.walk(value))
        named = any(isinstance(node, ast.Constant) and node.value == "PADDOCK_PARAMS" for node in nodes)
        passed_on = any(isinstance(node, ast.Name) and node.id in tainted for node in nodes)
        if isinstance(target, ast.Name) and (named or passed_on):
            tainted.add(target.id)
    return tainted
