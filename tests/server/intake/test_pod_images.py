"""Test the images of jobs for Kubernetes: the pod itself is the container."""

from typing import Any

import pytest

from paddock.errors import InvalidInput
from paddock.models import Container, Environment, JobSpec, Resources
from paddock.program import environment
from paddock.server.intake import checks, defaults
from paddock.settings import KubernetesSettings, Settings


def resolved(settings: Settings, given: dict[str, Any], image: str | None = "lab/torch:2.1") -> Resources:
    backends = {"pods": KubernetesSettings(image=image)}
    with_pods = settings.model_copy(update={"backends": backends, "backend": "pods"})
    found = defaults.resolve(Resources.model_validate(given), with_pods)
    checks.pod_image(found, "pods", "kubernetes")
    return found


def test_the_image_of_the_settings_is_for_jobs_that_name_none(settings: Settings) -> None:
    assert resolved(settings, {}).container == Container(image="lab/torch:2.1", engine="pod")


def test_whatever_runs_an_image_elsewhere_its_engine_here_is_the_pod(settings: Settings) -> None:
    given = {"container": {"image": "docker://lab/x", "engine": "apptainer", "mounts": ["/data"]}}
    found = resolved(settings, given, None)
    assert found.container is not None
    assert (found.container.image, found.container.engine) == ("docker://lab/x", "pod")
    assert checks.container(JobSpec(command="true", resources=found)) == [
        "the options and mounts of the container have no effect in a pod"
    ]


@pytest.mark.parametrize(
    ("given", "field"),
    [({}, "resources.container"), ({"container": "/images/torch.sif"}, "resources.container.image")],
)
def test_a_pod_needs_an_image_of_a_registry(settings: Settings, given: dict[str, Any], field: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        resolved(settings, given, None)
    assert list(caught.value.fields) == [field]


def test_there_are_no_pods_elsewhere() -> None:
    given = Resources(container=Container(image="lab/x", engine="pod"))
    with pytest.raises(InvalidInput, match="it has no pods"):
        checks.pod_image(given, "local", "local")


def test_such_an_image_is_not_looked_into_here() -> None:
    container = Container(image="lab/x", engine="pod")
    found = environment.find(Environment(), None, container=container)
    assert found.argv == ["python3"]
    with pytest.raises(environment.NotLookedInto, match="the image of a pod"):
        environment.check(Environment(), found, 5.0, modules=["torch"], container=container)
