"""Test the files of a task over REST, and attacks by tasks that write something else than files."""

import gzip
import io
import os
import random
import socket
import struct
import tarfile
import threading
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from paddock.paths import JobFolder
from tests.support.server import ServerProcess, running, wait_for

SECRET = "what the server alone may read"

# Writes as the scripts of users do: into its working folder, its checkpoint and its results.
SCRIPT = """
import os, zlib, struct
def png(path, width=4, height=4):
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
    rows = b"".join(b"\\0" + bytes([90, 140, 200]) * width for _ in range(height))
    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    parts = chunk(b"IHDR", head), chunk(b"IDAT", zlib.compress(rows)), chunk(b"IEND", b"")
    with open(path, "wb") as file:
        file.write(b"\\x89PNG\\r\\n\\x1a\\n" + b"".join(parts))
os.makedirs("samples"), os.makedirs("epoch3"), os.makedirs("epoch12")
for step in (0, 10, 20):
    png(f"samples/sample_{step:04}.png")
for epoch in (3, 12):
    png(f"epoch{epoch}/plot.png")
png("resnet50.png")
with open("log.csv", "w") as file:
    file.write("epoch,val_loss\\n1,0.5\\n2,0.25\\n")
with open("summary.json", "w") as file:
    file.write('{"best": 0.25, "of": [1, 2], "empty": {}, "text": "a, [b"}')
with open(os.path.join(os.environ["PADDOCK_CHECKPOINT_DIR"], "model.pt"), "wb") as file:
    file.write(bytes(range(256)) * 5000)
with open("page.html", "w") as file:
    file.write("<script>alert(1)</script>")
with open("drawing.svg", "w") as file:
    file.write('<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>')
print("its log")
"""


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServerProcess]:
    with running(tmp_path_factory.mktemp("files") / "home", local__slots=1, runner__grace_seconds=1) as server:
        (server.home.root / "secret.txt").write_text(SECRET)
        yield server


@pytest.fixture(scope="module")
def job(server: ServerProcess) -> JobFolder:
    made = server.submit(SCRIPT)
    [task] = server.wait(made)
    assert task["state"] == "finished"
    return server.home.job(made)


@pytest.fixture
def task(server: ServerProcess, job: JobFolder) -> str:
    return f"{job.job}-1"


@pytest.fixture
def work(job: JobFolder) -> Path:
    return job.task(f"{job.job}-1") / "work"


def _names(server: ServerProcess, task: str, path: str = "", **query: Any) -> list[str]:
    return [one["name"] for one in server.get(f"/tasks/{task}/files", path=path, **query)["items"]]


def _status(server: ServerProcess, task: str, what: str, path: str) -> int:
    answer = server.client.get(f"/tasks/{task}/files{what}", params={"path": path})
    assert SECRET not in answer.text
    status: int = answer.status_code
    return status


def _tar(server: ServerProcess, task: str, path: str = "") -> tarfile.TarFile:
    answer = server.client.get(f"/tasks/{task}/files/download", params={"path": path})
    assert answer.status_code == 200, answer.text
    return tarfile.open(fileobj=io.BytesIO(gzip.decompress(answer.content)))


# --- what people see --------------------------------------------------------------------------------------------------


def test_folders_are_listed(server: ServerProcess, task: str) -> None:
    assert _names(server, task) == ["attempts", "checkpoint", "work"]
    found = server.get(f"/tasks/{task}/files", path="checkpoint")
    assert [(one["path"], one["kind"], one["size"]) for one in found["items"]] == [
        ("checkpoint/model.pt", "file", 1_280_000)
    ]
    assert found["items"][0]["modified_at"].startswith("20")
    assert _names(server, task, "work")[:3] == ["epoch3", "epoch12", "samples"]  # folders first, numbers as numbers
    assert _names(server, task, "attempts/1") == ["out.log", "params.json"]
    assert server.get(f"/tasks/{task}/files", path="work", offset=2, limit=2)["total"] == 8
    assert _names(server, task, "work", offset=2, limit=2) == ["samples", "drawing.svg"]


def test_a_task_that_has_not_started_has_no_files(server: ServerProcess) -> None:
    made = server.post("/jobs", {"spec": {"script": "a.py", "parallel": 1, "params": {"n": "1,2"}, "convention": "env"},
                                 "files": {"a.py": "import time; time.sleep(600)"}}, 201)["id"]  # fmt: skip
    server.wait_state(made, "running")
    assert server.get(f"/tasks/{made}-2/files")["items"] == []
    assert server.get(f"/tasks/{made}-2/files/images")["items"] == []
    assert server.client.get(f"/tasks/{made}-2/files/download").status_code == 404
    server.post(f"/jobs/{made}/stop")
    server.wait(made)


def test_text_tables_and_json_are_previewed(server: ServerProcess, task: str) -> None:
    def preview(path: str, **query: Any) -> dict[str, Any]:
        found: dict[str, Any] = server.get(f"/tasks/{task}/files/preview", path=path, **query)
        return found

    log = preview("attempts/1/out.log")
    assert (log["kind"], log["text"], log["more"]) == ("text", "its log\n", False)
    assert preview("attempts/1/out.log", offset=-4)["text"] == "log\n"
    table = preview("work/log.csv")
    assert (table["kind"], table["columns"]) == ("table", ["epoch", "val_loss"])
    assert table["rows"] == [["1", "0.5"], ["2", "0.25"]]
    text = '{\n  "best": 0.25,\n  "of": [\n    1,\n    2\n  ],\n  "empty": {},\n  "text": "a, [b"\n}'
    assert preview("work/summary.json")["text"] == text
    assert preview("checkpoint/model.pt")["kind"] == "binary"
    image = preview("work/resnet50.png")
    assert (image["kind"], image["width"], image["height"]) == ("image", 4, 4)


def test_images_are_found_by_step(server: ServerProcess, task: str) -> None:
    found = server.get(f"/tasks/{task}/files/images")
    assert found["total"] == 6
    assert [(one["series"], one["step"], one["path"]) for one in found["items"]] == [
        ("work/epoch*/plot.png", 3, "work/epoch3/plot.png"),
        ("work/epoch*/plot.png", 12, "work/epoch12/plot.png"),
        ("work/resnet50.png", None, "work/resnet50.png"),
        ("work/samples/sample_*.png", 0, "work/samples/sample_0000.png"),
        ("work/samples/sample_*.png", 10, "work/samples/sample_0010.png"),
        ("work/samples/sample_*.png", 20, "work/samples/sample_0020.png"),
    ]
    few = server.get(f"/tasks/{task}/files/images", limit=7)["items"]
    assert [one["step"] for one in few if one["series"].startswith("work/samples")] == [0, 20]


def test_downloads_are_what_was_written(server: ServerProcess, job: JobFolder, task: str) -> None:
    answer = server.client.get(f"/tasks/{task}/files/download", params={"path": "checkpoint/model.pt"})
    assert answer.content == (job.task(task) / "checkpoint" / "model.pt").read_bytes()
    assert answer.headers["content-disposition"].startswith('attachment; filename="model.pt"')
    with _tar(server, task, "checkpoint") as tar:
        assert tar.getnames() == [f"{task}-checkpoint", f"{task}-checkpoint/model.pt"]
        content = tar.extractfile(f"{task}-checkpoint/model.pt")
        assert content is not None
        assert content.read() == answer.content
    with _tar(server, task) as tar:
        names = tar.getnames()
    assert {f"{task}/work/samples/sample_0010.png", f"{task}/attempts/1/out.log"} <= set(names)


# --- what a browser would run -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["page.html", "drawing.svg", "log.csv", "resnet50.png"])
def test_nothing_that_is_served_is_active(server: ServerProcess, task: str, name: str) -> None:
    for what in ("download", "preview", "image"):
        answer = server.client.get(f"/tasks/{task}/files/{what}", params={"path": f"work/{name}"})
        if what == "image" and not name.endswith(".png"):
            assert answer.status_code == 404
            continue
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert answer.headers["content-security-policy"].startswith("sandbox; default-src 'none'")
        kind = answer.headers["content-type"]
        expected = {"download": "application/octet-stream", "preview": "application/json", "image": "image/png"}
        assert kind == expected[what]
        if what == "download":
            assert answer.headers["content-disposition"].startswith("attachment;")


def _riff(kind: bytes, data: bytes) -> bytes:
    return b"RIFF" + struct.pack("<I", 4 + len(data)) + b"WEBP" + kind + data


JPEG = b"\xff\xd8\xff\xe0\x00\x10JFIF" + bytes(10) + b"\xff\xc0\x00\x11\x08\x00\x20\x00\x40\x03" + bytes(20)
IMAGES = {
    "a.gif": (b"GIF89a\x10\x00\x20\x00" + bytes(20), "image/gif"),
    "a.jpg": (JPEG, "image/jpeg"),
    "a.webp": (_riff(b"VP8X", bytes(8) + b"\x0f\0\0\x0f\0\0" + bytes(9)), "image/webp"),
    "png-that-is-a-gif.png": (b"GIF87a\x10\x00\x20\x00" + bytes(20), "image/gif"),
    "html.png": (b"<html><script>alert(1)</script>", None),
    "svg.png": (b"<svg xmlns='http://www.w3.org/2000/svg'/>", None),
    "polyglot.png": (b"%PDF-1.7\n\x89PNG\r\n\x1a\n", None),
    "head-only.png": (b"\x89PNG\r\n\x1a\n", None),
    "half.jpg": (b"\xff\xd8\xff", None),
    "endless.jpg": (b"\xff\xd8" + b"\xff" * 300_000, None),
    "empty.png": (b"", None),
    "bomb.png": (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + struct.pack(">II", 100_000, 100_000) + bytes(9), None),
    "bomb.gif": (b"GIF89a\xff\xff\xff\xff" + bytes(20), None),
    "no-pixels.gif": (b"GIF89a\0\0\x10\0" + bytes(20), None),
}


def test_only_images_by_content_are_shown(server: ServerProcess, task: str, work: Path) -> None:
    for name, (content, kind) in IMAGES.items():
        (work / name).write_bytes(content)
        answer = server.client.get(f"/tasks/{task}/files/image", params={"path": f"work/{name}"})
        assert answer.headers["content-type"] == (kind or "application/json"), name
        assert answer.status_code == (200 if kind else 404)
        assert server.get(f"/tasks/{task}/files/preview", path=f"work/{name}")["kind"] == "image" if kind else True
        (work / name).unlink()


# --- what tasks put in place of files ---------------------------------------------------------------------------------


def test_nothing_but_plain_files_in_plain_folders_is_opened(server: ServerProcess, task: str, work: Path) -> None:
    secret = server.home.root / "secret.txt"
    (work / "link.txt").symlink_to(secret)
    (work / "up").symlink_to(server.home.root)
    (work / "itself").symlink_to("itself")
    (work / "zero").symlink_to("/dev/zero")
    os.link(secret, work / "second-name.txt")
    os.mkfifo(work / "pipe.png")
    with socket.socket(socket.AF_UNIX) as listener:
        before = Path.cwd()
        os.chdir(work)  # the address of a socket is short
        listener.bind("socket")
        os.chdir(before)
    odd = ["link.txt", "up", "itself", "zero", "second-name.txt", "pipe.png", "socket"]
    kinds = {one["name"]: one for one in server.get(f"/tasks/{task}/files", path="work")["items"]}
    assert [kinds[name]["kind"] for name in odd] == ["link"] * 5 + ["other"] * 2
    assert kinds["link.txt"]["target"] == str(secret)
    for name in [*odd, "up/secret.txt", "up/jobs"]:
        for what in ("/preview", "/download", "/image"):
            assert _status(server, task, what, f"work/{name}") == 404, (name, what)
    for name in odd:
        assert _status(server, task, "", f"work/{name}") == 404
    assert not {one["path"] for one in server.get(f"/tasks/{task}/files/images")["items"]} & {"work/pipe.png"}
    with _tar(server, task, "work") as tar:
        assert not [one for one in tar.getmembers() if not one.isfile() and not one.isdir()]
        assert not [name for name in odd if f"{task}-work/{name}" in tar.getnames()]
        left_out = tar.extractfile(f"{task}-work/paddock-left-out.txt")
        assert left_out is not None
        text = left_out.read().decode()
    for name in odd:
        assert f"{name}: " in text
        (work / name).unlink()


def test_a_folder_above_that_is_a_link_is_not_followed(server: ServerProcess, job: JobFolder) -> None:
    made = server.submit("print(1)")
    server.wait(made)
    folder = server.home.job(made).task(f"{made}-1")
    folder.rename(folder.with_name("away"))
    folder.symlink_to(job.task(f"{job.job}-1"))
    for what, path in (
        ("", ""),
        ("/images", ""),
        ("/preview", "work/log.csv"),
        ("/download", ""),
        ("/download", "work"),
    ):
        assert _status(server, f"{made}-1", what, path) == 404, (what, path)


PATHS = ["..", "../..", "work/../../..", "/etc/passwd", "//etc/passwd", "work/\0", "a/" * 40, "work/./../../x", "\\x00"]
PATHS += ["\\x2e\\x2e/\\x2e\\x2e", "\\x2fetc/passwd", "work\\x2f..\\x2f..\\x2f.."]


@pytest.mark.parametrize("path", PATHS)
def test_paths_that_lead_elsewhere_are_refused(server: ServerProcess, task: str, path: str) -> None:
    for what in ("", "/preview", "/download", "/image", "/images"):
        answer = server.client.get(f"/tasks/{task}/files{what}", params={"path": path})
        assert (answer.status_code, answer.json()["error"]["code"]) == (422, "invalid_input"), what


def test_names_may_be_any_bytes(server: ServerProcess, task: str, work: Path) -> None:
    odd = [b"\xff\xfe.txt", b"new\nline", b"back\\slash", b"\x1b[31m", b"%2e%2e", "ü日本\u202e.txt".encode(), b'"; x="']
    odd += [b"\\x41", b"a" * 255, b" ", b"-rf", b"..."]
    folder = work / os.fsdecode(b"f\xfflder")
    folder.mkdir()
    for raw in odd:
        (folder / os.fsdecode(raw)).write_bytes(raw)
    [entry] = [one for one in server.get(f"/tasks/{task}/files", path="work")["items"] if one["name"].startswith("f\\")]
    assert entry["path"] == "work/f\\xfflder"
    items = server.get(f"/tasks/{task}/files", path=entry["path"])["items"]
    assert len(items) == len(odd)
    for one in items:
        answer = server.client.get(f"/tasks/{task}/files/download", params={"path": one["path"]})
        assert answer.content in odd, one
        assert answer.headers["content-disposition"].isascii()
        assert "\n" not in answer.headers["content-disposition"]
        assert server.get(f"/tasks/{task}/files/preview", path=one["path"])["size"] == len(answer.content)
    with _tar(server, task, entry["path"]) as tar:
        found = {os.fsencode(one.name.rpartition("/")[2]) for one in tar.getmembers() if one.isfile()}
    assert found == set(odd)
    for path in folder.iterdir():
        path.unlink()
    folder.rmdir()


def test_times_and_sizes_may_be_absurd(server: ServerProcess, task: str, work: Path) -> None:
    path = work / "sparse.bin"
    with path.open("wb") as file:
        file.truncate(2**40)
    os.utime(path, ns=(0, -(2**62)))
    [entry] = [one for one in server.get(f"/tasks/{task}/files", path="work")["items"] if one["name"] == path.name]
    assert entry["size"] == 2**40
    assert server.get(f"/tasks/{task}/files/preview", path="work/sparse.bin")["kind"] == "binary"
    for what in ("work/sparse.bin", "work"):  # nobody reads a terabyte to its end: the server must notice that
        with server.client.stream("GET", f"/tasks/{task}/files/download", params={"path": what}) as answer:
            assert answer.status_code == 200
            assert len(next(answer.iter_bytes(1000))) == 1000
    assert server.process is not None
    descriptors = Path(f"/proc/{server.process.pid}/fd")

    def still_open() -> bool:
        return any(os.readlink(one).endswith("sparse.bin") for one in descriptors.iterdir() if one.is_symlink())

    wait_for(lambda: not _gone(still_open), what="the files to be closed")
    path.unlink()


def _gone(look: Any) -> bool:
    try:
        return bool(look())
    except OSError:  # a descriptor was closed while it was looked at
        return True


def test_a_file_that_becomes_shorter_is_never_taken_for_whole(server: ServerProcess, task: str, work: Path) -> None:
    path = work / "shrinks.bin"
    path.write_bytes(os.urandom(20_000_000))
    with (
        pytest.raises(Exception, match=r"peer closed|incomplete|closed connection"),
        server.client.stream("GET", f"/tasks/{task}/files/download", params={"path": "work/shrinks.bin"}) as answer,
    ):
        parts = answer.iter_bytes(10_000)
        next(parts)
        os.truncate(path, 1_000_000)
        for _ in parts:
            pass
    assert server.get("/jobs")["total"]  # and the server goes on
    path.unlink()


def test_in_an_archive_a_file_that_becomes_shorter_is_filled_up(server: ServerProcess, task: str, work: Path) -> None:
    folder = work / "growing"
    folder.mkdir()
    (folder / "a.bin").write_bytes(random.Random(1).randbytes(20_000_000))
    with server.client.stream("GET", f"/tasks/{task}/files/download", params={"path": "work/growing"}) as answer:
        parts = answer.iter_bytes(10_000)
        got = [next(parts)]
        os.truncate(folder / "a.bin", 10)
        got += parts
    with tarfile.open(fileobj=io.BytesIO(zlib.decompress(b"".join(got), 31))) as tar:
        name = f"{task}-work-growing"
        assert tar.getmember(f"{name}/a.bin").size == 20_000_000
        left_out = tar.extractfile(f"{name}/paddock-left-out.txt")
        assert left_out is not None
        assert "it became shorter" in left_out.read().decode()
    (folder / "a.bin").unlink()
    folder.rmdir()


def test_files_that_come_and_go_are_no_error(server: ServerProcess, task: str, work: Path) -> None:
    folder = work / "busy"
    folder.mkdir()
    stop = threading.Event()

    def churn() -> None:
        number = 0
        while not stop.is_set():
            number += 1
            path = folder / f"{number % 50}.png"
            path.unlink(missing_ok=True)
            if number % 3:
                path.write_bytes(b"GIF89a\x10\x00\x20\x00" * (number % 7))

    thread = threading.Thread(target=churn)
    thread.start()
    try:
        for _ in range(15):
            for what in ("", "/images", "/download"):
                answer = server.client.get(f"/tasks/{task}/files{what}", params={"path": "work/busy"})
                assert answer.status_code == 200
            for number in range(5):
                for what in ("/preview", "/image", "/download"):
                    query = {"path": f"work/busy/{number}.png"}
                    assert server.client.get(f"/tasks/{task}/files{what}", params=query).status_code in (200, 404)
    finally:
        stop.set()
        thread.join()
    for path in folder.iterdir():
        path.unlink()
    folder.rmdir()


def test_folders_may_be_deep_and_wide(server: ServerProcess, task: str, work: Path) -> None:
    top = work / "deep"
    path = top
    for _ in range(60):
        path /= "d"
    path.mkdir(parents=True)
    (path / "x.png").write_bytes(b"x")
    assert _names(server, task, "work/deep" + "/d" * 20) == ["d"]
    with _tar(server, task, "work/deep") as tar:
        assert max(name.count("/") for name in tar.getnames()) == 32
    wide = work / "wide"
    wide.mkdir()
    for number in range(5_000):
        (wide / f"step_{number}.png").touch()
    found = server.get(f"/tasks/{task}/files", path="work/wide", offset=4_998)
    assert (found["total"], [one["name"] for one in found["items"]]) == (5_000, ["step_4998.png", "step_4999.png"])
    for one in wide.iterdir():
        one.unlink()
    wide.rmdir()


JUNK_TABLES = [
    b"a,b\n" + b'"' * 100_000,
    b"\xff\xfe,\n",
    b"\n\n\n",
    b"," * 200_000,
    b"a;b;c\n1;2;3\n",
    b"",
    b'"a\nb",c\n',
]


def test_junk_is_previewed_within_bounds(server: ServerProcess, task: str, work: Path) -> None:
    nested = b"[" * 120_000
    for name, contents in {
        "junk.csv": JUNK_TABLES,
        "junk.json": [
            nested,
            b'{"a":' * 50_000,
            b'"' + b"\\" * 99_999,
            b"[1" + b",1" * 100_000,
            b"}" * 1000,
            b"NaN",
            b"",
        ],
        "junk.txt": [b"\xff" * 300_000, b"a" * 5_000_000, b"\x1b[31m\r\b"],
    }.items():
        for content in contents:
            (work / name).write_bytes(content)
            answer = server.client.get(f"/tasks/{task}/files/preview", params={"path": f"work/{name}"})
            assert answer.status_code == 200, content[:20]
            assert len(answer.content) < 25_000_000
            found = answer.json()
            assert found["size"] == len(content)
            assert found["more"] == (len(content) > 262_144) or found["kind"] == "table"
            assert len(found["rows"]) <= 500
        (work / name).unlink()
    (work / "s.csv").write_bytes(b"a;b\n1;2\n")
    assert server.get(f"/tasks/{task}/files/preview", path="work/s.csv")["rows"] == [["1", "2"]]
    (work / "s.csv").unlink()
