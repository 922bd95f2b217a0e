"""Test reading and writing of job files."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paddock.errors import InvalidInput
from paddock.models import (
    Cause,
    Convention,
    Environment,
    Giving,
    Goal,
    JobSpec,
    Method,
    MetricFiles,
    Objective,
    Resources,
    Search,
    jobfile,
    yaml12,
)
from paddock.models.space import Choices, Range

EXAMPLES = Path(__file__).parents[2] / "examples"


def load(tmp_path: Path, text: str, name: str = "job.yaml") -> jobfile.JobFile:
    path = tmp_path / name
    path.write_text(text)
    return jobfile.load(path)


def test_both_examples_say_the_same() -> None:
    yaml, toml = (jobfile.load(EXAMPLES / name) for name in ("sweep.yaml", "sweep.toml"))
    assert yaml == toml
    assert yaml.spec.params["learning_rate"] == Choices(values=[2, 0.3, 0.03, 0.003])
    assert yaml.source == EXAMPLES / "numpy_mlp" / "train.py"


def test_numbers_are_what_they_look_like(tmp_path: Path) -> None:
    params = load(
        tmp_path, "params: {a: [1e-3, 2.5, .5, 7, 010, 0x10], b: [on, no, 1:30, 2024-01-01], c: 1e-4}"
    ).spec.params
    assert params["a"] == Choices(values=[0.001, 2.5, 0.5, 7, 10, 16])
    assert params["b"] == Choices(values=["on", "no", "1:30", "2024-01-01"])
    assert params["c"] == Choices(values=[0.0001])


def test_ranges_and_objectives_have_a_short_form(tmp_path: Path) -> None:
    spec = load(tmp_path, "params: {lr: 1e-4..1e-1:log, n: 1..8}\nobjective: val_acc:max\n").spec
    assert spec.params == {
        "lr": Range(low=1e-4, high=0.1, log=True),
        "n": Range(low=1, high=8, type="int"),
    }
    assert spec.objective == Objective(metric="val_acc", goal=Goal.MAX)


def test_source_is_relative_to_the_file(tmp_path: Path) -> None:
    found = load(tmp_path, "source: code\nscript: sub/train.py\n")
    assert (found.source, found.script) == (tmp_path / "code", "sub/train.py")
    assert load(tmp_path, "command: echo hi\n").source is None


def test_images_are_relative_to_the_file_if_they_are_there(tmp_path: Path) -> None:
    (tmp_path / "torch.sif").touch()

    def image(text: str) -> str | None:
        container = load(tmp_path, f"command: echo\n{text}").spec.resources.container
        return container.image if container else None

    assert image("container: torch.sif") == str(tmp_path / "torch.sif")
    assert image("container: {image: ../a.sif, mounts: [/data]}") == str(tmp_path.parent / "a.sif")
    assert image("resources: {container: 'docker://pytorch/pytorch:2.1'}") == "docker://pytorch/pytorch:2.1"
    assert image("container: lab/torch") == "lab/torch"
    assert image("") is None
    with pytest.raises(InvalidInput, match="both given"):
        image("container: a\nresources: {container: b}")


def test_environments_are_relative_to_the_file_and_names_are_left_alone(tmp_path: Path) -> None:
    def environment(text: str) -> Environment:
        return load(tmp_path, f"environment: {{{text}}}").spec.environment

    assert environment("venv: .venv").venv == str(tmp_path / ".venv")
    assert environment("python: ../bin/python").python == str(tmp_path.parent / "bin/python")
    assert environment("python: python3").python == "python3"
    assert environment("conda: base").conda == "base"
    assert environment("conda: /opt/env").conda == "/opt/env"


@pytest.mark.parametrize(
    ("text", "field", "message"),
    [
        ("parms: {}", "parms", "did you mean params?"),
        ("search: {trails: 3}", "search.trails", "did you mean trials?"),
        ("params: {lr: 1..0}", "params.lr", "smaller to the larger"),
        ("params: {lr: [.nan]}", "params.lr.0", "finite"),
        ("params: {lr: {a: 1}}", "params.lr", "write a value"),
        ("params: {'9x': 1}", "params.9x", "cannot be used"),
        ("resources: {gpus: -1}", "resources.gpus", "it must be greater than or equal to 0"),
        ("resources: {gpus: many}", "resources.gpus", "it must be a whole number"),
        ("params: [1, 2]", "params", "it must be a group of names with values"),
        ("tags: 3", "tags", "it must be a list"),
        ("objective: acc:best", "objective", "METRIC:max"),
        ("source: [a]", "source", "path of a script or a folder"),
        ("environment: {python: python3, venv: x}", "environment", "give one of python and venv, not both"),
    ],
)
def test_what_is_wrong_is_named(tmp_path: Path, text: str, field: str, message: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        load(tmp_path, text)
    assert message in caught.value.fields[field]
    assert str(tmp_path / "job.yaml") in caught.value.message
    assert field in caught.value.message


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("a.yaml", "name: [", "line 1"),
        ("a.yaml", "name: a\nname: b", "line 2, column 1: the key 'name' is given twice"),
        ("a.yaml", "- a\n- b", "not a job file"),
        ("a.yaml", "", "not a job file"),
        ("a.yaml", "!!python/object/apply:os.system [id]", "not valid YAML"),
        ("a.yaml", "a: &x [*x]\n", "not valid"),
        ("a.toml", "name = ", "not valid TOML"),
        ("a.toml", "[params]\nwhen = 2024-01-01", "params.when"),
    ],
)
def test_files_that_cannot_be_read(tmp_path: Path, name: str, text: str, message: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        load(tmp_path, text, name)
    assert message in caught.value.message


def test_a_file_that_is_not_there_or_no_text(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="No such file"):
        jobfile.load(tmp_path / "nope.yaml")
    (tmp_path / "a.yaml").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(InvalidInput, match="UTF-8"):
        jobfile.load(tmp_path / "a.yaml")


def test_dump_is_short_and_readable() -> None:
    spec = JobSpec(
        name="x",
        description="one\ntwo\n",
        script="train.py",
        params={
            "lr": Range(low=1e-4, high=0.1, log=True),
            "opt": Choices(values=["sgd", "adam"]),
            "text": Choices(values=["a,b"]),
            "n": Choices(values=[3]),
        },
        objective=Objective(metric="acc", goal=Goal.MAX),
    )
    assert jobfile.dump(spec) == (
        "name: x\ndescription: |\n  one\n  two\nscript: train.py\n"
        "params:\n  lr: 0.0001..0.1:log\n  opt: [sgd, adam]\n  text: ['a,b']\n  n: 3\nobjective: acc:max\n"
    )


# --- the way there and back -----------------------------------------------------------------------------------------

words = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=20)
tricky = st.sampled_from(
    ["1e-3", "on", "null", "~", "1..2", "a,b", "'", '"x"', " x ", "[1]", "{", "#", "- a", "a: b", "\n", ""]
)
texts = words | tricky
names = st.from_regex(r"[A-Za-z_][A-Za-z0-9_.\-]{0,10}", fullmatch=True)
finite = st.floats(allow_nan=False, allow_infinity=False)
scalars = st.none() | st.booleans() | st.integers(-(2**70), 2**70) | finite | texts
values = st.recursive(
    scalars, lambda one: st.lists(one, max_size=3) | st.dictionaries(texts, one, max_size=3), max_leaves=5
)
choices = st.lists(values, min_size=1, max_size=4).map(lambda found: Choices(values=found))


@st.composite
def ranges(draw: st.DrawFn) -> Range:
    if draw(st.booleans()):
        low = draw(st.integers(-(10**6), 10**6))
        return Range(
            low=low, high=low + draw(st.integers(1, 10**6)), type="int", step=draw(st.sampled_from([None, 1.0]))
        )
    start = draw(st.floats(1e-9, 1e9))
    high = start * draw(st.floats(1.5, 1e6))
    how = draw(st.sampled_from(["", "log", "step"]))
    return Range(low=start, high=high, log=how == "log", step=(high - start) / 3 if how == "step" else None)


@st.composite
def specs(draw: st.DrawFn) -> JobSpec:
    positive = st.none() | st.integers(1, 1000)
    return JobSpec(
        name=draw(texts),
        description=draw(texts),
        tags=draw(st.lists(texts.filter(lambda text: text.strip() != ""), max_size=3)),
        script=draw(st.none() | texts.filter(bool)),
        command=draw(st.none() | texts),
        convention=draw(st.sampled_from(Convention)),
        params=draw(st.dictionaries(names, choices | ranges(), max_size=4)),
        objective=Objective(metric=draw(texts.filter(bool)), goal=draw(st.sampled_from(Goal))),
        search=Search(method=draw(st.sampled_from(["auto", "grid", "random"])), trials=draw(positive)),
        parallel=draw(positive),
        resources=Resources(gpus=draw(st.none() | st.integers(0, 8)), backend=draw(st.none() | texts)),
        environment=Environment(
            python=draw(st.none() | texts), setup=draw(st.lists(texts, max_size=2)), variables={"A": draw(texts)}
        ),
        metrics=MetricFiles(files=draw(st.lists(texts.filter(bool), max_size=2)), stdout=draw(st.booleans())),
        retries=draw(st.dictionaries(st.sampled_from(Cause), st.integers(0, 100), max_size=2)),
        grace_seconds=draw(st.none() | st.floats(0, 3600)),
    )


@given(specs())
def test_a_dumped_spec_loads_back(spec: JobSpec) -> None:
    # As JSON: Python holds 1, 1.0 and True for the same.
    assert jobfile.loads(jobfile.dump(spec)).model_dump_json() == spec.model_dump_json()


@given(values)
def test_yaml_brings_every_value_back(value: object) -> None:
    assert repr(yaml12.load(yaml12.dump({"x": value}))) == repr({"x": value})


def test_searches_have_a_short_form_too(tmp_path: Path) -> None:
    text = "objective: [loss, 'a:b:max']\nsearch: tpe\nstop_early: asha\n"
    spec = load(tmp_path, text).spec
    assert [one.metric for one in spec.objectives] == ["loss", "a:b"]
    assert (spec.search.method, spec.stop_early.method) == ("tpe", "asha")
    data = yaml12.load(jobfile.dump(spec))
    assert data == {"objective": ["loss", "a:b:max"], "search": "tpe", "stop_early": "asha"}
    longer = spec.model_copy(update={"search": Search(method=Method.SOBOL, time_budget=5400, warm_start=["k3v"])})
    assert yaml12.load(jobfile.dump(longer))["search"] == {
        "method": "sobol",
        "time_budget": "1:30:00",
        "warm_start": ["k3v"],
    }
    for one in (spec, longer):
        assert jobfile.loads(jobfile.dump(one)) == one


def test_how_a_job_makes_room_has_a_short_form_too(tmp_path: Path) -> None:
    spec = load(tmp_path, "elastic: now\n").spec
    assert (spec.elastic.give_way, spec.elastic.keep) == (Giving.NOW, None)
    assert yaml12.load(jobfile.dump(spec)) == {"elastic": "now"}
    kept = load(tmp_path, "resources: {gpus: 1..4}\nelastic: {keep_size: true}\n").spec
    assert yaml12.load(jobfile.dump(kept))["elastic"] == {"keep_size": True}
    longer = load(tmp_path, "elastic: {give_way: never, keep: 3}\n").spec
    assert yaml12.load(jobfile.dump(longer)) == {"elastic": {"give_way": "never", "keep": 3}}
    for one in (spec, longer):
        assert jobfile.loads(jobfile.dump(one)) == one
