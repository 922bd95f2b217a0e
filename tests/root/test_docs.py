"""The documentation says what the code does."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent.parent
PAGES = [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("examples/*.md")]


def test_reference_pages_are_up_to_date() -> None:
    command = [sys.executable, str(ROOT / "tools/reference.py"), "--check"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("page", PAGES, ids=[str(page.relative_to(ROOT)) for page in PAGES])
def test_links_lead_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\(([^)#\s]+)", page.read_text()):
        if "://" not in target:
            assert (page.parent / target).exists(), f"{page.name} links to {target}"


def test_every_setting_is_documented() -> None:
    from paddock.settings import Settings

    text = (ROOT / "docs/reference/settings.md").read_text()
    for name in Settings.model_fields:
        assert f"| `{name}" in text
    for row in text.splitlines():
        if row.startswith("| `"):
            assert row.split("|")[4].strip(), f"no description: {row}"


def test_no_file_names_a_package_registry() -> None:
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True).stdout.split()
    hosts = ["pypi" + ".org", "python" + "hosted.org", "registry.npm" + "js.org"]
    for name in listed:
        path = ROOT / name
        if path.is_file():
            text = path.read_text(errors="ignore")
            assert not [host for host in hosts if host in text], name
