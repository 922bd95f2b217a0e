"""`paddock map`: make a job that runs a command for each of many files.

The files stay where they are. The job contains the driver (map_driver.py), the list of its files, and the scripts of
the current folder that its commands name.
"""

import glob
import json
import os
import re
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from itertools import pairwise, takewhile
from pathlib import Path, PurePath
from typing import Any

from paddock.client.bundle import Bundle, changed
from paddock.client.collect import Collected, collect, shown
from paddock.errors import InvalidInput
from paddock.models import CodeInfo, JobSpec
from paddock.program import shell_template
from paddock.runner import map_driver
from paddock.settings import UploadSettings

NAME_LENGTH = 80
_FIELDS = {name: f"PADDOCK_{name.upper()}" for name in ("input", "output", "code", "job", "task")}
# A word of a shell command that may be a script of the current folder.
_SCRIPT = re.compile(r"(?<![^\s;&|(])(?:\./)?(?P<path>[\w+-][\w./+-]*\.(?:py|sh))(?![^\s;&|)])")


class Distribution(StrEnum):
    """Which files a task gets."""

    BLOCK = "block"  # consecutive ones
    CYCLIC = "cyclic"  # every n-th one


@dataclass(frozen=True)
class Wanted:
    """What a user asks for. Relative paths are relative to `folder`."""

    command: str
    inputs: Sequence[str] = ()
    listed: str | None = None  # a file with names
    output: str | None = None
    suffix: str | None = None
    reduce: str | None = None
    per_task: int | None = None
    tasks: int | None = None
    distribution: Distribution = Distribution.BLOCK
    fresh: bool = False
    folder: Path = field(default_factory=Path.cwd)


@dataclass(frozen=True)
class File:
    """An input, its path below the root of its tree, and its output."""

    source: Path
    below: PurePath
    target: Path | None = None


@dataclass(frozen=True)
class Mapped:
    """The job that was made, and its files."""

    wanted: Wanted
    parts: list[list[File]]
    skipped: int  # files whose outputs are there
    bundle: Bundle | None  # None: nothing is left to do

    @property
    def files(self) -> int:
        return sum(map(len, self.parts))


def mapped(
    wanted: Wanted,
    changes: Mapping[str, Any],
    *,
    environment: Mapping[str, str],
    limits: UploadSettings,
    max_tasks: int,
) -> Mapped:
    """Find the files, leave out those that are done, and make a job of the others. Raises InvalidInput.

    `changes` are further fields of the job; `environment` is used if they have none.
    """
    _refuse_fields(wanted)
    found = find(wanted)
    left = found if wanted.fresh else undone(found)
    parts = split(left, task_count(len(left), wanted, max_tasks), wanted.distribution)
    scripts = _Scripts(wanted.folder, limits)
    command = scripts.take(wanted.command)
    rendered = shell_template.render(command, _FIELDS, params=("input", "output"), numbers=())
    reduce = _in_folder(scripts.take(wanted.reduce), wanted.folder) if wanted.reduce is not None else None
    given = {"description": shown(call(wanted)), **changes}
    if parts:
        files = scripts.files | part_files(parts, rendered, wanted.folder)
        driven = {"name": _name(wanted.command)} | given | _driven(len(parts), reduce)
        spec = changed(JobSpec(), driven, environment)
    elif reduce is not None:
        alone = {"name": _name(wanted.reduce or "")} | given | {"command": reduce, "objective": ""}
        files, spec = scripts.files, changed(JobSpec(), alone, environment)
    else:
        return Mapped(wanted, [], len(found), None)
    code = scripts.code.model_copy(update={"source": shown(wanted.folder)[:4000]})
    made = Bundle(spec, Collected(files, spec.script, code, scripts.warnings))
    return Mapped(wanted, parts, len(found) - len(left), made)


def call(wanted: Wanted) -> str:
    """Return the shell command that asks for this."""
    words = ["paddock", "map", wanted.command, *(word for one in wanted.inputs for word in ("--input", one))]
    distribution = None if wanted.distribution is Distribution.BLOCK else wanted.distribution
    names = ("output", "suffix", "per_task", "tasks", "reduce")
    chosen = {"list": wanted.listed, "distribution": distribution} | {name: getattr(wanted, name) for name in names}
    for name, value in chosen.items():
        words += [f"--{name.replace('_', '-')}", str(value)] if value is not None else []
    return shlex.join([*words, *(["--fresh"] if wanted.fresh else [])])


def _refuse_fields(wanted: Wanted) -> None:
    for name, given in (("output", wanted.output), ("list", wanted.listed), *(("input", one) for one in wanted.inputs)):
        if given is not None and not given.strip():
            raise InvalidInput.at(name, f"--{name} is empty: write . for the current folder")
    has_output = "{output}" in wanted.command
    if "{input}" not in wanted.command:
        raise InvalidInput.at("command", "the command has no {input}: write it where the name of the file goes")
    if has_output and wanted.output is None:
        raise InvalidInput.at("output", "the command has {output}: give the folder of the outputs with --output")
    if wanted.output is not None and not has_output:
        raise InvalidInput.at(
            "command", "the command has no {output}: write it where the output goes, or leave --output out"
        )
    if wanted.suffix is not None and (wanted.output is None or "/" in wanted.suffix):
        raise InvalidInput.at(
            "suffix", "--suffix is the suffix of outputs, such as .npy: it needs --output, and has no slash"
        )
    if wanted.suffix is not None and wanted.suffix.isalnum():
        raise InvalidInput.at("suffix", f"--suffix {wanted.suffix} has no dot: write --suffix .{wanted.suffix}")
    if wanted.per_task is not None and wanted.tasks is not None:
        raise InvalidInput.at("tasks", "--per-task and --tasks were given: give one of them, not both")


def _driven(parts: int, reduce: str | None) -> dict[str, Any]:
    """Return the fields of a job that runs the driver."""
    return {
        "script": map_driver.SCRIPT,
        "params": {"part": f"1..{parts}" if parts > 1 else 1},
        "search": {"method": "grid"},
        "objective": "",
        "metrics": {"stdout": False},  # what commands print is theirs
        "reduce": reduce,
    }


# --- which files ----------------------------------------------------------------------------------------------------


def find(wanted: Wanted) -> list[File]:
    """Return all inputs with their outputs, each input once."""
    if not wanted.inputs and wanted.listed is None:
        raise InvalidInput.at("input", "no files are given: write --input 'photos/**/*.jpg', or --list FILE")
    output = None if wanted.output is None else _absolute(wanted.folder, wanted.output)
    found: dict[Path, File] = {}
    for pattern in wanted.inputs:
        files = _matches(pattern, wanted.folder, output)
        if not files:
            raise InvalidInput.at("input", f"no file matches {shown(pattern)} in {shown(wanted.folder)}")
        found |= {file.source: file for file in files if file.source not in found}
    for file in _listed(wanted.listed, wanted.folder) if wanted.listed is not None else []:
        found.setdefault(file.source, file)
    return list(found.values()) if output is None else targets(list(found.values()), output, wanted.suffix)


def _matches(pattern: str, folder: Path, output: Path | None) -> list[File]:
    """Return the files of a pattern, by name; a folder stands for all files in it.

    Their tree begins where the pattern's fixed part ends. Outputs in that tree are no inputs.
    """
    parts = _expanded(pattern).parts
    fixed = tuple(takewhile(lambda part: not glob.has_magic(part), parts[:-1]))
    root, rest = _absolute(folder, *fixed), parts[len(fixed) :]
    if _absolute(folder, *parts).is_dir():
        root, rest = _absolute(folder, *parts), ("**", "*")
    own = output if output and root in output.parents else None
    names = glob.glob(os.path.join(*rest), root_dir=root, recursive=True) if rest else []  # noqa: PTH118, PTH207
    files = [File(root / name, PurePath(name)) for name in sorted(set(names)) if (root / name).is_file()]
    return [file for file in files if own is None or own not in file.source.parents]


def _listed(name: str, folder: Path) -> list[File]:
    """Return the files of a list, one per line. Their tree begins at the folder, or at / if they are not in it."""
    try:
        lines = _absolute(folder, name).read_bytes().split(b"\n")
    except OSError as error:
        raise InvalidInput.at("list", f"the list {shown(name)} cannot be read: {error.strerror}") from None
    found = [_line(folder, os.fsdecode(line)) for line in lines if line.strip()]
    missing = [path for path in found if not path.is_file()]
    if missing or not found:
        more = f", and {len(missing) - 1:,} more" if len(missing) > 1 else ""
        what = f"names what is not a file: {shown(missing[0])}{more}" if missing else "names no file"
        raise InvalidInput.at("list", f"the list {shown(name)} {what}")
    return [File(path, path.relative_to(folder if folder in path.parents else "/")) for path in found]


def _line(folder: Path, line: str) -> Path:
    """Return the path of a line. Blanks at its ends may be part of the name; if not, they are stripped."""
    path = _absolute(folder, line)
    return path if path.is_file() else _absolute(folder, line.strip())


def targets(files: Sequence[File], output: Path, suffix: str | None) -> list[File]:
    """Return the files with their outputs, in the same tree below `output`. Refuses outputs that are not distinct."""
    made: dict[Path, File] = {}
    sources = {file.source for file in files}
    for file in files:
        name = file.below.name if suffix is None else file.below.stem + suffix
        target = output / file.below.with_name(name)
        if target in sources:
            raise InvalidInput.at(
                "output", f"{shown(target)} would be overwritten, as it is an input: give another --output or --suffix"
            )
        if target in made:
            two = f"{shown(made[target].source)} and {shown(file.source)}"
            raise InvalidInput.at(
                "output", f"{two} have the same output, {shown(target)}: map them into different folders"
            )
        made[target] = replace(file, target=target)
    folders = {target.parent for target in made}
    both = next((one for folder in folders for one in (folder, *folder.parents) if one in made), None)
    if both is not None:
        raise InvalidInput.at(
            "output", f"{shown(both)} would be both a file and a folder: map the inputs into different folders"
        )
    return list(made.values())


def undone(files: Sequence[File]) -> list[File]:
    """Return the files whose output does not exist, or is older than they are."""
    there = {path for folder in {file.target.parent for file in files if file.target} for path in _in(folder)}
    return [file for file in files if file.target not in there or _is_older(file.target, file.source)]


def _in(folder: Path) -> list[Path]:
    try:
        return list(folder.iterdir())
    except OSError:
        return []


def _is_older(target: Path | None, source: Path) -> bool:
    try:
        return target is None or target.stat().st_mtime < source.stat().st_mtime
    except OSError:
        return True


# --- tasks ----------------------------------------------------------------------------------------------------------


def task_count(files: int, wanted: Wanted, max_tasks: int) -> int:
    """Return the number of tasks: one per file, unless the user asks for another."""
    count = files
    if wanted.per_task is not None:
        count = -(-files // wanted.per_task)
    elif wanted.tasks is not None:
        count = min(wanted.tasks, files)
    if count > max_tasks:
        enough = -(-files // max_tasks)
        message = f"{count:,} tasks are more than the {max_tasks:,} of the setting max_tasks"
        raise InvalidInput.at("tasks", f"{message}: put several files into a task, such as --per-task {enough}")
    return count


def split(files: Sequence[File], count: int, distribution: Distribution) -> list[list[File]]:
    """Split files into this many parts, whose sizes differ by at most one."""
    if distribution is Distribution.CYCLIC:
        return [list(files[number::count]) for number in range(count)]
    ends = [number * len(files) // max(count, 1) for number in range(count + 1)]
    return [list(files[start:end]) for start, end in pairwise(ends)]


def part_files(parts: Sequence[Sequence[File]], command: str, folder: Path) -> dict[str, bytes]:
    """Return the driver and the files that it reads; a task reads only its own part."""
    lines = [json.dumps([[str(file.source), file.target and str(file.target)] for file in part]) for part in parts]
    starts, at = [], 0
    for line in lines:
        starts.append(at)
        at += len(line) + 1
    driver = Path(map_driver.__file__).read_text()
    made = {
        # What is learned about a script is remembered by its text: this makes another script of each command.
        "map.py": f"{driver}\n# {json.dumps(command)}\n",
        map_driver.PLAN: json.dumps({"command": command, "folder": str(folder)}),
        map_driver.PARTS: "".join(line + "\n" for line in lines),
        map_driver.INDEX: "".join(f"{start:0{map_driver.WIDTH}d}" for start in starts),
    }
    return {f"{map_driver.FOLDER}/{name}": text.encode() for name, text in made.items()}


# --- commands -------------------------------------------------------------------------------------------------------


class _Scripts:
    """The scripts of a folder that commands name, with what they import."""

    def __init__(self, folder: Path, limits: UploadSettings) -> None:
        self._folder, self._limits = folder, limits
        self.files: dict[str, bytes] = {}
        self.warnings: list[str] = []
        self.code = CodeInfo()

    def take(self, command: str) -> str:
        """Return the command with the names of copies of its scripts, which stay as they are now."""
        return _SCRIPT.sub(lambda found: self._taken(found, command), command)

    def _taken(self, found: re.Match[str], command: str) -> str:
        path = PurePath(found["path"])
        written = command[: found.start()].rstrip().endswith(">")
        if written or ".." in path.parts or not (self._folder / path).is_file():
            return found[0]
        got = collect(self._folder / path, needs_script=False, limits=self._limits)
        self.files |= {(path.parent / name).as_posix(): data for name, data in got.files.items()}
        self.warnings += got.warnings
        self.code = got.code
        return f"{{code}}/{path.as_posix()}"


def _in_folder(command: str, folder: Path) -> str:
    try:
        text = shlex.quote(str(folder).encode().decode())
    except UnicodeEncodeError:
        message = f"the name of {shown(folder)} is not valid UTF-8: a reduce command cannot run in it"
        raise InvalidInput.at("reduce", message) from None
    return f"cd {text.replace('{', '{{').replace('}', '}}')} || exit\n{command}"


def _name(command: str) -> str:
    line = " ".join(shown(command).split())
    return line if len(line) <= NAME_LENGTH else line[: NAME_LENGTH - 1] + "…"


def _absolute(folder: Path, *parts: str) -> Path:
    """Return an absolute path; links are kept, as users know files by these names."""
    return Path(os.path.abspath(folder / _expanded(Path(*parts))))  # noqa: PTH100


def _expanded(path: PurePath | str) -> Path:
    """Return a path with the home folder in place of ~."""
    return Path(os.path.expanduser(path))  # noqa: PTH111
