"""Test what holds for every script: nothing is run, nothing raises, warnings name what to do."""

import ast
import textwrap
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from paddock.models import Convention, ScriptReport
from paddock.program.inspection import inspect_source

TAKES = "import argparse\np = argparse.ArgumentParser()\np.add_argument('--batch-size', type=int)\n" + (
    "p.add_argument('--learning-rate', type=float, required=True)\nprint('loss:', 1)\n"
)


def inspect(source: str, *names: str) -> ScriptReport:
    return inspect_source(textwrap.dedent(source), given=names)


def test_a_syntax_error_is_told_with_its_line() -> None:
    report = inspect_source("import os\ndef broken(:\n", "my_train.py", ["lr"])
    assert (report.convention, report.open_ended) == (Convention.ENV, True)
    assert len(report.warnings) == 1
    assert "Line 2 of my_train.py" in report.warnings[0]


@pytest.mark.parametrize(
    "source",
    [
        "x = 'nul\0'", "(" * 10_000, "x = " + "-" * 100_000 + "1", "a = 1" + " + 1" * 20_000, "a" + ".b" * 20_000,
        "x = '\ud800'", "print('\\d')", "", "\ufeffprint(1)", "x = 10 ** 10 ** 10", "x = 'a' * 10 ** 12",
        "a = [1, 1]\n" + "".join(f"a{i} = [a{i - 1 if i else ''}, a{i - 1 if i else ''}]\n" for i in range(60)),
        "x = 1e999", "x = 1 // 0", "x = (-8) ** 0.5", "x = sorted([1, 'a'])", "x: int", "x = -'a'", "x = {**y}",
        "import argparse\np.add_argument()\np.add_argument('')\np.add_argument('', '-')\np.add_argument('--')",
        "import click\n@click.option()\n@click.argument()\ndef f(): pass",
        "import typer\ntyper.run()\ntyper.run(lambda: 1)", "import fire\nfire.Fire()\nfire.Fire(1)",
        "import sys\nx = sys.argv[10 ** 18]\n(a, b), c = sys.argv", "flags.DEFINE_integer()",
        "p.add_argument('--x', default='\\ud800', help='\\ud800')\np.add_argument('--\\ud800')",
        "import sys\njob, task = sys.argv[1:3]\nx = sys.argv[10 ** 12]\ny = sys.argv[10 ** 9:][2]",
        "class A(A): pass\nHfArgumentParser(A)", "import sys\nx, y = sys.argv[1], *z",
    ],
)  # fmt: skip
def test_odd_sources_never_raise(source: str) -> None:
    report = inspect_source(source, given=["lr"])
    ScriptReport.model_validate_json(report.model_dump_json())


@settings(deadline=None)
@given(st.text())
def test_any_text_is_read(source: str) -> None:
    inspect_source(source)


def test_the_standard_library_is_read() -> None:
    folder = Path(ast.__file__).parent
    for path in sorted(folder.glob("*.py"))[::6]:
        inspect_source(path.read_text(encoding="utf-8"), path.name, ["lr"])


def test_nothing_is_run(tmp_path: Path) -> None:
    inspect_source(f"open({str(tmp_path / 'ran')!r}, 'w')\nimport sys\nsys.exit(3)\n")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", ["train.sh", "train.R", "train.jl", "train"])
def test_other_languages(name: str) -> None:
    report = inspect_source("#!/bin/sh\nexec python", name, ["lr"])
    assert report == ScriptReport(convention=Convention.ENV, open_ended=True, shebang=["/bin/sh"])


def test_nothing_found() -> None:
    report = inspect("import torch\nprint('loss:', 1)", "lr")
    assert (report.convention, report.open_ended) == (Convention.ENV, False)
    assert len(report.warnings) == 1
    assert "Reading the script shows no parameters" in report.warnings[0]


# --- parameters that will be given ----------------------------------------------------------------------------------


def test_names_are_the_same_with_dashes_and_underscores() -> None:
    assert inspect(TAKES, "batch-size", "learning_rate").warnings == []


@pytest.mark.parametrize(
    ("name", "meant"),
    [("batchsize", "--batch-size"), ("batch_szie", "--batch-size"), ("lr", "--learning-rate"), ("bs", "--batch-size")],
)
def test_the_nearest_name_is_told(name: str, meant: str) -> None:
    warnings = inspect(TAKES, name, "learning_rate").warnings
    assert warnings == [f"The script takes no parameter `{name}`: did you mean {meant}?"]


def test_a_name_like_no_other() -> None:
    (warning,) = inspect(TAKES, "zzz", "learning_rate").warnings
    assert "`zzz`" in warning
    assert "--batch-size, --learning-rate" in warning


def test_an_open_ended_script_may_take_anything() -> None:
    assert inspect(TAKES + "p.parse_known_args()", "zzz", "learning_rate").warnings == []


def test_what_is_required_and_not_given() -> None:
    (warning,) = inspect(TAKES, "batch_size").warnings
    assert "requires --learning-rate" in warning
    assert inspect(TAKES).warnings == []


def test_variables_match_in_any_case() -> None:
    source = "import os\nlr = os.environ['LR']\nprint('loss:', 1)"
    assert inspect(source, "lr").warnings == []
    assert "did you mean `LR`" in inspect(source, "lrr", "LR").warnings[0]


def test_the_names_of_stfmanager_are_taken() -> None:
    source = "import sys\njob, task, bs, rate, n, stop = sys.argv[1:]\nprint('loss:', 1)"
    assert inspect(source, "batch_size", "rate", "epochs", "early_stopping").warnings == []
    assert "`momentum`" in inspect(source, "bs", "rate", "n", "stop", "momentum").warnings[0]


# --- metrics --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("callbacks = [tf.keras.callbacks.CSVLogger('log.csv')]", ["csv"]),
        ("logger = pl.loggers.CSVLogger('logs')", ["csv"]),
        ("w = csv.writer(f)", ["csv"]),
        ("df.to_csv('results.csv')", ["csv"]),
        ("f = open(f'results/{job}.csv', 'w')", ["csv"]),
        ("f = open('data.csv')", []),
        ("tb = TensorBoard(log_dir='x')", ["tensorboard"]),
        ("w = SummaryWriter()", ["tensorboard"]),
        ("f = open('log.jsonl', 'a')", ["jsonl"]),
        ("json.dump(history, f)", ["json"]),
        ("paddock.report(loss=1)", ["report"]),
        ("from paddock import elastic\nelastic.Training(model, optimizer, batch=4)", ["report"]),
        ("open(os.environ['PADDOCK_REPORT'], 'a')", ["report"]),
        ("report(loss=1)", ["report"]),
        ("model.fit(x, y, epochs=3)", ["keras"]),
        ("model.fit(x, y, epochs=3, verbose=0)", []),
        ("classifier.fit(x, y)", []),
        ("print(f'loss: {loss:.4f}')", ["stdout"]),
        ("print(f'{epoch=}')", ["stdout"]),
        ("print('loss:', loss)", ["stdout"]),
        ("print('loss: %.3f' % loss)", ["stdout"]),
        ("print('loss={:.3f}'.format(loss))", ["stdout"]),
        ("print('accuracy: ' + str(a))", ["stdout"]),
        ("print(json.dumps({'loss': loss}))", ["stdout"]),
        ("print({'epoch': epoch, 'loss': loss})", ["stdout"]),
        ("print(json.loads(text))", []),
        ("print('done', x)", []),
    ],
)
def test_metrics_in_sight(line: str, expected: list[str]) -> None:
    report = inspect_source("import csv, json, paddock\nfrom paddock import report\n" + line)
    assert report.metrics == expected
    assert any("No metric source was found" in w for w in report.warnings) == (not expected)


def test_whether_it_saves_where_the_next_attempt_finds_it() -> None:
    saves = "import os\nfolder = os.environ['PADDOCK_CHECKPOINT_DIR']\n"
    assert inspect_source(saves, "train.py").checkpoints
    assert inspect_source("import saving\n", "train.py", files={"saving.py": saves}).checkpoints
    assert not inspect_source("import other\n", "train.py", files={"saving.py": saves}).checkpoints
    assert inspect_source("run = elastic.Training(model, optimizer, batch=4)\n", "train.py").checkpoints
    assert inspect_source("cp model $PADDOCK_CHECKPOINT_DIR\n", "train.sh").checkpoints
