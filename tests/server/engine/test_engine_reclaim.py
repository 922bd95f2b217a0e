"""Work that leaves its GPUs idle makes way when others wait, if the settings say so."""

from paddock.models import Waits
from paddock.server.engine.reclaim import IdleReclaimer
from paddock.server.store import notices
from tests.server.engine.engine_rig import JOB, Rig

OTHER = "w7q2m4cd"


def test_idle_work_makes_way_once_and_only_if_somebody_waits(rig: Rig) -> None:
    [task] = rig.job()
    rig.step()
    [key] = rig.keys()
    rig.started(key, task)
    rig.job(job=OTHER)
    context = rig.engine.context
    reclaimer = IdleReclaimer(context)
    now = rig.now()
    idle = {key: now - 3700}

    def orders() -> list[object]:
        return [one for one in rig.control() if one["op"] == "yield"]

    context.waits = {OTHER: Waits(reason="waits for a GPU")}
    reclaimer.run(rig.rows(), idle, now)
    assert orders() == [], "the settings do not say so"
    reserving = rig.settings.reservations.model_copy(update={"reclaim_idle_minutes": 60.0})
    context.settings = rig.settings.model_copy(update={"reservations": reserving})
    context.waits = {JOB: Waits(reason="its other tasks")}
    reclaimer.run(rig.rows(), idle, now)
    context.waits = {OTHER: Waits(reason="it can never run", never=True)}
    reclaimer.run(rig.rows(), idle, now)
    assert orders() == [], "nobody else waits"
    context.waits = {OTHER: Waits(reason="waits for a GPU")}
    reclaimer.run(rig.rows(), {key: now - 3500}, now)
    assert orders() == [], "it is not idle for long enough"
    for _ in range(2):
        reclaimer.run(rig.rows(), idle, now)
    why = "its GPUs were idle for 1 h 2 min, and others wait for GPUs"
    assert orders() == [{"op": "yield", "allocation": key, "at": now + 60.0, "why": why}]
    with rig.db.read() as c:
        [told] = notices.page(c, rig.settings.owner).items
    assert why in told.text
