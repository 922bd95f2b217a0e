"""Test a job's code over REST: its files, and what differs from another job; and notes."""

import gzip
import io
import os
import tarfile
from pathlib import Path
from typing import Any

import pytest

from paddock.server.api import comparison
from tests.support.server import ServerProcess

MAIN = "import helper\nprint(helper.word())\n"
SPEC: dict[str, Any] = {"script": "main.py", "convention": "env", "resources": {"gpus": 0}}


def _submit(server: ServerProcess, files: dict[str, str], code: dict[str, Any] | None = None, **spec: Any) -> str:
    body = {"spec": SPEC | spec, "files": files, "code": code or {}}
    job: str = server.post("/jobs", body, 201)["id"]
    return job


@pytest.fixture(scope="module")
def two(server: ServerProcess) -> tuple[str, str]:
    first = {"main.py": MAIN, "helper/__init__.py": "def word():\n    return 1\n", "old.txt": "a\nb\n", "same.txt": "x"}
    second = first | {"helper/__init__.py": "def word():\n    return 2\n", "new.txt": "n\n"}
    del second["old.txt"]
    variables = {"variables": {"WANDB_KEY": "secret-1"}}
    return (
        _submit(server, first, {"git_commit": "abc", "source": "here"}, params={"lr": "0.1"}, environment=variables),
        _submit(server, second, {"git_commit": "def", "source": "here"}, params={"lr": "0.2"}, retries={"gpu_oom": 2}),
    )


def test_the_files_of_a_job(server: ServerProcess, two: tuple[str, str]) -> None:
    compiled = server.home.job(two[0]).code / "helper" / "__pycache__" / "x.pyc"  # as a task leaves it
    compiled.parent.mkdir(exist_ok=True)
    compiled.touch()
    found = server.get(f"/jobs/{two[0]}/code")
    assert [(one["path"], one["size"]) for one in found["items"]] == [
        ("helper/__init__.py", 25),
        ("main.py", len(MAIN)),
        ("old.txt", 4),
        ("same.txt", 1),
    ]
    shown = server.get(f"/jobs/{two[0]}/code/preview", path="main.py")
    assert (shown["kind"], shown["text"]) == ("text", MAIN)
    assert server.client.get(f"/jobs/{two[0]}/code/preview", params={"path": "../job.json"}).status_code == 422
    answer = server.client.get(f"/jobs/{two[0]}/code/download")
    with tarfile.open(fileobj=io.BytesIO(gzip.decompress(answer.content))) as tar:
        assert f"{two[0]}-code/helper/__init__.py" in tar.getnames()


def test_what_differs_from_another_job(server: ServerProcess, two: tuple[str, str]) -> None:
    found = server.get(f"/jobs/{two[0]}/diff/{two[1]}")
    assert [(one["path"], one["change"]) for one in found["files"]] == [
        ("helper/__init__.py", "changed"),
        ("new.txt", "added"),
        ("old.txt", "removed"),
    ]
    assert found["same"] == 2
    assert found["files"][0]["diff"].splitlines() == [
        "--- a/helper/__init__.py",
        "+++ b/helper/__init__.py",
        "@@ -1,2 +1,2 @@",
        " def word():",
        "-    return 1",
        "+    return 2",
    ]
    fields = {one["name"]: (one["before"], one["after"]) for one in found["fields"]}
    before, after = fields.pop("params.lr")
    assert before != after
    assert fields == {
        "code.git_commit": ("abc", "def"),
        "environment.variables": (["WANDB_KEY"], None),
        "retries.gpu_oom": (None, 2),
    }
    assert "secret-1" not in str(found)
    equal = server.get(f"/jobs/{two[0]}/diff/{two[0]}")
    assert (equal["files"], equal["fields"], equal["same"]) == ([], [], 4)


def test_differences_are_bounded(server: ServerProcess) -> None:
    """Tasks can write into a snapshot: what cannot be compared is named, and the answer comes soon."""
    jobs = [_submit(server, {"main.py": "print(1)"}) for _ in range(2)]
    for number, job in enumerate(jobs):
        code = server.home.job(job).code
        (code / "huge.bin").touch()
        os.truncate(code / "huge.bin", 2**40 + number)
        (code / "binary.bin").write_bytes(b"\0" * 10 + bytes([number]))
        (code / "large-equal.txt").write_bytes(b"x" * 3_000_000)
        (code / "link.py").symlink_to(server.home.token)
        os.mkfifo(code / "pipe.py")
        # The worst case for a comparison of lines: many lines, each often there, in other orders.
        lines = [f"line {at * (7 + 12 * number) % 97}" for at in range(900)]
        (code / "lines.txt").write_text("\n".join(lines))
        (code / "many.txt").write_text("\n".join(f"{at} {number}" for at in range(20_000)))
    began = _processor_seconds(server)
    found = server.get(f"/jobs/{jobs[0]}/diff/{jobs[1]}")
    assert _processor_seconds(server) - began < 20
    files = {one["path"]: one for one in found["files"]}
    assert sorted(files) == ["binary.bin", "huge.bin", "lines.txt", "many.txt"]
    assert files["huge.bin"]["why"] == "it is too large to be compared"
    assert files["binary.bin"]["why"] == "it is not text"
    assert files["many.txt"]["diff"].count("\n") == 40_003
    assert len(str(found)) < 2 * comparison.MOST_TEXT
    assert server.home.token.read_text().strip() not in str(found)


def _processor_seconds(server: ServerProcess) -> float:
    assert server.process is not None
    fields = Path(f"/proc/{server.process.pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def test_notes(server: ServerProcess, two: tuple[str, str]) -> None:
    task = f"{two[0]}-1"
    assert server.get(f"/tasks/{task}")["note"] == ""
    text = "# Good\n<script>alert(1)</script> **bold** \u202e\n"
    answer = server.client.patch(f"/tasks/{task}", json={"note": text})
    assert (answer.status_code, answer.json()["note"]) == (200, text)
    assert server.get(f"/tasks/{task}")["note"] == text
    assert server.client.patch(f"/tasks/{task}", json={}).json()["note"] == text
    assert server.client.patch(f"/tasks/{task}", json={"note": ""}).json()["note"] == ""
    for wrong in ({"note": "a\0"}, {"note": "x" * 20_001}, {"text": "x"}, {"note": 5}):
        assert server.client.patch(f"/tasks/{task}", json=wrong).status_code == 422
    assert server.client.patch(f"/tasks/{two[0]}-99", json={"note": "x"}).status_code == 404
