"""Collect the files of a submission: a script with the modules it imports, or a folder without ignored files."""

import os
import re
import shlex
import stat
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

from paddock.client.imports import CODE, import_root, local_imports, module_files, named_configs
from paddock.errors import InvalidInput, TooLarge
from paddock.models import CodeInfo
from paddock.models.units import size_text
from paddock.paths import home_folder
from paddock.program import ignore
from paddock.settings import UploadSettings

GIT_SECONDS = 2.0
LARGE_BYTES = 10 * 1024**2  # a larger file that a command names is data, and stays where it is
_UNSENDABLE = re.compile(r'["\\\x00-\x1f\x7f-\x9f\ud800-\udfff]')  # the last ones: bytes that are not UTF-8
_USUAL_SCRIPTS = ("train.py", "main.py", "train.ipynb", "main.ipynb")


@dataclass(frozen=True)
class Collected:
    files: dict[str, bytes] = field(default_factory=dict)
    script: str | None = None
    code: CodeInfo = field(default_factory=CodeInfo)
    warnings: list[str] = field(default_factory=list)


def collect(
    source: Path,
    script: str | None = None,
    *,
    needs_script: bool = True,
    include: Sequence[str] = (),
    limits: UploadSettings | None = None,
) -> Collected:
    """Read the files of a submission. `needs_script` is False if a command is run in place of a script.

    `include` names further files and folders, relative to the source's folder, even if they are ignored.
    """
    source = Path(os.path.abspath(source.expanduser()))  # noqa: PTH100 - links are kept
    if not source.exists():
        raise InvalidInput.at("source", f"there is no file or folder {source}")
    warnings: list[str] = []
    if source.is_dir():
        root, paths = source, dict(_in_folder(source, ".", warnings))
        chosen = _choose(source, script, list(paths)) if needs_script else None
    else:
        if script is not None and script != source.name:
            raise InvalidInput(f"{source} is a script itself: leave out the script {script!r}, or give a folder.")
        root = import_root(source) if needs_script else source.parent
        paths = _with_imports(source, root, warnings)
        chosen = source.relative_to(root).as_posix() if needs_script else None
    for name in include:
        paths |= _included(name, source if source.is_dir() else source.parent, root, warnings)
    return _collected(paths, chosen, source, warnings, limits)


def collect_named(
    command: str, folder: Path, *, include: Sequence[str] = (), limits: UploadSettings | None = None
) -> Collected:
    """Read the files of a folder that a command names: scripts with what they import, modules after -m, and others."""
    warnings: list[str] = []
    paths: dict[str, Path] = {}
    words = _words(command)
    for before, word in zip(["", *words], words, strict=False):
        if before == "-m":
            for found in module_files(word, folder):
                paths |= _below(found, folder, warnings)
        elif before not in (">", ">>"):
            for part in {word, word.rpartition("=")[2]}:
                paths |= _named(part, folder, warnings)
    for name in include:
        paths |= _included(name, folder, folder, warnings)
    return _collected(paths, None, folder, warnings, limits)


def _collected(
    paths: dict[str, Path], script: str | None, source: Path, warnings: list[str], limits: UploadSettings | None
) -> Collected:
    _refuse_names(paths)
    _refuse_size(paths, limits or UploadSettings())
    files = {name: _read(path) for name, path in sorted(paths.items())}
    return Collected(files, script, _code_info(source, files), warnings)


# --- which files ----------------------------------------------------------------------------------------------------


def _with_imports(script: Path, root: Path, warnings: list[str]) -> dict[str, Path]:
    found = {script.relative_to(root).as_posix(): script}
    for path in [*local_imports(script, root), *named_configs(script)] if script.suffix in CODE else []:
        found |= _below(path, root, warnings)
    return found


def _below(path: Path, root: Path, warnings: list[str]) -> dict[str, Path]:
    """Return a file, or all files of a folder, by their paths below the root."""
    relative = path.relative_to(root).as_posix()
    return dict(_in_folder(root, relative, warnings)) if path.is_dir() else {relative: path}


def _included(name: str, base: Path, root: Path, warnings: list[str]) -> dict[str, Path]:
    path = Path(os.path.abspath(base / Path(name).expanduser()))  # noqa: PTH100 - links are kept
    if not path.exists():
        raise InvalidInput.at("include", f"there is no file or folder {path}")
    if not path.is_relative_to(root):
        message = f"{path} is not in {root}: name a file in it, submit a folder that contains both"
        raise InvalidInput.at("include", f"{message}, or run in the original folder with --workdir there")
    if path.is_dir():
        return dict(_walk(root, path.relative_to(root).as_posix(), ignore.Ignore(), warnings))
    return {path.relative_to(root).as_posix(): path}


def _words(command: str) -> list[str]:
    lexer = shlex.shlex(command, posix=True, punctuation_chars=True)
    lexer.whitespace_split = True
    lexer.commenters = ""
    try:
        return list(lexer)
    except ValueError:  # a quote without its partner
        return command.split()


def _named(word: str, folder: Path, warnings: list[str]) -> dict[str, Path]:
    """Return the files for a word of a command: none unless it is the relative path of a file in the folder."""
    path = PurePosixPath(word)
    if path.is_absolute() or ".." in path.parts or not (folder / path).is_file():
        return {}
    file = folder / path
    if (size := _size(file)) > LARGE_BYTES:
        warnings.append(
            f"{word} has {size_text(size)} and is not taken along: name it by its whole path, or use --workdir there."
        )
        return {}
    own = {path.as_posix(): file}
    if path.suffix not in CODE:
        return own
    return own | {(path.parent / name).as_posix(): one for name, one in _with_imports(file, file.parent, []).items()}


def _in_folder(top: Path, below: str, warnings: list[str]) -> Iterator[tuple[str, Path]]:
    """Return the files of a folder `below` the topmost one, and of the folders in it, without ignored ones."""
    ignored = ignore.Ignore()
    for parent in reversed(PurePosixPath(below).parents):
        ignored.add(str(parent), _ignore_lines(top / parent))
    yield from _walk(top, below, ignored, warnings)


def _ignore_lines(folder: Path) -> Iterator[str]:
    for name in ignore.FILES:
        with suppress(OSError):
            yield from (folder / name).read_text(encoding="utf-8", errors="replace").splitlines()


def _walk(top: Path, below: str, ignored: ignore.Ignore, warnings: list[str]) -> Iterator[tuple[str, Path]]:
    folder = top / below
    try:
        entries = sorted(os.scandir(folder), key=lambda entry: entry.name)
    except OSError as error:
        raise InvalidInput(f"{folder} cannot be read ({error.strerror}): leave it out in .paddockignore.") from None
    ignored.add(below, _ignore_lines(folder))
    for entry in entries:
        name, path = (PurePosixPath(below) / entry.name).as_posix(), Path(entry.path)
        is_folder = entry.is_dir(follow_symlinks=False)
        if ignored(name, folder=is_folder):
            continue
        if is_folder:
            if not _is_foreign(path):
                yield from _walk(top, name, ignored, warnings)
        elif why := _skipped(path, entry.is_symlink(), top):
            warnings.append(f"{name} was left out: {why}.")
        else:
            yield name, path


def _is_foreign(folder: Path) -> bool:
    """Return True for environments, and for Paddock's home with its token: they are never part of a program."""
    return any((folder / mark).exists() for mark in ignore.ENVIRONMENT_MARKS) or folder == home_folder()


def _skipped(path: Path, link: bool, top: Path) -> str | None:
    try:
        target = path.resolve(strict=True)
        mode = target.stat().st_mode
    except (OSError, RuntimeError):
        return "it is a broken link"
    if link and not target.is_relative_to(top.resolve()):
        return "it is a link to a place outside the folder"
    if link and stat.S_ISDIR(mode):
        return "it is a link to a folder"
    return None if stat.S_ISREG(mode) else "it is not an ordinary file"


def _choose(root: Path, script: str | None, names: list[str]) -> str:
    if script is not None:
        wanted = Path(script)
        relative = (
            wanted.relative_to(root) if wanted.is_absolute() and wanted.is_relative_to(root) else wanted
        ).as_posix()
        if relative in names:
            return relative
        why = "it is ignored" if (root / relative).is_file() else "there is no such file"
        raise InvalidInput(f"The script {script!r} is not among the files of {root}: {why}.", fields={"script": why})
    top = [name for name in names if name.endswith(".py") and "/" not in name]
    for name in (*_USUAL_SCRIPTS, *(top if len(top) == 1 else [])):
        if name in names:
            return name
    candidates = sorted(top or [name for name in names if name.endswith(".py")])
    listed = ", ".join(candidates[:10]) + (", ..." if len(candidates) > 10 else "")
    which = f"give one with --script: {listed}" if candidates else "there is no .py file in it"
    raise InvalidInput(f"{root} has no train.py or main.py: {which}.", fields={"script": which})


# --- limits ---------------------------------------------------------------------------------------------------------


def _refuse_names(paths: dict[str, Path]) -> None:
    """Refuse names that a multipart form would change."""
    for name in paths:
        if bad := _UNSENDABLE.search(name):
            raise InvalidInput(
                f"The file name {name!r} contains the character {bad[0]!r}, which a submission cannot transfer: "
                "rename the file, or leave it out in .paddockignore.",
                fields={"files": repr(name)},
            )


def _refuse_size(paths: dict[str, Path], limits: UploadSettings) -> None:
    if len(paths) > limits.max_files:
        raise TooLarge(
            f"{len(paths):,} files are more than the {limits.max_files:,} that a submission may have: leave out data "
            "and results in a .paddockignore file, or raise the setting upload.max_files."
        )
    sizes = {name: _size(path) for name, path in paths.items()}
    total = sum(sizes.values())
    if total <= limits.max_bytes:
        return
    largest = sorted(sizes, key=lambda name: -sizes[name])[:5]
    raise TooLarge(
        f"The files are {size_text(total)}, more than the {size_text(limits.max_bytes)} that a submission may "
        "have: leave out data in a .paddockignore file and read it from where it is, or raise the setting "
        "upload.max_bytes. The largest are "
        + ", ".join(f"{name} ({size_text(sizes[name])})" for name in largest)
        + ".",
        fields={name: f"{sizes[name]:,} bytes" for name in largest},
    )


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise InvalidInput(f"{path} cannot be read ({error.strerror}): leave it out in .paddockignore.") from None


# --- where it is from -----------------------------------------------------------------------------------------------


def _code_info(source: Path, files: dict[str, bytes]) -> CodeInfo:
    folder = source if source.is_dir() else source.parent
    commit = _git(folder, "rev-parse", "HEAD")
    changes = _git(folder, "status", "--porcelain", "--", ".") if commit else None
    return CodeInfo(
        files=len(files),
        bytes=sum(map(len, files.values())),
        source=shown(source)[:4000],
        git_commit=commit.strip()[:100] if commit else None,
        git_dirty=bool(changes.strip()) if changes is not None else None,
    )


def shown(path: Path | str) -> str:
    """Return a path as text that can be encoded."""
    return os.fsencode(path).decode("utf-8", errors="replace")


def _git(folder: Path, *arguments: str) -> str | None:
    try:
        done = subprocess.run(
            ["git", "-C", str(folder), *arguments],
            env={**os.environ, "GIT_OPTIONAL_LOCKS": "0"},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=GIT_SECONDS,
            check=True,
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return done.stdout.decode(errors="replace")
