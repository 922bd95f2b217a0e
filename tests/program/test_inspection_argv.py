"""Test the reading of scripts that use sys.argv or their environment directly."""

import textwrap

import pytest

from paddock.models import Convention, ScriptParam, ScriptReport
from paddock.program.inspection import inspect_source

STFMANAGER = """
    import sys
    import tensorflow as tf
    from tensorflow.keras.callbacks import CSVLogger, EarlyStopping

    job_id = sys.argv[1]
    task_id = sys.argv[2]
    batch_size = int(sys.argv[3])
    lr = float(sys.argv[4])
    n_epochs = int(sys.argv[5])
    early_stopping = sys.argv[6] == 'True'

    model.fit(x, y, epochs=n_epochs, callbacks=[CSVLogger(f"results/{job_id}/{task_id}/{task_id}.csv")])
"""


def inspect(source: str) -> ScriptReport:
    return inspect_source(textwrap.dedent(source))


def positions(source: str, convention: Convention = Convention.POSITIONAL) -> list[tuple[int | None, str, str | None]]:
    report = inspect(source)
    assert report.convention is convention
    return [(p.position, p.name, p.type) for p in report.params]


FOUR = [(3, "batch_size", "int"), (4, "lr", "float"), (5, "n_epochs", "int"), (6, "early_stopping", "bool")]


def test_the_contract_of_stfmanager() -> None:
    assert positions(STFMANAGER, Convention.STFMANAGER) == FOUR
    report = inspect(STFMANAGER)
    assert all(p.required for p in report.params)
    assert report.metrics == ["keras", "csv"]
    assert report.warnings == []


@pytest.mark.parametrize(
    "source",
    [
        "import sys\n_, jobid, taskid, batch, lr, epochs, patience = sys.argv",
        "from sys import argv\nJOB, TASK, batch, lr, epochs, patience = argv[1:7]",
        "import sys\nargs = sys.argv[1:]\njob = args[0]\ntask = args[1]\n"
        "batch, lr, epochs, patience = args[2], args[3], args[4], args[5]",
        "import sys\ndef main(argv):\n    job_id, task_id, batch, lr, epochs, patience = argv\nmain(sys.argv[1:])",
        "import sys\ndef main(job_id, task_id, batch, lr, epochs, patience): pass\nmain(*sys.argv[1:])",
        "import sys\nout = f'results/{sys.argv[1]}/{sys.argv[2]}'\nbatch = sys.argv[3]\nlr = sys.argv[4]\n"
        "epochs = sys.argv[5]\npatience = sys.argv[6]",
    ],
)
def test_other_ways_to_write_it(source: str) -> None:
    expected = [(3, "batch"), (4, "lr"), (5, "epochs"), (6, "patience")]
    assert [p[:2] for p in positions(source, Convention.STFMANAGER)] == expected


def test_what_the_script_leaves_out_of_the_contract() -> None:
    report = inspect("import sys\njob, task = sys.argv[1:3]\nepochs = int(sys.argv[5])")
    assert report.convention is Convention.STFMANAGER
    assert [(p.name, p.required) for p in report.params] == [
        ("batch_size", True), ("learning_rate", True), ("epochs", True), ("early_stopping", False),
    ]  # fmt: skip


def test_other_positions() -> None:
    source = """
        import sys
        config = {"lr": float(sys.argv[1])}
        train(epochs=int(sys.argv[2]))
        self.name = sys.argv[3].strip().lower()
        seed = int(sys.argv[4]) if len(sys.argv) > 4 else 42
        opts["depth"] = int(sys.argv[5])
        print(sys.argv[0], sys.argv[6])
    """
    assert positions(source) == [
        (1, "lr", "float"), (2, "epochs", "int"), (3, "name", None), (4, "seed", "int"), (5, "depth", "int"),
        (6, "arg6", None),
    ]  # fmt: skip
    seed = inspect(source).params[3]
    assert (seed.default, seed.required) == (42, False)


def test_converted_as_a_whole() -> None:
    assert positions("import sys\nlr, momentum = map(float, sys.argv[1:3])") == [
        (1, "lr", "float"), (2, "momentum", "float"),
    ]  # fmt: skip
    assert positions("import sys\na, b = [int(x) for x in sys.argv[1:]]") == [(1, "a", "int"), (2, "b", "int")]


def test_open_ended_arguments() -> None:
    report = inspect("import sys\nfor a in sys.argv[1:]:\n    k, v = a.split('=')\n")
    assert (report.convention, report.open_ended) == (Convention.ENV, True)
    assert "command" in report.warnings[0]
    report = inspect("import sys\nlr, *rest = sys.argv[1:]\nlast = sys.argv[-1]")
    assert (report.convention, report.open_ended) == (Convention.POSITIONAL, True)


def test_looking_at_argv_is_not_taking_parameters() -> None:
    report = inspect("import sys\nprint(' '.join(sys.argv), len(sys.argv))\nsys.argv[1] = 'x'")
    assert (report.convention, report.open_ended, report.params) == (Convention.ENV, False, [])


def test_bool_of_a_text_is_warned_of() -> None:
    assert any("`aug` true with bool()" in w for w in inspect("import sys\naug = bool(sys.argv[1])").warnings)
    assert positions("import sys\naug = bool(int(sys.argv[1]))") == [(1, "aug", "int")]


def test_a_parser_comes_before_argv_and_argv_before_the_environment() -> None:
    source = "import argparse, os, sys\np = argparse.ArgumentParser()\np.add_argument('--lr')\nx = sys.argv[1]\n"
    assert inspect(source).convention is Convention.FLAGS
    assert inspect("import os, sys\na = sys.argv[1]\nb = os.environ['B']").convention is Convention.POSITIONAL


# --- environment ----------------------------------------------------------------------------------------------------


def test_environment_variables() -> None:
    report = inspect("""
        import os
        from os import environ, getenv
        lr = float(os.environ["LR"])
        epochs = int(os.environ.get("EPOCHS", "5"))
        name = getenv("RUN_NAME")
        debug = environ.get("DEBUG_MODE", "0") == "1"
        seed = int(os.getenv("SEED", default=42))
        os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
        os.environ["MY_OWN"] = "set, not read"
        home, gpus, rank = os.environ["HOME"], os.environ.get("CUDA_VISIBLE_DEVICES"), os.environ["SLURM_PROCID"]
    """)
    assert (report.convention, report.open_ended) == (Convention.ENV, False)
    assert {p.name: p for p in report.params} == {
        "LR": ScriptParam(name="LR", type="float", required=True),
        "EPOCHS": ScriptParam(name="EPOCHS", type="int", default=5),
        "RUN_NAME": ScriptParam(name="RUN_NAME"),
        "DEBUG_MODE": ScriptParam(name="DEBUG_MODE", type="bool", default="0"),
        "SEED": ScriptParam(name="SEED", type="int", default=42),
    }


@pytest.mark.parametrize(
    "load",
    [
        "params = json.load(open(os.environ['PADDOCK_PARAMS']))",
        "with open(os.environ['PADDOCK_PARAMS']) as f:\n    params = json.load(f)",
        "path = os.getenv('PADDOCK_PARAMS')\ntext = Path(path).read_text()\nparams = json.loads(text)",
    ],
)
def test_the_parameter_file(load: str) -> None:
    report = inspect_source(
        f"import json, os\nfrom pathlib import Path\n{load}\nlr = float(params['lr'])\ne = params.get('epochs', 5)\n"
    )
    assert (report.convention, report.open_ended) == (Convention.ENV, True)
    assert [(p.name, p.type, p.default) for p in report.params] == [("lr", "float", None), ("epochs", "int", 5)]


def test_variables_of_paddock_stand_for_the_parameter() -> None:
    report = inspect("import os\nx = os.environ['PADDOCK_PARAM_BATCH_SIZE']")
    assert [p.name for p in report.params] == ["batch_size"]
