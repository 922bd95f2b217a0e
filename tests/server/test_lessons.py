"""What went wrong in TensorHive, each as a test by its name. Those of one part of the code are with that part.

`LESSONS` names them all. The rest is here, as it is about a whole server: secrets, settings, jobs without an end,
texts that look like commands, requests that only read.
"""

import base64
import hashlib
import hmac
import json
import sqlite3
import types
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_args

import pytest
from pydantic import BaseModel

from paddock.errors import InvalidInput
from paddock.server.api.app import bare_app
from paddock.settings import Settings, load
from tests.support.gpu_server import GpuServer, gpu_server
from tests.support.team import ADMIN, ALICE, Team

ROOT = Path(__file__).parents[2]
HERE = "tests/server/test_lessons.py"
MAKING = "tests/server/booking/test_making.py"
GUARD = "tests/server/engine/test_engine_guard.py"
LESSONS = {
    "a token that is signed with a known secret is refused": (HERE, "test_a_token_of_a_known_secret_is_refused"),
    "no secret has a default": (HERE, "test_no_secret_has_a_default"),
    "an unknown section of the settings is an error": (HERE, "test_an_unknown_section_of_the_settings_is_an_error"),
    "a job without an end starts": (HERE, "test_a_job_without_an_end_starts"),
    "texts that look like commands are data": (HERE, "test_texts_that_look_like_commands_are_data"),
    "no GET acts": (HERE, "test_no_get_acts"),
    "GPU 0 can be reserved": ("tests/cli/test_reservations.py", "test_gpu_0_by_every_name"),
    "GPU 0 is a device": ("tests/rules/test_devices.py", "test_gpus_have_their_numbers_from_zero"),
    "Sunday into Monday": ("tests/rules/test_access.py", "test_a_window_goes_on_from_sunday_into_monday"),
    "Monday after midnight": ("tests/rules/test_access.py", "test_monday_after_midnight_is_monday"),
    "23:59": ("tests/rules/test_access.py", "test_2359_leaves_no_gap_before_midnight"),
    "an expired rule": ("tests/rules/test_access.py", "test_a_rule_that_has_expired_does_not_speak"),
    "for another by the other's rules": (MAKING, "test_rules_and_quotas_are_the_owners_also_when_an_admin_reserves"),
    "editing revives nothing": (MAKING, "test_editing_does_not_revive_a_cancelled_one"),
    "the past is immutable": (MAKING, "test_only_what_has_not_been_can_be_changed"),
    "overlap under concurrency": (
        "tests/server/booking/test_at_once.py",
        "test_of_100_at_once_one_gets_the_slot_and_a_quota_of_2_gives_2",
    ),
    "one host without a terminal": (
        GUARD,
        "test_one_host_without_a_terminal_does_not_keep_the_others_from_being_told",
    ),
    "two GPUs are one message": (GUARD, "test_two_gpus_of_one_intruder_are_one_message"),
    "killed once, that process": (GUARD, "test_it_is_ended_after_the_grace_killed_once_and_by_its_identity"),
    "never another process": ("tests/team/test_warden_intruders.py", "test_never_another_process"),
    "strict with an unknown list of processes": (
        "tests/rules/test_guarding.py",
        "test_a_process_of_which_nothing_is_known_is_a_violation_too",
    ),
    "a node that reports no processes": (GUARD, "test_a_silent_node_says_nothing_about_its_processes"),
    "a failure does not end the protection": (GUARD, "test_a_handler_that_fails_does_not_stop_the_others"),
    "a failure does not end the loop": ("tests/server/engine/test_boundary.py", "test_each_step_heals_by_itself"),
    "use on the second host": (
        "tests/server/engine/test_engine_use.py",
        "test_use_is_recorded_while_a_reservation_runs_and_on_the_second_host",
    ),
    "means are not integers": ("tests/rules/test_use.py", "test_means_are_not_whole_numbers_and_peaks_are_kept"),
    "no data is null": ("tests/rules/test_use.py", "test_without_data_nothing_is_known"),
}
SECRET = ("secret", "password", "token", "private", "credential")
NOT_SECRET = {"lasting_tokens", "password"}  # whether something is allowed
TEXTS = ["""it's "quoted" `id` $(touch planted)""", "two\nlines; touch planted", "--help", "../../etc/passwd", "💥\t'"]
# What a server writes by itself: how busy it is, when it last saw somebody.
ITS_OWN = {"events", "loads", "device_days", "reservation_use", "sessions", "usage", "sqlite_sequence"}
SEEN = {"last_seen", "seen_at", "used_at", "expires_at"}


@pytest.mark.parametrize("lesson", LESSONS)
def test_every_lesson_has_its_test(lesson: str) -> None:
    place, name = LESSONS[lesson]
    assert f"def {name}(" in (ROOT / place).read_text()


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[GpuServer, Team]]:
    with gpu_server(tmp_path_factory.mktemp("gpus"), 2, owner=ADMIN) as made:
        people = Team(made.server)
        try:
            yield made, people
        finally:
            people.close()


def _signed(secret: str, name: str) -> str:
    """A token as TensorHive's, signed with a secret that everybody can read in its code."""
    parts = [{"alg": "HS256", "typ": "JWT"}, {"identity": 1, "sub": name, "user_claims": {"roles": ["admin"]}}]
    text = ".".join(base64.urlsafe_b64encode(json.dumps(one).encode()).rstrip(b"=").decode() for one in parts)
    mark = hmac.new(secret.encode(), text.encode(), hashlib.sha256).digest()
    return f"{text}.{base64.urlsafe_b64encode(mark).rstrip(b'=').decode()}"


@pytest.mark.parametrize("secret", ["jwt-some-secret", "secret", "", "changeme"])
def test_a_token_of_a_known_secret_is_refused(lab: tuple[GpuServer, Team], secret: str) -> None:
    for token in (_signed(secret, ADMIN), secret, f"pdk_00000000_{secret}"):
        assert lab[1].bearer(token or "x").get("/me").status_code == 401


def _fields(model: type[BaseModel], path: str = "") -> Iterator[tuple[str, Any]]:
    for name, field in model.model_fields.items():
        yield f"{path}{name}", field
        for inner in [field.annotation, *get_args(field.annotation)]:
            for kind in [inner, *get_args(inner)]:
                if isinstance(kind, type) and not isinstance(kind, types.GenericAlias) and issubclass(kind, BaseModel):
                    yield from _fields(kind, f"{path}{name}.")


def test_no_secret_has_a_default() -> None:
    found = {path: field for path, field in _fields(Settings) if any(word in path for word in SECRET)}
    secret = {path: field for path, field in found.items() if path.rpartition(".")[2] not in NOT_SECRET}
    assert "login.ldap.bind_password_file" in secret
    for path, field in secret.items():
        assert field.default in (None, "") or field.is_required() or isinstance(field.default, bool), path


def test_an_unknown_section_of_the_settings_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "settings.toml").write_text("[protection]\nlevel = 2\n")
    with pytest.raises(InvalidInput, match="protection"):
        load(tmp_path)


def _reserved(people: Team, **fields: Any) -> dict[str, Any]:
    answer = people.clients[ALICE].post("/reservations", json={"seconds": 3600, **fields})
    assert answer.status_code == 201, answer.text
    (held,) = answer.json()["reservations"]
    return held  # type: ignore[no-any-return]


def _release(people: Team, held: dict[str, Any]) -> None:
    assert people.clients[ALICE].post(f"/reservations/{held['id']}/release").status_code == 200


def test_a_job_without_an_end_starts(lab: tuple[GpuServer, Team]) -> None:
    made, people = lab
    held = _reserved(people, devices=[made.devices[0]["id"]])
    job = made.server.submit("import os; print('on', os.environ['CUDA_VISIBLE_DEVICES'])", resources={"gpus": 1})
    (task,) = made.server.wait(job)
    assert task["state"] == "finished", task
    assert made.server.log_of(job).strip() == "on 1"  # the other GPU is reserved
    _release(people, held)


def test_texts_that_look_like_commands_are_data(lab: tuple[GpuServer, Team], tmp_path: Path) -> None:
    made, people = lab
    script = "import json, sys; print(json.dumps(sys.argv[1:]))"
    for text in TEXTS:
        held = _reserved(people, gpus=1, title=text, description=text)
        assert (held["title"], held["description"]) == (text.strip(), text)
        _release(people, held)
    spec = {"script": "train.py", "params": {"text": TEXTS}, "convention": "flags"}
    spec["resources"] = {"gpus": 0}
    job = made.server.post("/jobs", {"spec": spec, "files": {"train.py": script}}, 201)["id"]
    made.server.wait(job)
    for number, text in enumerate(TEXTS, 1):
        assert json.loads(made.server.log_of(job, number))[-1].endswith(text)
    assert not list(made.server.home.root.rglob("planted"))


def _rows(database: Path) -> dict[str, list[Any]]:
    """Everything that somebody may have changed."""
    with sqlite3.connect(f"file:{database}?mode=ro", uri=True) as connection:
        names = [row[0] for row in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        found = {}
        for name in sorted(set(names) - ITS_OWN):
            columns = [row[1] for row in connection.execute(f"PRAGMA table_info({name})") if row[1] not in SEEN]
            chosen = ", ".join(f'"{one}"' for one in columns)
            found[name] = sorted(connection.execute(f"SELECT {chosen} FROM {name}").fetchall(), key=repr)
        return found


def test_no_get_acts(lab: tuple[GpuServer, Team]) -> None:
    made, people = lab
    job = made.server.submit("print(1)", resources={"gpus": 0})
    made.server.wait(job)
    held = _reserved(people, gpus=1)["id"]
    known = defaultdict(lambda: "1", job=job, other=job, task=f"{job}-1", name=ALICE, id=held)
    paths = [path for path, methods in bare_app().openapi()["paths"].items() if "get" in methods]
    assert len(paths) > 40
    before = _rows(made.server.home.database)
    for path in paths:
        if path.endswith(("/events", "/follow")):
            continue  # they have no end
        for client in (people.clients[ADMIN], people.clients[ALICE]):
            answer = client.get(path.removeprefix("/api/v1").format_map(known))
            assert answer.status_code < 500, (path, answer.text)
    after = _rows(made.server.home.database)
    assert {name for name in before if before[name] != after[name]} <= {"audit"}  # who reads others' files is recorded
