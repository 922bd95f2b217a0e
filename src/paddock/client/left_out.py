"""Name the files beside a program that it names and that a submission does not take along."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from paddock.client.collect import Collected
from paddock.errors import InvalidInput
from paddock.models.preflight import NamedFile
from paddock.models.units import size_text
from paddock.program import needs, notebook
from paddock.settings import UploadSettings

SHOWN = 10
# What a script names without reading it is often where it writes.
_WRITTEN = re.compile(r"out|result|run|log|checkpoint|ckpt|save|tmp|cache|plot|fig", re.IGNORECASE)


def with_warnings(code: Collected, scripts: Sequence[str], folder: Path, limits: UploadSettings) -> Collected:
    """Return what was collected with a warning for each such file. `folder` is where the paths of the files begin."""
    files = dict(code.files)
    for one in filter(notebook.is_notebook, scripts):
        try:
            files[notebook.script_name(one)] = notebook.convert(files[one], one).source.encode()
        except InvalidInput:
            return code  # the server will report it
    named = needs.of(files, scripts).files
    bases = {str(folder): folder} | {one: (folder / one).parent for one in scripts}
    texts = [text for one in named if (text := next(_texts(one, list(bases.values()), limits), None))]
    return replace(code, warnings=[*code.warnings, *texts[:SHOWN]])


def _texts(named: NamedFile, bases: Sequence[Path], limits: UploadSettings) -> Iterator[str]:
    if not named.read and _WRITTEN.search(named.path):
        return
    for base in bases:
        path = base / named.path
        try:
            if not path.exists() or path.resolve() == base.resolve():
                continue
            size = path.stat().st_size if path.is_file() else 0
        except OSError:
            continue
        if ".." in Path(named.path).parts:
            yield (
                f"{named.where} names {named.path}, which is {path.resolve()} there. Tasks have folders of their own: "
                "add --workdir there to run where the script is."
            )
        elif size > limits.max_bytes:
            yield (
                f"{named.where} names {named.path} ({size_text(size)}), which is too large to take along: add "
                "--workdir there to run where the script is, or name it by its whole path."
            )
        else:
            about = f" ({size_text(size)})" if path.is_file() else ""
            yield (
                f"{named.where} names {named.path}{about}, which is not taken along: add --include {named.path}, or "
                "--workdir there."
            )
