"""Fill in what a submission leaves out."""

from paddock.errors import InvalidInput
from paddock.models import Resources
from paddock.settings import Settings


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
    cluster = settings.cluster(backend)
    if cluster:
        layers.append(cluster.resources)
    merged = {
        name: next((value for one in layers if (value := getattr(one, name)) not in (None, [])), None)
        for name in Resources.model_fields
    }
    return given.model_copy(update=merged | {"backend": backend, "options": merged["options"] or []})
