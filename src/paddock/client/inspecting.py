"""Read a script with the files beside it that a submission would take along."""

from pathlib import Path

from paddock.client.collect import collect
from paddock.errors import InvalidInput, PaddockError
from paddock.models import Convention, ScriptReport, jobfile
from paddock.program import notebook
from paddock.program.inspection import RELEVANT_SUFFIXES, inspect_source

_PASSED = {
    Convention.FLAGS: "as options",
    Convention.POSITIONAL: "as positional arguments",
    Convention.STFMANAGER: "as positional arguments, the way of S-TFManager",
    Convention.OVERRIDES: "as name=value",
    Convention.CONFIG: "in a copy of the configuration file",
    Convention.CONSTANTS: "in a copy of the script, as constants at its top",
    Convention.ENV: "as environment variables",
}
MAX_FILES_SIZE = 4 * 1024**2


def inspect_file(path: Path) -> tuple[ScriptReport, str]:
    """Return what a script takes, and a sentence about it. Of a job file, its script is read."""
    if jobfile.is_jobfile(path):
        try:
            job = jobfile.load(path)
        except PaddockError:
            return _config(path)
        script = (job.source / job.script if job.script else job.source) if job.source else None
        if script is None or script.is_dir():
            return _config(path)
        report, shown = inspect_file(script)
        return report, f"{path.name} is a job file with the script {script.name}. {shown}"
    report = inspect_source(*sources(path))
    if not report.params and not report.open_ended:
        how = "Takes no parameters that reading it shows"
    else:
        how = f"Takes parameters {_PASSED[report.convention]}"
    return report, f"{how} (convention {report.convention}). Metrics: {', '.join(report.metrics) or 'none found'}."


def sources(path: Path) -> tuple[str, str, tuple[str, ...], dict[str, str]]:
    """Return what `inspect_source` reads: the text of a script, its name, no parameters, and the files beside it."""
    try:
        path.open("rb").close()
    except OSError as error:
        raise InvalidInput(f"{path} cannot be read ({error.strerror}): give another file.") from None
    found = collect(path)
    name = found.script or path.name
    data = found.files[name]
    text = notebook.without_outputs(data, name) if notebook.is_notebook(name) else data.decode("utf-8", "replace")
    files: dict[str, str] = {}
    left = MAX_FILES_SIZE
    for other, content in found.files.items():
        if other != name and other.lower().endswith(RELEVANT_SUFFIXES) and len(content) <= left:
            files[other] = content.decode("utf-8", "replace")
            left -= len(content)
    return text, name, (), files


def _config(path: Path) -> tuple[ScriptReport, str]:
    text, name, _, _ = sources(path)
    report = inspect_source(text, name)
    return report, f"A configuration file with {len(report.params):,} values."
