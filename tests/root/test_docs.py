"""The documentation agrees with the code: links, paths, rooms, engine steps, settings, reference pages."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent.parent
PACKAGE = ROOT / "src" / "paddock"
PAGES = [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("examples/*.md")]
ARCHITECTURE = (ROOT / "ARCHITECTURE.md").read_text()


def test_reference_pages_are_up_to_date() -> None:
    command = [sys.executable, str(ROOT / "tools/reference.py"), "--check"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("page", PAGES, ids=[str(page.relative_to(ROOT)) for page in PAGES])
def test_links_lead_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\(([^)#\s]+)", page.read_text()):
        if "://" not in target:
            assert (page.parent / target).exists(), f"{page.name} links to {target}"


@pytest.mark.parametrize("page", PAGES, ids=[str(page.relative_to(ROOT)) for page in PAGES])
def test_paths_of_the_repository_exist(page: Path) -> None:
    """A path counts when it begins with a folder of the repository or of the package; other paths are the user's."""
    bases = [ROOT, PACKAGE, PACKAGE / "server"]
    for path in re.findall(r"`([\w-]+/[\w./-]*)`", page.read_text()):
        first = path.partition("/")[0]
        if any((base / first).is_dir() for base in bases):
            assert any((base / path).exists() for base in bases), f"{page.name} names {path}"


def test_modules_in_the_architecture_exist() -> None:
    folders = [PACKAGE, PACKAGE / "server", PACKAGE / "server/engine", ROOT]
    for name in re.findall(r"`(\w+\.py)`", ARCHITECTURE):
        assert any((folder / name).is_file() for folder in folders), name
    for name in re.findall(r"`((?:runner|server|client|common|home|rules|search|models)\.(?!py`)\w+)`", ARCHITECTURE):
        assert _is_module(PACKAGE / name.replace(".", "/")), name


def test_the_architecture_names_every_room_and_only_modules_that_exist() -> None:
    rows = re.findall(r"^\| `(\w+)/` \| .* \| (.*) \|$", ARCHITECTURE, re.MULTILINE)
    folders = {path.parent for path in [*PACKAGE.glob("*/__init__.py"), *PACKAGE.glob("server/*/__init__.py")]}
    assert {room for room, _ in rows} == {folder.name for folder in folders}
    for room, modules in rows:
        folder = next(folder for folder in folders if folder.name == room)
        for name in re.findall(r"`([\w/]+)`", modules):
            assert _is_module(folder / name), f"{room} has no module {name}"


def test_the_architecture_names_every_step_of_the_engine() -> None:
    sources = [path.read_text() for path in (PACKAGE / "server/engine").glob("*.py")]
    steps = {name for text in sources for name in re.findall(r'\bstep\(\s*"([a-z ]+)"', text)}
    table = ARCHITECTURE.partition("| step | file")[2].partition("\n\n")[0]
    assert steps == set(re.findall(r"^\| ([a-z ]+) \| `", table, re.MULTILINE))


@pytest.mark.parametrize(
    ("page", "message"),
    [
        ("quickstart", "serves at http"),
        ("slurm", "would accept it"),
        ("slurm", "would refuse it"),
        ("slurm", "; expected start"),
        ("slurm", "can ever give what it asks for"),
        ("slurm", "has ended, and no server answers"),
        ("slurm", "but does not answer: check if this computer can reach the nodes"),
        ("running", "no word since"),
        ("load", "could run 6 tasks per GPU"),
    ],
)
def test_messages_that_the_pages_quote_are_those_of_the_program(page: str, message: str) -> None:
    assert message in (ROOT / "docs" / f"{page}.md").read_text()
    sources = [path.read_text() for path in PACKAGE.rglob("*.py")]
    written = re.escape(message).replace("http", r"\{\w+\.?\w*\}").replace("6", r"\{\w+\}")
    assert any(re.search(written, text) for text in sources), "the program reports it in other words now"


def _is_module(path: Path) -> bool:
    return path.is_dir() or path.with_suffix(".py").is_file()


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
