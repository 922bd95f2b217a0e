"""Test the reading of click, typer, absl, fire, and parsers made from classes."""

import textwrap

from paddock.models import Convention, FlagStyle, ScriptParam, ScriptReport
from paddock.program.inspection import inspect_source


def inspect(source: str) -> ScriptReport:
    return inspect_source(textwrap.dedent(source))


def found(source: str) -> dict[str, ScriptParam]:
    report = inspect(source)
    assert report.convention is Convention.FLAGS
    return {p.name: p for p in report.params}


def test_click() -> None:
    params = found("""
        import click
        OPTIMIZERS = ("adam", "sgd")
        @click.command(context_settings={"show_default": True})
        @click.argument("data", type=click.Path(exists=True))
        @click.option("--learning-rate", "-lr", "lr", default=1e-3, help="step size")
        @click.option("--epochs", type=click.INT, required=True)
        @click.option("--shout/--no-shout", default=True)
        @click.option("--dry-run", is_flag=True)
        @click.option("--optimizer", type=click.Choice(OPTIMIZERS), default="adam")
        @click.option("--tag", multiple=True)
        @click.option("--size", nargs=2, type=int)
        @click.option("-v", "--verbose", count=True)
        @click.option("--depth", type=click.IntRange(1, 8))
        def main(data, lr, **rest):
            pass
    """)
    assert (params["data"].position, params["data"].type, params["data"].required) == (1, "str", True)
    assert params["lr"] == ScriptParam(name="lr", type="float", default=0.001, help="step size", flag="--learning-rate")
    assert (params["epochs"].type, params["epochs"].required) == ("int", True)
    assert (params["shout"].style, params["shout"].off_flag, params["shout"].default) == (
        FlagStyle.ON_OFF, "--no-shout", True,
    )  # fmt: skip
    assert (params["dry_run"].style, params["dry_run"].flag) == (FlagStyle.SWITCH, "--dry-run")
    assert (params["optimizer"].choices, params["optimizer"].type) == (["adam", "sgd"], "str")
    assert (params["tag"].type, params["tag"].style) == ("list", FlagStyle.EQUALS)
    assert (params["size"].type, params["size"].style) == ("list", FlagStyle.VALUE)
    assert (params["verbose"].type, params["verbose"].style) == ("int", FlagStyle.SWITCH)
    assert params["depth"].type == "int"


def test_click_groups_ask_for_a_command() -> None:
    report = inspect("""
        import click
        @click.group()
        def cli(): pass
        @cli.command()
        @click.option("--lr", type=float)
        def train_model(lr): pass
    """)
    assert [p.name for p in report.params] == ["lr"]
    assert "sub-commands (train-model)" in report.warnings[0]


def test_click_imported_by_name_and_computed_options() -> None:
    report = inspect("""
        from click import command, option
        @command()
        @option("--lr", default=0.1)
        @option(f"--{name}")
        def main(lr): pass
    """)
    assert [p.name for p in report.params] == ["lr"]
    assert report.open_ended


def test_typer_app() -> None:
    params = found("""
        from enum import Enum
        from pathlib import Path
        from typing import Annotated, Optional, List
        import typer
        app = typer.Typer()
        class Optimizer(str, Enum):
            adam = "adam"
            sgd = "sgd"
        @app.command()
        def main(
            ctx: typer.Context,
            data: Path,
            learning_rate: float = 0.1,
            batch_size: Annotated[int, typer.Option("--bs", "-b", help="how many")] = 32,
            augment: bool = True,
            quiet: bool = typer.Option(False, "--quiet"),
            optimizer: Optimizer = Optimizer.adam,
            name: Optional[str] = None,
            tags: List[str] = typer.Option([]),
            size: tuple[int, int] = (1, 2),
            seed: int = typer.Option(..., help="needed"),
            extra: str = typer.Argument("x"),
        ):
            print("loss:", 1)
    """)
    assert "ctx" not in params
    assert (params["data"].position, params["data"].type, params["extra"].position) == (1, "str", 2)
    assert (params["learning_rate"].flag, params["learning_rate"].default) == ("--learning-rate", 0.1)
    assert (params["batch_size"].flag, params["batch_size"].help) == ("--bs", "how many")
    assert (params["augment"].style, params["augment"].off_flag) == (FlagStyle.ON_OFF, "--no-augment")
    assert params["quiet"].style is FlagStyle.SWITCH
    assert params["optimizer"].choices == ["adam", "sgd"]
    assert params["name"].type == "str"
    assert (params["tags"].type, params["tags"].style) == ("list", FlagStyle.EQUALS)
    assert (params["size"].type, params["size"].style) == ("list", FlagStyle.VALUE)
    assert (params["seed"].required, params["seed"].help) == (True, "needed")


def test_typer_run() -> None:
    params = found("""
        import typer
        def main(epochs: int = 3, lr: "float" = 0.1): pass
        def other(x: int): pass
        if __name__ == "__main__":
            typer.run(main)
    """)
    assert [(p.flag, p.type) for p in params.values()] == [("--epochs", "int"), ("--lr", "float")]


def test_typer_with_several_commands() -> None:
    report = inspect("""
        import typer
        app = typer.Typer()
        @app.command()
        def train(lr: float = 0.1): pass
        @app.command()
        def predict(lr: float = 0.1): pass
    """)
    assert "sub-commands (train, predict)" in report.warnings[0]


def test_absl() -> None:
    params = found("""
        from absl import app, flags
        FLAGS = flags.FLAGS
        flags.DEFINE_integer("batch_size", 32, "Batch size.", lower_bound=1)
        flags.DEFINE_float("lr", 1e-3, help="step")
        flags.DEFINE_bool("augment", True, "")
        _OPT = flags.DEFINE_enum("optimizer", "adam", ["adam", "sgd"], "which")
        flags.DEFINE_list("layers", ["64"], "")
        flags.DEFINE_multi_integer("gpu", None, "")
        flags.DEFINE_string("data", None, "where", required=True)
    """)
    assert all(p.style is FlagStyle.EQUALS for p in params.values())
    assert (params["batch_size"].type, params["batch_size"].default, params["batch_size"].help) == (
        "int", 32, "Batch size.",
    )  # fmt: skip
    assert (params["lr"].type, params["lr"].help) == ("float", "step")
    assert params["augment"].type == "bool"
    assert (params["optimizer"].choices, params["optimizer"].help) == (["adam", "sgd"], "which")
    assert (params["layers"].type, params["gpu"].type) == ("str", "list")
    assert params["data"].required


def test_tensorflow_1_flags() -> None:
    params = found("""
        import tensorflow as tf
        flags = tf.app.flags
        flags.DEFINE_integer('epochs', 10, 'Number of epochs.')
        tf.compat.v1.flags.DEFINE_boolean('fake_data', False, 'unit testing')
    """)
    assert [(p.flag, p.type) for p in params.values()] == [("--epochs", "int"), ("--fake_data", "bool")]


def test_config_flags_are_open_ended() -> None:
    report = inspect("from ml_collections import config_flags\nconfig_flags.DEFINE_config_file('config')")
    assert report.open_ended


def test_fire() -> None:
    source = """
        import fire
        def train(data, lr=0.1, *, epochs: int = 3, layers=[64, 32], augment=True):
            pass
        if __name__ == '__main__':
            fire.Fire(train)
    """
    params = found(source)
    assert [(p.flag, p.type, p.required) for p in params.values()] == [
        ("--data", None, True), ("--lr", "float", False), ("--epochs", "int", False), ("--layers", None, False),
        ("--augment", "bool", False),
    ]  # fmt: skip
    assert not inspect(source).open_ended
    assert inspect(source.replace("augment=True", "**rest")).open_ended


def test_fire_with_several_commands() -> None:
    report = inspect("import fire\nclass T:\n    def fit(self, lr=1): pass\nfire.Fire(T)\n")
    assert report.open_ended
    assert "sub-commands (fit)" in report.warnings[0]


def test_dataclass_parsers() -> None:
    source = """
        from dataclasses import dataclass, field
        from typing import Literal, Optional
        from transformers import HfArgumentParser, TrainingArguments
        @dataclass
        class ModelArguments:
            model_name: str
            lr: float = field(default=1e-4, metadata={"help": "step size"})
            freeze: bool = False
            layers: list[int] = field(default_factory=lambda: [64])
            kind: Literal["a", "b"] = "a"
            cache: Optional[str] = None
        parser = HfArgumentParser((ModelArguments, TrainingArguments))
    """
    params = found(source)
    assert inspect(source).open_ended
    assert (params["model_name"].required, params["model_name"].flag) == (True, "--model_name")
    assert (params["lr"].default, params["lr"].help) == (1e-4, "step size")
    assert (params["freeze"].type, params["freeze"].style) == ("bool", FlagStyle.VALUE)
    assert (params["layers"].type, params["layers"].default) == ("list", [64])
    assert params["kind"].choices == ["a", "b"]
    assert params["cache"].type == "str"


def test_tyro_and_tap() -> None:
    tyro = found("""
        import dataclasses, tyro
        @dataclasses.dataclass
        class Args:
            torch_deterministic: bool = True
            seed: int = 1
        args = tyro.cli(Args)
    """)
    assert tyro["torch_deterministic"].style is FlagStyle.ON_OFF
    tap = found("""
        from tap import Tap
        class Arguments(Tap):
            lr: float = 0.1
            quiet: bool = False
        Arguments().parse_args()
    """)
    assert tap["quiet"].style is FlagStyle.SWITCH


def test_hydra_and_omegaconf_take_any_name_where_no_configuration_is_in_sight() -> None:
    for source in (
        "import hydra\n@hydra.main(config_path='conf')\ndef main(cfg): pass\n",
        "import hydra\n@hydra.main(config_path='conf', config_name='config')\ndef main(cfg): pass\n",
        "from omegaconf import OmegaConf\nconf = OmegaConf.from_cli()\n",
    ):
        report = inspect(source)
        assert (report.convention, report.open_ended) == (Convention.OVERRIDES, True)
