"""Test how the files of the page are served."""

import gzip
from pathlib import Path

import pytest
from starlette.datastructures import Headers
from starlette.responses import Response

from paddock.server.api import web

CODE = b"export const answer = 42;\n" * 1000


@pytest.fixture(autouse=True)
def built(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A page with one file whose name has a digest, and one without."""
    dist = tmp_path / "dist"
    (dist / "assets").mkdir(parents=True)
    (dist / "index.html").write_text("<!doctype html>")
    (dist / "theme.js").write_text("dark()")
    (dist / "assets" / "index-abc.js").write_bytes(CODE)
    (tmp_path / "secret").write_text("no")
    monkeypatch.setattr(web, "DIST", dist)
    return dist


def served(path: str, **headers: str) -> Response:
    found = web.serve(path, Headers(headers))
    assert found is not None
    return found


def test_what_never_changes_is_compressed_and_kept() -> None:
    packed = served("/assets/index-abc.js", **{"accept-encoding": "gzip, br"})
    assert packed.headers["content-encoding"] == "gzip" and gzip.decompress(packed.body) == CODE
    assert int(packed.headers["content-length"]) < len(CODE) / 10
    assert "immutable" in packed.headers["cache-control"] and packed.headers["vary"] == "Accept-Encoding"
    plain = served("/assets/index-abc.js")
    assert plain.body == CODE and "content-encoding" not in plain.headers
    for answer in (packed, plain):
        assert answer.headers["content-type"].startswith("text/javascript")
        assert answer.headers["x-content-type-options"] == "nosniff"


def test_other_files_are_asked_for_again() -> None:
    assert served("/theme.js").headers["cache-control"] == "no-cache"
    assert served("/jobs/k3v").headers["cache-control"] == "no-cache", "the page itself"


@pytest.mark.parametrize("path", ["/assets/../../secret", "/../secret", "/assets/", "/assets/none.js", "/assets/\0"])
def test_nothing_else_is_served(path: str) -> None:
    assert served(path).body == b"<!doctype html>"
    assert web.without_token(path, Headers({"accept": "application/json"})) is None


def test_the_api_has_no_files() -> None:
    assert web.serve("/api/v1/jobs", Headers()) is None
