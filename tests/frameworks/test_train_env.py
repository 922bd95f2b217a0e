"""Test tools/train_env.py: built once, never half, by several processes. The slow part (pip) is replaced."""

import importlib.util
import threading
from pathlib import Path
from types import ModuleType

import pytest

from tests.frameworks.conftest import ROOT


@pytest.fixture
def script(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location("train_env", ROOT / "tools" / "train_env.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    monkeypatch.delenv("PADDOCK_TRAIN_ENV", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    return module


class Builder:
    """In place of pip: notes the calls, and fails half way when told."""

    def __init__(self, script: ModuleType) -> None:
        self.script = script
        self.calls = 0
        self.fails = False

    def __call__(self, env: Path, wanted: str, lock: int) -> None:
        self.calls += 1
        assert not env.exists(), "nothing of an earlier build is left"
        (env / "bin").mkdir(parents=True)
        (env / self.script.MARK).write_text(self.script.BUILDING)
        (env / "bin" / "python").touch()
        if self.fails:
            raise OSError("no space left")
        (env / self.script.MARK).write_text(wanted)


@pytest.fixture
def builder(script: ModuleType, monkeypatch: pytest.MonkeyPatch) -> Builder:
    builder = Builder(script)
    monkeypatch.setattr(script, "build", builder)
    return builder


def test_builds_once_and_prints_the_python(
    script: ModuleType, builder: Builder, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    assert [script.main(), script.main()] == [0, 0]
    python = tmp_path / "paddock" / f"train-{script.digest()}" / "bin" / "python"
    assert capsys.readouterr().out == f"{python}\n" * 2
    assert builder.calls == 1


def test_an_interrupted_build_is_not_taken_for_a_good_one(
    script: ModuleType, builder: Builder, capsys: pytest.CaptureFixture[str]
) -> None:
    builder.fails = True
    assert script.main() == 1
    told = capsys.readouterr()
    assert told.out == ""
    assert "no space left" in told.err
    builder.fails = False
    assert script.main() == 0
    assert builder.calls == 2


def test_other_requirements_make_another_environment(
    script: ModuleType, builder: Builder, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    before = script.folder(script.digest())
    monkeypatch.setattr(script, "REQUIREMENTS", tmp_path / "other.txt")
    (tmp_path / "other.txt").write_text("numpy==1.0\n")
    assert script.folder(script.digest()) != before


def test_a_given_folder_is_renewed_when_the_requirements_change(
    script: ModuleType, builder: Builder, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("PADDOCK_TRAIN_ENV", str(tmp_path / "env"))
    assert script.main() == 0
    monkeypatch.setattr(script, "digest", lambda: "another")
    assert script.main() == 0
    assert builder.calls == 2
    assert sorted(path.name for path in tmp_path.iterdir()) == ["env", "env.lock"]


def test_a_folder_of_somebody_else_is_left_alone(
    script: ModuleType,
    builder: Builder,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "thesis.tex").touch()
    monkeypatch.setenv("PADDOCK_TRAIN_ENV", str(tmp_path / "mine"))
    assert script.main() == 1
    assert "was not made by this script" in capsys.readouterr().err
    assert (tmp_path / "mine" / "thesis.tex").exists()
    assert builder.calls == 0


def test_two_who_ask_at_once_build_once(
    script: ModuleType, builder: Builder, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    building, go_on = threading.Event(), threading.Event()

    def slowly(env: Path, wanted: str, lock: int) -> None:
        building.set()
        assert go_on.wait(120)
        builder(env, wanted, lock)

    waiting = threading.Event()
    monkeypatch.setattr(script, "build", slowly)
    monkeypatch.setattr(script, "say", lambda text: waiting.set() if text.startswith("waiting") else None)
    codes: list[int] = []
    threads = [threading.Thread(target=lambda: codes.append(script.main())) for _ in range(2)]
    threads[0].start()
    assert building.wait(120)
    threads[1].start()
    assert waiting.wait(120), "the second waits for the first"
    go_on.set()
    for thread in threads:
        thread.join(120)
    assert codes == [0, 0]
    assert builder.calls == 1


def test_no_requirements_file_names_a_host() -> None:
    for path in (ROOT / "requirements").iterdir():
        assert "://" not in path.read_text()
        assert "index-url" not in path.read_text()
