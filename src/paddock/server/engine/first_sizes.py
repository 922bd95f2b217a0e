"""Lets tasks of jobs with a range of GPUs begin when the policy has chosen how many they have: see `sizing`.

A job asks before its first attempts are published, and again before something is started for those that wait.
"""

import math

from paddock.models import Method
from paddock.server.engine.bookings import can_yield
from paddock.server.engine.context import Context, JobFacts

LASTS = 5.0  # seconds for which a choice is good
PATIENCE = 5.0  # seconds without a choice, after which tasks begin with what they have


def chooses(context: Context, facts: JobFacts) -> bool:
    """Return True if the policy chooses how many GPUs the tasks of a job have."""
    spec = facts.spec
    if not context.settings.elastic.sizes or spec.elastic.keep_size or spec.resources.most_gpus is None:
        return False
    return spec.search.method is not Method.PBT and can_yield(facts)


def awaited(context: Context, facts: JobFacts, now: float) -> bool:
    """Return True if the policy has to choose first, and ask it to."""
    if not chooses(context, facts) or now - context.sized.get(facts.id, -math.inf) <= LASTS:
        return False
    return now - context.unsized.setdefault(facts.id, now) <= PATIENCE


def settle(context: Context, now: float) -> None:
    """Note that the policy has chosen for all who have asked."""
    recent = {job: at for job, at in context.sized.items() if now - at <= LASTS}
    context.sized = recent | dict.fromkeys(context.unsized, now)
    context.unsized = {}
