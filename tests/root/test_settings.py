"""Test settings from file, environment and flags."""

from pathlib import Path
from typing import Any

import pytest
from pydantic import BaseModel

from paddock.errors import InvalidInput
from paddock.models import Cause
from paddock.paths import Home, home_folder
from paddock.settings import DEFAULT_PORT, RetrySettings, Settings, load


@pytest.fixture(autouse=True)
def _clean(settings: Settings) -> None:
    """No PADDOCK_ variables of the person who runs the tests."""


def write(home: Home, text: str) -> None:
    (home.root / "settings.toml").write_text(text)


def test_defaults(home: Home) -> None:
    found = load(home.root)
    assert (found.home, found.host, found.port) == (home.root, "127.0.0.1", DEFAULT_PORT)
    assert found.local.slots is None
    assert found.owner


def test_a_file_the_environment_and_flags_in_that_order(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    write(
        home, 'port = 1001\nhost = "file"\nowner = "file"\n[local]\nslots = 3\ngpus = ["0", "1"]\n[retries]\nlost = 7\n'
    )
    assert load(home.root).port == 1001
    monkeypatch.setenv("PADDOCK_PORT", "1002")
    monkeypatch.setenv("PADDOCK_HOST", "environment")
    monkeypatch.setenv("PADDOCK_LOCAL__SLOTS", "4")
    found = load(home.root, port=1003, host=None)
    assert (found.port, found.host, found.owner) == (1003, "environment", "file")
    assert (found.local.slots, found.local.gpus) == (4, ["0", "1"])  # one field of a group leaves the others
    assert found.retries.limit(Cause.LOST) == 7


def test_lists_in_the_environment_are_json(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PADDOCK_LOCAL__GPUS", '["0", "GPU-1"]')
    assert load(home.root).local.gpus == ["0", "GPU-1"]


def test_the_home_is_found(home: Home, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    assert load().home == tmp_path / ".paddock"
    monkeypatch.setenv("PADDOCK_HOME", str(home.root))
    write(home, "port = 77")
    assert (load().home, load().port) == (home.root, 77)
    other = tmp_path / "other"
    assert (load(other).home, load(other).port) == (other, DEFAULT_PORT)
    monkeypatch.chdir(tmp_path)
    assert home_folder("x") == tmp_path / "x"


def test_variables_of_a_task_are_no_settings(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    """The command line is used inside tasks too."""
    for name in (
        "TASK",
        "JOB",
        "PARAMS",
        "PARAM_LR",
        "CHECKPOINT_DIR",
        "REPORT",
        "ALLOCATION",
        "DEVICE",
        "TOKEN",
        "RESERVATION",
    ):
        monkeypatch.setenv(f"PADDOCK_{name}", "x")
    assert load(home.root) == load(home.root)


@pytest.mark.parametrize(
    ("text", "field"),
    [
        ("port = 99999", "port"),
        ('port = "many"', "port"),
        ("prot = 1", "prot"),
        ("[local]\nslots = 0", "local.slots"),
        ("[local]\nslot = 1", "local.slot"),
        ("[runner]\npoll_seconds = 0", "runner.poll_seconds"),
        ("[retries]\nlost = 1000", "retries.lost"),
        ("[retries]\nbad_luck = 1", "retries.bad_luck"),
        ("tick_seconds = -1", "tick_seconds"),
    ],
)
def test_what_is_wrong_is_named(home: Home, text: str, field: str) -> None:
    write(home, text)
    with pytest.raises(InvalidInput, match=r"settings\.toml") as caught:
        load(home.root)
    assert list(caught.value.fields) == [field]
    assert field in caught.value.message


def test_so_it_is_in_the_environment(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PADDOCK_UPLOAD__MAX_FILES", "-3")
    with pytest.raises(InvalidInput) as caught:
        load(home.root)
    assert list(caught.value.fields) == ["upload.max_files"]
    monkeypatch.setenv("PADDOCK_UPLOAD__MAX_FILES", "3")
    monkeypatch.setenv("PADDOCK_LOCAL__GPUS", "not json")
    with pytest.raises(InvalidInput, match=r"local|LOCAL|gpus"):
        load(home.root)


def test_a_file_that_is_no_toml(home: Home) -> None:
    write(home, "port = = 3")
    with pytest.raises(InvalidInput, match=r"settings\.toml is not valid TOML"):
        load(home.root)


def test_every_setting_has_a_description() -> None:
    def undescribed(model: type[BaseModel], prefix: str = "") -> list[str]:
        found = []
        for name, field in model.model_fields.items():
            if not (field.description or "").strip():
                found.append(prefix + name)
            kind: Any = field.annotation
            if isinstance(kind, type) and issubclass(kind, BaseModel):
                found += undescribed(kind, f"{prefix}{name}.")
        return found

    assert undescribed(Settings) == []
    assert "slots" in Settings.model_fields["local"].annotation.model_fields  # type: ignore[union-attr]


def test_every_cause_has_a_number_of_retries() -> None:
    settings = RetrySettings(preempted=7)
    assert settings.limit(Cause.YIELDED) == 7, "it is tried again in any case, if its runner could say so"
    failures = set(Cause) - {Cause.YIELDED, Cause.RESIZED}  # a resize is always tried again, and counts none
    assert set(RetrySettings.model_fields) == {cause.value for cause in failures}
    assert all(RetrySettings().limit(cause) >= 0 for cause in Cause)


def test_settings_are_not_changed_in_passing(settings: Settings) -> None:
    with pytest.raises(ValueError, match="frozen"):
        settings.port = 1  # type: ignore[misc]


class TestKeep:
    def test_by_default_only_what_nobody_misses_goes(self, home: Home) -> None:
        keep = load(home.root).keep
        assert (keep.jobs_days, keep.attempts_days, keep.journals_days, keep.runners_days) == (None, None, 30, 7)

    def test_days_or_for_ever(self, home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
        write(home, '[keep]\njobs_days = 90\njournals_days = "forever"\nrunners_days = 0.5\n')
        monkeypatch.setenv("PADDOCK_KEEP__ATTEMPTS_DAYS", "14")
        keep = load(home.root).keep
        assert (keep.jobs_days, keep.attempts_days, keep.journals_days, keep.runners_days) == (90, 14, None, 0.5)
        monkeypatch.setenv("PADDOCK_KEEP__JOBS_DAYS", "for ever")
        assert load(home.root).keep.jobs_days is None

    @pytest.mark.parametrize("given", ["0", "0.0", '"0"', "-1", '"soon"', "1e9", "inf", "nan", "true"])
    def test_what_is_no_number_of_days_is_refused(self, home: Home, given: str) -> None:
        """0 might mean nothing or everything: whoever means one must not get the other."""
        write(home, f"[keep]\njobs_days = {given}\n")
        with pytest.raises(InvalidInput, match=r"keep\.jobs_days"):
            load(home.root)
