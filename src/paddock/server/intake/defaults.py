"""Fill in what a submission leaves out."""

from collections.abc import Sequence
from typing import TypeVar

from paddock.common.containers import POD
from paddock.errors import InvalidInput
from paddock.models import Model, Resources
from paddock.settings import Settings

M = TypeVar("M", bound=Model)


def resolve(given: Resources, settings: Settings) -> Resources:
    """Return the resources, with fields that were not given from the profile and the settings of the backend."""
    layers = [given]
    if given.profile:
        profile = settings.profiles.get(given.profile)
        if profile is None:
            known = ", ".join(sorted(settings.profiles)) or "none"
            message = f"there is no profile {given.profile!r} in the server's settings; there are: {known}"
            raise InvalidInput.at("resources.profile", message)
        layers.append(profile)
    backend = next((one.backend for one in layers if one.backend), settings.backend)
    layers.append(settings.defaults_of(backend))
    slurm, hosts = _first_given([one.slurm for one in layers]), _first_given([one.hosts for one in layers])
    found = _first_given(layers).model_copy(update={"backend": backend, "slurm": slurm, "hosts": hosts})
    if backend in settings.pod_clusters and found.container is not None:  # whatever runs it elsewhere
        return found.model_copy(update={"container": found.container.model_copy(update={"engine": POD})})
    return found


def _first_given(layers: Sequence[M]) -> M:
    """Return the first model, with fields that it does not give from the others, in their order."""
    made = {}
    for name in type(layers[0]).model_fields:
        values = [getattr(one, name) for one in layers]
        made[name] = next((value for value in values if value not in (None, [])), values[0])
    return layers[0].model_copy(update=made)
