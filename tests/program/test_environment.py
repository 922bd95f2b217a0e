"""Test the Python that a job runs with, with real interpreters."""

import os
import platform
import subprocess
import sys
import time
from pathlib import Path

import pytest

from paddock.errors import UnusableEnvironment
from paddock.models import Environment, Interpreter
from paddock.program.environment import check, find

SECONDS = 20.0


@pytest.fixture(scope="module")
def venv(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("environments") / "my venv"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(folder)], check=True)
    return folder


def program(path: Path, text: str) -> str:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(0o755)
    return str(path)


class TestFind:
    def test_the_servers_own_when_nothing_is_chosen(self) -> None:
        assert find(Environment(), None).argv == [sys.executable]

    def test_the_default_of_the_settings(self, venv: Path) -> None:
        assert find(Environment(), f"{venv}/bin/python").argv == [f"{venv}/bin/python"]

    def test_a_name_in_the_path(self, venv: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("PATH", f"{venv}/bin")
        assert find(Environment(python="python"), None).argv == [f"{venv}/bin/python"]

    def test_a_venv_brings_its_path(self, venv: Path) -> None:
        found = find(Environment(venv=str(venv)), "/ignored")
        assert found.argv == [f"{venv}/bin/python"]
        assert found.env["VIRTUAL_ENV"] == str(venv)
        assert found.env["PATH"] == f"{venv}/bin:{os.environ['PATH']}"

    def test_a_path_in_the_home_folder(self, venv: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("HOME", str(venv.parent))
        assert find(Environment(venv="~/my venv"), None).argv == [f"{venv}/bin/python"]
        assert find(Environment(python="~/my venv/bin/python"), None).argv == [f"{venv}/bin/python"]

    def test_a_conda_environment_by_name_or_folder(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        folder = tmp_path / "miniconda3" / "envs" / "tf"
        python = program(folder / "bin" / "python", "#!/bin/sh\n")
        (folder / "conda-meta").mkdir()
        monkeypatch.setenv("HOME", str(tmp_path))
        monkeypatch.delenv("CONDA_PREFIX", raising=False)
        for given in ("tf", str(folder)):
            found = find(Environment(conda=given), None)
            assert (found.argv, found.env["CONDA_PREFIX"]) == ([python], str(folder))
        with pytest.raises(UnusableEnvironment, match="miniconda3/envs") as caught:
            find(Environment(conda="torch"), None)
        assert list(caught.value.fields) == ["environment.conda"]

    @pytest.mark.parametrize(
        ("environment", "field"),
        [
            (Environment(python="/no/such/python"), "environment.python"),
            (Environment(python="no-such-python"), "environment.python"),
            (Environment(venv="/no/such/venv"), "environment.venv"),
            (Environment(conda="/no/such/env"), "environment.conda"),
        ],
    )
    def test_what_is_not_there_names_the_field(self, environment: Environment, field: str) -> None:
        with pytest.raises(UnusableEnvironment) as caught:
            find(environment, None)
        assert list(caught.value.fields) == [field]


class TestCheck:
    def test_the_servers_own_interpreter(self) -> None:
        found = check(Environment(), Interpreter(argv=[sys.executable]), SECONDS)
        assert found.version == platform.python_version()
        assert found.has_paddock

    def test_a_venv_without_paddock(self, venv: Path) -> None:
        environment = Environment(venv=str(venv))
        found = check(environment, find(environment, None), SECONDS)
        assert found.version == platform.python_version()
        assert not found.has_paddock
        assert found.argv == [f"{venv}/bin/python"]

    def test_set_up_lines_and_variables_reach_it(self, tmp_path: Path) -> None:
        seen = tmp_path / "seen"
        python = program(tmp_path / "python", f'#!/bin/sh\necho "$GIVEN $MADE" > {seen}\nexec {sys.executable} "$@"\n')
        environment = Environment(setup=["echo some noise", "export MADE=$GIVEN-2"], variables={"GIVEN": "a b"})
        found = check(environment, Interpreter(argv=[python], env={"GIVEN": "overridden"}), SECONDS)
        assert found.version == platform.python_version()
        assert seen.read_text() == "a b a b-2\n"

    def test_noise_on_standard_output_does_no_harm(self, tmp_path: Path) -> None:
        text = f"#!/bin/sh\nprintf 'PADDOCK here\\nno end of line'\nexec {sys.executable} \"$@\"\n"
        found = check(Environment(), Interpreter(argv=[program(tmp_path / "python", text)]), SECONDS)
        assert found.version == platform.python_version()

    @pytest.mark.parametrize(
        ("setup", "message"),
        [
            (["true", "echo first; no_such_command_here", "touch never"], "no_such_command_here"),
            (["false"], "set-up lines ended with code 1"),
            (["echo half a module >&2; exit 7"], "code 7: half a module"),
            (["exit 0"], "set-up lines"),
            (["if true; then"], "set-up lines"),
        ],
    )
    @pytest.mark.parametrize("python", [True, False])
    def test_set_up_lines_that_fail(self, setup: list[str], message: str, python: bool) -> None:
        with pytest.raises(UnusableEnvironment, match=message) as caught:
            check(Environment(setup=setup), Interpreter(argv=[sys.executable]), SECONDS, python=python)
        assert list(caught.value.fields) == ["environment"]

    @pytest.mark.parametrize(
        ("text", "message"),
        [
            ("#!/bin/sh\nexit 3\n", "code 3"),
            ("#!/bin/sh\necho broken >&2; exit 1\n", "code 1: broken"),
            ("#!/bin/sh\nexit 0\n", "code 0"),
            ("#!/no/such/interpreter\n", "No such file"),
            ("\x7fELF", "Exec format error"),
        ],
    )
    def test_an_interpreter_that_does_not_work(self, tmp_path: Path, text: str, message: str) -> None:
        with pytest.raises(UnusableEnvironment, match=message):
            check(Environment(), Interpreter(argv=[program(tmp_path / "python", text)]), SECONDS)

    def test_a_missing_interpreter(self, tmp_path: Path) -> None:
        with pytest.raises(UnusableEnvironment, match="No such file"):
            check(Environment(), Interpreter(argv=[str(tmp_path / "gone")]), SECONDS)

    @pytest.mark.parametrize("where", ["interpreter", "set-up"])
    def test_one_that_hangs_is_given_up_and_nothing_of_it_left(self, tmp_path: Path, where: str) -> None:
        hang = f"sleep 300 & echo $! > {tmp_path}/left; wait"
        python = program(tmp_path / "python", f"#!/bin/sh\n{hang if where == 'interpreter' else ''}\n")
        environment = Environment(setup=[hang] if where == "set-up" else [])
        begun = time.monotonic()
        with pytest.raises(UnusableEnvironment, match=r"did not answer within 0\.5 s"):
            check(environment, Interpreter(argv=[python]), 0.5)
        assert time.monotonic() - begun < 120
        left = int((tmp_path / "left").read_text())
        end = time.monotonic() + 120
        while _runs(left):
            assert time.monotonic() < end, "the process that hung still runs"
            time.sleep(0.02)

    def test_a_set_up_line_may_leave_something_in_the_background(self) -> None:
        environment = Environment(setup=["sleep 300 &"])
        begun = time.monotonic()
        assert check(environment, Interpreter(argv=[sys.executable]), SECONDS).version == platform.python_version()
        assert time.monotonic() - begun < SECONDS

    def test_a_command_without_set_up_needs_no_python(self) -> None:
        interpreter = Interpreter(argv=["/no/such/python"])
        assert check(Environment(), interpreter, SECONDS, python=False) == interpreter
        assert check(Environment(setup=["true"]), interpreter, SECONDS, python=False).version is None


def _runs(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


class TestBounds:
    """Set-up lines are somebody's program: they get no secret of the server's, and no more than they need."""

    def lines(self, tmp_path: Path, *setup: str) -> None:
        check(Environment(setup=[*setup]), Interpreter(argv=[sys.executable]), SECONDS)

    def test_nothing_of_the_servers_environment(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        for name in ("PADDOCK_TOKEN", "PADDOCK_DATABASE", "paddock_database", "MY_API_KEY"):
            monkeypatch.setenv(name, "hush")
        monkeypatch.setenv("ORDINARY", "yes")
        self.lines(tmp_path, f"env > {tmp_path}/seen")
        seen = (tmp_path / "seen").read_text()
        assert "hush" not in seen
        assert "ORDINARY=yes" in seen

    def test_memory_and_output_are_bounded(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("paddock.program.environment.MEMORY", 512 * 1024**2)
        monkeypatch.setattr("paddock.program.environment.SAID", 1024**2)
        with pytest.raises(UnusableEnvironment, match="MemoryError"):
            self.lines(tmp_path, f"{sys.executable} -c 'x = bytearray(2 * 1024**3)' || exit 7")
        with pytest.raises(UnusableEnvironment, match="ended with code"):
            self.lines(tmp_path, "yes || exit 7")

    def test_what_leaves_the_process_group_is_ended(self, tmp_path: Path) -> None:
        self.lines(tmp_path, f"setsid sh -c 'echo $$ > {tmp_path}/left; exec sleep 300' &", "sleep 1")
        assert not _runs(int((tmp_path / "left").read_text()))

    @pytest.mark.parametrize("said", ["PADDOCK x", "PADDOCK [1]", 'PADDOCK [{}, 1]"', "PADDOCK 5"])
    def test_an_answer_that_is_not_the_probes(self, tmp_path: Path, said: str) -> None:
        with pytest.raises(UnusableEnvironment, match="code 0"):
            self.lines(tmp_path, f"echo '{said}'; exit 0")
