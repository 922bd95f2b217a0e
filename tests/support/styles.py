"""Small scripts, each in a style in which popular projects take their parameters. Each prints what it got as JSON."""

from dataclasses import dataclass, field
from typing import Any

GOT = "import json, pathlib\nprint('GOT', json.dumps(got))\n"


@dataclass(frozen=True)
class Style:
    files: dict[str, str]
    params: dict[str, Any]  # of two tasks
    got: list[Any]
    convention: str
    script: str = "train.py"
    names: list[str] = field(default_factory=list)  # parameters that must have been found


def _style(source: str, params: dict[str, Any], got: list[Any], convention: str, **more: Any) -> Style:
    files = {"train.py": source.lstrip("\n") + GOT, **more.pop("files", {})}
    return Style(files, params, got, convention, **more)


# --- what needs no package ------------------------------------------------------------------------------------------

PLAIN = {
    "constants": _style(
        '''
"""A Keras example."""
from model import WIDTH

LR = 0.1  # the step size
BATCH_SIZE: int = 32
SHAPE = (28, 28)
LAYERS = [
    64,
    128,
]
OPTIMIZER = "adam"
epochs = 3
losses = []


def train():
    lines = [i for i, text in enumerate(open(__file__), start=1) if text.startswith("def train")]
    return [LR, BATCH_SIZE, SHAPE, LAYERS, OPTIMIZER, epochs, WIDTH, isinstance(SHAPE, tuple), lines]


got = train()
''',
        {"LR": [1, 0.01], "SHAPE": [[8]], "LAYERS": [[16]], "OPTIMIZER": 'it\'s "sgd"', "epochs": 5},
        [[lr, 32, [8], [16], 'it\'s "sgd"', 5, 7, True, [16]] for lr in (1.0, 0.01)],
        "constants",
        files={"model.py": "WIDTH = 7\n"},
        names=["LR", "BATCH_SIZE", "SHAPE", "LAYERS", "OPTIMIZER", "epochs"],
    ),
    "class and dict": _style(
        """
import multiprocessing
class CFG:
    lr = 0.1
    model = "resnet18"
CONFIG = {"epochs": 2, "augment": True}
def work(_):
    return [CFG.lr, CFG.model, CONFIG["epochs"], CONFIG["augment"]]
got = None
if __name__ == "__main__":
    # A process that is started anew reads the script again: it must have the values of the task too.
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        got = pool.map(work, [0])[0]
""",
        {"CFG.lr": [0.5, 0.25], "CFG.model": "vit", "CONFIG.augment": False},
        [[lr, "vit", 2, False] for lr in (0.5, 0.25)],
        "constants",
    ),
    "constants in a module": _style(
        "import config\nfrom config import LR\ngot = [LR, config.EPOCHS]\n",
        {"LR": [0.5, 0.25]},
        [[0.5, 3], [0.25, 3]],
        "constants",
        files={"config.py": "LR = 0.1\nEPOCHS = 3\n"},
    ),
    "json flag": _style(
        """
import argparse, json
p = argparse.ArgumentParser()
p.add_argument("--config", default="configs/base.json")
p.add_argument("--epochs", type=int, default=1)
args = p.parse_args()
cfg = json.load(open(args.config))
got = [cfg, args.epochs]
""",
        {"model.width": [8, 16], "optimizer.lr": 1e-05, "epochs": 4},
        [[{"model": {"width": w, "depth": 2}, "optimizer": {"lr": 1e-05, "name": "sgd"}}, 4] for w in (8, 16)],
        "flags",
        files={
            "configs/base.json": '{\n\t"model": {"width": 4, "depth": 2},\n'
            '\t"optimizer": {"lr": 0.1, "name": "sgd"}\n}\n'
        },
        names=["config", "epochs", "model.width", "optimizer.lr"],
    ),
    "toml in the code": _style(
        """
import pathlib, tomllib
got = tomllib.loads((pathlib.Path(__file__).resolve().parent / "config.toml").read_text())
""",
        {"seed": [1, 2], "model.width": 8, "model.name": "a # b"},
        [{"seed": s, "model": {"width": 8, "name": "a # b", "layers": [1, 2]}} for s in (1, 2)],
        "config",
        files={
            "config.toml": 'seed = 0 # of all\n[model]\nwidth = 4\nname = "x # y" # z\n'
            "layers = [\n  1, # one\n  2,\n]\n"
        },
    ),
    "parser in a package": _style(
        "from options.train_options import get_parser\nargs = get_parser().parse_args()\ngot = [args.lr, args.fast]\n",
        {"lr": [0.5, 0.25], "fast": True},
        [[0.5, True], [0.25, True]],
        "flags",
        files={
            "options/__init__.py": "",
            "options/train_options.py": "import argparse\nfrom .base import add_base\n\ndef get_parser():\n"
            "    p = argparse.ArgumentParser()\n    add_base(p)\n    p.add_argument('--fast', action='store_true')\n"
            "    return p\n",
            "options/base.py": "def add_base(parser):\n    g = parser.add_argument_group('Optimizer')\n"
            "    g.add_argument('--lr', type=float, default=0.1)\n",
        },
        names=["lr", "fast"],
    ),
    "nanoGPT": _style(
        """
batch_size = 12
learning_rate = 6e-4
dropout = 0.0
compile = True
dataset = "openwebtext"
config_keys = [k for k, v in globals().items() if not k.startswith("_") and isinstance(v, (int, float, bool, str))]
exec(open("configurator.py").read())  # overrides from command line or config file
got = {k: globals()[k] for k in config_keys}
""",
        {"learning_rate": [1, 0.001], "compile": False, "dataset": {"values": ["12"]}},
        [
            {"batch_size": 12, "learning_rate": lr, "dropout": 0.0, "compile": False, "dataset": "12"}
            for lr in (1.0, 0.001)
        ],
        "flags",
        files={
            "configurator.py": """
import sys
from ast import literal_eval
for arg in sys.argv[1:]:
    key, val = arg.split('=')
    key = key[2:]
    if key not in globals():
        raise ValueError(f"Unknown config key: {key}")
    try:
        attempt = literal_eval(val)
    except (SyntaxError, ValueError):
        attempt = val
    assert type(attempt) == type(globals()[key]), key
    globals()[key] = attempt
"""
        },
    ),
    "mmengine": _style(
        """
import argparse
class DictAction(argparse.Action):  # as in mmengine and mmcv
    def __call__(self, parser, namespace, values, option_string=None):
        options = {}
        for pair in values:
            key, val = pair.split("=", maxsplit=1)
            options[key] = self.parsed(val)
        setattr(namespace, self.dest, options)
    @classmethod
    def parsed(cls, val):
        if val.startswith("["):
            return [cls.parsed(one) for one in val[1:-1].split(",")]
        for kind in (int, float):
            try:
                return kind(val)
            except ValueError:
                pass
        return {"true": True, "false": False, "none": None}.get(val.lower(), val)
parser = argparse.ArgumentParser(description="Train a model")
parser.add_argument("config", help="train config file path")
parser.add_argument("--work-dir", help="the dir to save logs and models")
parser.add_argument("--amp", action="store_true")
parser.add_argument("--cfg-options", nargs="+", action=DictAction, help="override some settings in the used config")
args = parser.parse_args()
got = [args.config, args.amp, args.cfg_options]
""",
        {
            "optim_wrapper.optimizer.lr": [0.5, 0.25],
            "config": "configs/resnet.py",
            "amp": True,
            "model.depths": [[1, 2]],
            "train_cfg.by_epoch": False,
        },
        [
            [
                "configs/resnet.py",
                True,
                {"optim_wrapper.optimizer.lr": lr, "model.depths": [1, 2], "train_cfg.by_epoch": False},
            ]
            for lr in (0.5, 0.25)
        ],
        "flags",
        names=["config", "work_dir", "amp"],
    ),
    "yacs": _style(
        """
import argparse
from ast import literal_eval
class CfgNode(dict):
    def merge_from_list(self, pairs):
        for name, text in zip(pairs[::2], pairs[1::2]):
            try:
                self[name] = literal_eval(text)
            except (ValueError, SyntaxError):
                self[name] = text
parser = argparse.ArgumentParser()
parser.add_argument("--config-file", default="", metavar="FILE")
parser.add_argument("opts", default=None, nargs=argparse.REMAINDER, help="KEY VALUE pairs at the end")
args = parser.parse_args()
cfg = CfgNode()
cfg.merge_from_list(args.opts)
got = [args.config_file, cfg]
""",
        {"SOLVER.BASE_LR": [0.5, -0.25], "config_file": "x.yaml", "SOLVER.STEPS": [[3, 4]], "MODEL.NAME": "resnet"},
        [["x.yaml", {"SOLVER.BASE_LR": lr, "SOLVER.STEPS": [3, 4], "MODEL.NAME": "resnet"}] for lr in (0.5, -0.25)],
        "flags",
        names=["config_file"],
    ),
    "detectron2": _style(
        """
from detectron2.engine import default_argument_parser, launch
def main(args):
    return [args.config_file, args.num_gpus, args.eval_only, args.opts]
args = default_argument_parser().parse_args()
got = launch(main, args)
""",
        {"SOLVER.BASE_LR": [0.5, 0.25], "num_gpus": 0, "eval_only": True, "MODEL.DEVICE": "cpu"},
        [["", 0, True, ["SOLVER.BASE_LR", lr, "MODEL.DEVICE", "cpu"]] for lr in ("0.5", "0.25")],
        "flags",
        names=["config_file", "num_gpus", "eval_only", "resume"],
        files={
            "detectron2/__init__.py": "",
            "detectron2/engine/__init__.py": """
import argparse
def default_argument_parser(epilog=None):
    parser = argparse.ArgumentParser(epilog=epilog)
    parser.add_argument("--config-file", default="", metavar="FILE")
    parser.add_argument("--resume", action="store_true")
    parser.add_argument("--eval-only", action="store_true")
    parser.add_argument("--num-gpus", type=int, default=1)
    parser.add_argument("opts", default=None, nargs=argparse.REMAINDER)
    return parser
def launch(main, args):
    return main(args)
""",
        },
    ),
}

# --- what needs the packages of the training environment --------------------------------------------------------------

_HYDRA_FILES = {
    "conf/config.yaml": "defaults:\n  - model: small\n  - _self_\nlr: 0.1\nseed: 0\nname: run\nlayers: [1, 2]\n",
    "conf/model/small.yaml": "width: 8\nact: relu\n",
    "conf/model/large.yaml": "width: 64\nact: relu\nheads: 4\n",
}
WITH_PACKAGES = {
    "hydra": _style(
        """
import hydra
from omegaconf import OmegaConf
got = None
@hydra.main(version_base=None, config_path="conf", config_name="config")
def main(cfg):
    global got
    got = OmegaConf.to_container(cfg)
main()
""",
        {"lr": [1e-05, 0.5], "model": "large", "model.width": 16, "name": {"values": ["a, b='c'"]}, "layers": [[3, 4]]},
        [
            {
                "lr": lr,
                "seed": 0,
                "name": "a, b='c'",
                "layers": [3, 4],
                "model": {"width": 16, "act": "relu", "heads": 4},
            }
            for lr in (1e-05, 0.5)
        ],
        "overrides",
        files=_HYDRA_FILES,
        names=["lr", "seed", "name", "layers", "model", "model.width", "model.act", "model.heads"],
    ),
    "omegaconf": _style(
        """
from omegaconf import OmegaConf
conf = OmegaConf.merge(OmegaConf.load("config.yaml"), OmegaConf.from_cli())
got = OmegaConf.to_container(conf)
""",
        {"model.lr": [1e-05, 0.5], "tag": "on"},
        [{"model": {"lr": lr, "width": 3}, "tag": "on"} for lr in (1e-05, 0.5)],
        "overrides",
        files={"config.yaml": "model:\n  lr: 0.1\n  width: 3\ntag: x\n"},
        names=["model.lr", "model.width", "tag"],
    ),
    "sacred": _style(
        """
from sacred import Experiment
ex = Experiment("mnist", save_git_info=False)
@ex.config
def config():
    lr = 0.1
    epochs = 3
    name = "x"
got = None
@ex.automain
def main(lr, epochs, name, dropout=0.5):
    global got
    got = [lr, epochs, name, dropout]
    print("GOT", __import__("json").dumps(got))
""",
        {"lr": [1e-05, 2], "name": {"values": ["12"]}, "dropout": 0.25},
        [[lr, 3, "12", 0.25] for lr in (1e-05, 2.0)],
        "overrides",
    ),
    "yaml flag": _style(
        """
import argparse, yaml
p = argparse.ArgumentParser()
p.add_argument("-c", "--config", required=True)
args = p.parse_args()
with open(args.config) as f:
    got = yaml.safe_load(f)
""",
        {"config": "configs/a.yaml", "optimizer.lr": [1e-05, 0.5], "layers": [[3, 4]], "name": "yes"},
        [{"name": "yes", "optimizer": {"lr": lr, "type": "adam"}, "layers": [3, 4]} for lr in (1e-05, 0.5)],
        "flags",
        files={
            "configs/a.yaml": "name: x  # of the run\noptimizer:\n  lr: 0.1\n  type: adam\n"
            "layers:\n  - 1\n  - 2\n\n# end\n",
            "configs/b.yaml": "name: y\n",
        },
    ),
    "HfArgumentParser": _style(
        """
from dataclasses import dataclass, field
from transformers import HfArgumentParser
@dataclass
class ModelArguments:
    model_name: str = field(default="bert", metadata={"help": "which model"})
    freeze: bool = field(default=False)
@dataclass
class DataArguments:
    max_length: int = 128
model, data = HfArgumentParser((ModelArguments, DataArguments)).parse_args_into_dataclasses()
got = [model.model_name, model.freeze, data.max_length]
""",
        {"model_name": ["a", "b"], "freeze": True, "max_length": 64},
        [["a", True, 64], ["b", True, 64]],
        "flags",
    ),
    "tyro": _style(
        """
import dataclasses, tyro
from options import Optimizer
@dataclasses.dataclass
class Args:
    optim: Optimizer
    epochs: int = 3
    augment: bool = True
    layers: tuple[int, ...] = (1, 2)
args = tyro.cli(Args)
got = [args.optim.lr, args.optim.nesterov, args.epochs, args.augment, args.layers]
""",
        {"optim.lr": [0.5, 0.25], "optim.nesterov": True, "augment": False, "layers": [[3, 4]]},
        [[0.5, True, 3, False, [3, 4]], [0.25, True, 3, False, [3, 4]]],
        "flags",
        files={
            "options.py": "import dataclasses\n@dataclasses.dataclass\nclass Optimizer:\n"
            "    lr: float = 0.1\n    nesterov: bool = False\n"
        },
        names=["optim.lr", "optim.nesterov", "epochs", "augment", "layers"],
    ),
    "simple-parsing": _style(
        """
from dataclasses import dataclass
from simple_parsing import ArgumentParser
@dataclass
class Options:
    lr: float = 0.1
    debug: bool = False
parser = ArgumentParser()
parser.add_argument("--epochs", type=int, default=1)
parser.add_arguments(Options, dest="options")
args = parser.parse_args()
got = [args.options.lr, args.options.debug, args.epochs]
""",
        {"lr": [0.5, 0.25], "debug": True, "epochs": 2},
        [[0.5, True, 2], [0.25, True, 2]],
        "flags",
        names=["lr", "debug", "epochs"],
    ),
    "draccus": _style(
        """
from dataclasses import dataclass, field
import draccus
@dataclass
class Optim:
    lr: float = 0.1
@dataclass
class Config:
    optim: Optim = field(default_factory=Optim)
    layers: list[int] = field(default_factory=lambda: [1])
    fast: bool = False
got = None
@draccus.wrap()
def main(cfg: Config):
    global got
    got = [cfg.optim.lr, cfg.layers, cfg.fast]
main()
""",
        {"optim.lr": [0.5, 0.25], "layers": [[3, 4]], "fast": True},
        [[0.5, [3, 4], True], [0.25, [3, 4], True]],
        "flags",
        names=["optim.lr", "layers", "fast"],
    ),
    "jsonargparse": _style(
        """
from jsonargparse import auto_cli
def main(data: str, lr: float = 0.1, layers: list[int] = [1], fast: bool = False):
    return [data, lr, layers, fast]
got = auto_cli(main)
""",
        {"data": "cifar", "lr": [0.5, 0.25], "layers": [[3, 4]], "fast": True},
        [["cifar", 0.5, [3, 4], True], ["cifar", 0.25, [3, 4], True]],
        "flags",
    ),
    "LightningCLI": _style(
        """
from lightning.pytorch.cli import LightningCLI
class Net:
    def __init__(self, lr: float = 0.1, width: int = 8, act: str = "relu"):
        self.got = [lr, width, act]
class Data:
    def __init__(self, batch_size: int = 4):
        self.got = batch_size
cli = LightningCLI(Net, Data)
got = [cli.command, cli.config.trainer.max_epochs, cli.model.got, cli.data.got]
""",
        {"model.lr": [0.5, 0.25], "trainer.max_epochs": 3, "data.batch_size": 16, "config": "fit.yaml"},
        [["fit", 3, [lr, 64, "relu"], 16] for lr in (0.5, 0.25)],
        "flags",
        names=["model.lr", "model.width", "data.batch_size", "trainer.max_epochs", "config"],
        files={
            "fit.yaml": "model:\n  lr: 7.0\n  width: 64\ntrainer:\n  max_epochs: 1\n",
            "lightning/__init__.py": "",
            "lightning/pytorch/__init__.py": "class Trainer:\n    def __init__(self, max_epochs: int = 1): pass\n",
            "lightning/pytorch/cli.py": """
import jsonargparse
from lightning.pytorch import Trainer
class LightningCLI:  # the same parser as the real one's
    def __init__(self, model, data):
        parser, sub = jsonargparse.ArgumentParser(), jsonargparse.ArgumentParser()
        sub.add_argument("--config", action="config")
        for kind, name in ((Trainer, "trainer"), (model, "model"), (data, "data")):
            sub.add_class_arguments(kind, name)
        parser.add_subcommands().add_subcommand("fit", sub)
        config = parser.parse_args()
        self.command, self.config = config.subcommand, config.fit
        self.model, self.data = model(**config.fit.model), data(**config.fit.data)
""",
        },
    ),
}
