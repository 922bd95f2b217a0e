"""The sample sweep, which `make demo` runs and an empty page offers."""

from pathlib import Path

from paddock.models import Sample, Submission, jobfile

# In the wheel inside the package; in a source checkout where everybody can read it.
_PACKAGE = Path(__file__).parents[1]
_PLACES = (_PACKAGE / "sample_files", _PACKAGE.parents[1] / "examples")


def load() -> list[Sample]:
    for place in _PLACES:
        file = place / "sweep.yaml"
        if file.is_file():
            spec = jobfile.load(file).spec
            script = place / (spec.script or "")
            named = spec.model_copy(update={"script": "train.py"})
            submission = Submission(spec=named, files={"train.py": script.read_text()})
            return [Sample(name=spec.name, description=spec.description, submission=submission)]
    return []
