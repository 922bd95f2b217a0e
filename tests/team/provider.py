"""A real OpenID Connect provider (npm's oidc-provider), and a browser's way through its pages."""

import fcntl
import hashlib
import json
import os
import re
import shutil
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import parse_qsl, urljoin, urlsplit

import hatch_build
import httpx2
import pytest

from tests.support.server import wait_for

SOURCES = Path(__file__).parent / "oidc"
PEOPLE = {
    "user-1": {
        "preferred_username": "alice",
        "name": "Alice Ärmel",
        "email": "alice@example.org",
        "email_verified": True,
        "groups": ["ml", "/vision", "Not A Group"],
        "unix": "alice",
    },
    "user-2": {"preferred_username": "bob", "email": "bob@example.org", "email_verified": False},
}


def installed() -> tuple[Path, str]:
    """Return the folder of the provider with its packages, and the path to find Node in.

    It is made once, in the user's cache, and kept, like the training environment (tools/train_env.py).
    """
    sources = sorted(SOURCES.iterdir())
    digest = hashlib.sha256(b"".join(path.read_bytes() for path in sources)).hexdigest()[:12]
    cache = Path(os.environ.get("XDG_CACHE_HOME") or "~/.cache").expanduser() / "paddock"
    folder = cache / f"oidc-{digest}"
    npm, path = hatch_build.npm()
    if not (folder / "done").exists():
        cache.mkdir(parents=True, exist_ok=True)
        with open(folder.with_suffix(".lock"), "w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not (folder / "done").exists():
                shutil.rmtree(folder, ignore_errors=True)
                folder.mkdir()
                for source in sources:
                    shutil.copy(source, folder)
                command = [*npm, "ci", "--ignore-scripts", "--no-audit", "--no-fund"]
                done = subprocess.run(
                    command, cwd=folder, env=os.environ | {"PATH": path}, capture_output=True, check=False
                )
                if done.returncode:
                    why = f"npm cannot install oidc-provider: {done.stderr.decode()[-500:]}"
                    (pytest.fail if os.environ.get("CI") else pytest.skip)(why)
                (folder / "done").touch()
    return folder, path


@contextmanager
def provider(folder: Path, *, in_token: bool = False, people: Mapping[str, object] = PEOPLE) -> Iterator[str]:
    """Run a provider; yield its issuer. `in_token`: all claims are in the ID token already."""
    program, path = installed()
    output = folder / "provider.out"
    variables = {"PATH": path, "PEOPLE": json.dumps(people), "IN_TOKEN": "1" if in_token else "0"}
    with open(output, "wb") as out, open(folder / "provider.log", "wb") as log:
        process = subprocess.Popen(["node", "provider.js"], cwd=program, env=variables, stdout=out, stderr=log)
    try:
        wait_for(lambda: output.read_text().endswith("\n") or process.poll() is not None, what="the provider's address")
        assert process.poll() is None, (folder / "provider.log").read_text()
        yield output.read_text().strip()
    finally:
        process.terminate()
        process.wait()


def visit(url: str, login: str) -> dict[str, str]:
    """Sign in at the provider as a browser would; return the query with which it sends the browser back."""
    return dict(parse_qsl(urlsplit(visited(url, login)).query))


def visited(url: str, login: str) -> str:
    """Sign in at the provider as a browser would; return the address that it sends the browser to."""
    with httpx2.Client() as browser:
        answer = browser.get(url)
        for _ in range(12):
            if answer.is_redirect:
                target = urljoin(str(answer.url), answer.headers["location"])
                if urlsplit(target).netloc != urlsplit(url).netloc:
                    return target
                answer = browser.get(target)
            else:
                assert answer.status_code == 200, answer.text
                action = re.search(r'action="([^"]+)"', answer.text)
                prompt = re.search(r'name="prompt" value="([^"]+)"', answer.text)
                assert action and prompt, answer.text
                form = {"prompt": prompt[1], "login": login, "password": "any"}
                answer = browser.post(urljoin(str(answer.url), action[1]), data=form)
    raise AssertionError("the provider does not send the browser back")
