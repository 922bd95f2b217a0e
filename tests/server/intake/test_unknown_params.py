"""Test that a parameter that nothing in a script takes is refused, and that nothing else is."""

from typing import Any

import pytest

from paddock.errors import InvalidInput
from paddock.models import Convention, JobSpec, Traits
from paddock.server.intake.submission import Plan, plan
from paddock.settings import Settings

ARGPARSE = (
    "import argparse\np = argparse.ArgumentParser()\np.add_argument('--learning-rate')\np.add_argument('--epochs')\n"
)


def planned(settings: Settings, files: dict[str, str], params: dict[str, Any], **spec: Any) -> Plan:
    sent = {name: text.encode() for name, text in files.items()}
    return plan(JobSpec(script="train.py", params=params, **spec), sent, settings, (), Traits(queued=False))


def refused(settings: Settings, source: str, *names: str, **files: str) -> str:
    with pytest.raises(InvalidInput) as caught:
        planned(settings, {"train.py": source, **files}, dict.fromkeys(names, "1,2"))
    assert set(caught.value.fields) == {f"params.{name}" for name in names}
    return caught.value.message


@pytest.mark.parametrize(
    ("source", "name", "meant"),
    [
        (ARGPARSE + "p.parse_args()", "learning_rat_", "--learning-rate"),
        (ARGPARSE + "p.parse_args()", "lr", "--learning-rate"),
        ("import os\nx = os.environ['BATCH_SIZE']", "batchsize", "`BATCH_SIZE`"),
        ("LR = 0.1\nEPOCHS = 3\n", "EPOCH", "`EPOCHS`"),
        ("import fire\ndef train(lr=0.1, width=3): pass\nfire.Fire(train)", "widht", "--width"),
        ("import sacred\nex = sacred.Experiment()\n@ex.config\ndef c():\n    lr = 1\n", "lrr", "`lr`"),
        ("x = 1\nexec(open('configurator.py').read())", "xx", None),
        ("import yaml\ncfg = yaml.safe_load(open('config.yaml'))", "width", "`model.width`"),
    ],
)
def test_near_names_and_the_list(settings: Settings, source: str, name: str, meant: str | None) -> None:
    message = refused(settings, source, name, **{"config.yaml": "model:\n  width: 3\n"})
    assert f"takes no parameter `{name}`" in message
    assert meant is None or f"did you mean {meant}?" in message
    assert "It takes " in message
    assert "--convention env" in message


def test_a_script_in_which_nothing_is_found(settings: Settings) -> None:
    message = refused(settings, "import torch\nfor epoch in range(3):\n    print('loss:', epoch)\n", "lr", "wd")
    assert "`lr`" in message
    assert "`wd`" in message
    assert "Reading the script shows none" in message
    made = planned(settings, {"train.py": "print(1)"}, {"lr": "1,2"}, convention="env")
    assert made.command(1, {"lr": 1}, "j", "/code").env["lr"] == "1"
    assert planned(settings, {"train.py": "print(1)"}, {}).script is not None


@pytest.mark.parametrize(
    "source",
    [
        ARGPARSE + "args, rest = p.parse_known_args()",
        ARGPARSE + "p.parse_args()\n# argparse takes `--ep` for `--epochs`\n".replace("# ", "#"),
        ARGPARSE + "import model\nmodel.add_more(p)\np.parse_args()",
        "import argparse\np = argparse.ArgumentParser()\nfor n in names():\n    p.add_argument('--' + n)",
        "import fire\ndef train(**kwargs): pass\nfire.Fire(train)",
        "import sys\nfrom elsewhere import run\nrun(sys.argv[1:])",
        "from fairseq_cli.train import cli_main\ncli_main()",
        "from mypackage.options import get_args\nargs = get_args()",
        "import os\nconfig = dict(os.environ)",
        "import os\nfor key in KEYS:\n    settings[key] = os.environ.get(key)",
        "import os, json\nparams = json.load(open(os.environ['PADDOCK_PARAMS']))",
        "from pydantic_settings import BaseSettings\nclass S(BaseSettings):\n    ep: float = 1\nS()",
        "import subprocess\nsubprocess.run(['python', 'real.py'])",
        "import hydra\n@hydra.main(config_path='conf', config_name='config')\ndef main(cfg): pass",
        "from transformers import HfArgumentParser, TrainingArguments\nHfArgumentParser(TrainingArguments)",
        "from omegaconf import OmegaConf\nOmegaConf.from_cli()",
        "from docopt import docopt\nargs = docopt(__doc__)",
        "def broken(:",
    ],
)
def test_what_cannot_be_known_is_not_refused(settings: Settings, source: str) -> None:
    assert len(planned(settings, {"train.py": source}, {"ep": "1,2"}).configurations) == 2


def test_a_shell_script_is_not_refused(settings: Settings) -> None:
    made = plan(
        JobSpec(script="run.sh", params={"lr": "1,2"}), {"run.sh": b"#!/bin/sh\n"}, settings, (), Traits(queued=False)
    )
    assert len(made.configurations) == 2


def test_who_insists_on_a_convention_is_not_refused(settings: Settings) -> None:
    made = planned(settings, {"train.py": "LR = 1\n"}, {"other": 1}, convention="flags")
    assert made.command(1, {"other": 1}, "j", "/code").argv[-2:] == ["--other", "1"]
    with pytest.raises(InvalidInput):
        planned(settings, {"train.py": ARGPARSE + "p.parse_args()"}, {"other": 1}, convention="flags")


def test_the_first_letters_of_an_option_are_enough_for_argparse(settings: Settings) -> None:
    made = planned(settings, {"train.py": ARGPARSE + "p.parse_args()"}, {"ep": 1})
    assert made.command(1, {"ep": 1}, "j", "/code").argv[-2:] == ["--epochs", "1"]
    strict = ARGPARSE.replace("ArgumentParser()", "ArgumentParser(allow_abbrev=False)")
    refused(settings, strict + "p.parse_args()", "ep")


def test_a_constant_beside_options_counts_if_it_is_given(settings: Settings) -> None:
    source = "import argparse\nHIDDEN = 64\np = argparse.ArgumentParser()\np.add_argument('--lr')\np.parse_args()\n"
    made = planned(settings, {"train.py": source}, {"lr": 1, "HIDDEN": 128})
    command = made.command(1, {"lr": 1, "HIDDEN": 128}, "j", "/h/jobs/j/code")
    assert command.argv[-3:] == ["/h/jobs/j/results/j/j-1/work/train.py", "--lr", "1"]
    assert command.edits == {"train.py": {"size": len(source), "put": [[25, 27, "128"]]}}
    assert [p.name for p in planned(settings, {"train.py": source}, {"lr": 1}).script.params] == ["lr"]  # type: ignore[union-attr]


def test_options_of_a_module_that_is_run_by_itself_are_not_taken(settings: Settings) -> None:
    evaluate = (
        "import argparse\ndef evaluate(): pass\ndef main():\n    p = argparse.ArgumentParser()\n"
        "    p.add_argument('--split')\n    p.parse_args()\nif __name__ == '__main__':\n    main()\n"
    )
    source = ARGPARSE + "from evaluate import evaluate\np.parse_args()\n"
    assert "--split" not in refused(settings, source, "split", **{"evaluate.py": evaluate})


def test_a_configuration_in_another_working_folder_is_refused(settings: Settings) -> None:
    files = {"train.py": "import json\ncfg = json.load(open('c.json'))", "c.json": '{"lr": 1}'}
    assert planned(settings, files, {"lr": 2}).script.convention is Convention.CONFIG  # type: ignore[union-attr]
    with pytest.raises(InvalidInput, match=r"c\.json"):
        planned(settings, files, {"lr": 2}, workdir="/data")


LIGHTNING = (
    "from lightning.pytorch.cli import LightningCLI\nclass Net:\n    def __init__(self, lr=0.1, sizes=[1]): ...\n"
)


@pytest.mark.parametrize(
    ("source", "params", "words"),
    [
        (
            "from mmengine.config import DictAction\n" + ARGPARSE + "p.add_argument('config')\n"
            "p.add_argument('--cfg-options', nargs='+', action=DictAction)\np.parse_args()",
            {"epochs": 3, "optim.lr": 0.5, "config": "a.py", "on": True},
            "a.py --epochs 3 --cfg-options optim.lr=0.5 on=True",
        ),
        (
            "from detectron2.engine import default_argument_parser\nargs = default_argument_parser().parse_args()",
            {"SOLVER.BASE_LR": 0.5, "num-gpus": 2, "resume": True, "MODEL.DEVICE": "cpu"},
            "--num-gpus 2 --resume SOLVER.BASE_LR 0.5 MODEL.DEVICE cpu",
        ),
        (
            LIGHTNING + "LightningCLI(Net)",
            {"model.lr": 0.5, "config": "fit.yaml", "trainer.max_epochs": 3, "model.sizes": [1, 2]},
            "fit --config fit.yaml --model.lr 0.5 --trainer.max_epochs 3 --model.sizes [1,2]",
        ),
        (LIGHTNING + "LightningCLI(Net, run=False)", {"model.lr": 0.5}, "--model.lr 0.5"),
        (
            LIGHTNING + "class Own(LightningCLI): pass\nOwn(Net)",
            {"trainer.callbacks": "x"},
            "fit --trainer.callbacks x",
        ),
    ],
)
def test_overrides_of_well_known_command_lines(
    settings: Settings, source: str, params: dict[str, Any], words: str
) -> None:
    made = planned(settings, {"train.py": source}, {name: {"values": [value]} for name, value in params.items()})
    assert made.command(1, params, "j", "/code").argv[2:] == words.split()
