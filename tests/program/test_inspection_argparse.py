"""Test the reading of argparse and similar parsers, as researchers write them."""

import textwrap

import pytest

from paddock.models import Convention, FlagStyle, ScriptParam, ScriptReport
from paddock.program.inspection import inspect_source

PYTORCH = """
    from __future__ import print_function
    import argparse
    import torch
    from pathlib import Path

    DEFAULT_BATCH = 32 * 2
    MODELS = {"resnet18": torch.nn.Linear, "vgg": torch.nn.Conv2d}

    def main():
        parser = argparse.ArgumentParser(description='PyTorch MNIST Example')
        parser.add_argument('--batch-size', type=int, default=DEFAULT_BATCH, metavar='N', help='input batch size')
        parser.add_argument('--lr', '--learning-rate', type=float, default=1e-3)
        parser.add_argument('-e', '--epochs', default=14, type=int, dest='n_epochs')
        parser.add_argument('--no-cuda', action='store_true', default=False)
        parser.add_argument('--optimizer', choices=['adam', "sgd"], default='adam')
        parser.add_argument('--model', choices=sorted(MODELS.keys()), required=True)
        parser.add_argument('--layers', type=int, nargs='+', default=[64, 32])
        parser.add_argument('-wd', type=float, default=-1e-4)
        parser.add_argument('--data', type=Path, default=Path("data"))
        parser.add_argument('--version', action='version', version='1.0')
        args = parser.parse_args()
        print(f"epoch: {1} loss: {0.5:.4f}")
"""


def inspect(source: str, *given: str) -> ScriptReport:
    return inspect_source(textwrap.dedent(source), given=given)


def options(lines: str) -> dict[str, ScriptParam]:
    """The parameters of a parser with these calls."""
    source = "import argparse\np = argparse.ArgumentParser()\n" + textwrap.dedent(lines) + "\nargs = p.parse_args()\n"
    return {p.name: p for p in inspect_source(source).params}


def test_a_typical_script() -> None:
    report = inspect(PYTORCH)
    assert report.convention is Convention.FLAGS
    assert not report.open_ended
    assert report.warnings == []
    assert report.metrics == ["stdout"]
    found = {p.name: p for p in report.params}
    assert list(found) == [
        "batch_size", "lr", "n_epochs", "no_cuda", "optimizer", "model", "layers", "wd", "data",
    ]  # fmt: skip
    assert found["batch_size"] == ScriptParam(
        name="batch_size", type="int", default=64, help="input batch size", flag="--batch-size"
    )
    assert (found["lr"].flag, found["lr"].type, found["lr"].default) == ("--lr", "float", 0.001)
    assert found["n_epochs"].flag == "--epochs"
    assert (found["no_cuda"].style, found["no_cuda"].type) == (FlagStyle.SWITCH, "bool")
    assert found["optimizer"].choices == ["adam", "sgd"]
    assert found["model"].choices == ["resnet18", "vgg"]
    assert found["model"].required
    assert (found["layers"].type, found["layers"].default) == ("list", [64, 32])
    assert (found["wd"].flag, found["wd"].default) == ("-wd", -1e-4)
    assert (found["data"].type, found["data"].default) == ("str", None)


@pytest.mark.parametrize(
    ("call", "style", "kind", "default"),
    [
        ("action='store_true'", FlagStyle.SWITCH, "bool", False),
        ("action='store_false'", FlagStyle.SWITCH_OFF, "bool", True),
        ("action=argparse.BooleanOptionalAction, default=True", FlagStyle.ON_OFF, "bool", True),
        ("action='count'", FlagStyle.SWITCH, "int", 0),
        ("action='append'", FlagStyle.EQUALS, "list", None),
        ("action='store_const', const=3", FlagStyle.SWITCH, "bool", False),
        ("nargs='?', type=float", FlagStyle.VALUE, "float", None),
        ("nargs=2", FlagStyle.VALUE, "list", None),
        ("type=lambda x: int(x)", FlagStyle.VALUE, "int", None),
        ("type=lambda x: x.lower() in ('true', '1')", FlagStyle.VALUE, "bool", None),
        ("type=str2bool, default=False", FlagStyle.VALUE, "bool", False),
        ("type=positive_int", FlagStyle.VALUE, "int", None),
        ("type=json.loads", FlagStyle.VALUE, None, None),
        ("default=2**10", FlagStyle.VALUE, "int", 1024),
        ("default=10**10**10", FlagStyle.VALUE, "str", None),
        ("type=float, default=float('inf')", FlagStyle.VALUE, "float", None),
        ("default=os.environ.get('DATA', '/data')", FlagStyle.VALUE, "str", "/data"),
        ("type=int, choices=range(1, 4), default=1", FlagStyle.VALUE, "int", 1),
    ],
)
def test_kinds_of_options(call: str, style: FlagStyle, kind: str | None, default: object) -> None:
    param = options(f"p.add_argument('--some-x', {call})")["some_x"]
    assert (param.style, param.type, param.default) == (style, kind, default)


def test_both_sides_of_a_switch_are_one_parameter() -> None:
    found = options("""
        p.add_argument('--augment', dest='augment', action='store_true')
        p.add_argument('--no-augment', dest='augment', action='store_false')
        p.set_defaults(augment=True)
    """)
    assert list(found) == ["augment"]
    assert (found["augment"].style, found["augment"].off_flag) == (FlagStyle.ON_OFF, "--no-augment")
    assert options("p.add_argument('--x', action=argparse.BooleanOptionalAction)")["x"].off_flag == "--no-x"


def test_positionals_have_their_order() -> None:
    found = options("""
        p.add_argument('data', help='folder')
        p.add_argument('--lr', type=float)
        p.add_argument('out', nargs='?', default='runs')
    """)
    assert (found["data"].position, found["data"].flag, found["data"].required) == (1, None, True)
    assert (found["out"].position, found["out"].required, found["out"].type) == (2, False, "str")


def test_groups_helpers_and_defaults() -> None:
    report = inspect("""
        import argparse
        def add_model_options(parser):
            group = parser.add_argument_group("model")
            group.add_argument("--depth", type=int, default=3)
        class Trainer:
            def __init__(self):
                self.parser = argparse.ArgumentParser()
                add_model_options(self.parser)
                either = self.parser.add_mutually_exclusive_group()
                either.add_argument("--cpu", action="store_true")
                self.parser.set_defaults(depth=5)
    """)
    assert [(p.name, p.default) for p in report.params] == [("depth", 5), ("cpu", False)]
    assert not report.open_ended


@pytest.mark.parametrize(
    "lines",
    [
        "args, rest = p.parse_known_args()",
        "for n in NAMES:\n    p.add_argument('--' + n)",
        "p.add_argument(f'--{prefix}-lr')",
        "p.add_argument(*names, **how)",
        "p = pl.Trainer.add_argparse_args(p)",
        "deepspeed.add_config_arguments(p)",
        "q = argparse.ArgumentParser(parents=[base_parser()])",
        "p.add_argument('rest', nargs=argparse.REMAINDER)",
    ],
)
def test_what_reading_cannot_tell_leaves_it_open(lines: str) -> None:
    report = inspect_source("import argparse\np = argparse.ArgumentParser()\np.add_argument('--lr')\n" + lines)
    assert report.open_ended
    assert report.convention is Convention.FLAGS
    assert "lr" in [p.name for p in report.params]


def test_subcommands_ask_for_a_command() -> None:
    report = inspect("""
        import argparse
        p = argparse.ArgumentParser()
        sub = p.add_subparsers(dest="what")
        train = sub.add_parser("train")
        train.add_argument("--lr", type=float)
        test = sub.add_parser("test")
        test.add_argument("--lr", type=float)
        print("loss:", 1)
    """)
    assert [p.name for p in report.params] == ["lr"]
    assert "sub-commands (train, test)" in report.warnings[0]


def test_type_bool_is_warned_of() -> None:
    report = inspect("import argparse\np = argparse.ArgumentParser()\np.add_argument('--aug', type=bool, default=True)")
    assert any("--aug with type=bool" in w for w in report.warnings)


def test_optparse() -> None:
    report = inspect("""
        from optparse import OptionParser
        parser = OptionParser()
        parser.add_option("-l", "--lr", dest="lr", type="float", default=0.1)
        parser.add_option("--quiet", action="store_true")
    """)
    assert [(p.flag, p.type, p.style) for p in report.params] == [
        ("--lr", "float", FlagStyle.VALUE),
        ("--quiet", "bool", FlagStyle.SWITCH),
    ]


def test_getopt() -> None:
    report = inspect("""
        import getopt, sys
        opts, args = getopt.getopt(sys.argv[1:], "hl:", ["help", "lr=", "batch_size="])
    """)
    assert report.convention is Convention.FLAGS
    assert [(p.flag, p.style) for p in report.params] == [
        ("--help", FlagStyle.SWITCH), ("--lr", FlagStyle.VALUE), ("--batch_size", FlagStyle.VALUE),
    ]  # fmt: skip
